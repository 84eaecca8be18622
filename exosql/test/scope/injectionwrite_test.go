package scope_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/exosql/internal/kit"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// writtenBack is a program that has a text in each place where one can be written, and in the condition
// of each kind of write, and says what came back. It leaves nothing.
const writtenBack = `const x = %s, out = {};
const j = await jobs.insert({ title: x });
out.insert = j.title === x;
out.update = await jobs.where({ id: j.id }).update({ title: x + "1" });
out.changed = (await jobs.where({ title: x + "1" }).first()).title === x + "1";
out.callback = await jobs.where(t => t.title === x + "1").update(t => ({ title: x }));
out.joined = await jobs.where({ title: x }).update(t => ({ title: t.title + x }));
out.twice = (await jobs.where(t => t.id === j.id).first()).title === x + x;
out.many = await jobs.insertMany([{ title: x }, { title: "2" + x }]);
out.found = await jobs.where(t => t.title.in([x, "2" + x, x + x])).count();
const n = await jobs.where({ id: j.id }).notes().insert({ body: x });
out.link = n.body === x && n.jobId === j.id;
out.note = await notes.where({ body: x }).update({ body: x });
out.notes = await notes.where({ body: x }).delete();
out.deleted = await jobs.where(t => t.title === x || t.title === "2" + x || t.title === x + x).delete();
return Object.values(out).join();`

// writtenWrong gives a text to each column that is not one of texts, and as the name of a column. It says which of these were taken.
const writtenWrong = `const x = %s, taken = [];
for (const name of ["status", "points", "cost", "due", "done", "personId", "orgId", "id", x]) {
	for (const f of [() => jobs.where({ id: 1 }).update({ [name]: x }), () => jobs.where({ id: 1 }).update(() => ({ [name]: x })), () => jobs.insert({ title: "q" + taken.length + name, [name]: x }),
		() => jobs.insertMany([{ title: "q", [name]: x }])]) {
		try { await f(); taken.push(name) } catch (e) { if (/sqlite:|SQLSTATE|internal/i.test(e.message)) throw e }
	}
}
return taken;`

// TestInjectionWrites: a text that is written through any value comes back as it was given, and by no text a
// statement changes, or any row but the one that is meant.
func TestInjectionWrites(t *testing.T) {
	tu.NotRaced(t)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		grants := kit.JobsGrants(db, 1)
		grants["notes"] = wrNotes(db, 1)
		r := tu.NewRunner(t, grants, exo.Limits{})
		before := look("SELECT * FROM jobs ORDER BY id") + look("SELECT * FROM notes ORDER BY id")
		var plain []string
		for _, text := range append([]string{"harmless"}, kit.Payloads(t)...) {
			if text == "" || strings.Contains(text, "\x00") {
				continue // refused by the table, or by the language: TestWrites
			}
			literal, _ := json.Marshal(text)
			o := r.Run(t, fmt.Sprintf(writtenBack, literal))
			if o.JSON != `"true,1,true,1,1,true,2,3,true,1,1,3"` {
				t.Fatalf("%.60q: %s", text, o)
			}
			var statements []string
			for _, q := range o.SQL {
				statements = append(statements, q.SQL)
			}
			if plain == nil {
				plain = statements
			}
			if got, want := strings.Join(statements, "\n"), strings.Join(plain, "\n"); got != want {
				t.Errorf("%.60q: the statements are\n%s\nand for a harmless text\n%s", text, got, want)
			}
			if after := look("SELECT * FROM jobs ORDER BY id") + look("SELECT * FROM notes ORDER BY id"); after != before {
				t.Fatalf("%.60q leaves\n%s\nwant\n%s", text, after, before)
			}
		}
	})
}

// TestInjectionWrongColumns: a text in a column that is no text, or as a column's name, is an error of the program, or a value of the
// column; what is out of scope stays as it is, and no error is the database's.
func TestInjectionWrongColumns(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db, look := kit.OpenJobs(t, e)
		r := tu.NewRunner(t, kit.JobsGrants(db, 1), exo.Limits{})
		const theirs = "SELECT * FROM jobs WHERE org_id <> 1 ORDER BY id"
		before := look(theirs)
		for _, text := range kit.Payloads(t) {
			literal, _ := json.Marshal(text)
			tx, err := db.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			o := r.RunIn(tx.Context(t.Context()), t, fmt.Sprintf(writtenWrong, literal))
			if err := tx.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if o.Kind == fail.Internal || !strings.HasPrefix(o.JSON, "[") {
				t.Errorf("%.60q: %s", text, o)
			}
			if strings.Contains(o.JSON, "orgId") || strings.Contains(o.JSON, `"id"`) {
				t.Errorf("%.60q is taken for a column that can't be given: %s", text, o.JSON)
			}
		}
		if after := look(theirs); after != before {
			t.Errorf("it leaves %s, not %s", after, before)
		}
	})
}

// wrNotes are the notes of a tenant, by themselves.
func wrNotes(db *exosql.DB, org int64) exo.Object {
	orgs, jobs, notes := exosql.NewTable[kit.JobsOrg]("orgs"), exosql.NewTable[kit.Job]("jobs"), exosql.NewTable[kit.JobsNote]("notes")
	orgID := exosql.NewKey(orgs, "id", func(o *kit.JobsOrg) *int64 { return &o.ID })
	jobID := exosql.NewKey(jobs, "id", func(j *kit.Job) *int64 { return &j.ID })
	jobOrg := exosql.NewColumn(jobs, "org_id", func(j *kit.Job) *int64 { return &j.Org })
	noteID := exosql.NewKey(notes, "id", func(n *kit.JobsNote) *int64 { return &n.ID })
	noteJob := exosql.NewColumn(notes, "job_id", func(n *kit.JobsNote) *int64 { return &n.Job })
	body := exosql.NewColumn(notes, "body", func(n *kit.JobsNote) *string { return &n.Body })
	n := exosql.NewFacet(notes, "own", noteID, body).AllowUpdate(body).AllowDelete()
	rows := exosql.Follow(exosql.Follow(exosql.Grant(db, orgs, orgID.Eq(org)), exosql.Many("jobs", orgID, jobOrg)), exosql.Many("notes", jobID, noteJob))
	return n.Of(rows)
}
