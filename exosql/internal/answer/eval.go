package answer

// This file receives the messages of programs.

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// answer plans and runs a program's message.
func (db *DB) answer(ctx context.Context, o *Object, m *exo.Message, objs []*Object) (value.Value, error) {
	if err := db.Ready(); err != nil {
		return value.Value{}, err
	}
	var few [4][]value.Value
	a := asked{m: m, objs: objs, vals: few[:0]}
	for _, o := range objs {
		a.vals = append(a.vals, o.Ready().Grant.Vals)
	}
	var err error
	if a.by, err = db.settingsOf(objs); err != nil {
		return value.Value{}, err
	}
	w, err := o.unitOf(ctx, m)
	if err != nil {
		return value.Value{}, err
	}
	if w != nil {
		a.unit = w.Unit
	}
	if writing.IsWrite(m) {
		return db.change(ctx, &a, w)
	}
	if m.Root.Name == language.Page {
		return db.answerPage(ctx, a)
	}
	return db.run(ctx, &a)
}

// Eval implements exo.Object: it plans the message, or finds its plan, and runs it.
func (o *Object) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	objs, err := o.objects(m)
	if err != nil {
		return value.Value{}, err
	}
	return o.DB.answer(ctx, o, m, objs)
}

// objects returns the objects of a message, bound to their relations.
func (o *Object) objects(m *exo.Message) ([]*Object, error) {
	if err := o.Prepare(); err != nil {
		return nil, err
	}
	objs := make([]*Object, len(m.Objects))
	for i, x := range m.Objects {
		p, ok := x.(*Object)
		if !ok || p.Rel == nil || p.DB != o.DB {
			return nil, fail.Errorf(fail.Invalid, "", "the call combines queries of different databases, which no database can run: await each query alone, and combine the results")
		}
		if err := p.Prepare(); err != nil {
			return nil, err
		}
		objs[i] = p
	}
	return objs, nil
}

// Statements makes the statements of a message without running them. The Args of each have the values from scopes. A write is checked as before
// it runs, but no hook is asked.
func (o *Object) Statements(ctx context.Context, m *exo.Message) ([]Ran, error) {
	objs, err := o.objects(m)
	if err == nil {
		err = o.DB.Ready()
	}
	if err != nil {
		return nil, err
	}
	a := asked{m: m, objs: objs}
	for _, x := range objs {
		a.vals = append(a.vals, x.Ready().Grant.Vals)
	}
	var plans []*plan.Plan
	if !writing.IsWrite(m) {
		p, err := o.DB.plan(ctx, &a)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	} else {
		a.given = writing.GivenBy(m)
		w, err := o.DB.writing(ctx, &a)
		if err == nil {
			err = o.DB.trusts(ctx, w, &a)
		}
		if err == nil {
			err = o.DB.writable(ctx, w, &a)
		}
		if err != nil {
			return nil, err
		}
		plans = append(plans, w.Parent, w.Change, w.Back)
		for _, in := range w.Inserts {
			plans = append(plans, in.One)
		}
		for _, c := range w.Checks {
			plans = append(plans, c.One)
		}
	}
	var out []Ran
	for _, p := range plans {
		if p == nil {
			continue
		}
		r := Ran{Plan: p}
		for _, x := range p.Args {
			if x.Origin >= 0 && int(x.Origin) < len(a.vals) {
				r.Args = append(r.Args, a.vals[x.Origin][x.Index])
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// UnitKey implements exo.Transactional. An object that can change a database also reads that database in the run's unit of work.
func (o *Object) UnitKey() any {
	if o.DB == nil || o.Facet == nil || !o.Facet.Writes() {
		return nil
	}
	return o.DB
}

// ReadUnitKey implements exo.UnitReader. If a grant of a program can change a database, all objects of that database read in the run's unit of work.
// Otherwise the program could base a write on values that it read outside of the unit and that have changed since (TestReadsBeside).
func (o *Object) ReadUnitKey() any {
	if o.DB == nil {
		return nil
	}
	return o.DB
}

// unitOf returns the unit of work of a message's run, or nil if no grant can change anything.
func (o *Object) unitOf(ctx context.Context, m *exo.Message) (*work, error) {
	if !m.InUnit(o.DB) && o.DB.Units.TxOf(ctx) == nil { // within a host's transaction, every run reads in that transaction
		return nil, nil
	}
	u, err := m.Unit(o.DB, o.DB.BeginUnit)
	if err != nil {
		return nil, err
	}
	return workOf(u), nil
}

// workOf returns the work in a unit that BeginUnit made.
func workOf(u exo.Unit) *work {
	if w, ok := u.(witness); ok {
		return w.work
	}
	return u.(*work)
}

// BeginUnit opens the unit of work of a run. It has its own connection until the run ends.
func (db *DB) BeginUnit(ctx context.Context) (exo.Unit, error) {
	u, err := db.Units.New(ctx, db.Units.TxOf(ctx))
	if err != nil {
		return nil, err
	}
	w := db.working(u)
	if db.Images > 0 {
		w.images = &images{limit: db.Images}
		if err := w.Capture(ctx, db.Images, maxCaptured); err != nil && !errors.Is(err, engine.ErrNoImages) {
			return nil, errors.Join(err, w.Rollback(context.WithoutCancel(ctx)))
		}
	}
	if db.Witness {
		return witness{w}, nil
	}
	return w, nil
}

// witness is a unit that can mark the database with the ID of its run.
type witness struct{ *work }

// Witness implements exo.Witness.
func (w witness) Witness(ctx context.Context, run exo.RunID) error { return w.Mark(ctx, run) }

var (
	_ exo.Witness       = witness{}
	_ exo.Transactional = (*Object)(nil)
	_ exo.UnitReader    = (*Object)(nil)
	_ exo.LabelDeclarer = (*Object)(nil)
	_ writing.Host      = (*changing)(nil)
)
