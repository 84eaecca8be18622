package exosql_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// secured is a database of the tracker with two tenants, opened by a role that has what org is granted and no more.
func secured(t *testing.T) (db *exosql.DB, admin, role *sql.DB, reset func()) {
	t.Helper()
	url, name := tu.Postgres.URL(t), kit.NewRole(t)
	ddl := strings.ReplaceAll(kit.JobsDDL, "{serial}", "bigserial PRIMARY KEY")
	owner := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(ddl, kit.JobsRows)})
	g := kit.JobsGrants(owner, 1)
	script, err := exosql.Policies(t.Context(), name, g["org"], g["jobs"])
	if err != nil {
		t.Fatal(err)
	}
	open := func(url string) *sql.DB {
		t.Helper()
		raw, err := sql.Open("pgx", url)
		if err != nil {
			t.Fatal(err)
		}
		raw.SetMaxOpenConns(1)
		t.Cleanup(func() { raw.Close() })
		return raw
	}
	admin = open(url)
	must := func(text string) {
		t.Helper()
		if _, err := admin.Exec(text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	must(script)
	must(script) // it can be run again
	as := tu.AsUser(t, url, name)
	db = tu.Postgres.OpenURL(t, as, &exosql.OpenOptions{RowSecurity: true})
	return db, admin, open(as), func() { must("TRUNCATE orgs, people, jobs, notes RESTART IDENTITY; " + kit.JobsRows) }
}

// TestUnboundRole: that policies don't bind the role is an error where the host opened the database with RowSecurity, also by a catalogue that was
// read before. The twin did not, so it is a warning.
func TestUnboundRole(t *testing.T) {
	url := tu.Postgres.URL(t)
	kit.Change(t, url, strings.ReplaceAll(kit.JobsDDL, "{serial}", "bigserial PRIMARY KEY"), "ALTER TABLE jobs ENABLE ROW LEVEL SECURITY", "CREATE POLICY mine ON jobs USING (true)")
	for _, secured := range []bool{true, false} {
		db := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{RowSecurity: secured})
		what := exosql.Granted(kit.JobsGrants(db, 1)["jobs"])
		live, err := db.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, find := range []func() ([]exosql.Finding, error){
			func() ([]exosql.Finding, error) { return exosql.Findings(t.Context(), db, what) },
			func() ([]exosql.Finding, error) { return exosql.CatalogFindings(db, live, what) },
		} {
			found, err := find()
			i := slices.IndexFunc(found, func(f exosql.Finding) bool {
				return strings.Contains(f.Problem, "the scope alone decides which rows are read")
			})
			if err != nil || i < 0 || found[i].Warning == secured {
				t.Errorf("RowSecurity %t: %v %+v", secured, err, found)
			}
		}
	}
}

// TestPolicies: by a role with policies programs read and change what they do without them.
func TestPolicies(t *testing.T) {
	tu.NotRaced(t)
	db, admin, _, reset := secured(t)
	tool, err := codemode.New(kit.JobsGrants(db, 1), &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range kit.JobsCases {
		r := tool.Run(context.Background(), c.Program)
		got := ""
		if r.Err != nil {
			got = "!" + r.Err.Error()
		} else if b, err := r.Value.AppendJSON(nil); err == nil {
			got = string(b)
		}
		if want, failed := strings.CutPrefix(c.Want, "!"); got != c.Want && !(failed && strings.HasPrefix(got, "!") && strings.Contains(got, want)) {
			t.Errorf("%s\n gives %s\n want  %s", c.Program, got, c.Want)
		}
		want := c.Jobs
		if want == "" {
			want = kit.JobsBefore
		}
		has := kit.Cells(t, admin, kit.Jobs)
		if has != want {
			t.Errorf("%s\n leaves %s\n want   %s", c.Program, has, want)
		}
		if has != kit.JobsBefore || strings.Contains(c.Program, "notes()") || strings.Contains(c.Program, "insert") {
			reset()
		}
	}
}

// TestPoliciesOfRelations: the programs of the corpus, whose grants are of links that were followed and of limits, too.
func TestPoliciesOfRelations(t *testing.T) {
	url, name := tu.Postgres.URL(t), kit.NewRole(t)
	owner := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Fill()})
	var objects []exo.Object
	for _, o := range tu.Tenant(owner, tu.Acme) {
		if _, box := o.(*tu.Box); !box {
			objects = append(objects, o)
		}
	}
	script, err := exosql.Policies(t.Context(), name, objects...)
	if err != nil {
		t.Fatal(err)
	}
	kit.Change(t, url, script)
	db := tu.Postgres.OpenURL(t, tu.AsUser(t, url, name), &exosql.OpenOptions{RowSecurity: true})
	with, without := tu.As(t, db, tu.Acme, exo.Limits{}), tu.As(t, owner, tu.Acme, exo.Limits{})
	n := 0
	for _, f := range tu.Corpus(t, "sql", ".txtar") {
		_, s, _ := tu.Archive(f.Read())
		a, b := with.Run(t, s["guest.js"]), without.Run(t, s["guest.js"])
		if x, y := unordered(t, s["guest.js"], a.JSON), unordered(t, s["guest.js"], b.JSON); x != y || a.Message != b.Message {
			t.Errorf("%s: %s\n with policies %s\n without %s", f.Name, s["guest.js"], a, b)
		}
		n++
	}
	if n < 20 {
		t.Errorf("%d programs", n)
	}
	if rows, err := exosql.Follow(tu.OrgOf(db, tu.Acme), tu.OrgProjects).All(t.Context()); err != nil || len(rows) == 0 {
		t.Errorf("the typed API: %v %v", rows, err)
	}
}

// TestPoliciesAreAWall: where the query compiler forgets every scope, PostgreSQL gives and changes no foreign row. Its twin
// without policies gives and changes them.
func TestPoliciesAreAWall(t *testing.T) {
	db, admin, _, reset := secured(t)
	g := kit.JobsGrants(db, 1)
	broken := codemode.Grants{"org": exosql.WithoutScope(t, g["org"]), "jobs": exosql.WithoutScope(t, g["jobs"])}
	tool, err := codemode.New(broken, &codemode.Options{Record: exo.Unrecorded, Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	run := func(program string) string {
		r := tool.Run(t.Context(), program)
		if r.Err != nil {
			return "!" + fail.KindOf(r.Err).String()
		}
		return string(r.JSON)
	}
	const foreign = "SELECT j.*, n.* FROM jobs AS j LEFT JOIN notes AS n ON n.job_id = j.id WHERE j.org_id <> 1 ORDER BY j.id, n.id"
	for _, c := range []struct{ program, with, without string }{
		{`return jobs.where({ id: 3 }).count()`, "0", "1"},
		{`return (await jobs.orderBy(j => j.id).select(j => j.title)).join()`, `"a,b,d"`, `"a,b,c,d"`},
		{`return org.where({ id: 2 }).jobs().notes().select(n => n.body)`, "[]", `["theirs"]`},
		{`return org.people().count()`, "2", "3"},
		{`return jobs.count(j => j.person().name === "cyd")`, "0", "1"},
		{`return jobs.where({ id: 3 }).update({ status: "done" })`, "0", "1"},
		{`return jobs.all().update({ points: 9 })`, "3", "4"},
		{`return jobs.where({ id: 3 }).notes().where(n => n.body === "theirs").delete()`, "0", "1"},
		{`return org.where({ id: 2 }).jobs().where({ id: 3 }).notes().insert({ body: "x" }).then(n => n.body)`, "!invalid", `"x"`},
		{`return org.where({ id: 2 }).jobs().insert({ title: "x" }).then(j => j.title)`, "!invalid", `"x"`},
		{`return jobs.where({ id: 2 }).update({ personId: 3 })`, "!invalid", "1"},
		{`return jobs.where({ id: 1 }).notes().where(n => n.jobId === 1).update({ jobId: 3 })`, "!invalid", "1"},
	} {
		before := kit.Cells(t, admin, foreign)
		if got := run(c.program); got != c.with {
			t.Errorf("with policies: %s\n gives %s, want %s", c.program, got, c.with)
		}
		if after := kit.Cells(t, admin, foreign); after != before {
			t.Errorf("with policies: %s\n leaves %s\n before %s", c.program, after, before)
		}
		reset()
	}
	for _, table := range []string{"orgs", "people", "jobs", "notes"} {
		if _, err := admin.Exec("ALTER TABLE " + table + " DISABLE ROW LEVEL SECURITY"); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ program, want string }{
		{`return jobs.where({ id: 3 }).count()`, "1"}, {`return jobs.where({ id: 3 }).update({ status: "done" })`, "1"}, {`return org.where({ id: 2 }).jobs().notes().select(n => n.body)`, `["theirs"]`},
	} {
		if got := run(c.program); got != c.want {
			t.Errorf("the twin without policies: %s\n gives %s, want %s", c.program, got, c.want)
		}
	}
}

// TestPoliciesAndRawSQL: what the role itself says, with the settings of a tenant and without.
func TestPoliciesAndRawSQL(t *testing.T) {
	_, _, role, _ := secured(t)
	ask := func(settings, statement string) string {
		t.Helper()
		tx, err := role.Begin()
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if _, err := tx.Exec(settings); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(statement, "SELECT") {
			r, err := tx.Exec(statement)
			if err != nil {
				return "!" + err.Error()
			}
			n, _ := r.RowsAffected()
			return fmt.Sprint(n)
		}
		var s sql.NullString
		if err := tx.QueryRow(statement).Scan(&s); err != nil {
			return "!" + err.Error()
		}
		return s.String
	}
	const one = `SELECT set_config(n, '1', true) FROM unnest('{exo.orgs.id,exo.jobs.org_id,exo.people.org_id}'::text[]) AS s (n)`
	for _, c := range []struct{ settings, statement, want string }{
		{"SELECT 1", "SELECT count(*) FROM jobs", "0"},
		{one, "SELECT string_agg(title, ',' ORDER BY id) FROM jobs", "a,b,d"},
		{one, "SELECT string_agg(body, ',' ORDER BY id) FROM notes", "first"},
		{one, "SELECT at FROM jobs", "!permission denied"},
		{one, "UPDATE jobs SET status = 'done'", "3"},
		{one, "UPDATE jobs SET status = 'done' WHERE id = 3", "0"},
		{one, "UPDATE jobs SET org_id = 2", "!permission denied"},
		{one, "UPDATE notes SET job_id = 3", `!new row violates row-level security policy`},
		{one, "DELETE FROM notes", "1"},
		{one, "DELETE FROM orgs", "!permission denied"},
		{one, "INSERT INTO jobs (org_id, title) VALUES (1, 'new')", "1"},
		{one, "INSERT INTO jobs (org_id, title) VALUES (2, 'new')", `!new row violates row-level security policy`},
		{one, "INSERT INTO notes (job_id, body) VALUES (3, 'new')", `!new row violates row-level security policy`},
		{"SELECT 1", "INSERT INTO jobs (org_id, title) VALUES (1, 'new')", `!new row violates row-level security policy`},
	} {
		if got := ask(c.settings, c.statement); !strings.HasPrefix(strings.ReplaceAll(got, "!ERROR: ", "!"), c.want) || c.want[0] != '!' && got != c.want {
			t.Errorf("%s: %s, want %s", c.statement, got, c.want)
		}
	}
	if _, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{RowSecurity: true}); fail.KindOf(err) != fail.Invalid {
		t.Errorf("of SQLite: %v", err)
	}
}

// TestPoliciesOfPublic: a policy that somebody has for everybody adds no row.
func TestPoliciesOfPublic(t *testing.T) {
	db, admin, _, _ := secured(t)
	if _, err := admin.Exec("CREATE POLICY everybody ON jobs USING (true) WITH CHECK (true); GRANT ALL ON jobs TO PUBLIC"); err != nil {
		t.Fatal(err)
	}
	broken := exosql.WithoutScope(t, kit.JobsGrants(db, 1)["jobs"])
	if out := tu.NewRunner(t, map[string]exo.Object{"jobs": broken}, exo.Limits{}).Run(t, `return [await jobs.count(), await jobs.all().update({ points: 1 }), await jobs.where({ id: 4 }).delete()]`); out.JSON != "[3,3,1]" {
		t.Error(out)
	}
}

// TestPoliciesOfOddNames: names of the database are quoted, in settings and policies, and stay names.
func TestPoliciesOfOddNames(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	url, name := tu.Postgres.URL(t), kit.NewRole(t)
	const table, column = `T"1 '); $exo$; DROP TABLE keep; --`, `of'$1; $exo1$; "a`
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	owner := tu.Postgres.OpenURL(t, url, &exosql.OpenOptions{Setup: tu.Postgres.Exec(
		"CREATE TABLE keep (id int)", "CREATE TYPE \"K's\" AS ENUM ('it''s', '{\"x\\')",
		fmt.Sprintf(`CREATE TABLE %s (id serial PRIMARY KEY, %s "K's" NOT NULL, t1 varchar(3), at timestamptz)`, quoted(table), quoted(column)),
		fmt.Sprintf(`INSERT INTO %s (%s, t1, at) VALUES ('it''s', 'abc', '2024-01-02 03:04:05.678901Z'), ('{"x\', 'xyz', NULL), ('it''s', 'abd', NULL)`, quoted(table), quoted(column)))})
	grants := func(db *exosql.DB, scope dynamic.Predicate) exo.Object {
		live, err := db.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d, err := dynamic.New(live).Table(table, dynamic.ColumnSpec{Name: column, Type: value.TypeText, As: "kind"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := d.Facet("thing", "id", column, "t1")
		if err == nil {
			err = f.AllowInsert("t1")
		}
		if err != nil {
			t.Fatal(err)
		}
		o, err := f.Grant(db, scope)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for _, c := range []struct {
		scope dynamic.Predicate
		want  string
	}{
		{dynamic.Eq(column, "it's"), "[1,3]"},
		{dynamic.Eq(column, `{"x\`), "[2]"},
		{dynamic.In(column, `{"x\`, "it's"), "[1,2,3]"},
		{dynamic.NotIn(column, `{"x\`), "[1,3]"},
		{dynamic.In(column), "[]"},
		{dynamic.And(dynamic.Eq("t1", "abcd"), dynamic.Ne(column, `{"x\`)), "[]"}, // a varchar(3) would cut it to one that is there
		{dynamic.Eq("t1", "abc"), "[1]"},
		{dynamic.Between("t1", "abd", "xyz"), "[2,3]"},
		{dynamic.Or(dynamic.Eq("at", "2024-01-02T03:04:05.678Z"), dynamic.Not(dynamic.Lt("t1", "x"))), "[1,2]"},
		{dynamic.And(dynamic.IsNull("at"), dynamic.Gt("id", 2)), "[3]"},
		{dynamic.AllRows(), "[1,2,3]"},
	} {
		script, err := exosql.Policies(t.Context(), name, grants(owner, c.scope))
		if err != nil {
			t.Fatal(err)
		}
		kit.Change(t, tu.WithParam(t, url, "search_path", "pg_catalog"), script) // its owner may look up names elsewhere
		db := tu.Postgres.OpenURL(t, tu.AsUser(t, url, name), &exosql.OpenOptions{RowSecurity: true})
		for _, o := range []exo.Object{grants(db, c.scope), exosql.WithoutScope(t, grants(db, c.scope))} {
			if out := tu.NewRunner(t, map[string]exo.Object{"things": o}, exo.Limits{}).Run(t, "return things.orderBy(x => x.id).select(x => x.id)"); out.JSON != c.want {
				t.Errorf("%v: %s, want %s\n%s", c.scope, out, c.want, script)
			}
		}
		db.Close()
	}
	kit.Change(t, url, "DROP TABLE keep") // it is still there
	if _, err := exosql.Policies(t.Context(), name, grants(owner, dynamic.Like("t1", "a%"))); fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), "like") {
		t.Errorf("like: %v", err)
	}
	for _, role := range []string{"", "a b", `x"; DROP TABLE keep`, "Exo", strings.Repeat("x", 41)} {
		if _, err := exosql.Policies(t.Context(), role, grants(owner, dynamic.AllRows())); fail.KindOf(err) != fail.Invalid {
			t.Errorf("the role %q: %v", role, err)
		}
	}
}

// TestPoliciesForget: in one transaction a statement has the settings of its own grant, and none of what came before.
func TestPoliciesForget(t *testing.T) {
	db, _, _, _ := secured(t)
	g := kit.JobsGrants(db, 1)
	other := exosql.WithoutScope(t, g["jobs"])
	r := tu.NewRunner(t, map[string]exo.Object{"org": g["org"], "none": exosql.WithoutSettings(other)}, exo.Limits{})
	if out := r.Run(t, `return [await none.count(), await org.jobs().all().update({ points: 2 }), await none.count(), await none.all().update({ points: 3 })]`); out.JSON != "[0,3,0,0]" {
		t.Error(out)
	}
}

// TestPoliciesOfTwo: objects whose grants say different values by one setting are not combined.
func TestPoliciesOfTwo(t *testing.T) {
	db, _, _, _ := secured(t)
	shared := func(org int64) exo.Object {
		live, err := db.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := dynamic.New(live).Table("jobs")
		if err != nil {
			t.Fatal(err)
		}
		f, err := jobs.Facet("job", "id", "title")
		if err != nil {
			t.Fatal(err)
		}
		o, err := f.Grant(db, dynamic.Eq("org_id", org))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	r := tu.NewRunner(t, map[string]exo.Object{"one": shared(1), "two": shared(2)}, exo.Limits{})
	if out := r.Run(t, `return [await one.count(), await two.count()]`); out.JSON != "[3,1]" {
		t.Error(out)
	}
	if out := r.Run(t, `return one.where(j => two.where(k => k.id > 0).count() > 1).count()`); out.Kind != fail.Invalid || !strings.Contains(out.Message, "granted with different values") {
		t.Error(out)
	}
}
