package identity_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/grantfile/identity"
)

// texts look like parts of names.
var texts = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"ann", `" of "`, `"ann" of "x", org=5`, ", ", "=", " org=5", "\\", "<&>"}))

func drawn(t *rapid.T) identity.Identity {
	i := identity.Identity{Claims: map[string]any{}}
	if rapid.Bool().Draw(t, "token") {
		if i.Subject = texts.Draw(t, "subject"); i.Subject != "" {
			i.Issuer = texts.Draw(t, "issuer")
		}
	}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"org", "user", "a_b"}), 0, 3, rapid.ID[string]).Draw(t, "claims") {
		i.Claims[name] = rapid.OneOf(rapid.Map(rapid.Int64Range(0, 3), func(n int64) any { return json.Number(string(rune('0' + n))) }),
			rapid.Map(texts, func(s string) any { return s }), rapid.Just[any](true), rapid.Just[any]([]any{json.Number("1"), "] x=1"})).Draw(t, name)
	}
	return i
}

// TestCovers: a name is read as it was made, whatever its parts contain, and an entry covers a name if and only if the name has all that the entry says.
func TestCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of, entry := drawn(t), drawn(t)
		if rapid.Bool().Draw(t, "part") { // most entries are no part of a name that was drawn without them
			entry = identity.Identity{Claims: maps.Clone(of.Claims)}
			for _, name := range slices.Sorted(maps.Keys(of.Claims)) {
				if rapid.Bool().Draw(t, "without "+name) {
					delete(entry.Claims, name)
				}
			}
			if rapid.Bool().Draw(t, "who") {
				entry.Subject = of.Subject
			}
		}
		read, ok := identity.Parse(of.Name())
		a, _ := json.Marshal(of)
		if b, _ := json.Marshal(read); !ok || string(a) != string(b) {
			t.Fatalf("%s is read as %s", a, b)
		}
		if entry.Name() == "" {
			return
		}
		want := (entry.Subject == "" || entry.Subject == of.Subject) && (entry.Issuer == "" || entry.Issuer == of.Issuer)
		for name, v := range entry.Claims {
			x, _ := json.Marshal(v)
			y, is := of.Claims[name]
			z, _ := json.Marshal(y)
			want = want && is && string(x) == string(z)
		}
		if identity.Covers(entry.Name(), of.Name()) != want {
			t.Fatalf("%s covers %s: %v", entry.Name(), of.Name(), !want)
		}
	})
	for _, c := range []struct {
		entry, name exo.Principal
		want        bool
	}{
		{"", "ann", false}, {"", "org=5", false}, {"ann", "ann", true}, {"ann", "bob", false}, {"org=5", "ann", false}, {"ann", "org=5", false},
		{"org=5", "org=55", false}, {`org="5"`, "org=5", false}, {`"ann"`, `"ann" of "x", org=5`, true}, {`"ann" of "y"`, `"ann" of "x", org=5`, false},
		{`"ann`, `"ann" of "x", org=5`, false}, {`"ann" of x`, `"ann" of "x", org=5`, false}, {`"ann"x`, `"ann"`, false},
	} {
		if got := identity.Covers(c.entry, c.name); got != c.want {
			t.Errorf("%q covers %q: %v", c.entry, c.name, got)
		}
	}
}
