package writes_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

type gnDoc struct {
	ID              int64
	Path, Who, File string
}
type gnFile struct{ ID, Name string }

// TestGeneratedTells: what the database calculates of a written column tells rows as well: a row stays in its tenant, and no
// other comes into scope, where the tenant or a key is a generated column. Without one that depends on it the same succeeds.
func TestGeneratedTells(t *testing.T) {
	docs, files := exosql.NewTable[gnDoc]("docs"), exosql.NewTable[gnFile]("files")
	id := exosql.NewKey(docs, "id", func(d *gnDoc) *int64 { return &d.ID })
	path := exosql.NewColumn(docs, "path", func(d *gnDoc) *string { return &d.Path })
	who := exosql.NewColumn(docs, "who", func(d *gnDoc) *string { return &d.Who })
	file := exosql.NewColumn(docs, "file", func(d *gnDoc) *string { return &d.File })
	fid := exosql.NewKey(files, "id", func(f *gnFile) *string { return &f.ID })
	name := exosql.NewColumn(files, "name", func(f *gnFile) *string { return &f.Name })
	to := exosql.One("files", file, fid)
	doc := exosql.NewFacet(docs, "doc", id, path, exosql.Via(to, exosql.NewFacet(files, "f", fid, name))).AllowUpdate(path)
	const program = `await docs.where({ id: 1 }).update({ path: "b/2" }); return await docs.files()`
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for what, c := range map[string]struct{ who, file, more, want string }{
			"the tenant":    {"VARCHAR(9) GENERATED ALWAYS AS (substr(path, 1, 1)) STORED", "VARCHAR(9) DEFAULT 'a'", "", "its host has to change or permit something first"},
			"a link":        {"VARCHAR(9) DEFAULT 'a'", "VARCHAR(9) GENERATED ALWAYS AS (substr(path, 1, 1)) STORED", "", "its host has to change or permit something first"},
			"a foreign key": {"VARCHAR(9) DEFAULT 'a'", "VARCHAR(9) DEFAULT 'a'", ", also VARCHAR(9) GENERATED ALWAYS AS (substr(path, 1, 1)) STORED REFERENCES files (id)", "its host has to change or permit something first"},
			"what is taken": {"VARCHAR(9) DEFAULT 'a'", "VARCHAR(9) DEFAULT 'a'", ", slug VARCHAR(9) GENERATED ALWAYS AS (lower(path)) STORED UNIQUE", "its host has to change or permit something first"},
			"nothing":       {"VARCHAR(9) DEFAULT 'a'", "VARCHAR(9) DEFAULT 'a'", "", ""},
		} {
			rows := "INSERT INTO docs (id, path) VALUES (1, 'a/1')"
			db, raw := kit.File(t, e, "CREATE TABLE files (id VARCHAR(9) PRIMARY KEY, name VARCHAR(9) NOT NULL)", "INSERT INTO files VALUES ('a', 'mine'), ('b', 'theirs')",
				"CREATE TABLE docs (id {int} PRIMARY KEY, path VARCHAR(9) NOT NULL, who "+c.who+", file "+c.file+c.more+")", rows)
			tool, err := codemode.New(codemode.Grants{"docs": doc.Of(exosql.Grant(db, docs, who.Eq("a")))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), program)
			if ok := c.want == "" && r.Err == nil || c.want != "" && r.Err != nil && strings.Contains(r.Err.Error(), c.want); !ok {
				t.Errorf("%s: %s %v, want %q", what, r.JSON, r.Err, c.want)
			}
			if _, err := raw.Exec("UPDATE docs SET path = 'b/2'"); err != nil { // past the guard it is possible
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}
