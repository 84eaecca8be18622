package repl

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode/repl/internal/js"
	"github.com/exoagent/exoagent/codemode/repl/internal/names"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

func testNames(t *testing.T) *names.Names {
	t.Helper()
	db, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{Setup: testApp.setUp})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	g, err := exo.NewGate(exo.Config{Grants: testGrants(db, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return &names.Names{Catalog: g.Catalog(), Granted: g.Granted()}
}

func TestCandidates(t *testing.T) {
	n := testNames(t)
	for _, tc := range []struct {
		code, has, not string // names, or several between spaces
	}{
		{"", "api me", "notes()"},
		{"a", "api", "me"},
		{"api.", "me", "notes() api"},
		{"api?.", "me", "api"},
		{"api.me.", "notes() where( count()", "id text"},
		{"me.no", "notes()", "where("},
		{"api.me.notes().", "where( count()", "notes() text"},
		{"api.me.notes().where(n => n.", "text stars id", "where( name"},
		{"api.me.notes().where(n => n.stars > 1 && n.", "text stars id", "where( name"},
		{"api.me.notes().where(n => n.text.", "includes( startsWith( length", "stars add("},
		{"api.me.notes().where((n) => n.", "text", "where("},
		{"api.me.where(o => o.", "name notes()", "text"},
		{"api.me.notes().where({ ", "id text stars", "name api"},
		{"api.me.notes().where({ text: 'x', s", "stars", "text"},
		{"api.me.join(({ owner }) => owner.notes()).where(({ ", "owner note", "me api"},
		{"api.me.join(({ owner }) => owner.notes()).where(({ note }) => note.", "text stars", "name"},
		{"api.me.join(({ owner }) => owner.notes()).where(({ owner, note }) => owner.", "name", "stars"},
		{"api.me.join(({ owner }) => owner.notes()).where(x => x.", "owner note", "text"},
		{"(api) => api.me.notes().", "where(", "text"},
		{"({ ", "me", "api"},
		{"({ me }) => me.", "notes()", "text"},
		{"const q = api.me.notes();\nreturn q.", "where(", "notes()"},
		{"const q = api.me.notes(); q.where(n => n.", "stars", "where("},
		{"const q = 1; ", "q api me", ""},
		{"api.me.notes().where(note => no", "note", "api"},
		{"unknown.", "where( text name notes()", "includes("},
		{"api.me.nothing().", "where( text", ""},
		{"api.me.notes().where(n => n.text === 'api.", "", "me"},
		{"'api.me'.", "", ""},
		{"`${api.", "me", ""},
		{"// api.", "", ""},
		{"1 + api.", "me", ""},
		{"f(api.me, api.me.", "notes()", "text"},
		{".", "", ""},
		{"a)).", "where(", ""},
		{"((((((", "api", ""},
	} {
		_, found := n.Candidates(tc.code)
		var got []string
		for _, c := range found {
			got = append(got, c.Name)
		}
		for _, want := range strings.Fields(tc.has) {
			if !slices.Contains(got, want) {
				t.Errorf("%q: %v lacks %s", tc.code, got, want)
			}
		}
		for _, no := range strings.Fields(tc.not) {
			if slices.Contains(got, no) {
				t.Errorf("%q: %v has %s", tc.code, got, no)
			}
		}
	}
}

// TestCandidatesEnd: text that leads in circles, or that is very long, costs a bounded effort.
func TestCandidatesEnd(t *testing.T) {
	n := testNames(t)
	for _, code := range []string{
		"const a = a; a.", "const a = b; const b = a; a.",
		strings.Repeat("api.me.where(n => n.", 2000),
		strings.Repeat("api.me.join(({owner}) => owner.notes()).", 2000),
		"api.me" + strings.Repeat(".notes()", 5000) + ".",
		strings.Repeat("(", 20000) + "api.", strings.Repeat(")", 20000) + ".",
		strings.Repeat("const a = a.a(a => a.a); ", 2000) + "a.",
	} {
		n.Candidates(code)
	}
}

func TestStarts(t *testing.T) {
	if got := testNames(t).Starts(); strings.Join(got, " ") != "api.me api.me.notes() api.me.first()" {
		t.Errorf("%q", got)
	}
}

func FuzzCandidates(f *testing.F) {
	for _, s := range []string{"api.me.", "`${api.", "/[/]/.", "({ a", "const q = api.me; q.", "'\\", "é.\xff"} {
		f.Add(s)
	}
	n := &names.Names{}
	f.Fuzz(func(t *testing.T, code string) {
		if part, _ := n.Candidates(code); !strings.HasSuffix(code, part) {
			t.Errorf("%q does not end with %q", code, part)
		}
		var b strings.Builder
		js.EachToken(code, func(x js.Token) { b.WriteString(x.Text) })
		if b.String() != code {
			t.Errorf("%q was taken apart to %q", code, b.String())
		}
	})
}
