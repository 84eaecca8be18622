package exosql

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo"
)

// Of makes the object by which a program reaches r: the rows of r as f shows
// them. It freezes f and every facet that f links to. What is wrong with the
// declaration is reported where the object is granted.
func (f *Facet[T]) Of(r Relation[T]) exo.Object {
	return &object{facet: f.f, rel: r.r}
}

// object is the capability to a relation through a facet.
type object struct {
	facet *facet
	rel   *relation

	once  sync.Once
	err   error
	grant guestGrant // with origin 0; the compiler sets it
	shape uint64     // equal for objects that differ in values only
	vals  []exo.Value
	desc  exo.Description
}

// guestGrant is what the compiler needs to know of a grant: its structure
// without its values.
type guestGrant struct {
	origin   argOrigin
	facet    *facet
	rel      *relation // lifted; nil in a base
	scopes   scopes    // of every table that can be reached
	declared scopes    // of the granted table and those declared at Grant only
	basis    *guestGrant
}

// base is the grant without what was derived from facets: what applies to the
// relations that hosts build with Follow.
func (g *guestGrant) base() *guestGrant {
	if g.rel == nil {
		return g
	}
	if g.basis == nil {
		g.basis = &guestGrant{origin: g.origin, scopes: g.declared, declared: g.declared}
	}
	return g.basis
}

func (o *object) prepare() error {
	o.once.Do(func() { o.err = o.make() })
	return o.err
}

func (o *object) make() error {
	if o.rel == nil {
		return errZeroRelation
	}
	if o.rel.err != nil {
		return o.rel.err
	}
	if o.facet == nil || o.facet.table != o.rel.table {
		return errors.New("exosql: the facet is of another table")
	}
	reach, err := o.facet.close()
	if err != nil {
		return err
	}
	g := o.rel.grant()
	ss, err := closeScopes(g, o.rel.table, g.scopes, reach)
	if err != nil {
		return err
	}
	var order []*table
	for _, f := range reach {
		order = append(order, f.table)
	}
	order = append(order, g.table)
	for _, d := range g.scopes {
		order = append(order, d.s.table)
	}
	shape := fmt.Appendf(nil, "facet %p;", o.facet)
	o.grant.facet = o.facet
	o.grant.rel, shape = o.rel.lift(&o.vals, shape)
	o.grant.scopes, shape = ss.lift(order, &o.vals, shape)
	o.grant.declared = o.grant.scopes.only(g)
	o.shape = shapeID(string(shape))
	o.desc = exo.Description{Type: o.facet.queryType(), Interfaces: append([]*exo.Interface(nil), sharedInterfaces...)}
	for _, f := range reach {
		o.desc.Interfaces = append(o.desc.Interfaces, f.interfaces()...)
	}
	return nil
}

// only keeps the scopes of the granted table and of those declared at Grant.
func (ss scopes) only(g *relation) scopes {
	out := scopes{g.table: ss[g.table]}
	for _, d := range g.scopes {
		out[d.s.table] = ss[d.s.table]
	}
	return out
}

// Describe implements exo.Object.
func (o *object) Describe() (exo.Description, error) { return o.desc, o.prepare() }

// Eval implements exo.Object: it plans the message, or finds its plan, and runs it.
func (o *object) Eval(ctx context.Context, m *exo.Message) (exo.Value, error) {
	if err := o.prepare(); err != nil {
		return exo.Value{}, err
	}
	objs := make([]*object, len(m.Objects))
	for i, x := range m.Objects {
		p, ok := x.(*object)
		if !ok || p.rel == nil || p.rel.db != o.rel.db {
			return exo.Value{}, exo.Errorf(exo.Invalid, "", "only queries of one database can be combined in one query")
		}
		if err := p.prepare(); err != nil {
			return exo.Value{}, err
		}
		objs[i] = p
	}
	return o.rel.db.answer(ctx, m, objs)
}

// shapeIDs numbers the shapes of grants, so that plan keys stay short. It grows
// with the declarations of the program, not with its users: values are not part of a shape.
var (
	shapeMu   sync.Mutex
	shapeIDs  = map[string]uint64{}
	shapeNext atomic.Uint64
)

func shapeID(s string) uint64 {
	shapeMu.Lock()
	defer shapeMu.Unlock()
	id, ok := shapeIDs[s]
	if !ok {
		id = shapeNext.Add(1)
		shapeIDs[s] = id
	}
	return id
}
