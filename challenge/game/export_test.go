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

// OpenSpends are the grants of spend with every table shared: no wall.
func OpenSpends(db *exosql.DB) codemode.Grants {
	member := exosql.NewFacet(clubMembers, "member", clubID, clubName)
	tab := exosql.NewFacet(tabs, "tab", tabID, tabName, tabBalance).AllowUpdate(tabName)
	spend := exosql.NewFacet(spends, "spend", spendID, spendTabID, spendCents, spendMemo)
	member.Add(exosql.Via(clubTabs, tab), exosql.Via(clubSpends, spend))
	tab.Add(exosql.Via(tabOfMember, member))
	spend.Add(exosql.Via(spendTab, tab)).AllowInsert(spendTabID, spendCents, spendMemo).AllowUpdate(spendTabID, spendCents, spendMemo).AllowDelete()
	return codemode.Grants{"me": member.Of(exosql.Grant(db, clubMembers, clubID.Eq(clubPlayer), exosql.ScopeShared(tabs), exosql.ScopeShared(spends)))}
}

var (
	SourceOf = sourceOf
	Numbered = numbered
)

// OpenDesk are the grants of sealed without a label.
var OpenDesk = desk()

// OpenBook are the grants of pledge where nobody has to agree.
var OpenBook = book()
