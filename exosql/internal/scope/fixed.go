package scope

import (
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Fixed is a column of a scope that has one value, or one of a short list of values.
type Fixed struct {
	Col    *decl.Column
	Origin plan.Origin // Origin names the list of arguments that has the values
	Slots  []int       // Slots are the numbers of the values in that list
	Pred   *decl.Pred  // Pred is the condition that the column has one of the values

	// Via is the condition by a link through which the value comes; nil if no link is needed. The rows
	// at the start of the link have the value in their key. Without such a row, no row is in scope.
	Via *Condition
}

// maxList bounds the values of a scope's column that is still searched for: the engine's plan names
// each value.
const maxList = 32

// Fixed returns the columns that have one value, or one of a list, in every row of the scope. ok
// means that they are the whole scope, or that every row is in scope. Then a search for the values
// finds exactly the rows in scope.
func (e Entry) Fixed() (fixed []Fixed, ok bool) {
	must := e.must
	if len(must) == 0 { // without a condition every row is in scope, or the link to the row implies its scope
		s := e.grant.Scopes[e.table]
		if s == nil || s.Kind != decl.ScopeVia {
			return nil, s != nil && s.Kind == decl.ScopeShared
		}
		must = []Condition{{Kind: Linked, Grant: e.grant, Link: s.Link}}
	}
	for _, c := range must {
		if c.Kind == Holds {
			fixed, ok = fixedBy(c.Pred, c.Grant.Origin, fixed)
		} else if x, carried := c.carried(); carried {
			fixed, ok = add(fixed, x)
		} else {
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return fixed, true
}

// carried returns the column that a condition by a link fixes, if the scope at the link's start fixes
// the key there. So todos.user_id IN (SELECT id FROM users WHERE id = ?) becomes todos.user_id = ?,
// if such a user exists. The scope at the start may have its own value by a link.
func (c Condition) carried() (Fixed, bool) {
	if c.Link == nil || len(c.Link.Pairs) != 1 || c.Link.Pairs[0].From.Kind != c.Link.Pairs[0].To.Kind {
		return Fixed{}, false
	}
	if c.Kind == Followed && c.Rel.Kind != decl.StepGrant && c.Rel.Kind != decl.StepFollow {
		return Fixed{}, false
	}
	there, err := c.There()
	if err != nil {
		return Fixed{}, false
	}
	var fixed []Fixed
	for _, t := range there {
		ok := false
		if t.Kind == Holds {
			fixed, ok = fixedBy(t.Pred, t.Grant.Origin, fixed)
		} else if x, carried := t.carried(); carried {
			fixed, ok = add(fixed, x)
		}
		if !ok {
			return Fixed{}, false
		}
	}
	ends := c.Link.Pairs[0]
	for _, f := range fixed {
		if f.Col == ends.From && len(f.Slots) == 1 {
			return Fixed{ends.To, f.Origin, f.Slots, &decl.Pred{Op: "eq", Col: ends.To, Args: f.Pred.Args}, &c}, true
		}
	}
	return Fixed{}, false
}

// direct reports whether the rows at the start of the link are in scope without a further link.
func (c Condition) direct() bool {
	there, err := c.There()
	return err == nil && !slices.ContainsFunc(there, func(t Condition) bool { return t.Kind != Holds })
}

// fixedBy appends to fixed the columns that a predicate fixes. It refuses two values for one
// column, since a search for one of them would also find rows without the other.
func fixedBy(p *decl.Pred, origin plan.Origin, fixed []Fixed) ([]Fixed, bool) {
	if p == nil {
		return nil, false
	}
	if p.Op == "all" { // the predicate admits every row
		return fixed, true
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
	if most := map[string]int{"eq": 1, "in": maxList}[p.Op]; len(p.Args) == 0 || len(p.Args) > most {
		return nil, false
	}
	slots := scalar.Each(p.Args, func(a decl.Held) int { return a.Slot })
	return add(fixed, Fixed{p.Col, origin, slots, p, nil})
}

// add adds one column to fixed. It returns false, and fixed unchanged, if fixed has other values for that column.
func add(fixed []Fixed, x Fixed) ([]Fixed, bool) {
	i := slices.IndexFunc(fixed, func(f Fixed) bool { return f.Col == x.Col })
	if i < 0 {
		return append(fixed, x), true
	}
	if f := fixed[i]; f.Origin != x.Origin || !slices.Equal(f.Slots, x.Slots) || f.Via != nil && x.Via != nil {
		return fixed, false
	}
	if fixed = slices.Clone(fixed); x.Via != nil {
		fixed[i].Via = x.Via // the row at the link's start must exist too
	}
	return fixed, true
}

// Parts splits the conditions of the scope for a row to write: the columns that they fix, and the remaining
// conditions. The remaining ones include a value that comes through two links, which the program must give.
func (e Entry) Parts() (fixed []Fixed, rest []Condition) {
	for _, c := range e.must {
		var of []Fixed
		ok := false
		if c.Kind == Holds {
			of, ok = fixedBy(c.Pred, c.Grant.Origin, fixed[:len(fixed):len(fixed)])
		} else if x, carried := c.carried(); carried && c.direct() {
			of, ok = add(fixed[:len(fixed):len(fixed)], x)
		}
		if !ok {
			rest = append(rest, c)
			continue
		}
		fixed = of
	}
	return fixed, rest
}
