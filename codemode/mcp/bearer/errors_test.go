package bearer

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"
)

// TestErrors: a host tells apart what it gave wrongly, and why keys can't be read.
func TestErrors(t *testing.T) {
	var all Tokens
	who, token := Identity{Issuer: "local", Subject: "ann"}, strings.Repeat("k", minToken)
	_ = all.Add(token, who)
	jwt := func(o Options) error { _, err := NewJWT(o); return err }
	for _, err := range []error{
		all.Add("short", who), all.Add(token, Identity{}), all.Add(token, who), all.AddHash("x", who),
		jwt(Options{}), jwt(Options{Issuer: issuer, Audience: "x"}), jwt(Options{Issuer: issuer, Audience: audience, Keys: "http://x/y"}),
		jwt(Options{Issuer: issuer, Audience: audience, Keys: "file:x", Leeway: time.Hour}),
	} {
		if !errors.Is(err, ErrConfig) || errors.Is(err, ErrInvalid) || !strings.HasPrefix(err.Error(), ErrConfig.Error()+": ") || strings.Contains(err.Error(), "%!") {
			t.Error(err)
		}
	}
	k, err := newKeySet("file:"+t.TempDir()+"/none.json", nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.find(t.Context(), "e", "ES256"); !errors.Is(err, ErrUnavailable) || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
