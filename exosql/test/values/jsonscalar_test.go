package values_test

// Columns of JSON whose whole value is a text, a number, true or null.

import (
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestJSONScalars: a document that is a scalar is shown, compared, sorted, grouped and compared again before a change as what it is, on
// both engines: SQLite makes a number of one that is a number. JSON's own null is null, as it is shown.
func TestJSONScalars(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for _, typ := range []string{"JSON", e.Pick("TEXT", "jsonb")} {
			db := e.Open(t, "CREATE TABLE docs (id {int} PRIMARY KEY, d "+typ+"); INSERT INTO docs VALUES (1, '\"text\"'), (2, '5'), (3, 'true'), (4, ' null '), (5, NULL), (6, '{\"a\": null}'), (7, '[1, 2]'), (8, '\"5\"'), (9, '1e19'), (10, '1.50'), (11, 'null')")
			live, err := db.Catalog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			d := dynamic.New(live)
			table, err := d.Table("docs", dynamic.ColumnSpec{Name: "d", Type: "json"})
			if err != nil {
				t.Fatal(err)
			}
			f, err := table.Facet("doc", "id", "d")
			if err == nil {
				err = f.AllowUpdate("d")
			}
			if err != nil {
				t.Fatal(err)
			}
			o, err := f.Of(db, table.Rows(dynamic.AllRows()))
			if err != nil {
				t.Fatal(err)
			}
			tool := kit.BreaksTool(t, codemode.Grants{"docs": o})
			for _, x := range []struct{ program, want string }{
				{`docs.orderBy("id").select(t => t.d)`, `["text",5,true,null,null,{"a":null},[1,2],"5",10000000000000000000,1.5,null]`},
				{`ids(t => t.d === "text")`, `[1]`}, {`ids(t => t.d === 5)`, `[2]`}, {`ids(t => t.d === "5")`, `[8]`}, {`ids(t => t.d === true)`, `[3]`}, {`ids(t => t.d === 1.5)`, `[10]`},
				{`ids(t => t.d > 3)`, `[2,9]`}, {`ids(t => t.d !== 5)`, `[1,3,4,5,6,7,8,9,10,11]`}, {`ids(t => [5, 6].includes(t.d))`, `[2]`}, {`ids(t => t.d.asNumber() < 6)`, `[2,10]`},
				{`ids(t => t.d === null)`, `[4,5,11]`}, {`ids(t => t.d == null)`, `[4,5,11]`}, {`ids(t => t.d !== null)`, `[1,2,3,6,7,8,9,10]`}, {`ids(t => !(t.d === null))`, `[1,2,3,6,7,8,9,10]`},
				{`ids({ d: null })`, `[4,5,11]`}, {`ids(t => t.d.isNull())`, `[4,5,11]`}, {`ids(t => t.d.isNotNull())`, `[1,2,3,6,7,8,9,10]`}, {`ids(t => t.d.a === null)`, `[1,2,3,4,5,6,7,8,9,10,11]`},
				{`docs.orderBy(t => t.d.asNumber()).orderBy("id").select(t => t.id)`, `[1,3,4,5,6,7,8,11,10,2,9]`},
				{`docs.groupBy(t => t.d.asNumber()).select(g => g.count())`, `[8,1,1,1]`}, {`docs.where(t => t.d < 6).sum(t => t.d.asNumber())`, `6.5`}, {`docs.where({ id: 7 }).select(t => t.d.length)`, `[2]`},
				{`docs.ifUnchanged({ id: 2, d: 5 }).update({ d: 6 })`, `1`}, {`docs.ifUnchanged({ id: 10, d: 1.5 }).update({ d: "6" })`, `1`}, {`docs.ifUnchanged({ id: 8, d: 5 }).update({ d: 6 }).catch(e => e.kind)`, `"conflict"`},
				{`docs.ifUnchanged({ id: 11, d: null }).update({ d: 6 })`, `1`}, {`ids(t => t.d === 6)`, `[2,11]`}, {`ids(t => t.d === "6")`, `[10]`}, {`docs.where({ id: 2 }).update({ d: null })`, `1`}, {`ids(t => t.d === null)`, `[2,4,5]`},
			} {
				r := tool.Run(t.Context(), "const ids = c => docs.where(c).orderBy(\"id\").select(t => t.id);\nreturn "+x.program)
				if got := string(r.JSON); r.Err != nil || got != x.want {
					t.Errorf("%s: %s: %s %v, want %s", typ, x.program, got, r.Err, x.want)
				}
			}
		}
	})
}
