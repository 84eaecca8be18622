package writes_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestDigitsInJSON: a whole number in JSON keeps its digits when a document that was read is written or compared. One with more digits than
// a program is shown can't be compared on PostgreSQL, and the error says what to leave out.
func TestDigitsInJSON(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.Open(t, append(strings.Split(e.SQL(kit.DocumentsDDL), ";\n"), `UPDATE documents SET data = '{"n": 12345678901234567890}' WHERE id = 1`,
			`UPDATE documents SET data = '[0.12345678901234567890123]' WHERE id = 2`, `UPDATE documents SET data = '{"i": 9007199254740993}' WHERE id = 3`, `UPDATE documents SET data = '{"f": 0.5}' WHERE id = 5`)...)
		f := exosql.NewFacet(kit.Documents, "doc", kit.DocumentID, kit.DocumentName, kit.DocumentData).AllowUpdate(kit.DocumentName, kit.DocumentData)
		r := tu.NewRunner(t, map[string]exo.Object{"docs": f.Of(exosql.Grant(db, kit.Documents, kit.DocumentOwner.Eq(1)))}, exo.Limits{})
		for _, id := range []string{"1", "2"} {
			o := r.Run(t, "const d = await docs.where({ id: "+id+" }).first(); return docs.ifUnchanged(d).update({ name: 'x' })")
			if e == tu.SQLite && o.JSON == "1" {
				continue // it compares what programs are shown
			}
			if o.Kind != fail.Conflict || !strings.Contains(o.Message, "more than 15 digits may have been rounded when it was read: leave its column out of ifUnchanged") {
				t.Errorf("%s: %s", id, o)
			}
			if o := r.Run(t, "const { data, ...d } = await docs.where({ id: "+id+" }).first(); return docs.ifUnchanged(d).update({ name: 'x' })"); o.JSON != "1" {
				t.Errorf("%s without its data: %s", id, o)
			}
		}
		for program, want := range map[string]string{
			"const d = await docs.where({ id: 3 }).first(); return docs.ifUnchanged(d).update({ name: 'x' })":                                                                                                       "1",
			"const d = await docs.where({ id: 3 }).first(); await docs.where({ id: 3 }).update({ data: { ...d.data, j: 1 } }); return [(await docs.where({ id: 3 }).first()).data.i + 1]":                           `["9007199254740994"]`,
			"const d = await docs.where({ id: 5 }).first(); await docs.where({ id: 5 }).update({ data: 1 }); try { await docs.ifUnchanged(d).update({ name: 'x' }) } catch (e) { return e.message.includes('15') }": "false",
		} {
			if o := r.Run(t, program); o.JSON != want {
				t.Errorf("%s\n%s, want %s", program, o, want)
			}
		}
	})
}
