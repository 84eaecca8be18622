package scope

import (
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Grant is the structure of a grant without its values, for the compiler. A shaper copied
// everything in it.
type Grant struct {
	Origin plan.Origin
	Facet  *decl.Facet
	Rel    *decl.Relation // nil in a base
	Scopes Scopes         // of every table that can be reached
	Chain  Scopes         // of the tables that the host's own Follow went through
	Basis  *Grant
}

// Base returns the grant for relations that hosts build with Follow: without the facets.
func (g *Grant) Base() *Grant {
	if g.Rel == nil {
		return g
	}
	if g.Basis == nil {
		g.Basis = &Grant{Origin: g.Origin, Scopes: g.Chain, Chain: g.Chain}
	}
	return g.Basis
}

// Chain returns the scopes of the tables that Follow went through since the grant. A second way
// into one of these tables stays within this scope.
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
