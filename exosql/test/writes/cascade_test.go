package writes_test

// This file sweeps the actions of foreign keys: what each does, where the key is of the written table, of another one, and at the end of a ring.

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type csThing struct {
	ID, Org int64
	Code    string
}

// TestCascades: a write that a foreign key carries on leaves what the same statement leaves, for each action, shape and kind of write.
// On SQLite the second wall has to admit the action: also where it sets a column of the written table, which no statement names.
func TestCascades(t *testing.T) {
	shapes := map[string]struct {
		self, ring string // the actions of things(ref), and the key that leads there through others
		permits    []exosql.Permission
	}{
		"self":  {"REFERENCES things (code) {action}", "", []exosql.Permission{exosql.AllowCascade("things", "ref")}},
		"other": {"", "REFERENCES things (code) {action}", []exosql.Permission{exosql.AllowCascade("others", "ref")}},
		"ring": {"REFERENCES others (ref) {action}", "REFERENCES things (code) ON DELETE CASCADE ON UPDATE CASCADE",
			[]exosql.Permission{exosql.AllowCascade("others", "ref"), exosql.AllowCascade("things", "ref")}},
	}
	writes := map[string][2]string{
		"delete": {`return things.where({ id: 1 }).delete()`, "DELETE FROM things WHERE id = 1"},
		"update": {`return things.where({ id: 1 }).update({ code: "new" })`, "UPDATE things SET code = 'new' WHERE id = 1"},
	}
	const look = "SELECT 'thing', id, code, ref FROM things UNION ALL SELECT 'other', id, '', ref FROM others ORDER BY 1, 2"
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for shape, s := range shapes {
			for _, action := range []string{"CASCADE", "SET NULL", "SET DEFAULT"} {
				for kind, w := range writes {
					in := func(text string) string {
						return strings.ReplaceAll(strings.NewReplacer("{self}", s.self, "{ring}", s.ring).Replace(text), "{action}", "ON DELETE "+action+" ON UPDATE "+action)
					}
					ddl := []string{kit.BreaksDDL(e, in("CREATE TABLE things (id {serial}, org_id {int} NOT NULL, code TEXT NOT NULL UNIQUE, ref TEXT DEFAULT 'z' "+e.Pick("{self}", "")+");"+
						"CREATE TABLE others (id {serial}, ref TEXT DEFAULT 'z' UNIQUE {ring});CREATE INDEX things_by_org ON things (org_id);"+
						"INSERT INTO things (id, org_id, code, ref) VALUES (1, 1, 'a', NULL), (2, 1, 'b', NULL), (3, 1, 'z', NULL);"+
						"INSERT INTO others (id, ref) VALUES (1, 'a'), (3, "+map[bool]string{true: "'z'", false: "NULL"}[shape == "ring"]+"); UPDATE things SET ref = 'a' WHERE id = 2;")) +
						e.Pick("", map[bool]string{true: in("ALTER TABLE things ADD FOREIGN KEY (ref) {self}")}[s.self != ""])}
					db, raw := kit.File(t, e, ddl...)
					_, twin := kit.File(t, e, ddl...)
					grants := func(permits []exosql.Permission) codemode.Grants {
						table := exosql.NewTable[csThing]("things")
						id, org := exosql.NewKey(table, "id", func(o *csThing) *int64 { return &o.ID }), exosql.NewColumn(table, "org_id", func(o *csThing) *int64 { return &o.Org })
						code := exosql.NewColumn(table, "code", func(o *csThing) *string { return &o.Code })
						f := exosql.NewFacet(table, "thing", id, code).AllowUpdate(code).AllowDelete().Permit(exosql.AllowUnique("code")).Permit(permits...)
						return codemode.Grants{"things": f.Of(exosql.Grant(db, table, org.Eq(1)))}
					}
					before := kit.Cells(t, raw, look)
					if res := kit.BreaksTool(t, grants(nil)).Run(t.Context(), w[0]); res.Err == nil || !strings.Contains(res.Err.Error(), "AllowCascade") || kit.Cells(t, raw, look) != before {
						t.Errorf("%s, %s, %s, which the host does not permit: %s %v", shape, action, kind, res.JSON, res.Err)
					}
					if _, err := twin.Exec(e.Pick("PRAGMA foreign_keys = ON; ", "") + w[1]); err != nil {
						t.Fatal(err)
					}
					res := kit.BreaksTool(t, grants(s.permits)).Run(t.Context(), w[0])
					if got, want := kit.Cells(t, raw, look), kit.Cells(t, twin, look); res.Err != nil || string(res.JSON) != "1" || got != want || got == before {
						t.Errorf("%s, %s, %s: %s %v leaves\n%s, want\n%s", shape, action, kind, res.JSON, res.Err, got, want)
					}
				}
			}
		}
	})
}
