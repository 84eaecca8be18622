package exosql

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/bridge"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/rowsec"
	"github.com/exoagent/exoagent/exosql/internal/shape"
)

// Of makes the object by which a program reaches r: the rows of r as f shows
// them. It freezes f and every facet that f links to. Errors in the
// declaration are reported where the object is granted.
func (f *Facet[T]) Of(r Relation[T]) exo.Object {
	return &object{offer: &offer{facet: f.core(), rel: r.r, db: r.db}}
}

// exosql/dynamic makes its objects through these.
var _ = bridge.Provide(func(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error) {
	d, _ := db.(*DB)
	return &object{offer: &offer{facet: f, rel: r, db: d}}, d.ready()
}, func(like exo.Object, relation func(key any) (*decl.Relation, error)) func(any) exo.Object {
	o := like.(*object)
	of := &offer{facet: o.facet, rel: o.rel, db: o.db, bind: relation}
	return func(key any) exo.Object { return &object{offer: of, key: key} }
})

// object is the capability to a relation through a facet. It is small: a host has one for each grant of each of its users, and most of
// them are never asked for anything.
type object struct {
	*offer
	key  any                   // of what bind makes the relation when the object is first asked; nil: it is rel
	made atomic.Pointer[bound] // nil: nobody has asked yet
}

// offer is what is checked when an object is granted. The objects of several principals have one, in which rel is an example: it
// has the values of none of them, and no object with a key reads it.
type offer struct {
	facet *decl.Facet
	rel   *decl.Relation
	db    *DB
	bind  func(key any) (*decl.Relation, error) // nil: the one object has no key

	once sync.Once
	err  error
	rows decl.Rows // what rows reveal by being in scope, which desc has

	described sync.Once
	desc      message.Description
	descErr   error
}

// bound is what an object is to plans: its relation, with the values of its principal. No two objects have one.
type bound struct {
	err   error
	rel   *decl.Relation
	grant shape.Prepared
	// secrets are the labelled columns of the tables that it reaches, whether a facet shows them or not; hidden are those of the tables
	// whose rows are labelled.
	secrets []*decl.Column
	hidden  []*decl.Table

	hooked bool // a table that it reaches has hooks

	settings map[string]string // see OpenOptions.RowSecurity
}

// check finds what is wrong with what is granted.
func (o *offer) check() error {
	o.once.Do(func() {
		if o.err = o.fits(o.rel); o.err != nil {
			return
		}
		o.rows, o.err = shape.Grantable(o.facet, o.rel)
	})
	return o.err
}

// fits fails unless a relation can be granted by the facet.
func (o *offer) fits(r *decl.Relation) error {
	switch {
	case r == nil:
		return decl.ErrZeroRelation
	case r.Err != nil:
		return r.Err
	case o.facet == nil:
		return fail.Errorf(fail.Invalid, "exosql: Facet.Of", "granted by a "+zeroFacet)
	case o.facet.Table != r.Table:
		return fail.Errorf(fail.Invalid, "exosql: Facet.Of", "the facet is of table %s and the relation of table %s", o.facet.Table.Name, r.Table.Name)
	}
	return nil
}

// prepare binds the object to its relation. Two goroutines may both do it, and one of the results is kept.
func (o *object) prepare() error {
	b := o.made.Load()
	if b == nil {
		b = &bound{}
		b.err = o.make(b)
		if !o.made.CompareAndSwap(nil, b) {
			b = o.made.Load()
		}
	}
	return b.err
}

// ready is the object as prepare makes it. One that can't be bound has no scopes, and so no statement is made of it.
func (o *object) ready() *bound {
	_ = o.prepare() // Eval has returned the error
	return o.made.Load()
}

func (o *object) make(b *bound) error {
	err := o.check()
	if err != nil {
		return err
	}
	b.rel = o.rel
	if o.bind != nil { // an object without a key is refused by it: it never gets the example
		if b.rel, err = o.bind(o.key); err != nil {
			return err
		}
		if err := o.fits(b.rel); err != nil {
			return err
		}
	}
	if b.grant, err = shape.Prepare(o.facet, b.rel); err != nil {
		return err
	}
	if o.bind != nil && !b.grant.Rows.Same(o.rows) { // programs would read it under the labels of the example
		return fail.Errorf(fail.Denied, "exosql: Facet.Of", "the rows of %s reveal by being in scope what those of the example of its template don't, or less: make the template with a relation of the same form", b.rel.Table.Name)
	}
	if b.secrets, b.hidden, err = o.labelled(); err != nil {
		return err
	}
	if o.db != nil && o.db.secured {
		b.settings = rowsec.Settings(b.grant.Scope(), b.grant.Vals)
	}
	if reach, _ := o.facet.Close(); slices.ContainsFunc(reach, func(f *decl.Facet) bool { return len(f.Table.Hooks) > 0 }) {
		b.hooked = true
	}
	return nil
}

// DeclaresLabels implements exo.LabelDeclarer: rows of a table with labelled columns come in the order of their keys, and plans have
// what a sealed value counts.
func (*object) DeclaresLabels() {}

// Describe implements exo.Object. It is made when it is first asked for, and not before: a Check before has marked the columns that an
// insert needs.
func (o *object) Describe() (message.Description, error) {
	if err := o.check(); err != nil {
		return message.Description{}, err
	}
	o.described.Do(func() { o.desc, o.descErr = o.facet.Describe(o.rows) })
	return o.desc, o.descErr
}

// Eval implements exo.Object: it plans the message, or finds its plan, and runs it.
func (o *object) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	if err := o.prepare(); err != nil {
		return value.Value{}, err
	}
	objs := make([]*object, len(m.Objects))
	for i, x := range m.Objects {
		p, ok := x.(*object)
		if !ok || p.rel == nil || p.db != o.db {
			return value.Value{}, fail.Errorf(fail.Invalid, "", "only queries of one database can be combined in one query")
		}
		if err := p.prepare(); err != nil {
			return value.Value{}, err
		}
		objs[i] = p
	}
	return o.db.answer(ctx, o, m, objs)
}
