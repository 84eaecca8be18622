package draft_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/draft"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestDraftOfTypes: values that the database lists are drafted, columns of other types are granted, a table whose policies do not apply to the
// role is granted with what that means, and shadow tables of a module that is missing are left out. The twin of the policies is a role that they bind.
func TestDraftOfTypes(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		setup := []string{
			"CREATE TABLE tenants (id {int} PRIMARY KEY, name VARCHAR(40) NOT NULL)",
			"CREATE TABLE jobs (id {int} PRIMARY KEY, tenant_id {int} NOT NULL REFERENCES tenants (id), state VARCHAR(9) NOT NULL CHECK (state IN ('open', 'done')), loose VARCHAR(9) CHECK (loose IN ('a') OR loose LIKE 'x%'))",
		}
		want := []string{"state: { one_of: [open, done] }", "      loose:\n"}
		not := []string{"loose: {"}
		if e.Name == tu.SQLite.Name {
			// As a file of another build has it: the module is not there, so that SQLite takes its tables for any others.
			setup = append(setup, "CREATE TABLE docs_segments (blockid INTEGER PRIMARY KEY, block BLOB)", "CREATE TABLE docs_content (docid INTEGER PRIMARY KEY, c0body TEXT)", "CREATE TABLE pages_content (id INTEGER PRIMARY KEY, kind TEXT)",
				"PRAGMA writable_schema = ON", "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', 'docs', 'docs', 0, 'CREATE VIRTUAL TABLE docs USING fts4(body)'), ('table', 'pages', 'pages', 0, 'CREATE VIRTUAL TABLE pages USING fts4(content=\"pages_content\", kind)')")
			want = append(want, "# docs_segments: it is part of the index of the virtual table docs", "# docs_content: it is part of the index of the virtual table docs", "pages_content")
			not = append(not, "# pages_content: it is part of")
		} else {
			setup = append(setup, "CREATE TYPE mood AS ENUM ('sad', 'glad')", "ALTER TABLE jobs ADD COLUMN mood mood, ADD COLUMN moods mood[], ADD COLUMN host inet, ADD COLUMN price money, ADD COLUMN span int4range",
				"ALTER TABLE jobs ENABLE ROW LEVEL SECURITY", "CREATE POLICY p ON jobs USING (false)", "INSERT INTO tenants VALUES (1, 'a')", "INSERT INTO jobs VALUES (1, 1, 'open', NULL, 'sad', '{glad}', '10.0.0.1', 2, '[1,2)')")
			want = append(want, "mood: { one_of: [sad, glad] }", "      moods:\n", "      host:\n", "      price:\n", "      span:\n",
				"# The tables have row-level security, and the role postgres is a superuser, whom no policy binds.", "CREATE ROLE exo LOGIN NOSUPERUSER NOBYPASSRLS", "# It has row-level security, whose policies do not apply to this role")
		}
		for i := range setup {
			setup[i] = e.SQL(setup[i])
		}
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec(setup...)})
		_, text, decl := drafted(t, db, draft.Options{Tenant: "tenants"})
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("not in the draft: %q", w)
			}
		}
		for _, n := range not {
			if strings.Contains(text, n) {
				t.Errorf("in the draft: %q", n)
			}
		}
		if t.Failed() {
			t.Log(text)
		}
		findings, err := decl.Check()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if !f.Warning && f.Table == "jobs" {
				t.Errorf("found: %s", f)
			}
		}
	})
}
