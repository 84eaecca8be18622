package game

import (
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// This target is a tracker with several customers in one database. Some foreign keys lead to another customer's rows, as a bug or a hostile
// import would leave them.

type org struct {
	ID   int64
	Name string
}

type member struct {
	ID        int64
	OrgID     int64
	Name      string
	ManagerID *int64
}

type project struct {
	ID    int64
	OrgID int64
	Name  string
}

type task struct {
	ID         int64
	ProjectID  int64
	AssigneeID *int64
	NoteID     *int64
	Title      string
}

type note struct {
	ID       int64
	OrgID    int64
	AuthorID int64
	Title    string
	Body     string
}

var (
	orgs    = exosql.NewTable[org]("organizations")
	orgID   = exosql.NewKey(orgs, "id", func(o *org) *int64 { return &o.ID })
	orgName = exosql.NewColumn(orgs, "name", func(o *org) *string { return &o.Name })

	members         = exosql.NewTable[member]("members")
	memberID        = exosql.NewKey(members, "id", func(m *member) *int64 { return &m.ID })
	memberOrgID     = exosql.NewColumn(members, "organization_id", func(m *member) *int64 { return &m.OrgID })
	memberName      = exosql.NewColumn(members, "name", func(m *member) *string { return &m.Name })
	memberManagerID = exosql.NewNullable(members, "manager_id", func(m *member) **int64 { return &m.ManagerID })

	projects     = exosql.NewTable[project]("projects")
	projectID    = exosql.NewKey(projects, "id", func(p *project) *int64 { return &p.ID })
	projectOrgID = exosql.NewColumn(projects, "organization_id", func(p *project) *int64 { return &p.OrgID })
	projectName  = exosql.NewColumn(projects, "name", func(p *project) *string { return &p.Name })

	tasks          = exosql.NewTable[task]("tasks")
	taskID         = exosql.NewKey(tasks, "id", func(t *task) *int64 { return &t.ID })
	taskProjectID  = exosql.NewColumn(tasks, "project_id", func(t *task) *int64 { return &t.ProjectID })
	taskAssigneeID = exosql.NewNullable(tasks, "assignee_id", func(t *task) **int64 { return &t.AssigneeID })
	taskNoteID     = exosql.NewNullable(tasks, "note_id", func(t *task) **int64 { return &t.NoteID })
	taskTitle      = exosql.NewColumn(tasks, "title", func(t *task) *string { return &t.Title })

	noteTable    = exosql.NewTable[note]("notes")
	noteID       = exosql.NewKey(noteTable, "id", func(n *note) *int64 { return &n.ID })
	noteOrgID    = exosql.NewColumn(noteTable, "organization_id", func(n *note) *int64 { return &n.OrgID })
	noteAuthorID = exosql.NewColumn(noteTable, "author_id", func(n *note) *int64 { return &n.AuthorID })
	noteTitle    = exosql.NewColumn(noteTable, "title", func(n *note) *string { return &n.Title })
	noteBody     = exosql.NewColumn(noteTable, "body", func(n *note) *string { return &n.Body })

	orgMembers    = exosql.Many("members", orgID, memberOrgID)
	orgProjects   = exosql.Many("projects", orgID, projectOrgID)
	orgNotes      = exosql.Many("notes", orgID, noteOrgID)
	memberOrg     = exosql.One("organization", memberOrgID, orgID)
	memberManager = exosql.One("manager", memberManagerID, memberID)
	memberTasks   = exosql.Many("assignedTasks", memberID, taskAssigneeID)
	memberNotes   = exosql.Many("notes", memberID, noteAuthorID)
	projectTasks  = exosql.Many("tasks", projectID, taskProjectID)
	taskProject   = exosql.One("project", taskProjectID, projectID)
	taskAssignee  = exosql.One("assignee", taskAssigneeID, memberID)
	taskNote      = exosql.One("note", taskNoteID, noteID)
	noteAuthor    = exosql.One("author", noteAuthorID, memberID)
	noteOrg       = exosql.One("organization", noteOrgID, orgID)
)

const notesOrg = 1

func notesGrants(db *exosql.DB) codemode.Grants {
	org := exosql.NewFacet(orgs, "org", orgID, orgName)
	member := exosql.NewFacet(members, "member", memberID, memberName, memberManagerID)
	project := exosql.NewFacet(projects, "project", projectID, projectName)
	task := exosql.NewFacet(tasks, "task", taskID, taskTitle, taskAssigneeID, taskNoteID)
	note := exosql.NewFacet(noteTable, "note", noteID, noteTitle, noteBody)
	org.Add(exosql.Via(orgMembers, member), exosql.Via(orgProjects, project), exosql.Via(orgNotes, note))
	member.Add(exosql.Via(memberOrg, org), exosql.Via(memberManager, member), exosql.Via(memberTasks, task), exosql.Via(memberNotes, note))
	project.Add(exosql.Via(projectTasks, task))
	task.Add(exosql.Via(taskProject, project), exosql.Via(taskAssignee, member), exosql.Via(taskNote, note))
	note.Add(exosql.Via(noteAuthor, member), exosql.Via(noteOrg, org))
	// Members, tasks and notes can be reached in several ways, with different rows. So the grant names the links that decide which rows are in scope.
	mine := exosql.Grant(db, orgs, orgID.Eq(notesOrg),
		exosql.ScopeVia(orgMembers), exosql.ScopeVia(orgProjects), exosql.ScopeVia(projectTasks), exosql.ScopeVia(orgNotes))
	return codemode.Grants{"organization": org.Of(mine)}
}

const notesSchema = `
CREATE TABLE organizations (
	id   INTEGER PRIMARY KEY,
	name TEXT NOT NULL
);
CREATE TABLE members (
	id              INTEGER PRIMARY KEY,
	organization_id INTEGER NOT NULL REFERENCES organizations (id),
	name            TEXT NOT NULL,
	manager_id      INTEGER REFERENCES members (id)
);
CREATE TABLE projects (
	id              INTEGER PRIMARY KEY,
	organization_id INTEGER NOT NULL REFERENCES organizations (id),
	name            TEXT NOT NULL
);
CREATE TABLE notes (
	id              INTEGER PRIMARY KEY,
	organization_id INTEGER NOT NULL REFERENCES organizations (id),
	author_id       INTEGER NOT NULL REFERENCES members (id),
	title           TEXT NOT NULL,
	body            TEXT NOT NULL
);
CREATE TABLE tasks (
	id          INTEGER PRIMARY KEY,
	project_id  INTEGER NOT NULL REFERENCES projects (id),
	assignee_id INTEGER REFERENCES members (id),
	note_id     INTEGER REFERENCES notes (id),
	title       TEXT NOT NULL
);
CREATE INDEX members_by_organization ON members (organization_id);
CREATE INDEX projects_by_organization ON projects (organization_id);
CREATE INDEX notes_by_organization ON notes (organization_id);
CREATE INDEX tasks_by_project ON tasks (project_id);
`

func notesSeed(key string) []Statement {
	return []Statement{
		{SQL: `INSERT INTO organizations (id, name) VALUES (1, 'Harbour Press'), (2, 'Northgate Mining'), (3, 'Lumen Dental')`},
		{SQL: `INSERT INTO members (id, organization_id, name, manager_id) VALUES
			(21, 2, 'Ulla Brandt', NULL), (22, 2, 'Piet Kamara', 21),
			(11, 1, 'Ada Lind', NULL), (12, 1, 'Ben Okoro', 11), (13, 1, 'Cleo Marsh', 21),
			(31, 3, 'Dario Vega', NULL)`},
		{SQL: `INSERT INTO projects (id, organization_id, name) VALUES (101, 1, 'Spring catalogue'), (102, 1, 'Reprints'), (201, 2, 'Shaft 9'), (301, 3, 'Recall list')`},
		{SQL: `INSERT INTO notes (id, organization_id, author_id, title, body) VALUES
			(501, 1, 11, 'Paper prices', 'Up by four per cent since March.'),
			(502, 1, 12, 'Cover', 'The blue one.'),
			(601, 2, 22, 'Rota', 'Not what you are looking for.'),
			(602, 2, 21, 'Survey of shaft 9', ?),
			(701, 3, 31, 'Holidays', 'Not what you are looking for.')`, Args: []string{key}},
		// 1003 is assigned to a member of another customer, 1004 cites another customer's note, and member 13 has another customer's member as
		// manager.
		{SQL: `INSERT INTO tasks (id, project_id, assignee_id, note_id, title) VALUES
			(1001, 101, 11, 501, 'Order paper'), (1002, 101, 12, 502, 'Choose a cover'), (1003, 101, 21, NULL, 'Ask for the map'), (1004, 102, 13, 602, 'Reprint the survey'),
			(2001, 201, 21, 602, 'Measure the shaft'), (3001, 301, 31, 701, 'Call patients')`},
	}
}

var notes = &Target{
	ID:    "notes",
	Title: "The survey of shaft 9",
	Story: "A tracker holds several organizations in one database. You are Harbour Press, organization 1. Three rows of yours point at Northgate Mining, organization 2: a task that one of them is assigned to, a task that cites one of their notes, and a member whose manager is theirs.",
	Prize: "notes.body of note 602, which belongs to organization 2",
	You:   "Harbour Press, organization 1",

	Schema: notesSchema,
	Seed:   notesSeed,
	Grants: notesGrants,

	Rule: "You act for organization 1. Read only rows of organization 1. The notes of other organizations are private.",
	Naive: Naive{
		Must:  []string{`\bselect\b`, `organization_id\s*=\s*1\b`},
		Never: []string{`;`, `--`, `/\*`, `\bor\b`, `\bunion\b`, `\b602\b`, `organization_id\s*(<>|!=|>|<)`, `\b(insert|update|delete|drop|alter|attach|pragma)\b`},
	},

	Examples: []string{
		"(api) => api.organization.notes()",
		"(api) => api.organization\n  .join(({ org }) => org.projects())\n  .join(({ project }) => project.tasks())\n  .select(({ project, task }) => ({ project: project.name, task: task.title, note: task.noteId }))\n  .execute()",
	},
	Tasks: []Task{
		{
			ID: "list", Title: "List your notes",
			Text: "Return the notes of your organization.",
			Hints: []Hint{
				{Text: "A program is a function of api, and what it returns is its result. api.organization is a relation with one row: yours."},
				{Text: "(api) => api.organization.notes()"},
				{Text: "The declarations on this page are made from the same catalogue that the host checks your program with: what they don't name can't be asked for.", Code: "codemode/declare.go"},
			},
			Done: gives("notes", 2, "Paper prices", "The blue one."),
		},
		{
			ID: "tasks", Title: "See where your tasks point",
			Text: "Return the title of every task of yours with its noteId. One is not a note of yours.",
			Hints: []Hint{
				{Text: "The second example does it."},
				{Text: "You can read the number 602: it is a column of your own row. What it points at is another row."},
				{Text: "A column of a row in scope is yours, whatever its value means to somebody else.", Code: "exosql/internal/decl/facet.go"},
			},
			Done: gives("tasks", 4, "Reprint the survey", "602"),
		},
		{
			ID: "links", Title: "Walk the link that leads almost there",
			Text: "From your tasks, follow note(), and return the titles. Task 1004 cites note 602: is it there?",
			Hints: []Hint{
				{Text: "(api) => api.organization.projects().tasks().note()"},
				{Text: "There are two: the third is out of scope, though the row that leads to it is in. Player assignee().notes() and manager().notes(), which lead there as well."},
				{Text: "A row of notes is in scope if the organization's own link reaches it, and any other way into the table is narrowed to those.", Code: "exosql/internal/scope/enter.go"},
			},
			Done: func(a *Attempt) bool {
				return gives("notes", 2, "Paper prices", "Cover")(a) && asked("note_id", 2)(a)
			},
		},
		{
			ID: "refused", Title: "Get refused",
			Text: "Ask for a column that you were not granted: notes have an organization_id. Read the error: it names the place, and what there is.",
			Hints: []Hint{
				{Text: "(api) => api.organization.notes().where(n => n.organizationId === 2)"},
				{Text: "Hidden and missing read the same: try `organizationIx`, which never was. The answer depends on the spelling, not on what is hidden."},
				{Text: "The program's side checks the expression as it is recorded; the host checks it again with the same code.", Code: "exo/message/node.go"},
			},
			Done: refused("invalid", "denied"),
		},
		{
			ID: "key", Title: "Get the key",
			Text: "Return the body of note 602, and claim what it holds.",
			Hints: []Hint{
				{Text: "Oracles count as well: a join, an order, a count or an error that depends on rows which are not yours would give the key letter by letter.", Code: "internal/proof/doc_test.go"},
				{Text: "The database: each statement may read only the tables and columns of its plan, whatever text it has.", Code: "exosql/internal/engine/sqlite/sqlite.go"},
				{Text: "The process: your program runs in one that has no files, no network and no secret.", Code: "exoeval/worker/doc.go"},
				{Text: "If you get it, it is shown on top of this site in red, and we would like to know how."},
			},
			Done: stolen,
		},
	},
}
