// Package bridge lets exosql/dynamic, and no other package, make the objects of package exosql. A public
// function of exosql could not do that, since its parameters would be internal types, which no host has.
//
// In: a database, a facet and a relation. Out: the object that exosql.Facet.Of would make. Invariant:
// exosql sets the functions here when it is loaded, and dynamic imports exosql.
package bridge

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Make makes an object. db is a *exosql.DB, a type that this package can't import. The error reports a
// db that is nil or was not opened.
type Make func(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error)

// Later makes objects for many principals after the example of one object. The caller chooses a key
// for each object. From that key, relation makes the object's relation at the first message.
type Later func(like exo.Object, relation func(key any) (*decl.Relation, error)) (of func(key any) exo.Object)

var (
	object Make
	later  Later
)

// Provide sets the functions of this package. exosql calls it once.
func Provide(m Make, l Later) Make {
	object, later = m, l
	return m
}

// Like makes objects for many principals after the example of an object that Object made: see Later.
func Like(like exo.Object, relation func(key any) (*decl.Relation, error)) (of func(key any) exo.Object) {
	return later(like, relation)
}

// Object makes an object: see Make.
func Object(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error) { return object(db, f, r) }
