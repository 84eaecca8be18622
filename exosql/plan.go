package exosql

import (
	"context"
	"errors"
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/rowsec"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/shape"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// relation answers a chain of typed calls.
func (db *DB) relation(ctx context.Context, tx *Tx, r *decl.Relation, kind plan.RunKind) (value.Value, error) {
	if r.Err != nil {
		return value.Value{}, r.Err
	}
	if err := db.ready(); err != nil {
		return value.Value{}, err
	}
	ss, err := scope.Chain(r)
	if err != nil {
		return value.Value{}, &fail.Error{Op: r.Table.Name, Kind: fail.Denied, Err: err}
	}
	s := compile.NewChain(r, ss, kind)
	p, err := db.chain(ctx, s.Key, &s, nil)
	if err != nil {
		return value.Value{}, err
	}
	args, err := p.Bind(nil, [][]value.Value{s.Vals}, nil, utc)
	if err != nil {
		return value.Value{}, err
	}
	by, err := db.settings(rowsec.Settings(s.Grant(), s.Vals))
	if err != nil {
		return value.Value{}, err
	}
	var v value.Value
	err = db.inTx(ctx, tx, func(u *unit) (err error) {
		v, err = db.query(ctx, u, p, args, by, nil, nil, nil)
		return err
	})
	return v, err
}

// chain finds or makes the plan of a chain of typed calls.
func (db *DB) chain(ctx context.Context, key []byte, s interface {
	Compile(expr.Engine, compile.Position) (*plan.Plan, error)
}, after compile.Position) (*plan.Plan, error) {
	if p, ok := db.plans.Get(key); ok {
		return p, nil
	}
	p, err := s.Compile(db.engine(ctx), after)
	if err != nil {
		return nil, err
	}
	return db.plans.Add(key, p), nil
}

// asked is a guest's message with what its statement needs.
type asked struct {
	m    *exo.Message
	objs []*object
	vals [][]value.Value // of the grants

	by    *engine.Settings
	unit  *unit         // of work, where the run can change the database
	given writing.Given // of a message that writes

	labelled []*object // of the same programs, with labelled columns; of a write
	beside   []*object // of the same programs, against whose scopes it is held; vals has their values, too

	hooked *decl.Facet // whose rows it writes, where hooks of its table were asked

	again bool // rows that are sorted as columns are stored had a misfit: see expr.Engine

	page  *page // of a page, or nil
	after []value.Value
}

// answer plans and runs a guest's message.
func (db *DB) answer(ctx context.Context, o *object, m *exo.Message, objs []*object) (value.Value, error) {
	if err := db.ready(); err != nil {
		return value.Value{}, err
	}
	var few [4][]value.Value
	a := asked{m: m, objs: objs, vals: few[:0]}
	for _, o := range objs {
		a.vals = append(a.vals, o.ready().grant.Vals)
	}
	var err error
	if a.by, err = db.settingsOf(objs); err != nil {
		return value.Value{}, err
	}
	if a.unit, err = o.unitOf(ctx, m); err != nil {
		return value.Value{}, err
	}
	if writing.IsWrite(m) {
		return db.change(ctx, &a)
	}
	if m.Root.Name == language.Page {
		return db.answerPage(ctx, a)
	}
	return db.run(ctx, &a)
}

// run plans and runs a message: open where the database reads rows in scope alone, and with fences where not.
func (db *DB) run(ctx context.Context, a *asked) (value.Value, error) {
	p, err := db.plan(ctx, a)
	if err != nil {
		return value.Value{}, err
	}
	for _, text := range p.Notices {
		a.m.Notice(text)
	}
	var refused *fence.Refused
	for open := p.Open; open != nil; open = db.guarded(ctx, open, refused, a) {
		args, err := open.Bind(a.m.Args, a.vals, a.after, a.m.Zone())
		if err != nil {
			return value.Value{}, err
		}
		v, err := db.query(ctx, a.unit, open, args, a.by, a.m, nil, a.page)
		if !errors.As(err, &refused) {
			return db.settled(ctx, a, v, err)
		}
	}
	args, err := p.Bind(a.m.Args, a.vals, a.after, a.m.Zone())
	if err != nil {
		return value.Value{}, err
	}
	v, err := db.query(ctx, a.unit, p, args, a.by, a.m, refused, a.page)
	return db.settled(ctx, a, v, err)
}

// settled is an answer, or that of the same query with guards where rows were sorted by misfits.
func (db *DB) settled(ctx context.Context, a *asked, v value.Value, err error) (value.Value, error) {
	if err != errAgain || a.again {
		return v, err
	}
	a.again = true
	return db.run(ctx, a)
}

var errAgain = errors.New("exosql: rows are sorted by what is no value")

// guarded finds or makes the open plan to try after one that was refused, or returns nil: see fence.Next.
func (db *DB) guarded(ctx context.Context, open *plan.Plan, refused *fence.Refused, a *asked) *plan.Plan {
	form, ok := fence.Next(open.Tables, refused.Why)
	if !ok {
		return nil
	}
	var keys [512]byte
	key := shapeKey(form.AppendKey(append(keys[:0], "guarded "...)), a)
	write := writing.IsWrite(a.m)
	if write {
		key = writing.AppendSets(key, a.given.Sets)
	}
	p, found := db.plans.Get(key)
	if !found {
		if write {
			p = writing.Guarded(db.engine(ctx), a.m, grantsOf(a.objs), a.given.Sets, form)
		} else {
			p = compile.Guarded(db.engineOf(ctx, a), a.m, grantsOf(a.objs), positionOf(a.after), form)
		}
		p = db.plans.Add(key, p)
	}
	if p.Tables == nil {
		return nil
	}
	return p
}

func (db *DB) engineOf(ctx context.Context, a *asked) expr.Engine {
	e := db.engine(ctx)
	e.Again = a.again
	return e
}

// plan finds or makes the plan of a guest's message.
func (db *DB) plan(ctx context.Context, a *asked) (*plan.Plan, error) {
	var keys [512]byte
	key := shapeKey(keys[:0], a)
	p, ok := db.plans.Get(key)
	if !ok {
		var err error
		if p, err = compile.Message(db.engineOf(ctx, a), a.m, grantsOf(a.objs), positionOf(a.after)); err != nil {
			return nil, err
		}
		p = db.plans.Add(key, p)
	}
	return p, nil
}

// utc is the time zone of what has none, of which statements say nothing.
const utc = "UTC"

// shapeKey is the key of a message's plan: the shapes of its grants, and its own. Which time zone it is
// does not matter, but whether there is one does.
func shapeKey(key []byte, a *asked) []byte {
	if a.m.Zone() != utc {
		key = append(key, "zoned "...)
	}
	if a.again {
		key = append(key, "again "...)
	}
	key = appendPosition(key, a.after)
	for _, o := range a.objs {
		key = append(strconv.AppendUint(key, o.ready().grant.Shape, 10), ',')
	}
	return append(append(key, '|'), a.m.Shape...)
}

func grantsOf(objs []*object) []shape.Prepared {
	out := make([]shape.Prepared, len(objs))
	for i, o := range objs {
		out[i] = o.ready().grant
	}
	return out
}
