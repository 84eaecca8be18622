package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Link connects rows of A with rows of B that have equal key columns. A NULL key links to no row. Keys are compared exactly, even if the database's
// own comparison is looser: texts by code points, numbers exactly, times to the microsecond on PostgreSQL and to the millisecond on SQLite. Keys
// can't be JSON or arrays.
type Link[A, B any] struct {
	l  *decl.Link
	to *Table[B]
}

// Pair is a further pair of columns of a composite key: see Keys.
type Pair[A, B any] struct{ p decl.Pair }

// Keys pairs two columns for a link over a composite key.
func Keys[A, B, V any](from *Column[A, V], to *Column[B, V]) Pair[A, B] {
	return Pair[A, B]{decl.Pair{From: from.core(), To: to.core()}}
}

// Many declares a link to any number of rows.
func Many[A, B, V any](name constant, from *Column[A, V], to *Column[B, V], more ...Pair[A, B]) Link[A, B] {
	return newLink(name, false, from, to, more)
}

// One declares a link to at most one row, which descriptions for programs show. Like every link it is a join: rows without a partner are left out.
func One[A, B, V any](name constant, from *Column[A, V], to *Column[B, V], more ...Pair[A, B]) Link[A, B] {
	return newLink(name, true, from, to, more)
}

func newLink[A, B, V any](name constant, one bool, from *Column[A, V], to *Column[B, V], more []Pair[A, B]) Link[A, B] {
	if from.core() == nil || to.core() == nil {
		panic(fmt.Sprintf("exosql: link %q has a zero column: declare columns before links", name))
	}
	pairs := []decl.Pair{{From: from.c, To: to.c}}
	for _, p := range more {
		if p.p.From == nil || p.p.To == nil {
			panic(fmt.Sprintf("exosql: link %q: a Pair has no columns: make it by Keys, with columns that NewColumn declared", name))
		}
		pairs = append(pairs, p.p)
	}
	l, err := decl.NewLink(string(name), one, pairs)
	if err != nil {
		panic(err.Error())
	}
	return Link[A, B]{l, to.t}
}

// Doc adds a line to the link's description for programs, and returns the same link.
func (l Link[A, B]) Doc(text constant) Link[A, B] {
	if l.l == nil {
		panic("exosql: Doc of a zero Link: make one with Many or One")
	}
	l.l.Doc = string(text)
	return l
}
