// Package bridge lets exosql/dynamic make the objects of package exosql, and nobody else: a
// public function of exosql would take types that no host can have.
//
// In: a database, a facet and a relation. Out: the object that exosql.Facet.Of would make.
// Invariant: exosql sets the one function here when it is loaded, and dynamic imports exosql.
package bridge

import (
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// Make makes an object. db is a *exosql.DB, which this package can't import; the error says
// that it is nil, or was not opened.
type Make func(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error)

var object Make

// Provide is called once, by exosql.
func Provide(m Make) Make {
	object = m
	return m
}

// Object makes the object.
func Object(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error) { return object(db, f, r) }
