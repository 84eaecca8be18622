package answer

// This file has the object that a host grants: it is checked when it is granted, and bound to its relation when it is first asked.

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/rowsec"
	"github.com/exoagent/exoagent/exosql/internal/shape"
)

// Object is the capability to a relation through a facet. It is small: a host has one for each grant of each of its users, and most of
// them are never asked for anything.
type Object struct {
	*offer
	key  any                   // of what bind makes the relation when the object is first asked; nil: it is rel
	made atomic.Pointer[Bound] // nil: nobody has asked yet
}

// NewObject makes an object.
func NewObject(db *DB, f *decl.Facet, r *decl.Relation) *Object {
	return &Object{offer: &offer{Facet: f, Rel: r, DB: db}}
}

// Like makes the objects of several principals, of which this one is an example. relation makes the relation of each from its key.
func (o *Object) Like(relation func(key any) (*decl.Relation, error)) func(key any) exo.Object {
	of := &offer{Facet: o.Facet, Rel: o.Rel, DB: o.DB, bind: relation}
	return func(key any) exo.Object { return &Object{offer: of, key: key} }
}

// ZeroFacet says what is wrong with a Facet that exosql.NewFacet did not make.
const ZeroFacet = "Facet that is nil or zero: NewFacet makes one"

// offer is what is checked when an object is granted. The objects of several principals have one, in which rel is an example: it
// has the values of none of them, and no object with a key reads it.
type offer struct {
	Facet *decl.Facet
	Rel   *decl.Relation
	DB    *DB
	bind  func(key any) (*decl.Relation, error) // nil: the one object has no key

	once sync.Once
	err  error
	rows decl.Rows // what rows reveal by being in scope, which desc has

	described sync.Once
	desc      message.Description
	descErr   error
}

// Bound is what an object is to plans: its relation, with the values of its principal. No two objects have one.
type Bound struct {
	err   error
	Rel   *decl.Relation
	Grant shape.Prepared
	// secrets are the labelled columns of the tables that it reaches, whether a facet shows them or not; hidden are those of the tables
	// whose rows are labelled.
	secrets []*decl.Column
	hidden  []*decl.Table

	hooked bool // a table that it reaches has hooks

	Settings map[string]string // see OpenOptions.RowSecurity
}

// Check finds what is wrong with what is granted.
func (o *offer) Check() error {
	o.once.Do(func() {
		if o.err = o.fits(o.Rel); o.err != nil {
			return
		}
		o.rows, o.err = shape.Grantable(o.Facet, o.Rel)
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
	case o.Facet == nil:
		return fail.Errorf(fail.Invalid, "exosql: Facet.Of", "granted by a "+ZeroFacet)
	case o.Facet.Table != r.Table:
		return fail.Errorf(fail.Invalid, "exosql: Facet.Of", "the facet is of table %s and the relation of table %s", o.Facet.Table.Name, r.Table.Name)
	}
	return nil
}

// Prepare binds the object to its relation. Two goroutines may both do it, and one of the results is kept.
func (o *Object) Prepare() error {
	b := o.made.Load()
	if b == nil {
		b = &Bound{}
		b.err = o.make(b)
		if !o.made.CompareAndSwap(nil, b) {
			b = o.made.Load()
		}
	}
	return b.err
}

// Ready is the object as prepare makes it. One that can't be bound has no scopes, and so no statement is made of it.
func (o *Object) Ready() *Bound {
	_ = o.Prepare() // Eval has returned the error
	return o.made.Load()
}

func (o *Object) make(b *Bound) error {
	err := o.Check()
	if err != nil {
		return err
	}
	b.Rel = o.Rel
	if o.bind != nil { // an object without a key is refused by it: it never gets the example
		if b.Rel, err = o.bind(o.key); err != nil {
			return err
		}
		if err := o.fits(b.Rel); err != nil {
			return err
		}
	}
	if b.Grant, err = shape.Prepare(o.Facet, b.Rel); err != nil {
		return err
	}
	if o.bind != nil && !b.Grant.Rows.Same(o.rows) { // programs would read it under the labels of the example
		return fail.Errorf(fail.Denied, "exosql: Facet.Of", "the scope of %s depends on other labelled columns than the scope of the template's example: make the template with a relation whose scope has the same form", b.Rel.Table.Name)
	}
	if b.secrets, b.hidden, err = o.labelled(); err != nil {
		return err
	}
	if o.DB != nil && o.DB.Secured {
		b.Settings = rowsec.Settings(b.Grant.Scope(), b.Grant.Vals)
	}
	if reach, _ := o.Facet.Close(); slices.ContainsFunc(reach, func(f *decl.Facet) bool { return len(f.Table.Hooks) > 0 }) {
		b.hooked = true
	}
	return nil
}

// labelled are the columns that are labelled, of the tables that the object reaches, and those of the tables whose rows are.
func (o *Object) labelled() (to []*decl.Column, rows []*decl.Table, err error) {
	reach, err := o.Facet.Close()
	for _, f := range reach {
		if !f.Table.Label.Secrecy().Empty() && !slices.Contains(rows, f.Table) {
			rows = append(rows, f.Table)
		}
		for _, c := range f.Table.Cols {
			if !c.Label.Secrecy().Empty() && !slices.Contains(to, c) {
				to = append(to, c)
			}
		}
	}
	return to, rows, err
}

// DeclaresLabels implements exo.LabelDeclarer: rows of a table with labelled columns come in the order of their keys, and plans have
// what a sealed value counts.
func (*Object) DeclaresLabels() {}

// Describe implements exo.Object. It is made when it is first asked for, and not before: a Check before has marked the columns that an
// insert needs.
func (o *Object) Describe() (message.Description, error) {
	if err := o.Check(); err != nil {
		return message.Description{}, err
	}
	o.described.Do(func() { o.desc, o.descErr = o.Facet.Describe(o.rows) })
	return o.desc, o.descErr
}

// ErrNoFacet is what AccessPaths returns for an object that [Facet.Of] did not make: nil, or a zero one.
var ErrNoFacet error = fail.Errorf(fail.Invalid, "exosql: AccessPaths", "it takes what Facet.Of made")

// question is what an object of Facet.Of answers with itself: see exo.AskBeneath. Only this package can put it.
type question struct {
	object *Object
	asked  bool
}

// AnswerBeneath answers questions of this package.
func (o *Object) AnswerBeneath(q any) {
	if q, ok := q.(*question); ok {
		q.object, q.asked = o, true
	}
}

// Of is the object of Facet.Of below the policies of the host; nil without an error: a service, of which a database knows nothing.
// A facet that was not looked at must not go unnoticed, so a zero one is an error.
func Of(o exo.Object) (*Object, error) {
	var q question
	if o != nil {
		exo.AskBeneath(o, &q)
	}
	if o == nil || q.asked && q.object == nil {
		return nil, ErrNoFacet
	}
	return q.object, nil
}

// settings are what policies know of the grants of a statement: the host's values, never a program's. They are nil where
// the host has not said that there are policies. If two grants have different values under one name, neither may win.
func (db *DB) settings(grants ...map[string]string) (*engine.Settings, error) {
	if !db.Secured {
		return nil, nil
	}
	all := map[string]string{}
	for _, g := range grants {
		for name, v := range g {
			if before, ok := all[name]; ok && before != v {
				return nil, fail.Errorf(fail.Invalid, "", "these objects are granted with different values and can't be combined in one query: run a query of each, and combine the results")
			}
			all[name] = v
		}
	}
	out := &engine.Settings{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out.Names, out.Values = append(out.Names, name), append(out.Values, all[name])
	}
	return out, nil
}

// settingsOf are those of the grants of objects.
func (db *DB) settingsOf(objs []*Object) (*engine.Settings, error) {
	if !db.Secured {
		return nil, nil
	}
	var all []map[string]string
	for _, o := range objs {
		all = append(all, o.Ready().Settings)
	}
	return db.settings(all...)
}
