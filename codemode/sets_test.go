package codemode_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exosql"
)

type org struct {
	ID   int64
	Name string
}
type person struct {
	ID, OrgID   int64
	Name, Email string
	Role        string
	Boss        *int64
}
type project struct {
	ID, OrgID int64
	Title     string
	Budget    float64
	Archived  bool
}
type task struct {
	ID, ProjectID int64
	Assignee      *int64
	Title         string
	Status        string
	Hours         float64
	Due           *time.Time
	Done          bool
}
type note struct {
	ID, TaskID int64
	Body       string
	At         time.Time
}

// world is a database of five tables, and facets of one, two and five of them.
type world struct {
	db               *exosql.DB
	one, two, five   exo.Object
	secret, selfLink exo.Object
	measured         exo.Object
}

const schema = `
CREATE TABLE orgs(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE people(id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, role TEXT NOT NULL, boss_id INTEGER);
CREATE TABLE projects(id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, title TEXT NOT NULL, budget REAL NOT NULL, archived BOOLEAN NOT NULL);
CREATE TABLE tasks(id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL, assignee_id INTEGER, title TEXT NOT NULL, status TEXT NOT NULL, hours REAL NOT NULL, due_at TEXT, done BOOLEAN NOT NULL);
CREATE TABLE notes(id INTEGER PRIMARY KEY, task_id INTEGER NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL);
INSERT INTO orgs VALUES (1,'Acme'),(2,'Other');
INSERT INTO people VALUES (1,1,'Ann','ann@acme.example','admin',NULL),(2,1,'Bob','bob@acme.example','member',1),(3,2,'Eve','eve@other.example','admin',NULL);
INSERT INTO projects VALUES (1,1,'Site',1000.5,0),(2,1,'Old',10,1),(3,2,'Theirs',1,0);
INSERT INTO tasks VALUES (1,1,1,'Draft','open',1.5,'2024-05-01T00:00:00.000Z',0),(2,1,2,'Ship','done',2,NULL,1),(3,2,NULL,'Burn','open',0,NULL,0),(4,3,3,'Secret','open',1,NULL,0);
INSERT INTO notes VALUES (1,1,'first','2024-02-03T04:05:06.000Z'),(2,1,'second','2024-02-04T00:00:00.000Z'),(3,4,'hidden','2024-02-04T00:00:00.000Z');
WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i+1 FROM n WHERE i < 10099) INSERT INTO notes SELECT i, 2, 'note number ' || i, '2024-03-01T00:00:00.000Z' FROM n;`

func newWorld(tb testing.TB) *world {
	tb.Helper()
	db, err := exosql.Open(context.Background(), "sqlite::memory:", &exosql.OpenOptions{Setup: func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, schema)
		return err
	}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })

	orgs := exosql.NewTable[org]("orgs")
	orgID := exosql.NewKey(orgs, "id", func(o *org) *int64 { return &o.ID })
	orgName := exosql.NewColumn(orgs, "name", func(o *org) *string { return &o.Name })
	people := exosql.NewTable[person]("people")
	personID := exosql.NewKey(people, "id", func(p *person) *int64 { return &p.ID })
	personOrg := exosql.NewColumn(people, "org_id", func(p *person) *int64 { return &p.OrgID })
	personName := exosql.NewColumn(people, "name", func(p *person) *string { return &p.Name })
	email := exosql.NewColumn(people, "email", func(p *person) *string { return &p.Email }).WithLabel("pii").Doc("work address")
	role := exosql.NewColumn(people, "role", func(p *person) *string { return &p.Role }).OneOf("admin", "member")
	boss := exosql.NewNullable(people, "boss_id", func(p *person) **int64 { return &p.Boss })
	projects := exosql.NewTable[project]("projects")
	projectID := exosql.NewKey(projects, "id", func(p *project) *int64 { return &p.ID })
	projectOrg := exosql.NewColumn(projects, "org_id", func(p *project) *int64 { return &p.OrgID })
	projectTitle := exosql.NewColumn(projects, "title", func(p *project) *string { return &p.Title })
	budget := exosql.NewColumn(projects, "budget", func(p *project) *float64 { return &p.Budget }).Doc("in euros")
	archived := exosql.NewColumn(projects, "archived", func(p *project) *bool { return &p.Archived })
	tasks := exosql.NewTable[task]("tasks")
	taskID := exosql.NewKey(tasks, "id", func(t *task) *int64 { return &t.ID })
	taskProject := exosql.NewColumn(tasks, "project_id", func(t *task) *int64 { return &t.ProjectID })
	assignee := exosql.NewNullable(tasks, "assignee_id", func(t *task) **int64 { return &t.Assignee })
	taskTitle := exosql.NewColumn(tasks, "title", func(t *task) *string { return &t.Title })
	status := exosql.NewColumn(tasks, "status", func(t *task) *string { return &t.Status }).OneOf("open", "done", "it's \"odd\"")
	hours := exosql.NewColumn(tasks, "hours", func(t *task) *float64 { return &t.Hours })
	due := exosql.NewNullable(tasks, "due_at", func(t *task) **time.Time { return &t.Due })
	done := exosql.NewColumn(tasks, "done", func(t *task) *bool { return &t.Done })
	notes := exosql.NewTable[note]("notes")
	noteID := exosql.NewKey(notes, "id", func(n *note) *int64 { return &n.ID })
	noteTask := exosql.NewColumn(notes, "task_id", func(n *note) *int64 { return &n.TaskID })
	body := exosql.NewColumn(notes, "body", func(n *note) *string { return &n.Body })
	at := exosql.NewColumn(notes, "created_at", func(n *note) *time.Time { return &n.At })

	orgPeople := exosql.Many("members", orgID, personOrg)
	orgProjects := exosql.Many("projects", orgID, projectOrg)
	personTasks := exosql.Many("assignedTasks", personID, assignee)
	personReports := exosql.Many("reports", personID, boss).Doc("people whose boss this is")
	projectTasks := exosql.Many("tasks", projectID, taskProject)
	taskOf := exosql.One("project", taskProject, projectID)
	taskWho := exosql.One("assignee", assignee, personID)
	taskNotes := exosql.Many("notes", taskID, noteTask)

	w := &world{db: db}
	me := exosql.Grant(db, orgs, orgID.Eq(1),
		exosql.ScopeRows(people, personOrg.Eq(1)), exosql.ScopeRows(projects, projectOrg.Eq(1)), exosql.ScopeVia(projectTasks))
	w.one = exosql.NewFacet(orgs, "org", orgID, orgName).Of(me)
	w.two = exosql.NewFacet(orgs, "org", orgID, orgName, exosql.Via(orgProjects, exosql.NewFacet(projects, "project", projectID, projectTitle, budget, archived))).Of(me)
	w.secret = exosql.NewFacet(people, "person", email, personID, role).Of(exosql.Follow(me, orgPeople))
	w.measured = exosql.NewFacet(tasks, "task", taskID, hours, status, exosql.Sum(hours).Where(status.Eq("open")).As("openHours").Doc("not done yet"), exosql.Count[task]().As("total")).Of(exosql.Follow(exosql.Follow(me, orgProjects), projectTasks))
	loop := exosql.NewFacet(people, "person", personID, personName, role)
	w.selfLink = loop.Add(exosql.Via(personReports, loop)).Of(exosql.Follow(me, orgPeople))

	nf := exosql.NewFacet(notes, "note", noteID, body, at)
	pf := exosql.NewFacet(projects, "project", projectID, projectTitle, budget, archived)
	tf := exosql.NewFacet(tasks, "task", taskID, taskTitle, status, hours, due, done, exosql.Via(taskNotes, nf), exosql.Via(taskOf, pf))
	pf.Add(exosql.Via(projectTasks, tf))
	uf := exosql.NewFacet(people, "member", personID, personName, role, exosql.Via(personTasks, tf))
	tf.Add(exosql.Via(taskWho, uf))
	w.five = exosql.NewFacet(orgs, "org", orgID, orgName, exosql.Via(orgPeople, uf), exosql.Via(orgProjects, pf)).Of(me)
	return w
}

const hostSecret = "postgres://root:hunter2@10.0.0.7/prod"

type sendArgs struct {
	To      []string   `json:"to" jsonschema:"addresses"`
	Subject string     `json:"subject"`
	Reply   string     `json:"replyTo,omitempty"`
	At      *time.Time `json:"at"`
}
type mail struct {
	ID      int64     `json:"id"`
	Subject string    `json:"subject"`
	At      time.Time `json:"at"`
	Tags    []string  `json:"tags"`
}

func mailbox(tb testing.TB) exo.Object {
	tb.Helper()
	s, err := service.New("mailbox", "the user's mail",
		service.Read("list", "the newest messages", func(ctx context.Context, in struct {
			Folder string `json:"folder,omitempty"`
		}) ([]mail, error) {
			return []mail{{1, "hi", time.Unix(0, 0), nil}}, nil
		}),
		service.Method("send", "sends a message", func(ctx context.Context, in sendArgs) (service.None, error) { return service.None{}, nil }),
		service.Read("broken", "always fails", func(ctx context.Context, in service.None) (string, error) {
			return "", errors.New("dial " + hostSecret)
		}),
		service.Read("panics", "always panics", func(ctx context.Context, in service.None) (string, error) { panic(hostSecret) }),
		service.Read("said", "fails with a reason", func(ctx context.Context, in service.None) (string, error) {
			return "", fmt.Errorf("%s: %w", hostSecret, service.Refuse("the mailbox is full: delete something"))
		}),
	)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func newTool(tb testing.TB, g codemode.Grants, opt *codemode.Options) *codemode.Tool {
	tb.Helper()
	if opt == nil {
		opt = &codemode.Options{}
	}
	if opt.Record == nil { // what is granted can change something
		c := *opt
		c.Record, opt = exo.Unrecorded, &c
	}
	t, err := codemode.New(g, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}
