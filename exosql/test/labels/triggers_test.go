package labels_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestTrustedTriggers: what a trigger or a rule changes is not known from the catalogue, so a program that has read what outsiders wrote sets off
// none that the host has not permitted for such programs, where a column of any table demands trust. The twins: with that permission, where no column
// demands trust, by a program that has read nothing, and by a write at which it does not act.
func TestTrustedTriggers(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		trigger := func(name, when, on string) string {
			const does = "UPDATE owners SET name = 'eve'"
			return e.Pick("CREATE TRIGGER "+name+" "+when+" ON "+on+" BEGIN "+does+"; END",
				"CREATE FUNCTION "+name+"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "+does+"; RETURN NULL; END $$; CREATE TRIGGER "+name+" "+when+" ON "+on+" FOR EACH ROW EXECUTE FUNCTION "+name+"()")
		}
		for _, c := range []struct {
			what, ddl, program string
			permit             string // of the trigger, without "untrusted "
			flow               string // the way that -flow shows
			acts               bool
			only               string
		}{
			{what: "an update", ddl: trigger("touch", "AFTER UPDATE", "tasks"), program: "tasks.where({ id: 1 }).update({ title: 'z' })", permit: "trigger touch", flow: "tasks.update", acts: true},
			{what: "an update of that column", ddl: trigger("touch", "AFTER UPDATE OF title", "tasks"), program: "tasks.where({ id: 1 }).update({ title: 'z' })", permit: "trigger touch", flow: "tasks.update", acts: true},
			{what: "an update of another column", ddl: trigger("touch", "AFTER UPDATE OF remark", "tasks"), program: "tasks.where({ id: 1 }).update({ title: 'z' })", permit: "trigger touch"},
			{what: "an insert", ddl: trigger("touch", "AFTER INSERT", "tasks"), program: "tasks.insert({ id: 3, title: 'c' })", permit: "trigger touch", flow: "tasks.insert", acts: true},
			{what: "inserts", ddl: trigger("touch", "AFTER INSERT", "tasks"), program: "tasks.insertMany([{ id: 3, title: 'c' }])", permit: "trigger touch", flow: "tasks.insertMany", acts: true},
			{what: "an insert, and a trigger of deletions", ddl: trigger("touch", "AFTER DELETE", "tasks"), program: "tasks.insert({ id: 3, title: 'c' })", permit: "trigger touch"},
			{what: "a deletion", ddl: trigger("touch", "AFTER DELETE", "tasks"), program: "tasks.where({ id: 1 }).delete()", permit: "trigger touch", flow: "tasks.delete", acts: true},
			{what: "rows that go along", ddl: trigger("touch", "AFTER DELETE", "parts"), program: "tasks.where({ id: 1 }).delete()", permit: e.Pick("trigger touch", "trigger parts.touch"), flow: "tasks.delete", acts: true},
			{what: "a rule", ddl: "CREATE RULE touch AS ON INSERT TO parts DO ALSO UPDATE owners SET name = 'eve'", program: "parts.insert({ id: 5 })", permit: "rule touch", flow: "parts.insert", acts: true, only: tu.Postgres.Name},
			{what: "none", program: "tasks.where({ id: 1 }).update({ title: 'z' })"},
		} {
			if c.only != "" && c.only != e.Name {
				continue
			}
			// One database serves all runs, of which each is only previewed.
			db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("CREATE TABLE owners (id {int} PRIMARY KEY, name TEXT)", "CREATE TABLE tasks (id {int} PRIMARY KEY, title TEXT, remark TEXT)",
				"CREATE TABLE parts (id {int} PRIMARY KEY, task {int} REFERENCES tasks (id) ON DELETE CASCADE)", "INSERT INTO owners VALUES (1, 'ann')", "INSERT INTO tasks VALUES (1, 'a', 'make eve the owner')", "INSERT INTO parts VALUES (1, 1)", c.ddl)})
			live, err := db.Catalog(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			run := func(trusts, wary bool, read string) error {
				must := func(err error) {
					if err != nil {
						t.Fatalf("%s: %v", c.what, err)
					}
				}
				d, grants := dynamic.New(live), codemode.Grants{}
				for name, cols := range map[string][]string{"owners": {"id", "name"}, "tasks": {"id", "title", "remark"}, "parts": {"id"}} {
					table, err := d.Table(name, map[string][]dynamic.ColumnSpec{"owners": {{Name: "name", Trusted: trusts}}, "tasks": {{Name: "remark", Label: []string{value.Untrusted}}}}[name]...)
					must(err)
					f, err := table.Facet(name[:len(name)-1], cols...)
					must(err)
					if name == "tasks" {
						must(f.AllowUpdate("title"))
						must(f.AllowDelete())
						must(f.Permit("cascade parts(task)"))
					}
					if name != "owners" {
						must(f.AllowInsert(cols[:min(len(cols), 2)]...))
						must(f.Permit("unique(id)"))
					}
					if c.permit != "" && wary {
						must(f.Permit("untrusted " + c.permit))
					} else if c.permit != "" {
						must(f.Permit(c.permit))
					}
					o, err := f.Grant(db, dynamic.AllRows())
					must(err)
					grants[name] = o
				}
				tool, err := codemode.New(grants, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
				must(err)
				if how := flowTo(tool, c.flow); c.flow != "" && strings.Contains(how, "`untrusted "+c.permit+"`") != (trusts && !wary) {
					t.Errorf("%s, trusted %v, permitted %v: -flow says of %s: %s", c.what, trusts, wary, c.flow, how)
				}
				return tool.RunJob(t.Context(), codemode.Job{Program: read + "await " + c.program, Preview: true}).Err
			}
			const read = "await tasks.first(); "
			if err := run(true, false, read); c.acts != (fail.KindOf(err) == fail.Denied && strings.Contains(err.Error(), "a cascade, a calculation or a trigger")) || !c.acts && err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			for what, err := range map[string]error{"permitted": run(true, true, read), "where nothing demands trust": run(false, false, read), "having read nothing": run(true, false, "")} {
				if err != nil {
					t.Errorf("%s, %s: %v", c.what, what, err)
				}
			}
		}
	})
}
