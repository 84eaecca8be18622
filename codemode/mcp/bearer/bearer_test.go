package bearer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const issuer, audience = "https://login.example.com", "https://mcp.example.com/mcp"

func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid, typ string, claims string) string {
	t.Helper()
	opt := (&jose.SignerOptions{}).WithType(jose.ContentType(typ))
	if kid != "" {
		opt = opt.WithHeader("kid", kid)
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, opt)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := s.Sign([]byte(claims))
	if err != nil {
		t.Fatal(err)
	}
	text, err := sig.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestHostileTokens: a token is right in every respect, or stands for nobody.
func TestHostileTokens(t *testing.T) {
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	ecKey, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	other, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	set, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: rsaKey.Public(), KeyID: "r"}, {Key: ecKey.Public(), KeyID: "e"}, {Key: []byte(strings.Repeat("k", 32)), KeyID: "s"}}})
	path := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(path, set, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(2_000_000_000, 0)
	j, err := NewJWT(Options{Issuer: issuer, Audience: audience, Keys: "file:" + path, Scopes: []string{"run"}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"iss":"https://login.example.com","sub":"ann","aud":["https://mcp.example.com/mcp"],"exp":2000000060,"nbf":1999999990,"scope":"a run","org":9007199254740993}`
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	pub, _ := x509.MarshalPKIXPublicKey(rsaKey.Public())
	body := base64.RawURLEncoding.EncodeToString([]byte(good))
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"r"}`)) + "." + body + "."
	for name, c := range map[string]struct {
		token string
		want  error
	}{
		"right":             {sign(t, jose.RS256, rsaKey, "r", "at+jwt", good), nil},
		"right, ES256":      {sign(t, jose.ES256, ecKey, "e", "JWT", good), nil},
		"just expired":      {sign(t, jose.ES256, ecKey, "e", "JWT", with("2000000060", "1999999980")), nil},
		"alg none":          {none, ErrInvalid},
		"HS256, public key": {sign(t, jose.HS256, pub, "r", "JWT", good), ErrInvalid},
		"HS256, listed key": {sign(t, jose.HS256, []byte(strings.Repeat("k", 32)), "s", "JWT", good), ErrInvalid},
		"RS512":             {sign(t, jose.RS512, rsaKey, "r", "JWT", good), ErrInvalid},
		"another's key":     {sign(t, jose.ES256, other, "e", "JWT", good), ErrInvalid},
		"kid of another":    {sign(t, jose.ES256, ecKey, "r", "JWT", good), ErrInvalid},
		"unknown kid":       {sign(t, jose.ES256, ecKey, "x", "JWT", good), ErrInvalid},
		"no kid":            {sign(t, jose.ES256, ecKey, "", "JWT", good), ErrInvalid},
		"logout token":      {sign(t, jose.ES256, ecKey, "e", "logout+jwt", good), ErrInvalid},
		"other audience":    {sign(t, jose.ES256, ecKey, "e", "JWT", with(audience, "https://mail.example.com")), ErrInvalid},
		"longer audience":   {sign(t, jose.ES256, ecKey, "e", "JWT", with(audience, audience+"/x")), ErrInvalid},
		"other issuer":      {sign(t, jose.ES256, ecKey, "e", "JWT", with(issuer, issuer+"/")), ErrInvalid},
		"expired":           {sign(t, jose.ES256, ecKey, "e", "JWT", with("2000000060", "1999999960")), ErrInvalid},
		"no exp":            {sign(t, jose.ES256, ecKey, "e", "JWT", with(`"exp":2000000060,`, "")), ErrInvalid},
		"not yet":           {sign(t, jose.ES256, ecKey, "e", "JWT", with("1999999990", "2000000040")), ErrInvalid},
		"no sub":            {sign(t, jose.ES256, ecKey, "e", "JWT", with(`"sub":"ann",`, "")), ErrInvalid},
		"two subs":          {sign(t, jose.ES256, ecKey, "e", "JWT", with(`"sub":"ann"`, `"sub":"bob","sub":"ann"`)), ErrInvalid},
		"two subs by case":  {sign(t, jose.ES256, ecKey, "e", "JWT", with(`"sub":"ann"`, `"Sub":"bob","sub":"ann"`)), ErrInvalid},
		"no scope":          {sign(t, jose.ES256, ecKey, "e", "JWT", with("a run", "a")), ErrScope},
		"huge":              {sign(t, jose.ES256, ecKey, "e", "JWT", with("a run", "run "+strings.Repeat("x", maxToken))), ErrInvalid},
		"empty":             {"", ErrInvalid},
		"dots":              {strings.Repeat(".", 8000), ErrInvalid},
	} {
		who, err := j.Verify(t.Context(), c.token)
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if c.want == nil && (who.Issuer != issuer || who.Subject != "ann" || who.Claims["org"] != json.Number("9007199254740993")) || c.want != nil && !who.Zero() {
			t.Errorf("%s: stands for %+v", name, who)
		}
	}
	if _, err := (&JWT{}).Verify(t.Context(), "x"); !errors.Is(err, ErrInvalid) {
		t.Error("the zero JWT says", err)
	}
}

// TestKeysAreReadSeldom: whatever strangers name, the issuer is asked once in a while.
func TestKeysAreReadSeldom(t *testing.T) {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	set, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "e"}}})
	path := filepath.Join(t.TempDir(), "keys.json")
	now := time.Unix(2_000_000_000, 0)
	k, err := newKeySet("file:"+path, nil, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.find(t.Context(), "e", "ES256"); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	if err := os.WriteFile(path, set, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := k.find(t.Context(), "e", "ES256"); !errors.Is(err, ErrUnavailable) {
		t.Error("they were read again at once:", err)
	}
	now = now.Add(k.opt.Least)
	if _, err := k.find(t.Context(), "e", "ES256"); err != nil {
		t.Error(err)
	}
	os.Remove(path)
	now = now.Add(k.opt.Stale - time.Second)
	if _, err := k.find(t.Context(), "e", "ES256"); err != nil {
		t.Error("keys of 59 minutes are not used:", err)
	}
	now = now.Add(time.Second)
	if _, err := k.find(t.Context(), "e", "ES256"); !errors.Is(err, ErrUnavailable) {
		t.Error("stale keys are used:", err)
	}
}

// TestTokens: a token of a host's own stands for whom it was given to.
func TestTokens(t *testing.T) {
	var all Tokens
	who := Identity{Issuer: "local", Subject: "ann"}
	token := strings.Repeat("k", minToken)
	if _, err := all.Verify(t.Context(), token); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	if all.Add("short", who) == nil || all.Add(token, Identity{}) == nil || all.Add(token, who) != nil || all.Add(token, who) == nil {
		t.Error("what was added is wrong")
	}
	if got, err := all.Verify(t.Context(), token); err != nil || got.Subject != "ann" {
		t.Error(got, err)
	}
	hashed := strings.Repeat("h", minToken)
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(hashed)))
	if all.AddHash(hash[1:], who) == nil || all.AddHash(hashed, who) == nil || all.AddHash(hash, Identity{}) == nil || all.AddHash(hash, who) != nil || all.Add(hashed, who) == nil {
		t.Error("what was added as a hash is wrong")
	}
	if got, err := all.Verify(t.Context(), hashed); err != nil || got.Subject != "ann" {
		t.Error(got, err)
	}
	if _, err := all.Verify(t.Context(), hash); !errors.Is(err, ErrInvalid) {
		t.Errorf("the hash of a token is taken for it: %v", err)
	}
	for _, bad := range []string{"", token[1:], token + "k", strings.Repeat("k", maxToken+1)} {
		if _, err := First(&all, &JWT{}).Verify(t.Context(), bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%.40q: %v", bad, err)
		}
	}
}
