package exosql

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

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
