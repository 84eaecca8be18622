package testutil

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql"
)

type facets struct {
	org     *exosql.Facet[Org]
	member  *exosql.Facet[Member]
	project *exosql.Facet[Project]
	task    *exosql.Facet[Task]
	tag     *exosql.Facet[Tag]
	person  *exosql.Facet[Member]
}

// makeFacets builds the facets, with links in both directions. It leaves out keys of other tables, the API key and passwords. wide adds these,
// and makes person, which otherwise shows only a name, show everything.
func makeFacets(wide bool) facets {
	f := facets{
		org:     exosql.NewFacet(Orgs, "org", OrgID, OrgName),
		member:  exosql.NewFacet(Members, "member", MemberID, MemberName, MemberEmail, MemberText),
		project: exosql.NewFacet(Projects, "project", ProjectID, ProjectName, ProjectBudget),
		task:    exosql.NewFacet(Tasks, "task", TaskID, TaskTitle, TaskStatus, TaskDone, TaskPriority, TaskDue, TaskText, exosql.Count[Task]().Where(TaskDone.Eq(true)).As("finished")),
		tag:     exosql.NewFacet(Tags, "tag", TagID, TagName),
		person:  exosql.NewFacet(Members, "person", MemberID, MemberName),
	}
	comment := exosql.NewFacet(Comments, "comment", CommentID, CommentBody, CommentCreated, CommentText)
	taskTag := exosql.NewFacet(TaskTags, "taskTag", TaskTagTag)
	if wide {
		f.org.Add(OrgKey)
		f.member.Add(MemberOrg, MemberPassword)
		f.project.Add(ProjectOrg, ProjectLead)
		f.task.Add(TaskProject, TaskAssignee)
		f.person.Add(MemberEmail, MemberPassword)
		taskTag.Add(TaskTagTask)
	}
	f.org.Add(exosql.Via(OrgMembers, f.member), exosql.Via(OrgProjects, f.project))
	f.member.Add(exosql.Via(MemberOf, f.org), exosql.Via(MemberLeads, f.project), exosql.Via(MemberTasks, f.task), exosql.Via(MemberComments, comment))
	f.project.Add(exosql.Via(ProjectOf, f.org), exosql.Via(ProjectLed, f.member), exosql.Via(ProjectTasks, f.task))
	f.task.Add(exosql.Via(TaskOf, f.project), exosql.Via(TaskAssigned, f.member), exosql.Via(TaskComments, comment), exosql.Via(TaskLabels, taskTag))
	comment.Add(exosql.Via(CommentOn, f.task), exosql.Via(CommentBy, f.member))
	taskTag.Add(exosql.Via(TaskTagOf, f.task), exosql.Via(TaskTagName, f.tag))
	f.tag.Add(exosql.Via(TagTasks, taskTag))
	return f
}

var (
	narrow = makeFacets(false)
	wide   = makeFacets(true)
)

// Scopes are the scopes of all other tables for a grant of one organisation.
func Scopes() []exosql.Scope {
	return []exosql.Scope{
		exosql.ScopeVia(OrgMembers), exosql.ScopeVia(OrgProjects), exosql.ScopeVia(ProjectTasks),
		exosql.ScopeVia(TaskComments), exosql.ScopeVia(TaskLabels), exosql.ScopeShared(Tags),
	}
}

// OrgOf returns the relation of one organisation.
func OrgOf(db *exosql.DB, tenant int64) exosql.Relation[Org] {
	return exosql.Grant(db, Orgs, OrgID.Eq(tenant), Scopes()...)
}

// Tenant returns what a program of one organisation is granted:
//
//	org     the organisation
//	tasks   its tasks
//	top     its two tasks of the highest priority, by a limit of the host
//	people  its members, of which a program sees id and name only
//	box     an object that is no database
func Tenant(db *exosql.DB, tenant int64) map[string]exo.Object {
	org := OrgOf(db, tenant)
	tasks := exosql.Follow(exosql.Follow(org, OrgProjects), ProjectTasks)
	return map[string]exo.Object{
		"org":    narrow.org.Of(org),
		"tasks":  narrow.task.Of(tasks),
		"top":    narrow.task.Of(tasks.OrderBy(TaskPriority.Desc()).Limit(2)),
		"people": narrow.person.Of(exosql.Follow(org, OrgMembers)),
		"box":    &Box{},
	}
}

// Unguarded has the names of Tenant without any protection: all rows and columns of all tables, and no limit. It proves that an attack works
// without the protection.
func Unguarded(db *exosql.DB) map[string]exo.Object {
	shared := []exosql.Scope{exosql.ScopeShared(Projects), exosql.ScopeShared(Tasks), exosql.ScopeShared(Comments), exosql.ScopeShared(TaskTags), exosql.ScopeShared(Tags)}
	org := exosql.Grant(db, Orgs, exosql.AllRows[Org](), append(shared, exosql.ScopeShared(Members))...)
	tasks := exosql.Grant(db, Tasks, exosql.AllRows[Task](), append(shared[2:], exosql.ScopeShared(Orgs), exosql.ScopeShared(Members), exosql.ScopeShared(Projects))...)
	people := exosql.Grant(db, Members, exosql.AllRows[Member](), append(shared, exosql.ScopeShared(Orgs))...)
	return map[string]exo.Object{
		"org":    wide.org.Of(org),
		"tasks":  wide.task.Of(tasks),
		"top":    wide.task.Of(tasks.OrderBy(TaskPriority.Desc())),
		"people": wide.person.Of(people),
		"box":    &Box{},
	}
}
