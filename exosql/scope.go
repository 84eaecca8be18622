package exosql

import (
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Scope is the set of rows of one table that a grant reaches. The granted table has the predicate given to Grant. A table that links reach in only
// one way has the rows that they reach. A table that links reach in several ways needs a declared Scope; without it every query is an error. A zero
// Scope, and a Scope of a nil or zero Table or Link, make every query an error too.
type Scope struct{ s *decl.Scope }

// ScopeRows limits table t to the rows that p matches: usually those with the tenant's value in a column.
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

// ScopeShared lets every grant reach every row of table t: countries, plans, tags that belong to no tenant. It is the only scope that does not
// narrow.
func ScopeShared[T any](t *Table[T]) Scope {
	if t.core() == nil {
		return Scope{}
	}
	return Scope{&decl.Scope{Kind: decl.ScopeShared, Table: t.t}}
}
