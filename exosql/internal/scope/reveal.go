package scope

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
)

// This file finds what a row reveals by being in scope, if the scope depends on labelled values.

// Reveals returns the labelled data that rows of t reveal by being in scope, apart from the table's own label. It
// has one entry for each labelled column in a condition of the scope. It has one for each link from rows that are
// labelled, or that are in scope by labelled values. What a facet in the list reach allows by name is left out.
//
// Reveals walks the conditions that the compiler writes into statements, so no scope is described twice.
func (g *Grant) Reveals(t *decl.Table, reach []*decl.Facet) ([]decl.Revealed, error) {
	e, err := g.Enter(t, nil, nil)
	if err != nil {
		return nil, err
	}
	r := revealing{reach: reach}
	err = r.conditions(t, e.must)
	return slices.DeleteFunc(r.out, func(x decl.Revealed) bool { return x.Label.FlowsTo(t.Label) }), err
}

type revealing struct {
	reach []*decl.Facet
	out   []decl.Revealed
}

// add notes labelled data that a scope of t reveals, unless a facet of t allows that.
func (r *revealing) add(t *decl.Table, name string, l value.Label) {
	if l.Empty() || r.allowed(t, name) {
		return
	}
	if i := slices.IndexFunc(r.out, func(x decl.Revealed) bool { return x.Name == name }); i >= 0 {
		r.out[i].Label = r.out[i].Label.Join(l)
		return
	}
	r.out = append(r.out, decl.Revealed{Name: name, Label: l})
}

func (r *revealing) allowed(t *decl.Table, name string) bool {
	return slices.ContainsFunc(r.reach, func(f *decl.Facet) bool {
		return f.Table == t && decl.Permits(f.Rights.Permits, decl.Permission{Kind: decl.PermitRevealing, On: name})
	})
}

// conditions walks the conditions that put a row of t in scope.
func (r *revealing) conditions(t *decl.Table, must []Condition) error {
	for _, c := range must {
		switch c.Kind {
		case Holds:
			r.pred(t, c.Pred)
			continue
		case Linked, Followed:
			name := c.Link.From.Name + "." + c.Link.Name
			l := c.Link.From.Label
			for _, p := range c.Link.Pairs {
				l = l.Join(p.From.Label).Join(p.To.Label)
			}
			r.add(t, name, l)
		}
		there, err := c.There()
		if err != nil {
			return err
		}
		of := t
		if c.Kind != Among {
			of = c.Link.From
		}
		if err := r.conditions(of, there); err != nil {
			return err
		}
	}
	return nil
}

// pred notes the columns that a condition compares.
func (r *revealing) pred(t *decl.Table, p *decl.Pred) {
	if p == nil {
		return
	}
	if p.Col != nil {
		r.add(t, "scope("+p.Col.Name+")", p.Col.Label)
	}
	for _, s := range p.Subs {
		r.pred(t, s)
	}
}
