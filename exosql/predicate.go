package exosql

// This file has the conditions that decide which rows a relation and its scopes have.

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Predicate is a condition on rows of T. The zero Predicate matches no row, and any combination with it matches no row, even Not. So a forgotten
// condition never widens a scope.
type Predicate[T any] struct{ p *decl.Pred }

// AllRows matches every row. It is the only predicate that does not narrow, and its name is easy to find in a review.
func AllRows[T any]() Predicate[T] { return Predicate[T]{&decl.Pred{Op: "all"}} }

// And matches rows that all ps match. Without ps it matches no row.
func And[T any](ps ...Predicate[T]) Predicate[T] { return combine("and", ps) }

// Or matches rows that at least one of ps matches. Without ps it matches no row.
func Or[T any](ps ...Predicate[T]) Predicate[T] { return combine("or", ps) }

// Not matches rows that p does not match. If p compares with NULL, neither p nor Not(p) matches (SQL's three-valued logic).
func Not[T any](p Predicate[T]) Predicate[T] { return combine("not", []Predicate[T]{p}) }

func combine[T any](op string, ps []Predicate[T]) Predicate[T] {
	if len(ps) == 0 {
		return Predicate[T]{}
	}
	q := &decl.Pred{Op: op}
	for _, p := range ps {
		if p.p == nil {
			return Predicate[T]{} // a zero Predicate makes the combination zero
		}
		if p.p.Err != nil && q.Err == nil {
			q.Err = p.p.Err
		}
		q.Subs = append(q.Subs, p.p)
	}
	return Predicate[T]{q}
}

// Like matches rows in which the text matches the pattern: % is any text, _ is one character, and \ makes the next character literal. Upper and
// lower case differ, on every engine.
func Like[T any, V ~string](c *Column[T, V], pattern string) Predicate[T] {
	return textual(c, "like", pattern)
}

// ILike matches like Like, but ignores case by Unicode's rules.
func ILike[T any, V ~string](c *Column[T, V], pattern string) Predicate[T] {
	return textual(c, "ilike", pattern)
}

// Includes matches rows in which the text contains s.
func Includes[T any, V ~string](c *Column[T, V], s string) Predicate[T] {
	return textual(c, "includes", s)
}

// StartsWith matches rows in which the text starts with s.
func StartsWith[T any, V ~string](c *Column[T, V], s string) Predicate[T] {
	return textual(c, "startsWith", s)
}

// EndsWith matches rows in which the text ends with s.
func EndsWith[T any, V ~string](c *Column[T, V], s string) Predicate[T] {
	return textual(c, "endsWith", s)
}

// Has matches rows in which v is an element of the array.
func Has[T, V any](c *Column[T, []V], v V) Predicate[T] {
	if c.core() == nil {
		return Predicate[T]{}
	}
	return Predicate[T]{(&decl.Pred{Op: "has", Col: c.c, Vals: []value.Value{toValue(v)}}).Checked()}
}

func textual[T any, V ~string](c *Column[T, V], op, s string) Predicate[T] {
	if c.core() == nil {
		return Predicate[T]{}
	}
	p := &decl.Pred{Op: op, Col: c.c, Vals: []value.Value{value.Text(s)}}
	if c.c.Kind != value.TypeText { // a Decimal is a Go string, but no text
		p.Err = fail.Errorf(fail.Invalid, c.c.Table.Name+"."+c.c.Name, "the column is not a text column: use a method like Eq or In")
		return Predicate[T]{p}
	}
	return Predicate[T]{p.Checked()}
}

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
