package exosql

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Predicate is a condition on rows of T. The zero Predicate matches no row and
// absorbs whatever it is combined with, so a condition that was forgotten can
// never widen anything: not even Not of it matches.
type Predicate[T any] struct{ p *decl.Pred }

// AllRows is the one predicate that does not narrow. Its name is long so that
// it is found in a review.
func AllRows[T any]() Predicate[T] { return Predicate[T]{&decl.Pred{Op: "all"}} }

// And holds where all of ps hold; of none, nowhere.
func And[T any](ps ...Predicate[T]) Predicate[T] { return combine("and", ps) }

// Or holds where one of ps holds; of none, nowhere.
func Or[T any](ps ...Predicate[T]) Predicate[T] { return combine("or", ps) }

// Not holds where p does not hold. A comparison with NULL neither holds nor
// does not: Not of it does not hold either (SQL's three-valued logic).
func Not[T any](p Predicate[T]) Predicate[T] { return combine("not", []Predicate[T]{p}) }

func combine[T any](op string, ps []Predicate[T]) Predicate[T] {
	if len(ps) == 0 {
		return Predicate[T]{}
	}
	q := &decl.Pred{Op: op}
	for _, p := range ps {
		if p.p == nil {
			return Predicate[T]{} // absorbs
		}
		if p.p.Err != nil && q.Err == nil {
			q.Err = p.p.Err
		}
		q.Subs = append(q.Subs, p.p)
	}
	return Predicate[T]{q}
}

// Like holds where the text matches the pattern: % stands for any text, _ for one
// character, \ before one for itself. Case counts, on every engine.
func Like[T any, V ~string](c *Column[T, V], pattern string) Predicate[T] {
	return textual(c, "like", pattern)
}

// ILike is Like whatever the case, by Unicode's rules.
func ILike[T any, V ~string](c *Column[T, V], pattern string) Predicate[T] {
	return textual(c, "ilike", pattern)
}

// Includes holds where the text contains s.
func Includes[T any, V ~string](c *Column[T, V], s string) Predicate[T] {
	return textual(c, "includes", s)
}

// StartsWith holds where the text starts with s.
func StartsWith[T any, V ~string](c *Column[T, V], s string) Predicate[T] {
	return textual(c, "startsWith", s)
}

// EndsWith holds where the text ends with s.
func EndsWith[T any, V ~string](c *Column[T, V], s string) Predicate[T] {
	return textual(c, "endsWith", s)
}

// Has holds where v is one of the array's elements.
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
	if c.c.Kind != value.TypeText { // a Decimal is a string of Go's, but no text
		p.Err = fail.Errorf(fail.Invalid, c.c.Table.Name+"."+c.c.Name, "is no text")
		return Predicate[T]{p}
	}
	return Predicate[T]{p.Checked()}
}
