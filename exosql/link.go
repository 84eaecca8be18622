package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Link is an association from rows of A to rows of B: those whose key columns
// are equal. A link over a NULL leads nowhere. Keys are equal if a program that reads
// both finds them equal, whatever the database compares loosely: texts by their code
// points, numbers exactly, times as PostgreSQL stores them and to the millisecond on SQLite. Keys can't be JSON or arrays.
type Link[A, B any] struct {
	l  *decl.Link
	to *Table[B]
}

// Pair is one more pair of columns of a composite key; see Keys.
type Pair[A, B any] struct{ p decl.Pair }

// Keys pairs two columns for a link over a composite key.
func Keys[A, B, V any](from *Column[A, V], to *Column[B, V]) Pair[A, B] {
	return Pair[A, B]{decl.Pair{From: from.core(), To: to.core()}}
}

// Many declares a link to any number of rows.
func Many[A, B, V any](name constant, from *Column[A, V], to *Column[B, V], more ...Pair[A, B]) Link[A, B] {
	return newLink(name, false, from, to, more)
}

// One declares a link to at most one row, and programs see it as that. Like every link it joins:
// rows without a partner are left out.
func One[A, B, V any](name constant, from *Column[A, V], to *Column[B, V], more ...Pair[A, B]) Link[A, B] {
	return newLink(name, true, from, to, more)
}

func newLink[A, B, V any](name constant, one bool, from *Column[A, V], to *Column[B, V], more []Pair[A, B]) Link[A, B] {
	if from.core() == nil || to.core() == nil {
		panic(fmt.Sprintf("exosql: link %q is made of a zero column; declare columns before links", name))
	}
	pairs := []decl.Pair{{From: from.c, To: to.c}}
	for _, p := range more {
		if p.p.From == nil || p.p.To == nil {
			panic(fmt.Sprintf("exosql: link %q: Keys of a column that was not declared, or a zero Pair", name))
		}
		pairs = append(pairs, p.p)
	}
	l, err := decl.NewLink(string(name), one, pairs)
	if err != nil {
		panic(err.Error())
	}
	return Link[A, B]{l, to.t}
}

// Doc adds a line for whoever reads the declarations, and returns the same link.
func (l Link[A, B]) Doc(text constant) Link[A, B] {
	if l.l == nil {
		panic("exosql: Doc of a zero Link: Many or One makes one")
	}
	l.l.Doc = string(text)
	return l
}
