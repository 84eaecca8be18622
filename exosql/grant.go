package exosql

import (
	"context"
	"slices"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/bridge"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/rowsec"
)

// Of makes the object by which a program reaches r: the rows of r as f shows
// them. It freezes f and every facet that f links to. Errors in the
// declaration are reported where the object is granted.
func (f *Facet[T]) Of(r Relation[T]) exo.Object {
	return &object{facet: f.core(), rel: r.r, db: r.db}
}

// exosql/dynamic makes its objects through this.
var _ = bridge.Provide(func(db any, f *decl.Facet, r *decl.Relation) (exo.Object, error) {
	d, _ := db.(*DB)
	return &object{facet: f, rel: r, db: d}, d.ready()
})

// object is the capability to a relation through a facet.
type object struct {
	facet *decl.Facet
	rel   *decl.Relation
	db    *DB

	once  sync.Once
	err   error
	grant compile.Prepared
	// secrets are the labelled columns of the tables that it reaches, whether a facet shows them or not; hidden are those of the tables
	// whose rows are labelled.
	secrets []*decl.Column
	hidden  []*decl.Table
	desc    exo.Description

	hooked bool // a table that it reaches has hooks

	settings map[string]string // see OpenOptions.RowSecurity
}

func (o *object) prepare() error {
	o.once.Do(func() { o.err = o.make() })
	return o.err
}

func (o *object) make() error {
	if o.rel == nil {
		return decl.ErrZeroRelation
	}
	if o.rel.Err != nil {
		return o.rel.Err
	}
	if o.facet == nil {
		return exo.Errorf(exo.Invalid, "exosql: Facet.Of", "granted by a "+zeroFacet)
	}
	if o.facet.Table != o.rel.Table {
		return exo.Errorf(exo.Invalid, "exosql: Facet.Of", "the facet is of table %s and the relation of table %s", o.facet.Table.Name, o.rel.Table.Name)
	}
	var err error
	if o.grant, err = compile.Prepare(o.facet, o.rel); err != nil {
		return err
	}
	if o.secrets, o.hidden, err = o.labelled(); err != nil {
		return err
	}
	if o.db != nil && o.db.secured {
		o.settings = rowsec.Settings(o.grant.Scope(), o.grant.Vals)
	}
	if reach, _ := o.facet.Close(); slices.ContainsFunc(reach, func(f *decl.Facet) bool { return len(f.Table.Hooks) > 0 }) {
		o.hooked = true
	}
	o.desc, err = o.facet.Describe(o.grant.Rows)
	return err
}

// DeclaresLabels implements exo.LabelDeclarer: rows of a table with labelled columns come in the order of their keys, and plans have
// what a sealed value counts.
func (*object) DeclaresLabels() {}

// Describe implements exo.Object.
func (o *object) Describe() (exo.Description, error) {
	err := o.prepare()
	return o.desc, err
}

// Eval implements exo.Object: it plans the message, or finds its plan, and runs it.
func (o *object) Eval(ctx context.Context, m *exo.Message) (exo.Value, error) {
	if err := o.prepare(); err != nil {
		return exo.Value{}, err
	}
	objs := make([]*object, len(m.Objects))
	for i, x := range m.Objects {
		p, ok := x.(*object)
		if !ok || p.rel == nil || p.db != o.db {
			return exo.Value{}, exo.Errorf(exo.Invalid, "", "only queries of one database can be combined in one query")
		}
		if err := p.prepare(); err != nil {
			return exo.Value{}, err
		}
		objs[i] = p
	}
	return o.db.answer(ctx, o, m, objs)
}
