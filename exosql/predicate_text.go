package exosql

import "github.com/exoagent/exoagent/exo"

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
	return Predicate[T]{(&pred{op: "has", col: c.c, vals: []exo.Value{toValue(v)}}).checked()}
}

func textual[T any, V ~string](c *Column[T, V], op, s string) Predicate[T] {
	if c.core() == nil {
		return Predicate[T]{}
	}
	p := &pred{op: op, col: c.c, vals: []exo.Value{exo.Text(s)}}
	if c.c.kind != exo.TypeText { // a Decimal is a string of Go's, but no text
		p.err = exo.Errorf(exo.Invalid, c.c.table.name+"."+c.c.name, "is no text")
		return Predicate[T]{p}
	}
	return Predicate[T]{p.checked()}
}
