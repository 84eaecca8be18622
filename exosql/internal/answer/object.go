package answer

// This file has the object that a host grants. It is checked when it is granted, and bound to its relation at the first message.

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

// Object gives programs a relation through a facet. It is small, since a host has one for each
// grant of each user, and most of them get no message.
type Object struct {
	*offer
	key  any                   // key is the value from which bind makes the relation at the first message; if it is nil, the relation is Rel
	made atomic.Pointer[Bound] // made is nil before the first message
}

// NewObject makes an object.
func NewObject(db *DB, f *decl.Facet, r *decl.Relation) *Object {
	return &Object{offer: &offer{Facet: f, Rel: r, DB: db}}
}

// Like returns a function that makes the objects of several principals after the example of this one. relation makes the relation of each object from
// the object's key.
func (o *Object) Like(relation func(key any) (*decl.Relation, error)) func(key any) exo.Object {
	of := &offer{Facet: o.Facet, Rel: o.Rel, DB: o.DB, bind: relation}
	return func(key any) exo.Object { return &Object{offer: of, key: key} }
}

// ZeroFacet ends an error about a Facet that exosql.NewFacet did not make.
const ZeroFacet = "Facet that is nil or zero: make one with NewFacet"

// offer has the parts of a grant that are checked once, for the objects of several principals. Its Rel is then
// an example without any principal's values, and objects with a key never read it.
type offer struct {
	Facet *decl.Facet
	Rel   *decl.Relation
	DB    *DB
	bind  func(key any) (*decl.Relation, error) // bind is nil if the one object has no key

	once sync.Once
	err  error
	rows decl.Rows // rows has, for each table, the facts and labels that its rows reveal by being in scope; descriptions depend on it

	described sync.Once
	desc      message.Description
	descErr   error
}

// Bound is an object that plans can use: its relation, with its principal's values. Each object has its own.
type Bound struct {
	err   error
	Rel   *decl.Relation
	Grant shape.Prepared
	// secrets are the labelled columns of the tables that the object reaches, even if no facet shows
	// them. hidden are the tables with labelled rows.
	secrets []*decl.Column
	hidden  []*decl.Table

	hooked bool // hooked: a table that the object reaches has hooks

	Settings map[string]string // Settings are the values for policies: see OpenOptions.RowSecurity
}

// Check returns an error if something is wrong with the facet or the relation.
func (o *offer) Check() error {
	o.once.Do(func() {
		if o.err = o.fits(o.Rel); o.err != nil {
			return
		}
		o.rows, o.err = shape.Grantable(o.Facet, o.Rel)
	})
	return o.err
}

// fits returns an error unless the relation can be granted through the facet.
func (o *offer) fits(r *decl.Relation) error {
	switch {
	case r == nil:
		return decl.ErrZeroRelation
	case r.Err != nil:
		return r.Err
	case o.Facet == nil:
		return fail.Errorf(fail.Invalid, "exosql: Facet.Of", "the relation is granted by a "+ZeroFacet)
	case o.Facet.Table != r.Table:
		return fail.Errorf(fail.Invalid, "exosql: Facet.Of", "the facet is of table %s, and the relation of table %s: pass a relation of the facet's table", o.Facet.Table.Name, r.Table.Name)
	}
	return nil
}

// Prepare binds the object to its relation. If two goroutines do so at once, both get the first result.
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

// Ready returns what Prepare has bound. If that failed, the result has no scopes, so no statement can be made for the object.
func (o *Object) Ready() *Bound {
	_ = o.Prepare() // Eval has returned this error already
	return o.made.Load()
}

func (o *Object) make(b *Bound) error {
	err := o.Check()
	if err != nil {
		return err
	}
	b.Rel = o.Rel
	if o.bind != nil { // bind refuses an object without a key, so the object never gets the example
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
	if o.bind != nil && !b.Grant.Rows.Same(o.rows) { // otherwise programs would read the rows under the labels of the example
		return fail.Errorf(fail.Denied, "exosql: Facet.Of", "the scope of table %s reads other labelled columns than the scope of the template's example: make the template with an example whose scope reads the same columns", b.Rel.Table.Name)
	}
	if o.DB != nil && o.DB.Images == 0 && o.MayAsk() {
		return fail.Errorf(fail.Invalid, "exosql: Facet.Of", "a person must agree to changes through the facet %s, and only OpenOptions.Images lets them see the rows: set that option", o.Facet.Alias)
	}
	if err = o.undoes(); err != nil {
		return err
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

// labelled returns the labelled columns of the tables that the object reaches, and the tables with labelled rows.
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

// DeclaresLabels implements exo.LabelDeclarer. Rows of tables with labelled columns come in the
// order of their keys, and plans contain the size that limits count for a sealed value.
func (*Object) DeclaresLabels() {}

// Describe implements exo.Object. The first call makes the description, so a Check before it has
// marked the columns that an insert needs.
func (o *Object) Describe() (message.Description, error) {
	if err := o.Check(); err != nil {
		return message.Description{}, err
	}
	o.described.Do(func() { o.desc, o.descErr = o.Facet.Describe(o.rows) })
	return o.desc, o.descErr
}

// ErrNoFacet is AccessPaths' error for an object that [Facet.Of] did not make.
var ErrNoFacet error = fail.Errorf(fail.Invalid, "exosql: AccessPaths", "the object was not made by Facet.Of: pass one that was")

// question finds the object of Facet.Of inside wrappers: the object answers with itself (see exo.AskBeneath). Only this package can ask it.
type question struct {
	object *Object
	asked  bool
}

// AnswerBeneath answers this package's question with the object itself, and ignores other questions.
func (o *Object) AnswerBeneath(q any) {
	if q, ok := q.(*question); ok {
		q.object, q.asked = o, true
	}
}

// Of returns the object of Facet.Of inside the host's policies. For a service, which uses no database, it
// returns nil without an error. A zero object is an error, so that no facet is skipped silently.
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

// settings returns the settings of a statement's grants for row-level policies: the host's values, never a program's. It
// returns nil unless the host set OpenOptions.RowSecurity, and refuses two grants with different values for one setting.
func (db *DB) settings(grants ...map[string]string) (*engine.Settings, error) {
	if !db.Secured {
		return nil, nil
	}
	all := map[string]string{}
	for _, g := range grants {
		for name, v := range g {
			if before, ok := all[name]; ok && before != v {
				return nil, fail.Errorf(fail.Invalid, "", "the query combines objects that the host granted with different values, and the database can check only one of them: query each alone, and combine the results")
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

// settingsOf returns the settings of the objects' grants.
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
