package testutil

import (
	"time"

	"github.com/exoagent/exoagent/exosql"
)

type Org struct {
	ID           int64
	Name, APIKey string
}

type Member struct {
	ID, OrgID             int64
	Name, Email, Password string
}

type Project struct {
	ID, OrgID int64
	LeadID    *int64
	Name      string
	Budget    *float64
}

type Task struct {
	ID, ProjectID int64
	AssigneeID    *int64
	Title, Status string
	Done          bool
	Priority      int64
	DueAt         *time.Time
}

type Comment struct {
	ID, TaskID, AuthorID int64
	Body                 string
	CreatedAt            time.Time
}

type Tag struct {
	ID   int64
	Name string
}

type TaskTag struct{ TaskID, TagID int64 }

var (
	Orgs    = exosql.NewTable[Org]("orgs")
	OrgID   = exosql.NewKey(Orgs, "id", func(o *Org) *int64 { return &o.ID })
	OrgName = exosql.NewColumn(Orgs, "name", func(o *Org) *string { return &o.Name })
	OrgKey  = exosql.NewColumn(Orgs, "api_key", func(o *Org) *string { return &o.APIKey })

	Members        = exosql.NewTable[Member]("members")
	MemberID       = exosql.NewKey(Members, "id", func(m *Member) *int64 { return &m.ID })
	MemberOrg      = exosql.NewColumn(Members, "org_id", func(m *Member) *int64 { return &m.OrgID })
	MemberName     = exosql.NewColumn(Members, "name", func(m *Member) *string { return &m.Name })
	MemberEmail    = exosql.NewColumn(Members, "email", func(m *Member) *string { return &m.Email })
	MemberPassword = exosql.NewColumn(Members, "password", func(m *Member) *string { return &m.Password })

	Projects      = exosql.NewTable[Project]("projects")
	ProjectID     = exosql.NewKey(Projects, "id", func(p *Project) *int64 { return &p.ID })
	ProjectOrg    = exosql.NewColumn(Projects, "org_id", func(p *Project) *int64 { return &p.OrgID })
	ProjectLead   = exosql.NewNullable(Projects, "lead_id", func(p *Project) **int64 { return &p.LeadID })
	ProjectName   = exosql.NewColumn(Projects, "name", func(p *Project) *string { return &p.Name })
	ProjectBudget = exosql.NewNullable(Projects, "budget", func(p *Project) **float64 { return &p.Budget })

	Tasks        = exosql.NewTable[Task]("tasks")
	TaskID       = exosql.NewKey(Tasks, "id", func(t *Task) *int64 { return &t.ID })
	TaskProject  = exosql.NewColumn(Tasks, "project_id", func(t *Task) *int64 { return &t.ProjectID })
	TaskAssignee = exosql.NewNullable(Tasks, "assignee_id", func(t *Task) **int64 { return &t.AssigneeID })
	TaskTitle    = exosql.NewColumn(Tasks, "title", func(t *Task) *string { return &t.Title })
	TaskStatus   = exosql.NewColumn(Tasks, "status", func(t *Task) *string { return &t.Status }).OneOf("open", "doing", "done")
	TaskDone     = exosql.NewColumn(Tasks, "done", func(t *Task) *bool { return &t.Done })
	TaskPriority = exosql.NewColumn(Tasks, "priority", func(t *Task) *int64 { return &t.Priority })
	TaskDue      = exosql.NewNullable(Tasks, "due_at", func(t *Task) **time.Time { return &t.DueAt })

	Comments       = exosql.NewTable[Comment]("comments")
	CommentID      = exosql.NewKey(Comments, "id", func(c *Comment) *int64 { return &c.ID })
	CommentTask    = exosql.NewColumn(Comments, "task_id", func(c *Comment) *int64 { return &c.TaskID })
	CommentAuthor  = exosql.NewColumn(Comments, "author_id", func(c *Comment) *int64 { return &c.AuthorID })
	CommentBody    = exosql.NewColumn(Comments, "body", func(c *Comment) *string { return &c.Body })
	CommentCreated = exosql.NewColumn(Comments, "created_at", func(c *Comment) *time.Time { return &c.CreatedAt })

	Tags    = exosql.NewTable[Tag]("tags")
	TagID   = exosql.NewKey(Tags, "id", func(t *Tag) *int64 { return &t.ID })
	TagName = exosql.NewColumn(Tags, "name", func(t *Tag) *string { return &t.Name })

	TaskTags    = exosql.NewTable[TaskTag]("task_tags")
	TaskTagTask = exosql.NewKey(TaskTags, "task_id", func(t *TaskTag) *int64 { return &t.TaskID })
	TaskTagTag  = exosql.NewKey(TaskTags, "tag_id", func(t *TaskTag) *int64 { return &t.TagID })
)

// These are the texts that programs can search.
var (
	TaskText    = exosql.NewSearch(Tasks, TaskTitle, TaskStatus)
	CommentText = exosql.NewSearch(Comments, CommentBody)
	MemberText  = exosql.NewSearch(Members, MemberName)
)

// Each key has links in both directions. Code that trusts links alone could leave a tenant by the link back.
var (
	OrgMembers  = exosql.Many("members", OrgID, MemberOrg)
	OrgProjects = exosql.Many("projects", OrgID, ProjectOrg)

	MemberOf       = exosql.One("org", MemberOrg, OrgID)
	MemberLeads    = exosql.Many("leads", MemberID, ProjectLead)
	MemberTasks    = exosql.Many("assignedTasks", MemberID, TaskAssignee)
	MemberComments = exosql.Many("comments", MemberID, CommentAuthor)

	ProjectOf    = exosql.One("org", ProjectOrg, OrgID)
	ProjectLed   = exosql.One("lead", ProjectLead, MemberID)
	ProjectTasks = exosql.Many("tasks", ProjectID, TaskProject)

	TaskOf       = exosql.One("project", TaskProject, ProjectID)
	TaskAssigned = exosql.One("assignee", TaskAssignee, MemberID)
	TaskComments = exosql.Many("comments", TaskID, CommentTask)
	TaskLabels   = exosql.Many("taskTags", TaskID, TaskTagTask)

	CommentOn = exosql.One("task", CommentTask, TaskID)
	CommentBy = exosql.One("author", CommentAuthor, MemberID)

	TagTasks    = exosql.Many("taskTags", TagID, TaskTagTag)
	TaskTagOf   = exosql.One("task", TaskTagTask, TaskID)
	TaskTagName = exosql.One("tag", TaskTagTag, TagID)
)
