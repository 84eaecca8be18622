package answer

// This file plans and runs a message that reads. In an open plan the database may check a program's conditions before the scope; fences make it check
// the scope first. The open plan runs if the database then reads only rows in scope, otherwise the fenced one.

import (
	"context"
	"errors"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/exosql/internal/writing"
)

// query runs a plan, in the unit of work u unless that is nil. m is the message; it is nil for the typed API. refused
// is why the open plan did not run, or nil. If of is not nil, it is a page, and query stores in it where the next page begins.
func (db *DB) query(ctx context.Context, u *unit.Unit, p *plan.Plan, args []value.Value, by *engine.Settings, m *exo.Message, refused *fence.Refused, of *page) (value.Value, error) {
	start := time.Now()
	collect := func(m *exo.Message) *plan.Collector {
		if p.Probe { // the row that a probe reads is not part of the answer
			m = nil
		}
		if of != nil {
			return plan.NewPageCollector(p, m, of.size)
		}
		return plan.NewCollector(p, m)
	}
	var out *plan.Collector
	var err error
	replica := 0
	switch {
	case u != nil:
		out, err = u.Read(ctx, p, args, by, m, collect)
	case db.Replicas != nil:
		var r *engine.Reader
		if r, err = db.reader(m); err == nil {
			out, replica, err = db.Replicas.Run(ctx, r, p, args, by, func() *plan.Collector { return collect(m) })
		}
	default:
		out = collect(m)
		err = db.Pool.Run(ctx, p, args, by, out)
	}
	if no, ok := errors.AsType[*fence.Refused](err); ok {
		return value.Value{}, no
	}
	var rows *value.Rows
	if out == nil { // the unit has ended, so it read nothing
		rows = plan.NewCollector(p, nil).Rows()
	} else {
		rows = out.Rows()
	}
	if m != nil {
		q := Ran{Plan: p, Args: args, Rows: rows.Len(), Took: time.Since(start), Replica: replica}
		if refused != nil {
			q.Fenced = refused.Why.Error()
		}
		m.AddDetail(db.Query(q))
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err() // engines report an interruption by different errors
		}
		return value.Value{}, fail.Classify("", err)
	}
	if out != nil && out.Again() {
		return value.Value{}, errAgain
	}
	if of != nil {
		if of.next, err = out.Following(of.from); err != nil {
			return value.Value{}, err
		}
	}
	switch {
	case p.Kind == plan.RunCount, p.Kind == plan.RunValue:
		if rows.Len() != 1 {
			return value.Value{}, &fail.Error{Kind: fail.Internal, Err: fail.Named("exosql: the database did not return exactly one row for an aggregate, so there is no answer: this is a fault of exosql, please report it")}
		}
		return rows.Reader().Cells(0)[0], nil
	case p.Kind == plan.RunFirst && m != nil:
		if rows.Len() == 0 {
			return value.Null(), nil
		}
		if p.Bare {
			return rows.Reader().Cells(0)[0], nil
		}
		return rows.Row(0), nil
	case p.Bare:
		return bare(rows), nil
	}
	return value.RowsValue(rows), nil
}

// reader returns the Reader of a message's run, or of one call of Go code.
func (db *DB) reader(m *exo.Message) (*engine.Reader, error) {
	if m == nil {
		return &engine.Reader{}, nil
	}
	u, err := m.Unit(readerOf{db}, func(context.Context) (exo.Unit, error) { return &reading{}, nil })
	if err != nil {
		return nil, err
	}
	return &u.(*reading).Reader, nil
}

// readerOf is the key under which a run keeps its reading until the run ends. A reading holds no connection.
type (
	readerOf struct{ db *DB }
	reading  struct{ engine.Reader }
)

func (*reading) Prepare(context.Context) error  { return nil }
func (*reading) Commit(context.Context) error   { return nil }
func (*reading) Rollback(context.Context) error { return nil }

// bare returns a list with the only cell of each row.
func bare(rows *value.Rows) value.Value {
	list, r := make([]value.Value, rows.Len()), rows.Reader()
	for i := range list {
		list[i] = r.Cells(i)[0]
	}
	return value.List(list...)
}

var errAgain = fail.Named("exosql: a query was not repeated after it had sorted by values that do not fit their column's type, so there is no answer: this is a fault of exosql, please report it")

// run plans and runs a message: open if the database reads only rows in scope, otherwise with fences.
func (db *DB) run(ctx context.Context, a *asked) (value.Value, error) {
	p, err := db.plan(ctx, a)
	if err != nil {
		return value.Value{}, err
	}
	for _, text := range p.Notices {
		a.m.AddNotice(text)
	}
	var refused *fence.Refused
	for open := p.Open; open != nil; open = db.guarded(ctx, open, refused, a) {
		args, err := open.Bind(a.m.Args, a.vals, a.after, a.m.Zone())
		if err != nil {
			return value.Value{}, err
		}
		v, err := db.query(ctx, a.unit, open, args, a.by, a.m, nil, a.page)
		if !errors.As(err, &refused) {
			return db.settled(ctx, a, p, v, err)
		}
	}
	args, err := p.Bind(a.m.Args, a.vals, a.after, a.m.Zone())
	if err != nil {
		return value.Value{}, err
	}
	v, err := db.query(ctx, a.unit, p, args, a.by, a.m, refused, a.page)
	return db.settled(ctx, a, p, v, err)
}

// settled returns the answer v. A misfit is a stored value that does not fit its column. If misfits affected the order, or a limit may hide one,
// settled runs the query again with guards against misfits.
func (db *DB) settled(ctx context.Context, a *asked, p *plan.Plan, v value.Value, err error) (value.Value, error) {
	if err == nil && p.Upwards && !a.probe && !v.IsNull() {
		probe := *a
		probe.probe = true
		_, err = db.run(ctx, &probe)
	}
	if err != errAgain || a.again || a.probe {
		return v, err
	}
	a.again = true
	return db.run(ctx, a)
}

// guarded finds or makes the open plan to try after another was refused. It returns nil if there is none: see fence.Next.
func (db *DB) guarded(ctx context.Context, open *plan.Plan, refused *fence.Refused, a *asked) *plan.Plan {
	form, ok := fence.Next(open.Tables, refused.Why)
	if !ok {
		return nil
	}
	var keys [512]byte
	key := shapeKey(form.AppendKey(append(keys[:0], "guarded "...)), a)
	write := writing.IsWrite(a.m)
	if write {
		key = db.appendSets(key, a)
	}
	p, found := db.Plans.Get(key)
	if !found {
		if write {
			p = writing.Guarded(db.Engine(ctx), a.m, grantsOf(a.objs), a.given.Sets, db.Images > 0, form)
		} else {
			p = compile.Guarded(db.engineOf(ctx, a), a.m, grantsOf(a.objs), positionOf(a.after), form)
		}
		p = db.Plans.Add(key, p)
	}
	if p.Tables == nil {
		return nil
	}
	return p
}

func (db *DB) engineOf(ctx context.Context, a *asked) expr.Engine {
	e := db.Engine(ctx)
	e.Again, e.Probe = a.again, a.probe
	return e
}

// plan finds or makes the plan of a program's message.
func (db *DB) plan(ctx context.Context, a *asked) (*plan.Plan, error) {
	var keys [512]byte
	key := shapeKey(keys[:0], a)
	p, ok := db.Plans.Get(key)
	if !ok {
		var err error
		if p, err = compile.Message(db.engineOf(ctx, a), a.m, grantsOf(a.objs), positionOf(a.after)); err != nil {
			return nil, err
		}
		p = db.Plans.Add(key, p)
	}
	return p, nil
}
