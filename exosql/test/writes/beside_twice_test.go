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

// TestBesideDeclaredTwice: where two grants of a tool have declarations of their own of one table, what one lets programs write can't be
// held against the other by its columns, so it is refused.
func TestBesideDeclaredTwice(t *testing.T) {
	type declared struct {
		members   *exosql.Table[bsMember]
		org, user *exosql.Column[bsMember, int64]
		member    *exosql.Facet[bsMember]
		project   *exosql.Facet[bsProject]
		to        exosql.Link[bsMember, bsProject]
	}
	declare := func() (d declared) {
		d.members = exosql.NewTable[bsMember]("members")
		projects := exosql.NewTable[bsProject]("projects")
		id := exosql.NewKey(d.members, "id", func(m *bsMember) *int64 { return &m.ID })
		d.org = exosql.NewColumn(d.members, "org_id", func(m *bsMember) *int64 { return &m.Org })
		d.user = exosql.NewColumn(d.members, "user_id", func(m *bsMember) *int64 { return &m.User })
		project := exosql.NewNullable(d.members, "project_id", func(m *bsMember) **int64 { return &m.Project })
		pid := exosql.NewKey(projects, "id", func(p *bsProject) *int64 { return &p.ID })
		d.to = exosql.One("project", project, pid)
		d.member = exosql.NewFacet(d.members, "member", id, project).AllowUpdate(project)
		d.project = exosql.NewFacet(projects, "project", pid, exosql.NewColumn(projects, "name", func(p *bsProject) *string { return &p.Name }))
		return d
	}
	a, b := declare(), declare()
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, _ := kit.File(t, e, "CREATE TABLE projects (id {int} PRIMARY KEY, name VARCHAR(20) NOT NULL)",
			"CREATE TABLE members (id {int} PRIMARY KEY, org_id {int} NOT NULL, user_id {int} NOT NULL, project_id {int})",
			"INSERT INTO projects VALUES (1, 'mine'), (2, 'foreign')", "INSERT INTO members VALUES (1, 1, 1, 1)")
		tool, err := codemode.New(codemode.Grants{"members": a.member.Of(exosql.Grant(db, a.members, a.org.Eq(1))), "mine": b.project.Of(exosql.Follow(exosql.Grant(db, b.members, b.user.Eq(1)), b.to))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
		if err != nil {
			t.Fatal(err)
		}
		r := tool.Run(t.Context(), "await members.where({ id: 1 }).update({ projectId: 2 }); return await mine")
		if r.Err == nil || !strings.Contains(r.Err.Error(), "declared twice") {
			t.Errorf("%s %v", r.JSON, r.Err)
		}
	})
}

// TestGeneratedDeclaredTwice: the same where the other declaration tells rows by what the database calculates of a written column. The twin, whose
// other grant tells them by nothing that is written, succeeds.
func TestGeneratedDeclaredTwice(t *testing.T) {
	type declared struct {
		docs      *exosql.Table[gnDoc]
		who, file *exosql.Column[gnDoc, string]
		doc, seen *exosql.Facet[gnDoc]
	}
	declare := func() (d declared) {
		d.docs = exosql.NewTable[gnDoc]("docs")
		id := exosql.NewKey(d.docs, "id", func(d *gnDoc) *int64 { return &d.ID })
		path := exosql.NewColumn(d.docs, "path", func(d *gnDoc) *string { return &d.Path })
		d.who = exosql.NewColumn(d.docs, "who", func(d *gnDoc) *string { return &d.Who })
		d.file = exosql.NewColumn(d.docs, "file", func(d *gnDoc) *string { return &d.File })
		d.doc, d.seen = exosql.NewFacet(d.docs, "doc", id, path).AllowUpdate(path), exosql.NewFacet(d.docs, "seen", id, d.file)
		return d
	}
	a, b := declare(), declare()
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		for what, c := range map[string]struct {
			by   exosql.Predicate[gnDoc]
			want string
		}{"by the generated column": {b.who.Eq("b"), "its host has to change or permit something first"}, "by another": {b.file.Eq("b"), ""}} {
			db, _ := kit.File(t, e, "CREATE TABLE docs (id {int} PRIMARY KEY, path VARCHAR(9) NOT NULL, who VARCHAR(9) GENERATED ALWAYS AS (substr(path, 1, 1)) STORED, file VARCHAR(9) NOT NULL)",
				"INSERT INTO docs (id, path, file) VALUES (1, 'a/1', 'a')")
			tool, err := codemode.New(codemode.Grants{"docs": a.doc.Of(exosql.Grant(db, a.docs, a.file.Eq("a"))), "seen": b.seen.Of(exosql.Grant(db, b.docs, c.by))}, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
			if err != nil {
				t.Fatal(err)
			}
			r := tool.Run(t.Context(), `await docs.where({ id: 1 }).update({ path: "b/2" }); return await seen`)
			if ok := c.want == "" && r.Err == nil || c.want != "" && r.Err != nil && strings.Contains(r.Err.Error(), c.want); !ok {
				t.Errorf("%s: %s %v, want %q", what, r.JSON, r.Err, c.want)
			}
		}
	})
}
