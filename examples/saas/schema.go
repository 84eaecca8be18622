package main

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/repl"
	"github.com/exoagent/exoagent/examples/saas/tracker"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql"
)

// Each table has a Go struct, which the host's own code reads rows into.

type organization struct {
	ID         int64
	Name, Plan string
	CreatedAt  time.Time
}

type member struct {
	ID, OrganizationID int64
	Name, Email, Role  string
	JoinedAt           time.Time
}

type project struct {
	ID, OrganizationID int64
	Name               string
	Description        *string // a pointer, since the column may be NULL
	Archived           bool
	CreatedAt          time.Time
}

type task struct {
	ID, ProjectID int64
	AssigneeID    *int64
	Title, Status string
	Priority      int64
	Estimate      *float64
	DueAt         *time.Time
	CreatedAt     time.Time
}

type comment struct {
	ID, TaskID, AuthorID int64
	Body                 string
	CreatedAt            time.Time
}

// The variables below are the tables and their columns. They describe the database and grant nothing. In programs, due_at is called dueAt.

var (
	organizations = exosql.NewTable[organization]("organizations")
	orgID         = exosql.NewKey(organizations, "id", func(o *organization) *int64 { return &o.ID })
	orgName       = exosql.NewColumn(organizations, "name", func(o *organization) *string { return &o.Name })
	orgPlan       = exosql.NewColumn(organizations, "plan", func(o *organization) *string { return &o.Plan }).OneOf("free", "team", "business")
	orgCreatedAt  = exosql.NewColumn(organizations, "created_at", func(o *organization) *time.Time { return &o.CreatedAt }).StoredISO()

	members        = exosql.NewTable[member]("members")
	memberID       = exosql.NewKey(members, "id", func(m *member) *int64 { return &m.ID })
	memberOrgID    = exosql.NewColumn(members, "organization_id", func(m *member) *int64 { return &m.OrganizationID })
	memberName     = exosql.NewColumn(members, "name", func(m *member) *string { return &m.Name })
	memberEmail    = exosql.NewColumn(members, "email", func(m *member) *string { return &m.Email }).WithLabel("pii").ReadBy("member", memberID)
	memberRole     = exosql.NewColumn(members, "role", func(m *member) *string { return &m.Role }).OneOf("owner", "admin", "member", "guest")
	memberJoinedAt = exosql.NewColumn(members, "joined_at", func(m *member) *time.Time { return &m.JoinedAt }).StoredISO()

	projects           = exosql.NewTable[project]("projects")
	projectID          = exosql.NewKey(projects, "id", func(p *project) *int64 { return &p.ID })
	projectOrgID       = exosql.NewColumn(projects, "organization_id", func(p *project) *int64 { return &p.OrganizationID })
	projectName        = exosql.NewColumn(projects, "name", func(p *project) *string { return &p.Name })
	projectDescription = exosql.NewNullable(projects, "description", func(p *project) **string { return &p.Description })
	projectArchived    = exosql.NewColumn(projects, "archived", func(p *project) *bool { return &p.Archived })
	projectCreatedAt   = exosql.NewColumn(projects, "created_at", func(p *project) *time.Time { return &p.CreatedAt }).StoredISO()

	tasks          = exosql.NewTable[task]("tasks")
	taskID         = exosql.NewKey(tasks, "id", func(t *task) *int64 { return &t.ID })
	taskProjectID  = exosql.NewColumn(tasks, "project_id", func(t *task) *int64 { return &t.ProjectID })
	taskAssigneeID = exosql.NewNullable(tasks, "assignee_id", func(t *task) **int64 { return &t.AssigneeID }).Doc("null when nobody is assigned")
	taskTitle      = exosql.NewColumn(tasks, "title", func(t *task) *string { return &t.Title })
	taskStatus     = exosql.NewColumn(tasks, "status", func(t *task) *string { return &t.Status }).OneOf("todo", "in_progress", "done")
	taskPriority   = exosql.NewColumn(tasks, "priority", func(t *task) *int64 { return &t.Priority }).Doc("1 is the most urgent, 4 the least")
	taskEstimate   = exosql.NewNullable(tasks, "estimate", func(t *task) **float64 { return &t.Estimate }).Doc("in hours")
	taskDueAt      = exosql.NewNullable(tasks, "due_at", func(t *task) **time.Time { return &t.DueAt }).StoredISO()
	taskCreatedAt  = exosql.NewColumn(tasks, "created_at", func(t *task) *time.Time { return &t.CreatedAt }).StoredISO()

	comments         = exosql.NewTable[comment]("comments")
	commentID        = exosql.NewKey(comments, "id", func(c *comment) *int64 { return &c.ID })
	commentTaskID    = exosql.NewColumn(comments, "task_id", func(c *comment) *int64 { return &c.TaskID })
	commentAuthorID  = exosql.NewColumn(comments, "author_id", func(c *comment) *int64 { return &c.AuthorID })
	commentBody      = exosql.NewColumn(comments, "body", func(c *comment) *string { return &c.Body }).WithLabel(value.Untrusted)
	commentCreatedAt = exosql.NewColumn(comments, "created_at", func(c *comment) *time.Time { return &c.CreatedAt }).StoredISO()
)

// A link connects a row to rows of another table.

var (
	orgMembers          = exosql.Many("members", orgID, memberOrgID)
	orgProjects         = exosql.Many("projects", orgID, projectOrgID)
	memberOrganization  = exosql.One("organization", memberOrgID, orgID)
	memberAssignedTasks = exosql.Many("assignedTasks", memberID, taskAssigneeID)
	projectOrganization = exosql.One("organization", projectOrgID, orgID)
	projectTasks        = exosql.Many("tasks", projectID, taskProjectID)
	taskProject         = exosql.One("project", taskProjectID, projectID)
	taskAssignee        = exosql.One("assignee", taskAssigneeID, memberID).Doc("none when nobody is assigned")
	taskComments        = exosql.Many("comments", taskID, commentTaskID)
	commentTask         = exosql.One("task", commentTaskID, taskID)
	commentAuthor       = exosql.One("author", commentAuthorID, memberID)
	memberComments      = exosql.Many("comments", memberID, commentAuthorID)
)

// facets lists the columns of each table that a program may see. For the program no other column exists.
func facets() (*exosql.Facet[organization], *exosql.Facet[task]) {
	org := exosql.NewFacet(organizations, "org", orgID, orgName, orgPlan, orgCreatedAt)
	member := exosql.NewFacet(members, "member", memberID, memberName, memberEmail, memberRole, memberJoinedAt)
	project := exosql.NewFacet(projects, "project", projectID, projectName, projectDescription, projectArchived, projectCreatedAt)
	task := exosql.NewFacet(tasks, "task", taskID, taskTitle, taskStatus, taskPriority, taskEstimate, taskDueAt, taskCreatedAt, taskAssigneeID, taskProjectID)
	comment := exosql.NewFacet(comments, "comment", commentID, commentBody, commentCreatedAt)

	org.Add(exosql.Via(orgMembers, member), exosql.Via(orgProjects, project))
	member.Add(exosql.Via(memberAssignedTasks, task), exosql.Via(memberOrganization, org))
	project.Add(exosql.Via(projectTasks, task), exosql.Via(projectOrganization, org))
	task.Add(exosql.Via(taskComments, comment), exosql.Via(taskAssignee, member), exosql.Via(taskProject, project))
	comment.Add(exosql.Via(commentAuthor, member), exosql.Via(commentTask, task))
	return org, task
}

// mine returns the facet of the acting member. Comments are added and deleted only through it, and
// the link sets the author, so each new comment is by that member. The commented task must be in
// scope.
func mine() *exosql.Facet[member] {
	me := exosql.NewFacet(members, "me", memberID, memberName, memberRole)
	own := exosql.NewFacet(comments, "myComment", commentID, commentBody, commentCreatedAt, commentTaskID)
	on := exosql.NewFacet(tasks, "commentedTask", taskID, taskTitle, taskStatus)
	me.Add(exosql.Via(memberComments, own))
	own.Add(exosql.Via(commentTask, on)).AllowInsert(commentTaskID, commentBody).AllowDelete()
	return me
}

// grant returns the objects for one organization and one of its members. A program can reach a member in three ways: as a member of the organization,
// as an assignee and as an author. It can reach a task in three ways, too. The scopes ensure that no way leads to another organization's rows: a task
// that is assigned to a stranger has no assignee.
//
// The acting member's own comments are a separate grant, without those on tasks of other
// organizations. The argument rules decides when a person must agree to changed tasks.
func grant(db *exosql.DB, id, as int64, rules ...exosql.Approval) codemode.Grants {
	org, task := facets()
	task.AllowUpdate(taskStatus, taskAssigneeID, taskDueAt).Approve(rules...) // programs can't change members, projects and comments here
	me := exosql.Grant(db, members, exosql.And(memberOrgID.Eq(id), memberID.Eq(as)),
		exosql.ScopeRows(organizations, orgID.Eq(id)),
		exosql.ScopeVia(orgProjects),
		exosql.ScopeVia(projectTasks),
		exosql.ScopeVia(taskComments),
	)
	return codemode.Grants{"organization": org.Of(owned(db, id)), "me": mine().Of(me)}
}

// owned returns the relation of an organization, with the scopes of the tables that belong to it.
func owned(db *exosql.DB, id int64) exosql.Relation[organization] {
	return exosql.Grant(db, organizations, orgID.Eq(id),
		exosql.ScopeVia(orgMembers),
		exosql.ScopeVia(orgProjects),
		exosql.ScopeVia(projectTasks),
		exosql.ScopeVia(taskComments),
	)
}

// everybody lists the organizations that -org accepts. This is the host's own code, which reads all
// rows into structs through the same tables.
func everybody(ctx context.Context, db *exosql.DB) ([]repl.User, error) {
	rows, err := exosql.Grant(db, organizations, exosql.AllRows[organization]()).OrderBy(orgID.Asc()).All(ctx)
	var out []repl.User
	for _, o := range rows {
		out = append(out, repl.User{ID: o.ID, Name: o.Name})
	}
	return out, err
}

// staff lists the members that -as accepts, the owner first.
func staff(ctx context.Context, db *exosql.DB, org int64) ([]repl.User, error) {
	rows, err := exosql.Grant(db, members, memberOrgID.Eq(org)).OrderBy(memberID.Asc()).All(ctx)
	var out []repl.User
	for _, m := range rows {
		out = append(out, repl.User{ID: m.ID, Name: m.Name})
		if m.Role == "owner" {
			out[0], out[len(out)-1] = out[len(out)-1], out[0]
		}
	}
	return out, err
}

var app = repl.App{
	Name:     "saas",
	About:    "A project tracker. A program sees one organization and what belongs to it, changes tasks, and comments as one of its members.",
	Who:      "org",
	Default:  "1",
	Setup:    tracker.Schema + tracker.Seed,
	Postgres: tracker.Postgres,
	Users:    everybody,
	Members:  staff,
	Grants:   grants,
	Options:  codemode.Options{Review: review.InMemory()},
	Examples: []string{
		`api.organization.projects().tasks().where(t => t.status === 'in_progress')`,
		`(api) => api.organization.join(({ org }) => org.projects()).join(({ project }) => project.tasks()).select(({ project, task }) => ({ project: project.name, task: task.title })).execute()`,
		`const tasks = await api.organization.members().assignedTasks().where(t => t.status !== 'done'); return Object.groupBy(tasks, t => 'priority ' + t.priority)`,
	},
}
