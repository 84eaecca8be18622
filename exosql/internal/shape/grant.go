package shape

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
)

// Prepared is a grant in the form that plans are made for.
type Prepared struct {
	grant scope.Grant   // grant has origin 0, which the compiler replaces
	Shape uint64        // Shape is equal for grants that differ only in values
	Vals  []value.Value // Vals are the values that are not in the shape
	Rows  decl.Rows     // Rows is what rows reveal by being in scope
}

// Scope returns the grant, which can be asked for the scopes of its tables.
func (p Prepared) Scope() *scope.Grant { return &p.grant }

// Depends reports whether a write could bring rows into this scope. That is so if other rows, or
// columns that the scope compares, decide which rows are in scope.
func (p Prepared) Depends() bool {
	for _, ss := range []scope.Scopes{p.grant.Scopes, p.grant.Chain} {
		for _, s := range ss {
			if s.Kind == decl.ScopeVia || s.Pred.Columns() != nil {
				return true
			}
		}
	}
	for s := p.grant.Rel; s != nil; s = s.Prev {
		switch s.Kind {
		case decl.StepFollow, decl.StepLimit, decl.StepOffset, decl.StepWhere:
			return true
		}
	}
	return false
}

// Grants returns the grants of a message, each with the origin of its values.
func Grants(grants []Prepared) (all []*scope.Grant) {
	for i := range grants {
		g := grants[i].grant
		g.Origin = plan.Origin(i)
		g.Basis = nil
		all = append(all, &g)
	}
	return all
}

// Prepare finds the scopes of all tables that the facet reaches from r, and freezes the
// declarations. Grants of one facet and one structure are prepared only once. A host has a grant
// for each user, and most of the work is to find what the facet reaches.
func Prepare(fc *decl.Facet, r *decl.Relation) (Prepared, error) {
	own := separate(r)
	if own == nil {
		p, _, err := prepare(fc, r)
		return p, err
	}
	var s shaper
	if _, err := s.facet(fc); err != nil {
		return Prepared{}, err
	}
	s.structure(own)
	k, ok := fc.Kept(s.key).(*kept)
	if !ok {
		p, from, err := prepare(fc, own)
		if err != nil {
			return p, err
		}
		k = &kept{grant: p.grant, shape: p.Shape, rows: p.Rows}
		for _, at := range from {
			k.picks = append(k.picks, slices.Index(s.from, at))
		}
		fc.Keep(s.key, k)
	}
	p := Prepared{k.grant, k.shape, make([]value.Value, len(k.picks)), k.rows}
	for i, at := range k.picks {
		p.Vals[i] = s.vals[at]
	}
	return p, nil
}

// kept is what grants of one structure share, which is everything but their values. picks finds
// each value by its place in the structure, never by its content or address: values that are equal
// in the first grant may differ in the next.
type kept struct {
	grant scope.Grant
	shape uint64
	rows  decl.Rows
	picks []int // picks has the place in the structure of each of Prepared.Vals
}

// separate copies a chain so that each place of a value is in a different object. It returns nil if
// the chain has an error.
func separate(r *decl.Relation) *decl.Relation {
	var top *decl.Relation
	for at := &top; r != nil; r = r.Prev {
		c := *r
		ok := c.Err == nil
		c.Pred = separatePred(r.Pred, &ok)
		c.Scopes, c.Set = slices.Clone(r.Scopes), nil
		if r.Set != nil {
			c.Scopes = r.Declared()
		}
		for i, d := range c.Scopes {
			if d == nil {
				return nil
			}
			own := *d
			own.Pred = separatePred(d.Pred, &ok)
			c.Scopes[i] = &own
		}
		if !ok {
			return nil
		}
		*at, at = &c, &c.Prev
	}
	return top
}

func separatePred(p *decl.Pred, ok *bool) *decl.Pred {
	if p == nil {
		return nil
	}
	c := *p
	*ok = *ok && p.Err == nil
	c.Subs = slices.Clone(p.Subs)
	for i, sub := range c.Subs {
		c.Subs[i] = separatePred(sub, ok)
	}
	return &c
}

// structure writes everything in a grant that is not in its facet.
func (s *shaper) structure(r *decl.Relation) {
	s.relation(r)
	declared := r.Declared()
	s.len(len(declared))
	for _, d := range declared {
		s.uint(uint64(d.Kind))
		s.table(d.Table)
		s.pred(d.Pred)
		s.link(d.Link)
	}
}

// prepare does the work of Prepare, without its cache. from are the places of Vals.
func prepare(fc *decl.Facet, r *decl.Relation) (_ Prepared, from []valueAt, err error) {
	reach, err := fc.Walk()
	if err != nil {
		return Prepared{}, nil, err
	}
	var links []*decl.Link
	for _, f := range reach {
		f.Table.Freeze()
		for _, l := range f.Links {
			links = append(links, l.L)
		}
	}
	followed, err := scope.Chain(r)
	if err != nil {
		return Prepared{}, nil, err
	}
	ss, err := scope.Close(r.Grant(), r.Table, followed, links)
	if err != nil {
		return Prepared{}, nil, err
	}
	if err := plain(r); err != nil {
		return Prepared{}, nil, err
	}
	var s shaper
	g, err := s.grant(fc, r, ss, followed)
	if err != nil {
		return Prepared{}, nil, err
	}
	rows, asked := decl.Rows{}, g // asked is a copy, since it caches scopes with the origin of g, which the compiler replaces
	for _, f := range reach {
		if rows[f.Table], err = asked.Reveals(f.Table, reach); err != nil {
			return Prepared{}, nil, err
		}
		if len(f.Rights.Insert) == 0 {
			continue
		}
		if e, err := asked.Enter(f.Table, nil, nil); err == nil { // an insert returns the error of a scope that fails
			fixed, _ := e.Parts()
			for _, x := range fixed {
				if len(x.Slots) == 1 {
					x.Col.Scoped.Store(true)
				}
			}
		}
	}
	return Prepared{g, shapeID(string(s.key)), s.vals, rows}, s.from, nil
}

// Grantable checks a grant, and returns what rows reveal by being in scope: nothing, if nothing is
// labelled. Grants that share a set of scopes and reach the same tables are checked once, since N
// grants of N tables would cost N². Prepare checks each grant again.
func Grantable(fc *decl.Facet, r *decl.Relation) (decl.Rows, error) {
	whole := func() (decl.Rows, error) {
		p, err := Prepare(fc, r)
		return p.Rows, err
	}
	set := r.Grant().Set
	if set == nil || set.Labelled() {
		return whole()
	}
	for s := r; s != nil; s = s.Prev { // grants with the same set of scopes differ in these steps
		if s.Table.Labelled() || s.Kind == decl.StepFollow && (s.Link.From.Labelled() || !set.Has(s.Link.From, s.Link.To)) {
			return whole()
		}
	}
	if err := plain(r); err != nil {
		return nil, err
	}
	var rows decl.Rows // rows is for tables without a scope in the set
	err := set.Check(fc, func() (err error) {
		rows, err = whole()
		return err
	})
	return rows, err
}

// plain refuses a relation with an order that would reveal labelled values without giving a program's query a label.
func plain(r *decl.Relation) error {
	for s := r; s != nil; s = s.Prev {
		if s.Kind == decl.StepSearch { // a program's order can't extend an order by rank, and the rank has no label
			return fmt.Errorf("exosql: the relation of %s was searched, so it can't be granted. Grant it without Search, and let programs search", s.Table.Name)
		}
		for _, by := range s.Order {
			if !by.Col.Label.Empty() {
				return fmt.Errorf("exosql: the relation is sorted by %s.%s, which is labelled, so programs would learn the order of labelled values; grant it without this OrderBy", s.Table.Name, by.Col.Name)
			}
		}
	}
	return nil
}
