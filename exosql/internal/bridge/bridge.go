// Package bridge lets exosql/dynamic, and no other package, make the objects of package exosql. A
// public function of exosql could not: its parameters would be internal types, which no host has.
//
// In: a database, a facet and a relation. Out: the object that exosql.Facet.Of would make.
// Invariant: exosql sets the functions here when it is loaded, and dynamic imports exosql.
package bridge

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Make makes an object. db is a *exosql.DB, which this package can't import; if it is nil or
// was not opened, the error says so.
type Make func(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error)

// Later makes objects for many principals, with one object as their example. The caller chooses a
// key for each object; relation makes the object's relation from the key at the first message.
type Later func(like exo.Object, relation func(key any) (*decl.Relation, error)) (of func(key any) exo.Object)

var (
	object Make
	later  Later
)

// Provide sets the functions. exosql calls it once.
func Provide(m Make, l Later) Make {
	object, later = m, l
	return m
}

// Like calls Later, for an object that Object made.
func Like(like exo.Object, relation func(key any) (*decl.Relation, error)) (of func(key any) exo.Object) {
	return later(like, relation)
}

// Object makes the object.
func Object(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error) { return object(db, f, r) }
