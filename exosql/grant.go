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

// guestGrant is what the compiler gets to know of a grant: its structure without its
// values. All in it are copies that a shaper made.
type guestGrant struct {
	origin argOrigin
	facet  *facet
	rel    *relation // nil in a base
	scopes scopes    // of every table that can be reached
	chain  scopes    // of the tables that the host's own Follow went through
	basis  *guestGrant
}

// base is the grant as it applies to the relations that hosts build with Follow:
// without the facets.
func (g *guestGrant) base() *guestGrant {
	if g.rel == nil {
		return g
	}
	if g.basis == nil {
		g.basis = &guestGrant{origin: g.origin, scopes: g.chain, chain: g.chain}
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
	var links []*link
	for _, f := range reach {
		f.table.freeze()
		for _, l := range f.links {
			links = append(links, l.l)
		}
	}
	followed, err := o.rel.chainScopes()
	if err != nil {
		return err
	}
	ss, err := closeScopes(o.rel.grant(), o.rel.table, followed, links)
	if err != nil {
		return err
	}
	for s := o.rel; s != nil; s = s.prev {
		for _, by := range s.order {
			if !by.col.label.Public() {
				return fmt.Errorf("exosql: the relation is sorted by %s.%s, which is labelled: programs would see its order and carry no label", s.table.name, by.col.name)
			}
		}
	}
	var s shaper
	o.grant = s.grant(reach, o.rel, ss, followed)
	o.vals, o.shape = s.vals, shapeID(string(s.key))
	o.desc = exo.Description{Type: o.facet.queryType(), Interfaces: append([]*exo.Interface(nil), sharedInterfaces()...)}
	for _, f := range reach {
		o.desc.Interfaces = append(o.desc.Interfaces, f.interfaces()...)
	}
	return nil
}

// chainScopes are the scopes of the tables that Follow went through since the
// grant: a second way into one of them has to stay within the first.
func (r *relation) chainScopes() (scopes, error) {
	var links []*link
	for s := r; s != nil; s = s.prev {
		s.table.freeze()
		if s.kind == stepFollow {
			links = append([]*link{s.link}, links...)
		}
	}
	return closeScopes(r.grant(), nil, nil, links)
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
// with the declarations of the program, not with its users or requests: it holds
// structure only, so facets that are built anew for each request have one shape.
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
