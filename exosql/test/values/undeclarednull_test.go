package values_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type loose struct {
	ID, Up int64
	Name   string
	Size   int64
}

// TestUndeclaredNull: a NULL in a column that is declared without one is null in what programs read, with a notice, as what the column
// can't hold is. Go code, which would read a value that is not there, gets an error.
func TestUndeclaredNull(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, e.SQL("CREATE TABLE loose (id {int} PRIMARY KEY, up {int}, name TEXT, size {int})"), "INSERT INTO loose VALUES (1, 1, 'a', 5), (2, 1, NULL, NULL), (3, 1, 'c', NULL)")
		table := exosql.NewTable[loose]("loose")
		id := exosql.NewKey(table, "id", func(l *loose) *int64 { return &l.ID })
		up := exosql.NewColumn(table, "up", func(l *loose) *int64 { return &l.Up })
		name := exosql.NewColumn(table, "name", func(l *loose) *string { return &l.Name })
		size := exosql.NewColumn(table, "size", func(l *loose) *int64 { return &l.Size })
		f := exosql.NewFacet(table, "loose", id, name, size)
		f.Add(exosql.Via(exosql.Many("below", id, up), f), exosql.Via(exosql.One("above", up, id), f)).AllowUpdate(size)
		all := exosql.Grant(db, table, exosql.AllRows[loose]())
		r := tu.NewRunner(t, map[string]exo.Object{"loose": f.Of(all)}, exo.Limits{})
		for _, c := range [][2]string{
			{"loose.orderBy(l => l.id).select(l => l.name)", `["a",null,"c"] 1`},
			{"loose.orderBy(l => l.id)", `[{"id":1,"name":"a","size":5},{"id":2,"name":null,"size":null},{"id":3,"name":"c","size":null}] 2`},
			{"loose.orderBy(l => l.id).page(2).then(p => p.rows.map(r => r.name))", `["a",null] 2`},
			{"loose.where(l => l.name === null).count()", "1 0"},
			{"loose.where({ id: 1 }).select(l => ({ n: l.below().orderBy(b => b.id).select(b => b.name) }))", `[{"n":["a",null,"c"]}] 1`},
			{"loose.orderBy(l => l.id).select(l => ({ x: l.size + 1 }))", `[{"x":6},{"x":null},{"x":null}] 0`},
			{"loose.sum(l => l.size)", "5 0"},
			{"loose.groupBy(l => l.size).count()", "2 0"},
			{"loose.where({ id: 2 }).update({ size: 7 }).then(async () => (await loose.where({ id: 2 }).first()).size)", "7 1"},
		} {
			program, want := c[0], c[1]
			o := r.Run(t, "return await "+program)
			if o.JSON+fmt.Sprintf(" %d", len(o.Result.Notices)) != want {
				t.Errorf("%s\n%s %q, want %s", program, o, o.Result.Notices, want)
			}
		}
		if _, err := all.All(t.Context()); err == nil || !strings.Contains(err.Error(), "(NULL allowed: false), but contains NULL") {
			t.Errorf("Go reads %v", err)
		}
	})
}
