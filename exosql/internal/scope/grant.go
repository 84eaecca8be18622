package scope

import (
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Grant is the structure of a grant without its values, for the compiler. Everything in it is a
// copy without values, made by package shape.
type Grant struct {
	Origin plan.Origin
	Facet  *decl.Facet
	Rel    *decl.Relation // Rel is nil in the result of Base
	Scopes Scopes         // Scopes are those of every table that can be reached
	Chain  Scopes         // Chain has the scopes of the tables that the host's own Follow went through
	Basis  *Grant
}

// Base returns the grant without its facets, for relations that hosts build with Follow.
func (g *Grant) Base() *Grant {
	if g.Rel == nil {
		return g
	}
	if g.Basis == nil {
		g.Basis = &Grant{Origin: g.Origin, Scopes: g.Chain, Chain: g.Chain}
	}
	return g.Basis
}

// Chain returns the scopes of the tables that Follow went through since the grant. Another way into
// one of these tables has the same scope.
func Chain(r *decl.Relation) (Scopes, error) {
	var links []*decl.Link
	for s := r; s != nil; s = s.Prev {
		s.Table.Freeze()
		if s.Kind == decl.StepFollow {
			links = append([]*decl.Link{s.Link}, links...)
		}
	}
	return Close(r.Grant(), nil, nil, links)
}
