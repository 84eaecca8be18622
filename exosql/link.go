package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// Link is an association from rows of A to rows of B: those whose key columns
// are equal. A link over a NULL leads nowhere. Keys are equal if a program that reads
// both finds them equal, whatever the database compares loosely: texts by their code
// points, numbers exactly, times to the millisecond. Keys can't be JSON or arrays.
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

// One declares a link to at most one row; programs are told so. Like every link it
// joins: rows without a partner are left out.
func One[A, B, V any](name constant, from *Column[A, V], to *Column[B, V], more ...Pair[A, B]) Link[A, B] {
	return newLink(name, true, from, to, more)
}

func newLink[A, B, V any](name constant, one bool, from *Column[A, V], to *Column[B, V], more []Pair[A, B]) Link[A, B] {
	if from.core() == nil || to.core() == nil {
		panic(fmt.Sprintf("exosql: link %q is made of a zero column; declare columns before links", name))
	}
	if exo.ReservedName(string(name)) || language.ReservedMember(string(name)) {
		panic(fmt.Sprintf("exosql: %q can't be the name of a link: programs use it for something else", name))
	}
	l := &decl.Link{ID: decl.TableIDs.Add(1), Name: string(name), From: from.c.Table, To: to.c.Table, Pairs: []decl.Pair{{From: from.c, To: to.c}}, One: one}
	for _, p := range more {
		l.Pairs = append(l.Pairs, p.p)
	}
	for _, p := range l.Pairs {
		if language.OperatorOn()[language.ColumnInterfaces[p.From.Kind]]["eq"] == nil {
			panic(fmt.Sprintf("exosql: link %q is made of %s.%s, which is JSON or an array: they can't be compared", name, p.From.Table.Name, p.From.Name))
		}
	}
	return Link[A, B]{l, to.t}
}

// Doc adds a line for whoever reads the declarations.
func (l Link[A, B]) Doc(text constant) Link[A, B] { l.l.Doc = string(text); return l }
