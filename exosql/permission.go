package exosql

// This file has the permissions for what a write may do beyond the rows that it names. [Check] names the one that is missing, and no write
// runs without it: see [Facet.Permit], [Table.Permit] and [Written].

import (
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Permission allows a write one thing beyond the rows that it names; the zero Permission allows nothing. String is its form in a grant
// file, under effects.
type Permission struct{ p decl.Permission }

func (p Permission) String() string { return p.p.String() }

// AllowTrigger lets a write set off a trigger. One of another table, which a cascade sets off on PostgreSQL, is named with that table:
// "comments.touch". In a grant file: trigger touch.
func AllowTrigger(name constant) Permission { return permission(decl.PermitTrigger, name) }

// AllowRule lets a rule of PostgreSQL rewrite the write. In a grant file: rule archive.
func AllowRule(name constant) Permission { return permission(decl.PermitRule, name) }

// AllowUntrustedTrigger is AllowTrigger for one that changes no column which is declared [Column.Trusted]: it acts for programs, too, that have
// read what outsiders wrote. In a grant file: untrusted trigger touch.
func AllowUntrustedTrigger(name constant) Permission { return permission(decl.PermitWaryTrigger, name) }

// AllowUntrustedRule is AllowUntrustedTrigger for a rule of PostgreSQL. In a grant file: untrusted rule archive.
func AllowUntrustedRule(name constant) Permission { return permission(decl.PermitWaryRule, name) }

// AllowCascade lets a write change or delete rows of another table by the action of their foreign key, rows out of scope too. In a grant
// file: cascade comments(task_id).
func AllowCascade(table constant, columns ...constant) Permission {
	return permission(decl.PermitCascade, table, columns...)
}

// AllowConflict lets a rule of SQLite resolve a conflict: REPLACE deletes other rows, IGNORE leaves a row out, FAIL keeps what came before.
// In a grant file: ON CONFLICT REPLACE.
func AllowConflict(how constant) Permission { return permission(decl.PermitConflict, how) }

// AllowDefault lets a default fill in columns that refer to another row, out of scope too. In a grant file: default(category_id).
func AllowDefault(columns ...constant) Permission {
	return Permission{decl.Permission{Kind: decl.PermitDefault, On: list(columns)}}
}

// AllowUnique lets programs learn that a row out of scope has a value, by a key or a unique index over columns. In a grant file:
// unique(code).
func AllowUnique(columns ...constant) Permission {
	return Permission{decl.Permission{Kind: decl.PermitUnique, On: list(columns)}}
}

// AllowExclusion is AllowUnique for an exclusion constraint. In a grant file: exclude(room, during).
func AllowExclusion(columns ...constant) Permission {
	return Permission{decl.Permission{Kind: decl.PermitExclusion, On: list(columns)}}
}

// Where is the same for a unique index or an exclusion constraint with a condition. In a grant file: unique(code) where active.
func (p Permission) Where(condition constant) Permission {
	if p.p.Kind != decl.PermitUnique && p.p.Kind != decl.PermitExclusion {
		panic("exosql: Permission.Where is only for AllowUnique and AllowExclusion")
	}
	p.p.Of = string(condition)
	return p
}

// AllowWaiting asserts that no row of a table refers to the key of a row before that is inserted. Without a foreign key there could be
// one, and it would come into scope. In a grant file: waiting comments(task_id).
func AllowWaiting(table constant, columns ...constant) Permission {
	return permission(decl.PermitWaiting, table, columns...)
}

// AllowRows asserts that a write brings no row into the scope of another declaration of the same rows, as of a view. In a grant file:
// rows(ticket_view).
func AllowRows(table constant) Permission { return permission(decl.PermitRows, table) }

// AllowTypes asserts that a link between columns of different types is safe: no value that both can hold means two different rows. In a
// grant file: types(items.kids).
func AllowTypes(table, link constant) Permission { return permission(decl.PermitTypes, table, link) }

// AllowRevealing lets programs learn of labelled values: by a rule of the database over them and what is written, "unique(name, email)",
// by rows that refer to them, "visits(person_id)", or by which rows are in scope, "visits.notes". In a grant file: reveals unique(name, email).
func AllowRevealing(rule constant) Permission { return permission(decl.PermitRevealing, rule) }

func permission(kind decl.PermissionKind, on constant, of ...constant) Permission {
	p := decl.Permission{Kind: kind, On: string(on), Of: list(of)}
	if read, err := decl.ParsePermission(p.String()); err == nil { // AllowCascade("visits(person)") is AllowCascade("visits", "person")
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

// permissions are those of declarations.
func permissions(known []Permission) []decl.Permission {
	var all []decl.Permission
	for _, p := range known {
		all = append(all, p.p)
	}
	return all
}
