package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
)

// Link is an association from rows of A to rows of B: those whose key columns
// are equal. A link over a NULL leads nowhere. Keys are equal if a program that reads
// both finds them equal, whatever the database compares loosely: texts by their code
// points, numbers exactly, times to the millisecond. Keys can't be JSON or arrays.
type Link[A, B any] struct {
	l  *link
	to *Table[B]
}

// link is the untyped core of a Link.
type link struct {
	id       uint64
	name     string // in programs: a method of A's rows and queries
	from, to *table
	pairs    []pair
	one      bool
	doc      string
}

type pair struct{ from, to *column }

// Pair is one more pair of columns of a composite key; see Keys.
type Pair[A, B any] struct{ p pair }

// Keys pairs two columns for a link over a composite key.
func Keys[A, B, V any](from *Column[A, V], to *Column[B, V]) Pair[A, B] {
	return Pair[A, B]{pair{from.core(), to.core()}}
}

// Many declares a link to any number of rows.
func Many[A, B, V any](name constant, from *Column[A, V], to *Column[B, V], more ...Pair[A, B]) Link[A, B] {
	return newLink(name, false, from, to, more)
}

// One declares a link to at most one row; programs are told so. Like every link it
// joins: rows without a partner are left out.
func One[A, B, V any](name constant, from *Column[A, V], to *Column[B, V], more ...Pair[A, B]) Link[A, B] {
	return newLink(name, true, from, to, more)
}

func newLink[A, B, V any](name constant, one bool, from *Column[A, V], to *Column[B, V], more []Pair[A, B]) Link[A, B] {
	if from.core() == nil || to.core() == nil {
		panic(fmt.Sprintf("exosql: link %q is made of a zero column; declare columns before links", name))
	}
	if exo.ReservedName(string(name)) || reservedMember(string(name)) {
		panic(fmt.Sprintf("exosql: %q can't be the name of a link: programs use it for something else", name))
	}
	l := &link{id: tableIDs.Add(1), name: string(name), from: from.c.table, to: to.c.table, pairs: []pair{{from.c, to.c}}, one: one}
	for _, p := range more {
		l.pairs = append(l.pairs, p.p)
	}
	for _, p := range l.pairs {
		if operatorOn()[columnInterfaces[p.from.kind]]["eq"] == nil {
			panic(fmt.Sprintf("exosql: link %q is made of %s.%s, which is JSON or an array: they can't be compared", name, p.from.table.name, p.from.name))
		}
	}
	return Link[A, B]{l, to.t}
}

// Doc adds a line for whoever reads the declarations.
func (l Link[A, B]) Doc(text constant) Link[A, B] { l.l.doc = string(text); return l }

// inverse reports whether m leads back over the same keys.
func (l *link) inverse(m *link) bool {
	if l.from != m.to || l.to != m.from || len(l.pairs) != len(m.pairs) {
		return false
	}
	for _, p := range l.pairs {
		found := false
		for _, q := range m.pairs {
			found = found || q.from == p.to && q.to == p.from
		}
		if !found {
			return false
		}
	}
	return true
}
