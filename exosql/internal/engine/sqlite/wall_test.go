package sqlite

import (
	"testing"

	"modernc.org/sqlite"

	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// TestWallWithinTrees: the name that SQLite gives beside what it reads is that of a view or a trigger, or of a recursion of ours;
// within that only what the plan reads is read.
func TestWallWithinTrees(t *testing.T) {
	var g guard
	const tree = sqlast.TreePrefix + "t1"
	if g.authorize(sqlite.AuthRecursive, "", "", "", tree) != sqlite.AuthorizerDeny {
		t.Error("without a plan something is admitted")
	}
	g.Admit(&map[string]map[string]bool{"staff": {"id": true}})
	for _, c := range []struct {
		action                  sqlite.AuthorizerActionCode
		arg1, arg2, db, trigger string
		ok                      bool
	}{
		{sqlite.AuthRead, "staff", "id", "main", "", true},
		{sqlite.AuthRead, "staff", "id", "main", tree, true},
		{sqlite.AuthRead, "staff", "salary", "main", tree, false},
		{sqlite.AuthRead, "others", "id", "main", tree, false},
		{sqlite.AuthRead, "staff", "id", "temp", tree, false},
		{sqlite.AuthRead, "staff", "id", "main", "some_view", false},
		{sqlite.AuthRead, "staff", "id", "main", "some_" + tree, false},
		{sqlite.AuthSelect, "", "", "", tree, true},
		{sqlite.AuthSelect, "", "", "", "some_view", false},
		{sqlite.AuthRecursive, "", "", "", tree, true},
		{sqlite.AuthRecursive, "", "", "", "", false},
		{sqlite.AuthRecursive, "", "", "", "some_view", false},
		{sqlite.AuthFunction, "", "load_extension", "", tree, false},
		{sqlite.AuthPragma, "query_only", "0", "main", tree, false},
	} {
		if got := g.authorize(c.action, c.arg1, c.arg2, c.db, c.trigger) == sqlite.AuthorizerOK; got != c.ok {
			t.Errorf("%+v: admitted %v", c, got)
		}
	}
}

// TestWallOfCascades: a cascade that the host permits sets the columns of its key and deletes rows where the plan deletes, in the written
// table, too, and changes nothing else.
func TestWallOfCascades(t *testing.T) {
	var g guard
	g.Admit(&map[string]map[string]bool{})
	w := plan.Write{Table: "people", Delete: true, Cascades: []plan.Cascade{{Table: "People", Columns: "boss_id, org_id"}, {Table: "kids", Columns: "person"}}}
	for _, c := range []struct {
		action        sqlite.AuthorizerActionCode
		table, column string
		ok, updates   bool // also: where the plan updates a column, and deletes nothing
	}{
		{sqlite.AuthUpdate, "people", "boss_id", true, true}, {sqlite.AuthUpdate, "people", "ORG_ID", true, true}, {sqlite.AuthUpdate, "people", "org", false, false},
		{sqlite.AuthUpdate, "people", "name", false, true}, {sqlite.AuthDelete, "people", "", true, false}, {sqlite.AuthUpdate, "kids", "person", true, true},
		{sqlite.AuthUpdate, "kids", "id", false, false}, {sqlite.AuthDelete, "kids", "", true, false}, {sqlite.AuthInsert, "kids", "", false, false}, {sqlite.AuthDelete, "others", "", false, false},
	} {
		for _, update := range []bool{false, true} {
			w, want := w, c.ok
			if update {
				w.Delete, w.Update, want = false, []string{"name"}, c.updates
			}
			g.writes.Store(&w)
			if got := g.authorize(c.action, c.table, c.column, "main", "") == sqlite.AuthorizerOK; got != want {
				t.Errorf("%+v, of an update %v: %v", c, update, got)
			}
		}
	}
}
