package game

import (
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// OpenNotes are the grants of notes with every table shared: no wall.
func OpenNotes(db *exosql.DB) codemode.Grants {
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
	mine := exosql.Grant(db, orgs, orgID.Eq(notesOrg),
		exosql.ScopeShared(members), exosql.ScopeShared(projects), exosql.ScopeShared(tasks), exosql.ScopeShared(noteTable))
	return codemode.Grants{"organization": org.Of(mine)}
}

var (
	SourceOf = sourceOf
	Numbered = numbered
)
