package scope_test

import (
	"context"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestTablesOfOneType: two tables of one row type are two tables: the compiler can't tell a column of
// one from a column of the other, and a wrong one would be a wrong scope, or a column without its label.
func TestTablesOfOneType(t *testing.T) {
	type row struct {
		ID, Owner int64
		A         string
	}
	type cols struct {
		table     *exosql.Table[row]
		id, owner *exosql.Column[row, int64]
		a         *exosql.Column[row, string]
	}
	live, archive := cols{table: exosql.NewTable[row]("live")}, cols{table: exosql.NewTable[row]("archive")}
	for _, c := range []*cols{&live, &archive} {
		c.id = exosql.NewKey(c.table, "id", func(r *row) *int64 { return &r.ID })
		c.owner = exosql.NewColumn(c.table, "owner", func(r *row) *int64 { return &r.Owner })
		c.a = exosql.NewColumn(c.table, "a", func(r *row) *string { return &r.A })
	}
	toArchive := exosql.Many("archived", live.id, archive.owner)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(
			"CREATE TABLE live (id {int} PRIMARY KEY, owner {int} NOT NULL, a TEXT NOT NULL)", "INSERT INTO live VALUES (1, 1, 'x'), (2, 2, 'y')",
			"CREATE TABLE archive (id {int} PRIMARY KEY, owner {int} NOT NULL, a TEXT NOT NULL)", "INSERT INTO archive VALUES (1, 2, 'x'), (2, 1, 'y')")})
		mine := exosql.Grant(db, live.table, live.owner.Eq(1))
		if n, err := mine.Where(live.a.Eq("x")).OrderBy(live.a.Asc()).Count(t.Context()); n != 1 || err != nil {
			t.Errorf("the twin: %d %v", n, err)
		}
		if n, err := exosql.Follow(mine, toArchive).Count(t.Context()); n != 1 || err != nil {
			t.Errorf("the twin of a link: %d %v", n, err)
		}
		for name, r := range map[string]exosql.Relation[row]{
			"a grant":          exosql.Grant(db, live.table, archive.owner.Eq(1)),
			"within a not":     exosql.Grant(db, live.table, exosql.Not(exosql.And(live.a.Eq("x"), archive.owner.Eq(2)))),
			"a condition":      mine.Where(archive.a.Eq("x")),
			"an order":         mine.OrderBy(archive.a.Asc()),
			"a link":           exosql.Follow(exosql.Grant(db, archive.table, archive.owner.Eq(1)), toArchive),
			"the scope of one": exosql.Follow(exosql.Grant(db, live.table, live.owner.Eq(1), exosql.ScopeRows(archive.table, live.owner.Eq(1))), toArchive),
		} {
			if n, err := r.Count(context.Background()); err == nil || !strings.Contains(err.Error(), "archive") {
				t.Errorf("%s of the other table: %d %v", name, n, err)
			}
		}
	})
	for name, f := range map[string]func(){
		"a column": func() { exosql.NewFacet(archive.table, "y", archive.id, live.a) },
		"a link from": func() {
			exosql.NewFacet(archive.table, "y", archive.id, exosql.Via(toArchive, exosql.NewFacet(archive.table, "z")))
		},
		"a link to":        func() { exosql.NewFacet(live.table, "y", exosql.Via(toArchive, exosql.NewFacet(live.table, "z"))) },
		"no tag":           func() { live.a.WithLabel() },
		"an empty tag":     func() { live.a.WithLabel("") },
		"one of two empty": func() { live.a.WithLabel("pii", "") },
	} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "exosql: ") {
					t.Errorf("%s of the other table: %v", name, p)
				}
			}()
			f()
		}()
	}
}
