package exosql

import (
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Scope says which rows of one table a grant reaches, however they are reached.
// A grant has one for every table: the granted one's is the predicate given to
// Grant; those that can be reached in one way only have that way; the others
// must be declared. The zero Scope, and one of a nil or zero Table or Link, makes the grant
// unusable: every query is an error.
type Scope struct{ s *decl.Scope }

// ScopeRows limits table t to the rows for which p holds: usually a tenant column.
func ScopeRows[T any](t *Table[T], p Predicate[T]) Scope {
	if t.core() == nil {
		return Scope{}
	}
	return Scope{&decl.Scope{Kind: decl.ScopeRows, Table: t.t, Pred: p.p}}
}

// ScopeVia limits the link's target to rows that the link reaches from a row in scope.
func ScopeVia[A, B any](l Link[A, B]) Scope {
	if l.l == nil {
		return Scope{}
	}
	return Scope{&decl.Scope{Kind: decl.ScopeVia, Table: l.l.To, Link: l.l}}
}

// ScopeShared opens every row of table t to everybody: countries, plans, tags
// that belong to no tenant. It is the only scope that does not narrow.
func ScopeShared[T any](t *Table[T]) Scope {
	if t.core() == nil {
		return Scope{}
	}
	return Scope{&decl.Scope{Kind: decl.ScopeShared, Table: t.t}}
}
