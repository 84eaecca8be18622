package grantfile

import (
	"fmt"
	"slices"
	"sync"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exosql/dynamic"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/schema"
)

// This file turns the grants of a file into the objects of a principal. Declare prepares and checks, once, what does not depend on the
// principal: a template of each grant, and a world for all linked facets. A further principal costs one object for each grant. Its values are
// bound when a program first sends a message to an object.

// world is what linked facets share: the facets with the scopes of all tables that they reach.
type world struct {
	scopes []*Facet // a facet for each table
	err    error    // the error if two facets have different scopes
}

// world returns the world of the facets that x reaches. It makes each world only once.
func (d *Declared) world(x *Facet) (*world, error) {
	reached, err := d.facets[x.Text].Reached()
	if err != nil {
		return nil, err
	}
	w := d.worlds[&reached[0]]
	if w == nil {
		w = &world{}
		w.scopes, w.err = d.scopes(reached)
		d.worlds[&reached[0]] = w
	}
	return w, w.err
}

// scopes returns the facets with the scopes of the reached tables, and of the tables that these scopes depend on. If a grant reaches two
// facets of one table, both must have the same scope.
func (d *Declared) scopes(reached []string) (out []*Facet, err error) {
	of := map[[2]string]*Facet{}
	queue := make([]*Facet, len(reached))
	for i, alias := range reached {
		queue[i] = d.File.facet(alias)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		y := queue[0]
		if o := of[y.place()]; o != nil {
			if !o.Scope.same(y.Scope) {
				return nil, fail.Errorf(fail.Invalid, "", "the links of the grant reach the table %s by the facets %s and %s, which have different scopes: give both the same `scope`", y.Table.Text, o.Text, y.Text)
			}
			continue
		}
		of[y.place()] = y
		out = append(out, y)
		if v := y.Scope.Via; v != nil {
			queue = append(queue, d.File.facet(v.Facet))
		}
	}
	return out, nil
}

// same reports whether two scopes are equal.
func (s Scope) same(o Scope) bool {
	return s.Shared == o.Shared && s.Rows.String() == o.Rows.String() && (s.Via == nil) == (o.Via == nil) && (s.Via == nil || s.Via.Facet+"."+s.Via.Link == o.Via.Facet+"."+o.Via.Link)
}

// bound is a principal of a file, with the scopes made from its values, for each world.
type bound struct {
	d *Declared
	p Principal

	mu     sync.Mutex
	scopes map[*world]*dynamic.Scopes
}

func (d *Declared) bind(p Principal) *bound { return &bound{d: d, p: p} }

// of returns the scopes of a world for the principal.
func (b *bound) of(w *world) (*dynamic.Scopes, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.scopes[w]; s != nil {
		return s, nil
	}
	all := make([]dynamic.Scope, len(w.scopes))
	for i, y := range w.scopes {
		switch t := b.d.tables[y.place()]; {
		case y.Scope.Rows != nil:
			all[i] = dynamic.ScopeRows(t, y.Scope.Rows.predicate(b.p))
		case y.Scope.Via != nil:
			all[i] = dynamic.ScopeVia(b.d.links[y.Scope.Via.Facet+"."+y.Scope.Via.Link])
		default:
			all[i] = dynamic.ScopeShared(t)
		}
	}
	s, err := dynamic.NewScopes(all...)
	if err == nil {
		if b.scopes == nil {
			b.scopes = map[*world]*dynamic.Scopes{}
		}
		b.scopes[w] = s
	}
	return s, err
}

// relation returns the rows that a grant gives to the principal.
func (b *bound) relation(g *Grant) (dynamic.Relation, error) {
	x := b.d.File.facet(g.Facet.Text)
	reached, err := b.d.facets[x.Text].Reached()
	if err != nil {
		return dynamic.Relation{}, err
	}
	s, err := b.of(b.d.worlds[&reached[0]])
	if err != nil {
		return dynamic.Relation{}, err
	}
	r := s.Rows(b.d.tables[x.place()])
	if g.Where != nil {
		r = r.Where(g.Where.predicate(b.p))
	}
	return r, nil
}

// template makes the template of a grant, and checks the grant with example values.
func (d *Declared) template(g *Grant, example *bound) (*dynamic.Template, error) {
	x := d.File.facet(g.Facet.Text)
	if _, err := d.world(x); err != nil {
		return nil, err
	}
	r, err := example.relation(g)
	if err != nil {
		return nil, err
	}
	return d.facets[x.Text].Template(d.dbs[x.Database.Text], r)
}

// condition is a comparison with a claim, and the facet of its table.
type condition struct {
	of   *Facet
	leaf *Expr
}

// claims keeps one comparison with a claim of each kind. Comparisons of one form, on columns of one type, fail for the same values.
func (d *Declared) claims(x *Facet, leaf *Expr, live *schema.Column) {
	if !slices.ContainsFunc(leaf.Values, func(o Operand) bool { return o.Claim != "" }) {
		return
	}
	says := d.File.described(x, Column{Name: leaf.Column})
	var enum schema.Name
	if live.Enum != nil {
		enum = *live.Enum
	}
	values := scalar.Each(leaf.Values, func(o Operand) string { return fmt.Sprintf("%s %v", o.Claim, o.Value) })
	key := fmt.Sprintf("%q", append(values, leaf.Op, string(live.Kind), string(live.Elem), live.Type, enum.String(), x.Database.Text, says.Type.Text, says.Elem, fmt.Sprintf("%q", texts(says.OneOf))))
	if _, had := d.claimed[key]; !had {
		d.claimed[key] = condition{x, leaf}
	}
}

// check fails if a claim of the principal does not fit a column in a comparison.
func (b *bound) check() error {
	for _, c := range b.d.claimed {
		if err := b.d.tables[c.of.place()].Check(c.leaf.predicate(b.p)); err != nil {
			return fmt.Errorf("%s:%d: the condition on %s: %w", b.d.File.Name, c.leaf.Column.Line, c.leaf.Column.Text, err)
		}
	}
	return nil
}

// Grants returns the objects of a principal. File.Bind or File.ParseClaims must have made the principal.
func (d *Declared) Grants(p Principal) (codemode.Grants, error) {
	if p.values == nil {
		return nil, fail.Errorf(fail.Denied, "", "the zero Principal has no grants: make a Principal by File.Bind or File.ParseClaims")
	}
	b := d.bind(p)
	if err := b.check(); err != nil {
		return nil, err
	}
	var relation dynamic.Binding = func(t *dynamic.Template) (dynamic.Relation, error) { return b.relation(d.grants[t]) }
	out := make(codemode.Grants, len(d.templates))
	for i, t := range d.templates {
		out[d.File.Grants[i].Text] = t.For(relation)
	}
	for name, s := range d.services {
		o, err := s.For(func(claim string) string { return fmt.Sprint(p.values[claim]) })
		if err != nil {
			return nil, err
		}
		out[name] = o
	}
	return out, nil
}
