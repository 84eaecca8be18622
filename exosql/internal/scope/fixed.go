package scope

import (
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// Fixed is one column of a scope that has one value.
type Fixed struct {
	Col    *decl.Column
	Origin plan.Origin // whose arguments the value is among
	Slot   int         // which of them
}

// Fixed gives the columns that have one value in every row of the scope. ok says that
// these are the whole scope, or that every row is in scope and there are none: a search
// for the values then finds the rows in scope and no others.
func (e Entry) Fixed() (fixed []Fixed, ok bool) {
	if len(e.must) == 0 { // nothing is demanded of a row that its link implies, either
		s := e.grant.Scopes[e.table]
		return nil, s != nil && s.Kind == decl.ScopeShared
	}
	for _, c := range e.must {
		if c.Kind != Holds {
			return nil, false
		}
		if fixed, ok = fixedBy(c.Pred, c.Grant.Origin, fixed); !ok {
			return nil, false
		}
	}
	return fixed, true
}

// fixedBy adds what a predicate fixes. Of two values for one column a search could be for
// either, and then finds rows that have not the other.
func fixedBy(p *decl.Pred, origin plan.Origin, fixed []Fixed) ([]Fixed, bool) {
	if p == nil {
		return nil, false
	}
	if p.Op == "and" && len(p.Subs) > 0 {
		for _, s := range p.Subs {
			var ok bool
			if fixed, ok = fixedBy(s, origin, fixed); !ok {
				return nil, false
			}
		}
		return fixed, true
	}
	if p.Op != "eq" || len(p.Args) != 1 {
		return nil, false
	}
	x := Fixed{p.Col, origin, p.Args[0].Slot}
	for _, f := range fixed {
		if f.Col == x.Col {
			return fixed, f == x
		}
	}
	return append(fixed, x), true
}
