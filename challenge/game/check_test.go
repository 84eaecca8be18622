package game_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// TestCheck: a target that could not be played, or not be lost by, is refused.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*game.Target)
		want   string
	}{
		"as it is": {func(*game.Target) {}, ""},
		"id":       {func(x *game.Target) { x.ID = "The Wallet" }, "want 2 to 20 lower case letters"},
		"story":    {func(x *game.Target) { x.Story = "" }, "Story"},
		"no key": {func(x *game.Target) {
			x.Seed = func(string) []game.Statement { return game.DefaultTargets[0].Seed("another") }
		}, "Seed has to store the key that it gets"},
		"seed": {func(x *game.Target) {
			x.Seed = func(string) []game.Statement { return []game.Statement{{SQL: "nonsense"}} }
		}, "nonsense"},
		"no table":                     {func(x *game.Target) { x.Schema = "-- later" }, "no table"},
		"schema":                       {func(x *game.Target) { x.Schema += "CREATE TABLE x (a, b,);" }, "syntax error"},
		"example":                      {func(x *game.Target) { x.Examples = append(slices.Clone(x.Examples), "(api) => api.nobody()") }, "the example (api) => api.nobody()"},
		"tasks":                        {func(x *game.Target) { x.Tasks = x.Tasks[1:] }, "4 tasks"},
		"hints":                        {func(x *game.Target) { x.Tasks = slices.Clone(x.Tasks); x.Tasks[2].Hints = nil }, "lacks an ID, a Title"},
		"pattern":                      {func(x *game.Target) { x.Naive.Never = []string{"("} }, "missing closing"},
		"a target of writes, as it is": {func(x *game.Target) { *x = *game.DefaultTargets.Target("spend") }, ""},
		"a seed with the key": {func(x *game.Target) {
			*x = *game.DefaultTargets.Target("spend")
			x.Seed = func(key string) []game.Statement { return []game.Statement{{SQL: "SELECT ?", Args: []string{key}}} }
		}, "only the host may have the key"},
		"nothing that is not to change": {func(x *game.Target) {
			*x = *game.DefaultTargets.Target("spend")
			x.Foreign = "SELECT id FROM spends WHERE id = 0"
		}, "returns no row"},
		"examples that win": {func(x *game.Target) {
			*x = *game.DefaultTargets.Target("spend")
			x.Foreign = "SELECT count(*) FROM spends"
		}, "the target's Examples change rows"},
		"a sealed target, as it is": {func(x *game.Target) { *x = *game.DefaultTargets.Target("sealed") }, ""},
		"a sealed target without the key": {func(x *game.Target) {
			*x = *game.DefaultTargets.Target("sealed")
			x.Seed = func(string) []game.Statement { return game.DefaultTargets.Target("sealed").Seed("another") }
		}, "Seed has to store the key that it gets"},
		"a key that is outside": {func(x *game.Target) {
			*x = *game.DefaultTargets.Target("sealed")
			x.Outside = "SELECT code FROM safes"
		}, "before any program ran"},
		"examples that let it out": {func(x *game.Target) {
			*x = *game.DefaultTargets.Target("sealed")
			x.Grants, x.Examples = game.OpenDesk, []string{"async (api) => { await api.me.board().insert({ text: (await api.me.safes().where({ id: 22 }).first()).code }); return 1 }"}
		}, "or show the key"},
		"both kinds": {func(x *game.Target) {
			*x = *game.DefaultTargets.Target("sealed")
			x.Foreign = "SELECT 1"
		}, "are both set"},
		"example that wins": {func(x *game.Target) {
			x.Grants = func(db *exosql.DB) codemode.Grants { return game.OpenNotes(db) }
			x.Examples = []string{"(api) => api.organization.projects().tasks().note()"}
		}, "shows the key"},
	} {
		x := *game.DefaultTargets[0]
		if name == "example that wins" {
			x = *game.DefaultTargets[1]
		}
		c.change(&x)
		err := x.Check(t.Context())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTables: a table is shown as it is, however it is written.
func TestTables(t *testing.T) {
	x := *game.DefaultTargets[0]
	x.Schema += "CREATE TABLE tags (user_id INTEGER NOT NULL REFERENCES users (id), name TEXT DEFAULT 'a, b', PRIMARY KEY (user_id, name));"
	if err := x.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, y := range x.Tables {
		got = append(got, y.Name+": "+strings.Join(y.Columns, "; "))
	}
	want := []string{
		"users: id INTEGER PRIMARY KEY; name TEXT NOT NULL; invited_by INTEGER REFERENCES users (id)",
		"tags: user_id INTEGER NOT NULL REFERENCES users (id); name TEXT DEFAULT 'a, b'; PRIMARY KEY (user_id, name)",
	}
	if got[0] != want[0] || got[len(got)-1] != want[1] {
		t.Error(strings.Join(got, "\n"))
	}
}

// TestNumbered: a question mark in a text is none of ours.
func TestNumbered(t *testing.T) {
	const in = `INSERT INTO t (a, "b?") VALUES (?, 'what? it''s?', ?) -- why?` + "\n/* ? */ RETURNING ?"
	const want = `INSERT INTO t (a, "b?") VALUES ($1, 'what? it''s?', $2) -- why?` + "\n/* ? */ RETURNING $3"
	if got := game.Numbered(in); got != want {
		t.Error(got)
	}
}
