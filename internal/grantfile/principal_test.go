package grantfile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestBind: there is no principal but with each claim, of its type.
func TestBind(t *testing.T) {
	f := parse(t, whole)
	for claims, ok := range map[string]bool{
		`{"org": 1, "user": 2, "states": ["open"]}`:                true,
		`{"org": 1, "user": 2, "states": []}`:                      true,
		`{"org": 1, "user": 2, "states": ["open"], "admin": true}`: true,
		`{"org": 1, "user": 2}`:                                    false,
		`{"user": 2, "states": []}`:                                false,
		`{"org": null, "user": 2, "states": []}`:                   false,
		`{"org": "1", "user": 2, "states": []}`:                    false,
		`{"org": 1.5, "user": 2, "states": []}`:                    false,
		`{"org": 1e3, "user": 2, "states": []}`:                    false,
		`{"org": 99999999999999999999, "user": 2, "states": []}`:   false,
		`{"org": [1], "user": 2, "states": []}`:                    false,
		`{"org": {"$ne": 0}, "user": 2, "states": []}`:             false,
		`{"org": true, "user": 2, "states": []}`:                   false,
		`{"org": 1, "user": 2, "states": "open"}`:                  false,
		`{"org": 1, "user": 2, "states": [null]}`:                  false,
		`{"org": 1, "user": 2, "states": [["open"]]}`:              false,
		`{"org": 1, "user": 2, "states": [""]}`:                    false,
		`{"org": 1, "user": 2, "states": ["a\u0000b"]}`:            false,
		`{}`: false,
	} {
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(claims))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		p, err := f.Bind(m)
		if (err == nil) != ok || err != nil && fail.KindOf(err) != fail.Denied {
			t.Errorf("%s: %v", claims, err)
		}
		if ok && !strings.HasPrefix(string(p.Name()), "org=1 ") {
			t.Errorf("%s: it is called %q", claims, p.Name())
		}
	}
	if _, err := f.Bind(map[string]any{"org": 1.0, "user": 2, "states": []any{}}); err == nil {
		t.Error("a float is no whole number")
	}
}

// TestNoPrincipal: the zero Principal reaches nothing.
func TestNoPrincipal(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		if g, err := declare(t, e, whole).Grants(grantfile.Principal{}); err == nil || g != nil || fail.KindOf(err) != fail.Denied {
			t.Error(g, err)
		}
	})
}

// TestParseClaims: what somebody types has the types of the file.
func TestParseClaims(t *testing.T) {
	f := parse(t, whole)
	for text, want := range map[string]string{
		"org=1,user=2,states=open+done": "",
		"org=1,user=2,states=":          "",
		"org=1,user=2":                  "the claim `states` is missing: want a list, each item of which is a text that is not empty; the file needs claims like org=INT,user=INT,states=TEXT+TEXT",
		"org=x,user=2,states=":          "the claim `org` has a wrong value: want a whole number",
		"org=1,org=2,user=2,states=":    "given twice",
		"org=1,usr=2,states=":           "has no claim `usr`; did you mean `user`?",
		"org":                           "want claims like",
	} {
		if _, err := f.ParseClaims(text); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
