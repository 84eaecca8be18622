package answer

// This file runs the statements of one write in the unit of work. If a rule of the database is broken, it finds the rule and the write.

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/broken"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/unit"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/schema"
)

// work is a unit that may write, of a run or of a call of Go code, with its changes.
type work struct {
	*unit.Unit
	db     *DB
	images *images // images are the changed rows before and after the run; nil if the host wants none

	mu      sync.Mutex
	changed []*changing          // changed are the messages and calls that have changed something, in order
	counted []counted            // counted are the messages that have written; rules of approval count their rows
	shows   map[shownColumn]bool // shows has the columns that the run's facets show (see sees)
}

// working returns the work of a new unit, and lets lateError explain the errors at the unit's end.
func (db *DB) working(u *unit.Unit) *work {
	w := &work{Unit: u, db: db}
	u.Late = w.lateError
	return w
}

// changing runs one message that writes: it is the writing.Host of that message.
type changing struct {
	*asked
	ctx  context.Context
	db   *DB
	work *work
	run  *writing.Run
}

// newChanging prepares a planned write to run.
func (db *DB) newChanging(ctx context.Context, a *asked, u *work, w *writing.Writing) *changing {
	x := &changing{asked: a, ctx: ctx, db: db, work: u}
	x.run = &writing.Run{Writing: w, Host: x, M: a.m, Given: a.given, Vals: a.vals}
	return x
}

// Read implements writing.Host.
func (x *changing) Read(p *plan.Plan, g *scope.Grant, args []value.Value) (*value.Rows, error) {
	by := x.by
	if g != nil && len(x.beside) > 0 && int(g.Origin) >= len(x.objs) { // the query belongs to a grant in `beside`, so the policies of the database must get that grant's values
		var err error
		if by, err = x.db.settingsOf(x.beside[int(g.Origin)-len(x.objs):][:1]); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	out, err := x.work.Read(x.ctx, p, args, by, x.m, func(m *exo.Message) *plan.Collector { return plan.NewCollector(p, m) })
	q := Ran{Plan: p, Args: args, Took: time.Since(start)}
	if err != nil {
		x.m.AddDetail(x.db.Query(q))
		return nil, x.classified(err)
	}
	q.Rows = out.Rows().Len()
	x.m.AddDetail(x.db.Query(q))
	return out.Rows(), nil
}

// Write implements writing.Host.
func (x *changing) Write(changes []engine.Change, refused *fence.Refused) (*value.Rows, int64, error) {
	start := time.Now()
	out, n, err := x.work.Change(x.ctx, changes, x.by, x.m, x.collector(changes[len(changes)-1].Plan))
	if no, ok := errors.AsType[*fence.Refused](err); ok {
		return nil, 0, no // the database ran no statement
	}
	took, single := time.Since(start), len(changes) == 1 && len(changes[0].Args) == 1
	for _, c := range changes {
		for _, args := range c.Args {
			q := Ran{Plan: c.Plan, Args: args, Took: took}
			if took = 0; refused != nil {
				q.Fenced = refused.Why.Error()
			}
			if err == nil && single {
				q.Rows = int(n)
			} else if err == nil && c.Plan.Write.Rows > 0 {
				q.Rows = c.Plan.Write.Rows
			}
			x.m.AddDetail(x.db.Query(q))
		}
	}
	if err != nil {
		return nil, 0, x.classified(err)
	}
	x.work.mu.Lock()
	x.work.changed = append(x.work.changed, x)
	x.work.mu.Unlock()
	return out.Rows(), n, x.returned(out.Rows())
}

// collector returns the function that makes the collector of a change's rows. Images are for the host: they spend no budget, but are bounded.
func (x *changing) collector(p *plan.Plan) func(*exo.Message) *plan.Collector {
	return func(m *exo.Message) *plan.Collector {
		if x.work.images != nil && x.run.Kind == writing.Updates {
			return plan.NewBoundedCollector(p, x.work.images.limit)
		}
		return plan.NewCollector(p, m)
	}
}

// classified turns an error of the database into one for the program and its host.
func (x *changing) classified(err error) error {
	if x.ctx.Err() != nil {
		err = x.ctx.Err()
	}
	return fail.Classify("", x.db.constraintError(x, err))
}

// Next implements writing.Host.
func (x *changing) Next(open *plan.Plan, refused *fence.Refused) *plan.Plan {
	return x.db.guarded(x.ctx, open, refused, x.asked)
}

// Live implements writing.Host.
func (x *changing) Live() (*schema.Database, error) {
	live, _, err := x.db.catalogue(x.ctx)
	return live, err
}

// Broken implements writing.Host.
func (x *changing) Broken(v *engine.Violation) error { return x.db.constraintError(x, v) }

// Over implements writing.Host.
func (x *changing) Over() bool { return x.work.Over() }

// wrote keeps a description of what a message has written, for the hooks that run after the commit. It keeps none if no row was written.
func (x *changing) wrote(of decl.RowWrite, v value.Value) {
	if of.Table = x.run.Table; len(of.Table.Afters) == 0 {
		return
	}
	kind, rows, ok := writing.Gives(x.m, x.run.Facet, x.given)
	if !ok {
		return
	}
	of.Kind, of.Rows = kind, 1
	if kind != decl.Inserts {
		of.Rows = v.Int()
	}
	if of.Rows == 0 {
		return
	}
	for _, row := range rows {
		of.Given = row
		x.work.Wrote(of)
	}
}

// breaks reports whether this change may have broken the rule of v.
func (x *changing) breaks(v *engine.Violation) bool {
	if v.By != nil { // SQLite reports the statement that broke a rule, but not the rule
		return x.run.Change != nil && x.run.Change.Write == v.By || slices.ContainsFunc(x.run.Inserts, func(in writing.Insert) bool {
			return in.One.Write == v.By || in.Many != nil && in.Many.Write == v.By
		})
	}
	is := func(table string) bool { return table != "" && strings.HasSuffix("."+x.run.Table.Name, "."+table) }
	db := x.db
	db.liveMu.Lock()
	defer db.liveMu.Unlock()
	var key *schema.ForeignKey
	if t := db.live.Table(schema.Name{Name: v.Table}); t != nil && v.Rule == engine.ForeignKey {
		if i := slices.IndexFunc(t.ForeignKeys, func(k schema.ForeignKey) bool { return k.Name == v.Constraint }); i >= 0 {
			key = &t.ForeignKeys[i]
		}
	}
	if key == nil {
		return is(v.Table)
	}
	sets := func(columns []string) bool {
		return slices.ContainsFunc(x.run.Change.Write.Update, func(c string) bool { return slices.Contains(columns, c) })
	}
	switch x.run.Kind {
	case writing.Inserts:
		return is(v.Table)
	case writing.Deletes:
		return is(key.Table.Name)
	}
	return is(v.Table) && sets(key.Columns) || is(key.Table.Name) && sets(key.References)
}

// constraintError turns a broken rule of the database into an error that a program can read, and
// leaves other errors as they are. x is the write, or nil at the end of a transaction.
func (db *DB) constraintError(x *changing, err error) error {
	v, ok := errors.AsType[*engine.Violation](err)
	if !ok {
		return err
	}
	db.liveMu.Lock()
	live := db.live
	db.liveMu.Unlock()
	var run *writing.Run
	if x != nil {
		run = x.run
	}
	text, columns, row := broken.Rule(v, run, live)
	return &fail.Error{Kind: fail.Invalid, Msg: text, Err: db.Face.Broken(v, columns, row+1, err)}
}

// lateError returns the error of constraintError at the end of the transaction. If only one
// change may have broken the rule, by its rows or by rows that these refer to, the error names
// that change.
func (w *work) lateError(err error) error {
	v, ok := errors.AsType[*engine.Violation](err)
	if !ok {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var by *changing
	for _, x := range w.changed {
		if !x.breaks(v) {
			continue
		}
		if by != nil && (by.run.Kind != x.run.Kind || by.run.Facet != x.run.Facet) {
			return w.db.constraintError(nil, err) // any of several changes may have broken the rule
		}
		by = x
	}
	return w.db.constraintError(by, err)
}
