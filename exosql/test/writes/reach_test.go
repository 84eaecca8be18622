package writes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// reachProjects grants the projects of organization 1 to programs that delete them and change their codes, with these effects allowed.
func reachProjects(db *exosql.DB, effects ...string) codemode.Grants {
	d := kit.DeclareFilled(exosql.NewTable[kit.FilledRow]("projects"), "id org_id code")
	f := exosql.NewFacet(d.Table, "project", d.ID, d.Code).AllowDelete().AllowUpdate(d.Code)
	for _, effect := range effects {
		f.Permit(tu.Permission(effect))
	}
	o := f.Of(exosql.Grant(db, d.Table, d.Org.Eq(1)))
	return codemode.Grants{"projects": o, "items": o} // wbRefused checks items
}

// permitted is how an error names a permission of these tests.
func permitted(form string) string {
	kind, on, _ := strings.Cut(form, " ")
	if table, cols, ok := strings.Cut(strings.TrimSuffix(on, ")"), "("); ok {
		return fmt.Sprintf("exosql.AllowCascade(%q, %q)", table, cols)
	}
	return fmt.Sprintf("exosql.Allow%s(%q)", strings.ToUpper(kind[:1])+kind[1:], on)
}

// TestCascadeMovesRows: a cascade that brings rows to another partition deletes them from the one and inserts them into the other; what that
// sets off in turn is found, be it a cascade from the partition or a trigger of it. Where the cascade changes no partition key, nothing more is asked for.
func TestCascadeMovesRows(t *testing.T) {
	e := tu.Postgres
	projects := "CREATE TABLE projects (id {serial}, org_id {int} NOT NULL, code TEXT NOT NULL UNIQUE, UNIQUE (code, org_id))"
	rows := "INSERT INTO projects (org_id, code) VALUES (1, 'a'), (2, 'b'); INSERT INTO items (id, project, code) VALUES (1, 1, 'a'), (2, 2, 'b')"
	nop := "CREATE FUNCTION nop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$"
	setNull := "CREATE TABLE items (id {int}, project bigint REFERENCES projects ON DELETE SET NULL, code text) PARTITION BY LIST (project); CREATE TABLE items_1 PARTITION OF items (UNIQUE (id)) FOR VALUES IN (1); CREATE TABLE items_rest PARTITION OF items DEFAULT"
	cascaded := "CREATE TABLE items (id {int}, project bigint, code text REFERENCES projects (code) ON UPDATE CASCADE) PARTITION BY LIST (code); CREATE TABLE items_a PARTITION OF items FOR VALUES IN ('a'); CREATE TABLE items_rest PARTITION OF items DEFAULT"
	for name, c := range map[string]struct {
		ddl     []string
		program string
		allowed []string
		needs   string // the effect that is missing; "": nothing is
		look    string
		after   string // of look, once it is allowed
	}{
		"a cascade from the part": {[]string{projects, setNull, rows, "CREATE TABLE notes (id int, item bigint REFERENCES items_1 (id) ON DELETE CASCADE); CREATE INDEX ON notes (item); INSERT INTO notes VALUES (7, 1)"},
			`projects.where({ id: 1 }).delete()`, []string{"cascade items(project)", "unique(code)"}, "cascade notes(item)", "SELECT count(*) FROM notes", "0"},
		"a trigger on DELETE of the part": {[]string{projects, setNull, rows, nop, "CREATE TRIGGER gone AFTER DELETE ON items_1 FOR EACH ROW EXECUTE FUNCTION nop()"},
			`projects.where({ id: 1 }).delete()`, []string{"cascade items(project)", "unique(code)"}, "trigger items_1.gone", "SELECT count(*) FROM items_1", "0"},
		"a trigger of the other part that drops the row": {[]string{projects, cascaded, rows, nop, "CREATE TRIGGER no BEFORE INSERT ON items_rest FOR EACH ROW EXECUTE FUNCTION nop()"},
			`projects.where({ id: 1 }).update({ code: "c" })`, []string{"cascade items(code)", "unique(code)"}, "trigger items_rest.no", "SELECT count(*) FROM items", "1"},
		"a cascade of another column": {[]string{projects, strings.NewReplacer("LIST (code)", "LIST (project)", "IN ('a')", "IN (1)").Replace(cascaded), rows, nop, "CREATE TRIGGER no AFTER INSERT ON items FOR EACH ROW EXECUTE FUNCTION nop()"},
			`projects.where({ id: 1 }).update({ code: "c" })`, []string{"cascade items(code)", "unique(code)"}, "", "SELECT count(*) FROM items WHERE code = 'c'", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			db, raw := kit.File(t, e, kit.BreaksDDL(e, strings.Join(c.ddl, "; ")))
			if c.needs != "" {
				wbRefused(t, db, reachProjects(db, c.allowed...), raw, c.look, c.program, "Permit("+permitted(c.needs)+")")
			}
			g := reachProjects(db, slices.DeleteFunc(append(c.allowed, c.needs), func(s string) bool { return s == "" })...)
			if r := kit.BreaksTool(t, g).Run(t.Context(), "return "+c.program); r.Err != nil || string(r.JSON) != "1" {
				t.Errorf("allowed: %s %v", r.JSON, r.Err)
			}
			if got := kit.Cells(t, raw, c.look); got != c.after {
				t.Errorf("%s gives %s, want %s", c.look, got, c.after)
			}
		})
	}
}

// TestEffectOfOneTable: an effect on the table that a name means allows none on a table of that name in another schema, be it there before or made later.
func TestEffectOfOneTable(t *testing.T) {
	e := tu.Postgres
	url := e.URL(t)
	raw := e.SQLDB(t, url)
	db := e.OpenURL(t, url, &exosql.OpenOptions{Setup: e.Exec(kit.BreaksDDL(e, "CREATE TABLE projects (id {serial}, org_id {int} NOT NULL, code TEXT NOT NULL);"+
		"CREATE TABLE items (id {serial}, project bigint NOT NULL REFERENCES projects ON DELETE CASCADE); CREATE INDEX ON items (project);"+
		"INSERT INTO projects (org_id, code) VALUES (1, 'a'), (1, 'b'), (2, 'c'); INSERT INTO items (project) VALUES (1), (2)"))})
	var own string
	if err := raw.QueryRow("SELECT current_schema()").Scan(&own); err != nil {
		t.Fatal(err)
	}
	other := own + "_hr"
	exec := func(statement string) {
		t.Helper()
		if _, err := raw.Exec(strings.ReplaceAll(statement, "@", other)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _, _ = raw.Exec("DROP SCHEMA IF EXISTS " + other + " CASCADE") })
	bare := reachProjects(db, "cascade items(project)")
	if r := kit.BreaksTool(t, bare).Run(t.Context(), "return projects.where({ id: 1 }).delete()"); r.Err != nil {
		t.Fatalf("the twin, of the table that the name means: %v", r.Err)
	}
	exec("CREATE SCHEMA @; CREATE TABLE @.items (id int, project bigint NOT NULL REFERENCES projects ON DELETE CASCADE); CREATE INDEX ON @.items (project); INSERT INTO @.items VALUES (1, 2)")
	look := "SELECT count(*) FROM " + other + ".items"
	again := e.OpenURL(t, url, &exosql.OpenOptions{})
	wbRefused(t, again, reachProjects(again, "cascade items(project)"), raw, look, "projects.where({ id: 2 }).delete()", `Permit(exosql.AllowCascade("`+other+`.items", "project"))`)

	exec("CREATE FUNCTION @.nop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; CREATE TRIGGER touch AFTER DELETE ON @.items FOR EACH ROW EXECUTE FUNCTION @.nop()")
	again = e.OpenURL(t, url, &exosql.OpenOptions{})
	both := []string{"cascade items(project)", "cascade " + other + ".items(project)"}
	wbRefused(t, again, reachProjects(again, append(both, "trigger items.touch")...), raw, look, "projects.where({ id: 2 }).delete()", `Permit(exosql.AllowTrigger("`+other+`.items.touch"))`)
	if r := kit.BreaksTool(t, reachProjects(again, append(both, "trigger "+other+".items.touch")...)).Run(t.Context(), "return projects.where({ id: 2 }).delete()"); r.Err != nil || kit.Cells(t, raw, look) != "0" {
		t.Errorf("allowed: %v", r.Err)
	}
}
