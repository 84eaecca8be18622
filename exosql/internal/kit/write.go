package kit

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// These are the tables of a small tracker with two tenants. Programs may change some of them.
const (
	JobsDDL = `CREATE TABLE orgs (id {int} PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE people (id {int} PRIMARY KEY, org_id {int} NOT NULL REFERENCES orgs, name TEXT NOT NULL);
CREATE TABLE jobs (id {serial}, org_id {int} NOT NULL REFERENCES orgs, title TEXT NOT NULL CHECK (title <> ''), status TEXT NOT NULL DEFAULT 'todo',
	points {int}, cost {decimal}, due {date}, at {time}, done BOOLEAN NOT NULL DEFAULT FALSE, person_id {int} REFERENCES people, UNIQUE (org_id, title));
CREATE TABLE notes (id {serial}, job_id {int} NOT NULL REFERENCES jobs, body TEXT NOT NULL)`
	JobsRows = `INSERT INTO orgs VALUES (1, 'one'), (2, 'two');
INSERT INTO people VALUES (1, 1, 'ada'), (2, 1, 'bob'), (3, 2, 'cyd');
INSERT INTO jobs (org_id, title, status, points, person_id) VALUES (1, 'a', 'todo', 3, 1), (1, 'b', 'done', NULL, NULL), (2, 'c', 'todo', 5, 3), (1, 'd', 'todo', 1, 2);
INSERT INTO notes (job_id, body) VALUES (1, 'first'), (3, 'theirs')`
)

type JobsOrg struct {
	ID   int64
	Name string
}

type JobsPerson struct {
	ID, Org int64
	Name    string
}

type Job struct {
	ID, Org       int64
	Title, Status string
	Points        *int64
	Cost          *exosql.Decimal
	Due           *exosql.Date
	Done          bool
	Person        *int64
}

type JobsNote struct {
	ID, Job int64
	Body    string
}

// JobsGrants returns what programs of a tenant may see and change.
func JobsGrants(db *exosql.DB, org int64) codemode.Grants {
	orgs, people, jobs, notes := exosql.NewTable[JobsOrg]("orgs"), exosql.NewTable[JobsPerson]("people"), exosql.NewTable[Job]("jobs"), exosql.NewTable[JobsNote]("notes")
	orgID := exosql.NewKey(orgs, "id", func(o *JobsOrg) *int64 { return &o.ID })
	orgName := exosql.NewColumn(orgs, "name", func(o *JobsOrg) *string { return &o.Name })
	personID := exosql.NewKey(people, "id", func(p *JobsPerson) *int64 { return &p.ID })
	personOrg := exosql.NewColumn(people, "org_id", func(p *JobsPerson) *int64 { return &p.Org })
	personName := exosql.NewColumn(people, "name", func(p *JobsPerson) *string { return &p.Name })
	jobID := exosql.NewKey(jobs, "id", func(j *Job) *int64 { return &j.ID })
	jobOrg := exosql.NewColumn(jobs, "org_id", func(j *Job) *int64 { return &j.Org })
	title := exosql.NewColumn(jobs, "title", func(j *Job) *string { return &j.Title })
	status := exosql.NewColumn(jobs, "status", func(j *Job) *string { return &j.Status }).OneOf("todo", "done")
	points := exosql.NewNullable(jobs, "points", func(j *Job) **int64 { return &j.Points })
	cost := exosql.NewNullable(jobs, "cost", func(j *Job) **exosql.Decimal { return &j.Cost })
	due := exosql.NewNullable(jobs, "due", func(j *Job) **exosql.Date { return &j.Due })
	done := exosql.NewColumn(jobs, "done", func(j *Job) *bool { return &j.Done })
	jobPerson := exosql.NewNullable(jobs, "person_id", func(j *Job) **int64 { return &j.Person })
	noteID := exosql.NewKey(notes, "id", func(n *JobsNote) *int64 { return &n.ID })
	noteJob := exosql.NewColumn(notes, "job_id", func(n *JobsNote) *int64 { return &n.Job })
	body := exosql.NewColumn(notes, "body", func(n *JobsNote) *string { return &n.Body })
	orgJobs, orgPeople := exosql.Many("jobs", orgID, jobOrg), exosql.Many("people", orgID, personOrg)
	person, jobNotes := exosql.One("person", jobPerson, personID), exosql.Many("notes", jobID, noteJob)
	job := exosql.One("job", noteJob, jobID)
	p := exosql.NewFacet(people, "person", personID, personName)
	n := exosql.NewFacet(notes, "note", noteID, body, noteJob)
	j := exosql.NewFacet(jobs, "job", jobID, jobOrg, title, status, points, cost, due, done, jobPerson, exosql.Via(person, p), exosql.Via(jobNotes, n))
	n.Add(exosql.Via(job, j))
	j.AllowInsert(title, status, points, cost, due, done, jobPerson).AllowUpdate(title, status, points, cost, due, done, jobPerson).AllowDelete()
	if JobsKnown {
		j.Permit(exosql.AllowTrigger("audit"))
	}
	if JobsSettled != nil {
		jobs.AfterCommit(func(context.Context, []exosql.Write[Job]) error { return JobsSettled() })
	}
	n.AllowInsert(body, noteJob).AllowUpdate(body, noteJob).AllowDelete()
	o := exosql.NewFacet(orgs, "org", orgID, orgName, exosql.Via(orgJobs, j), exosql.Via(orgPeople, p))
	scopes := []exosql.Scope{exosql.ScopeVia(orgJobs), exosql.ScopeVia(orgPeople), exosql.ScopeVia(jobNotes)}
	return codemode.Grants{
		"org":  o.Of(exosql.Grant(db, orgs, orgID.Eq(org), scopes...)),
		"jobs": j.Of(exosql.Grant(db, jobs, jobOrg.Eq(org), exosql.ScopeRows(people, personOrg.Eq(org)), exosql.ScopeVia(jobNotes))),
	}
}

// OpenJobs opens a new database, and returns it with a function that queries it on an unguarded connection.
func OpenJobs(t *testing.T, e tu.Engine) (*exosql.DB, func(query string) string) {
	t.Helper()
	return OpenJobsWith(t, e)
}

// JobsKnown makes JobsGrants permit the trigger of TestEffects.
var JobsKnown bool

// JobsSettled is called by the jobs of JobsGrants after each commit.
var JobsSettled func() error

func JobsTables(e tu.Engine) []string {
	serial := e.Pick("INTEGER PRIMARY KEY", "bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
	return []string{strings.ReplaceAll(JobsDDL, "{serial}", serial), JobsRows}
}

func OpenJobsWith(t *testing.T, e tu.Engine, more ...string) (*exosql.DB, func(query string) string) {
	t.Helper()
	db, raw := File(t, e, append(JobsTables(e), more...)...)
	return db, func(query string) string { t.Helper(); return Cells(t, raw, query) }
}

// Cells returns the rows of a query on an unguarded connection.
func Cells(t *testing.T, raw *sql.DB, query string) string {
	t.Helper()
	rows, err := raw.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, _ := rows.Columns()
	var all []string
	for rows.Next() {
		cells, to := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		var row []string
		for _, c := range cells {
			if !c.Valid {
				c.String = "-"
			}
			row = append(row, c.String)
		}
		all = append(all, strings.Join(row, "|"))
	}
	return strings.Join(all, " ")
}

const Jobs = "SELECT id, org_id, title, status, points, person_id FROM jobs ORDER BY id"

// JobsCases are programs of tenant 1, each with its result or error and with the jobs afterwards.
var JobsCases = []struct{ Program, Want, Jobs string }{
	{`return jobs.where(j => j.title === "a").update({ status: "done" })`, "1", "1|1|a|done|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where(j => j.title === "a").update(j => ({ status: "done" }))`, "1", "1|1|a|done|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where(j => j.status === "todo").update(j => ({ points: j.points + 1 }))`, "2", "1|1|a|todo|4|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|2|2"},
	{`return jobs.all().update(j => ({ points: jobs.where(x => x.id <= j.id).sum(x => x.points) }))`, "3", "1|1|a|todo|3|1 2|1|b|done|3|- 3|2|c|todo|5|3 4|1|d|todo|4|2"}, // the sum is over the rows before the call
	{`return jobs.where(j => j.person().name === "bob").update({ personId: null, points: null })`, "1", "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|-|-"},
	{`return jobs.where({ title: "b" }).update({ personId: 2 })`, "1", "1|1|a|todo|3|1 2|1|b|done|-|2 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where({ title: "b" }).update({ personId: 3 })`, "!`personId` refers to no row that this program can reach", ""},
	{`return jobs.where({ title: "b" }).update({ personId: 99 })`, "!`personId` refers to no row that this program can reach", ""},
	{`return jobs.where(j => j.id === 3).update({ status: "done" })`, "0", ""},
	{`return jobs.where(j => j.id === 3).delete()`, "0", ""},
	{`return jobs.update({ status: "done" })`, "!this call would update every row: write .where(…) before it, or .all().update(…) if you mean all rows", ""},
	{`return jobs.all().update({ status: "done" })`, "3", "1|1|a|done|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|done|1|2"},
	{`return jobs.orderBy(j => j.title.desc()).limit(1).delete()`, "1", "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3"},
	{`const j = await jobs.insert({ title: "new", points: 2, cost: "12.50", due: "2024-02-29" }); return [j.title, j.status, j.orgId, j.cost, j.due, j.done]`,
		`["new","todo",1,"12.5","2024-02-29",false]`, "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2 5|1|new|todo|2|-"},
	{`const j = await org.jobs().insert({ title: "new", personId: 2 }); return j.orgId`, "1", "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2 5|1|new|todo|-|2"},
	{`return jobs.insert({ title: "new", personId: 3 })`, "!`personId` refers to no row that this program can reach", ""},
	{`return jobs.insertMany([{ title: "x" }, { title: "y", status: "done" }, { title: "z" }])`, "3", "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2 5|1|x|todo|-|- 6|1|z|todo|-|- 7|1|y|done|-|-"},
	{`return jobs.insertMany([{ title: "x", personId: 1 }, { title: "y", personId: 2 }, { title: "z", personId: 1 }])`, "3", "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2 5|1|x|todo|-|1 6|1|y|todo|-|2 7|1|z|todo|-|1"},
	{`return jobs.insertMany([{ title: "x", personId: 1 }, { title: "y", personId: 3 }])`, "!`[1].personId` refers to no row that this program can reach", ""},
	{`return jobs.insert({ title: "a" })`, "!`orgId`, `title` is taken: no two rows may have the same value", ""},
	{`return jobs.insert({ title: "" })`, "!breaks a rule of the database", ""},
	{`return jobs.insert({ points: 1 })`, "!`title` is needed", ""},
	{`return jobs.where({ id: 1 }).update({ title: null })`, "!`title` must be text", ""},
	{`return jobs.where({ id: 1 }).update({ status: "open" })`, "!`status` must be one of 'todo', 'done'", ""},
	{`return jobs.where({ id: 1 }).update({ titel: "x" })`, "!there is no field `titel`; did you mean `title`?", ""},
	{`return jobs.where({ id: 1 }).update({ title: /a/ })`, "!a regular expression can't be passed on as data; if its text is meant, pass x.source", ""},
	{`return jobs.where({ id: 1 }).update(j => ({ title: /a/, points: j.points }))`, "!a regular expression can't be passed on as data", ""},
	{`return jobs.insertMany([{ title: "x" }, { title: new RegExp("a") }])`, "!a regular expression can't be passed on as data", ""},
	{`return jobs.ifUnchanged({ title: /a/ }).update({ status: "done" })`, "!a regular expression can't be passed on as data", ""},
	{`return jobs.where({ id: 1 }).update(new (class { title = "x"; toJSON() { return { title: "y" } } })())`, "!the object has a function toJSON", ""},
	{`return jobs.insert(Object.assign(new Error("x"), { title: "x" }))`, "!an error can't be passed on as data", ""},
	{`return jobs.where({ title: new String("b") }).update({ done: new Boolean(false), points: new Number(1) })`, "!an object made of one value", ""},
	{`return jobs.where({ id: 1 }).update({ orgId: 2 })`, "!there is no field `orgId`", ""},
	{`return jobs.insert({ title: "x", orgId: 2 })`, "!there is no field `orgId`", ""},
	{`return jobs.where({ id: 1 }).update(j => ({ points: 9 }))`, "1", "1|1|a|todo|9|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where({ id: 1 }).update({})`, "!there is nothing to change", ""},
	{`return jobs.where({ id: 1 }).delete()`, "!is referred to by other rows", ""},
	{`await jobs.where({ id: 1 }).notes().where(n => n.body === "first").delete(); return jobs.where({ id: 1 }).delete()`, "1", "2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`await jobs.where({ id: 1 }).notes().insert({ body: "second" }); return org.jobs().notes().count()`, "2", ""},
	{`return jobs.where({ id: 3 }).notes().insert({ body: "x" })`, "!a row is inserted through exactly one job, and this query finds none", ""},
	{`return jobs.notes().insert({ body: "x" })`, "!a row is inserted through exactly one job, and this query finds several", ""},
	{`return org.jobs().notes().where(n => n.body === "first").update({ jobId: 3 })`, "!`jobId` refers to no row that this program can reach", ""},
	{`return org.jobs().notes().where(n => n.body === "first").update({ jobId: 2 })`, "1", ""},
	{`await jobs.where({ id: 1 }).update({ status: "done" }); throw new Error("no")`, "!no", ""},
	{`try { await jobs.insert({ title: "a" }) } catch {} return jobs.where({ id: 2 }).update({ points: 7 })`, "1", "1|1|a|todo|3|1 2|1|b|done|7|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`await jobs.where({ id: 1 }).update({ status: "done" }); return jobs.where({ status: "done" }).count()`, "2", "1|1|a|done|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.select(j => j.title).where({ id: 1 }).delete()`, "!has no member `delete`", ""},
	{`return jobs.where({ id: 1 }).update(j => ({ status: j.title }))`, "!`status` can't be set to a calculated value: give one of 'todo', 'done'", ""},
	{`return jobs.where({ id: 1 }).update(j => ({ status: j.status, points: 8 }))`, "1", "1|1|a|todo|8|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where({ id: 1 }).update(j => ({ points: j.points / 2 }))`, "!which is a number or null; make the result whole: Math.round(…), Math.floor(…) or Math.ceil(…)", ""},
	{`return jobs.where({ id: 1 }).update(j => ({ points: Math.round(j.points * 1.5) }))`, "1", "1|1|a|todo|5|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where({ id: 1 }).update(j => ({ points: Math.floor(j.points / 2) }))`, "1", "1|1|a|todo|1|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where({ id: 1 }).update(j => ({ points: Math.ceil(j.points / 2) }))`, "1", "1|1|a|todo|2|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where({ id: 1 }).update(j => ({ points: Math.round(j.points * 1e300) }))`, "!can't store", ""},
	{`return jobs.where({ id: 2 }).update(j => ({ points: Math.round(j.points * 1.5) }))`, "1", "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where({ id: 1 }).update(j => ({ titel: j.title }))`, "!there is no field `titel`; did you mean `title`?", ""},
	{`const j = await jobs.where({ id: 1 }).first(); return jobs.where({ id: 1 }).ifUnchanged(j).update({ status: "done" })`, "1", "1|1|a|done|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.where({ id: 1 }).ifUnchanged({ status: "todo", points: 4 }).update({ status: "done" })`, "!the row was deleted or changed after it was read: read it again", ""},
	{`return jobs.ifUnchanged({ id: 2, points: null, title: "b" }).delete()`, "1", "1|1|a|todo|3|1 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.ifUnchanged({ id: 3, title: "c" }).delete()`, "!the row was deleted or changed after it was read: read it again", ""},
	{`try { await jobs.ifUnchanged({ id: 1, points: 4 }).delete() } catch (e) { return [e.kind ?? e.name, await jobs.where({ id: 2 }).update({ points: 7 })].join() }`, `"conflict,1"`, "1|1|a|todo|3|1 2|1|b|done|7|- 3|2|c|todo|5|3 4|1|d|todo|1|2"},
	{`return jobs.insertMany(Array.from({ length: 64 }, (_, i) => ({ title: "n" + i, ...(i & 1 && { status: "done" }), ...(i & 2 && { points: 1 }), ...(i & 4 && { cost: 1 }), ...(i & 8 && { due: "2024-01-01" }), ...(i & 16 && { done: true }), ...(i & 32 && { personId: 1 }) })))`, "!the rows name 64 different sets of columns, and the limit is 50", ""},
	{`return jobs.where({ id: 1 }).insert({ title: "x" })`, "!insert into a table or through a link", ""},
}

const JobsBefore = "1|1|a|todo|3|1 2|1|b|done|-|- 3|2|c|todo|5|3 4|1|d|todo|1|2"
