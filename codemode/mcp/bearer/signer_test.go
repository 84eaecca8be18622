package bearer

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSigner: a token stands for its subject, at its server, for its time, and for nobody else; no claim chooses whose it is.
func TestSigner(t *testing.T) {
	now := time.Unix(2_000_000_000, 0)
	_, key, _ := ed25519.GenerateKey(nil)
	opt := SignerOptions{Issuer: issuer, Audience: audience, Key: key, Now: func() time.Time { return now }}
	s, err := NewSigner(opt)
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.SignToken("ann", "helpdesk-bot", map[string]any{"org": int64(9007199254740993), "roles": []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	right, err := s.Verifier()
	if err != nil {
		t.Fatal(err)
	}
	who, err := right.Verify(t.Context(), token)
	if err != nil || who.Issuer != issuer || who.Subject != "ann" || who.Claims["org"] != json.Number("9007199254740993") || who.Claims["act"].(map[string]any)["sub"] != "helpdesk-bot" {
		t.Errorf("%+v, %v", who, err)
	}
	// As another process checks it, with the keys alone.
	path := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(path, s.Keys(), 0o600); err != nil || strings.Contains(string(s.Keys()), `"d"`) {
		t.Fatal(err, string(s.Keys()))
	}
	at := func(aud string, now time.Time) *JWT {
		j, err := NewJWT(Options{Issuer: issuer, Audience: aud, Keys: "file:" + path, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	other := opt
	_, other.Key, _ = ed25519.GenerateKey(nil)
	stranger, err := NewSigner(other)
	if err != nil {
		t.Fatal(err)
	}
	forged, _ := stranger.SignToken("ann", "", nil)
	for name, c := range map[string]struct {
		j     *JWT
		token string
		want  error
	}{
		"elsewhere":         {at(audience, now), token, nil},
		"at its end":        {at(audience, now.Add(5*time.Minute)), token, nil},
		"after its end":     {at(audience, now.Add(5*time.Minute+DefaultLeeway+time.Second)), token, ErrInvalid},
		"at another server": {at("https://other.example.com/mcp", now), token, ErrInvalid},
		"another's key":     {at(audience, now), forged, ErrInvalid},
	} {
		if _, err := c.j.Verify(t.Context(), c.token); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	again, err := s.SignToken("ann", "", nil)
	if err != nil || again == token {
		t.Error("two tokens are one", err)
	}
	for _, claims := range []map[string]any{{"sub": "bob"}, {"SUB": "bob"}, {"aud": "x"}, {"exp": 1 << 40}, {"act": "x"}, {"f": func() {}}, {"long": strings.Repeat("x", maxToken)}} {
		if token, err := s.SignToken("ann", "", claims); !errors.Is(err, ErrConfig) || token != "" {
			t.Errorf("%.40v: %v", claims, err)
		}
	}
	if _, err := s.SignToken("", "", nil); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	if _, err := new(Signer).SignToken("ann", "", nil); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	for _, change := range []func(*SignerOptions){
		func(o *SignerOptions) { o.Key = nil }, func(o *SignerOptions) { o.For = 2 * time.Hour }, func(o *SignerOptions) { o.For = -1 },
		func(o *SignerOptions) { o.Issuer = "" }, func(o *SignerOptions) { o.Audience = "mcp" },
	} {
		wrong := opt
		change(&wrong)
		if _, err := NewSigner(wrong); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
