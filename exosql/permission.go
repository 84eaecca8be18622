package exosql

// This file has the permissions for side effects of a write. [Check] names each missing permission, and no write runs without it: see
// [Facet.Permit], [Table.Permit] and [Written].

import (
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Permission allows a write one side effect. The zero Permission allows nothing. String returns its form in a grant file, under effects.
type Permission struct{ p decl.Permission }

func (p Permission) String() string { return p.p.String() }

// AllowTrigger lets a write start a trigger. On PostgreSQL a cascade can start a trigger of another table: name it with that table,
// "comments.touch". In a grant file: trigger touch.
func AllowTrigger(name constant) Permission { return permission(decl.PermitTrigger, name) }

// AllowRule lets a rule of PostgreSQL rewrite the write. In a grant file: rule archive.
func AllowRule(name constant) Permission { return permission(decl.PermitRule, name) }

// AllowUntrustedTrigger lets a write start a trigger that changes no [Column.Trusted] column. The trigger also acts for programs that have
// read outsiders' words. In a grant file: untrusted trigger touch.
func AllowUntrustedTrigger(name constant) Permission { return permission(decl.PermitWaryTrigger, name) }

// AllowUntrustedRule lets a rule of PostgreSQL rewrite the write, if the rule changes no [Column.Trusted] column. The rule also acts for programs
// that have read outsiders' words. In a grant file: untrusted rule archive.
func AllowUntrustedRule(name constant) Permission { return permission(decl.PermitWaryRule, name) }

// AllowCascade lets a write change or delete rows of another table by the action of that table's foreign key, even rows out of scope. In a grant
// file: cascade comments(task_id).
func AllowCascade(table constant, columns ...constant) Permission {
	return permission(decl.PermitCascade, table, columns...)
}

// AllowConflict lets SQLite resolve a conflict: REPLACE deletes other rows, IGNORE leaves a row out, FAIL keeps the rows before it. In a grant
// file: ON CONFLICT REPLACE.
func AllowConflict(how constant) Permission { return permission(decl.PermitConflict, how) }

// AllowDefault lets a default fill in columns that refer to another row, even one out of scope. In a grant file: default(category_id).
func AllowDefault(columns ...constant) Permission {
	return Permission{decl.Permission{Kind: decl.PermitDefault, On: list(columns)}}
}

// AllowUnique lets programs learn from an error that a row out of scope has a value, where a unique key or index covers these columns. In a grant
// file: unique(code).
func AllowUnique(columns ...constant) Permission {
	return Permission{decl.Permission{Kind: decl.PermitUnique, On: list(columns)}}
}

// AllowExclusion lets programs learn from an error that a row out of scope conflicts by an exclusion constraint. In a grant file: exclude(room, during).
func AllowExclusion(columns ...constant) Permission {
	return Permission{decl.Permission{Kind: decl.PermitExclusion, On: list(columns)}}
}

// Where adds the condition of a partial unique index or of an exclusion constraint. It panics on other permissions. In a grant file:
// unique(code) where active.
func (p Permission) Where(condition constant) Permission {
	if p.p.Kind != decl.PermitUnique && p.p.Kind != decl.PermitExclusion {
		panic("exosql: Permission.Where needs a permission that AllowUnique or AllowExclusion made: leave Where out for any other")
	}
	p.p.Of = string(condition)
	return p
}

// AllowWaiting asserts that no row of table refers, by these columns, to a key before its row is inserted. Without a foreign key such a row could
// exist, and the insert would bring it into scope. In a grant file: waiting comments(task_id).
func AllowWaiting(table constant, columns ...constant) Permission {
	return permission(decl.PermitWaiting, table, columns...)
}

// AllowRows asserts that a write brings no row into the scope of another declaration of the same rows, such as a view. In a grant file:
// rows(ticket_view).
func AllowRows(table constant) Permission { return permission(decl.PermitRows, table) }

// AllowTypes asserts that a link between columns of different types is safe: no two distinct keys become equal when they are converted. In a grant
// file: types(items.kids).
func AllowTypes(table, link constant) Permission { return permission(decl.PermitTypes, table, link) }

// AllowRevealing accepts that an error, or the choice of rows in scope, reveals a labelled value. rule names the cause: "unique(name, email)" for a
// rule of the database, "visits(person_id)" for a foreign key that refers to the row, or "visits.notes" for a column that decides the scope. In a
// grant file: reveals unique(name, email).
func AllowRevealing(rule constant) Permission { return permission(decl.PermitRevealing, rule) }

func permission(kind decl.PermissionKind, on constant, of ...constant) Permission {
	p := decl.Permission{Kind: kind, On: string(on), Of: list(of)}
	if read, err := decl.ParsePermission(p.String()); err == nil { // the text "visits(person)" means the table visits and its column person
		p = read
	}
	return Permission{p}
}

func list(columns []constant) string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = string(c)
	}
	return strings.Join(all, ", ")
}

// permissions returns the permissions of package decl inside.
func permissions(known []Permission) []decl.Permission {
	all := scalar.Each(known, func(p Permission) decl.Permission { return p.p })
	return all
}
