package exosql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/schema"
)

// UnitKey implements exo.Transactional: what can change a database reads it in its unit of work, too.
func (o *object) UnitKey() any {
	if o.db == nil || o.facet == nil || !o.facet.Writes() {
		return nil
	}
	return o.db
}

// BesideKey implements exo.Beside: where some grant of a program can change a database, all are read in that unit. A
// program that read by one that can't, outside, would write by what is not true any more (TestReadsBeside).
func (o *object) BesideKey() any {
	if o.db == nil {
		return nil
	}
	return o.db
}

// unitOf is the unit of work of a message's run, nil where no grant can change anything.
func (o *object) unitOf(ctx context.Context, m *exo.Message) (*unit, error) {
	if !m.InUnit(o.db) && o.db.txOf(ctx) == nil { // what a transaction of the host holds is there for all that read
		return nil, nil
	}
	u, err := m.Unit(o.db, o.db.beginUnit)
	if err != nil {
		return nil, err
	}
	if w, ok := u.(witness); ok {
		return w.unit, nil
	}
	return u.(*unit), nil
}

// change answers a message that writes.
func (db *DB) change(ctx context.Context, a *asked) (value.Value, error) {
	a.given = writing.GivenBy(a.m)
	err := a.beforeWrite(ctx)
	var w *keptWrite
	if err == nil {
		w, err = db.writing(ctx, a)
	}
	if err == nil {
		err = db.trusts(ctx, w, a)
	}
	if err == nil {
		err = db.writable(ctx, w, a)
	}
	if err != nil {
		return value.Value{}, undone("", err)
	}
	x := newChanging(ctx, a, w.Writing)
	v, err := x.run.Do()
	if err == nil {
		x.wrote(decl.RowWrite{Run: a.m.Run(), Facet: w.Facet.Alias}, v)
	}
	if err != nil && !a.unit.over() && !x.run.Kept { // what ended the whole unit leaves nothing to go on with
		err = undone("", err)
	}
	return v, err
}

// trusts refuses to a program that has read what outsiders wrote an insert through a link that fills in a column which demands trust: it
// chose the row that the link leads from, as well as it could give the column; but not where the host granted that one row and the program
// narrows nothing. It refuses as well what deletes other rows with such a
// column, or changes the column in them, by a cascade or by ON CONFLICT REPLACE, though the host allowed that.
func (db *DB) trusts(ctx context.Context, w *keptWrite, a *asked) error {
	wary := a.m.ChosenBy().Integrity()
	if wary.Empty() {
		return nil
	}
	if from := a.m.Root.Recv.Recv; w.Link != nil && !(from.Op == message.OpRef && slices.Contains(a.m.Granted(), exo.Object(a.objs[from.Slot]))) {
		for _, p := range w.Link.Pairs {
			if p.To.Trust {
				return a.m.Untrusted(wary, "`"+p.To.Guest+"`, which the link fills in, could be chosen by them")
			}
		}
	}
	var trusted []*decl.Column
	for _, x := range a.m.Granted() {
		o, ok := x.(*object)
		if !ok || o.db != db {
			continue
		}
		reach, err := o.facet.Close()
		if err != nil {
			return err
		}
		for _, f := range reach {
			trusted = append(trusted, f.Table.Trusting()...)
		}
	}
	live, _, err := db.catalogue(ctx)
	if err != nil {
		return err
	}
	var update []string
	if w.Change != nil {
		update = w.Change.Write.Update
	}
	if writing.DemandsTrust(live, w.Table, update, w.Kind == writing.Deletes, trusted) {
		return a.m.Untrusted(wary, "it would delete or change other rows, which only trusted programs may")
	}
	return nil
}

// keptWrite is a Writing as it is kept, with the number of the catalogue by which it was last found to be harmless, or 0: see writable.
type keptWrite struct {
	*writing.Writing
	harmless atomic.Uint64
}

// Keep implements lru.Kept.
func (w *keptWrite) Keep() (*keptWrite, int) {
	k, n := w.Writing.Keep()
	return &keptWrite{Writing: k}, n + 8
}

// writing finds or makes the plans of a message that writes.
func (db *DB) writing(ctx context.Context, a *asked) (*keptWrite, error) {
	var err error
	if a.beside, a.labelled, err = db.beside(a); err != nil {
		return nil, err
	}
	var keys [512]byte
	key := writing.AppendSets(shapeKey(keys[:0], a), a.given.Sets)
	for _, o := range a.beside {
		key = strconv.AppendUint(append(key, '+'), o.ready().grant.Shape, 10)
		a.vals = append(a.vals, o.ready().grant.Vals)
	}
	for _, o := range a.labelled { // with these it was found to be harmless
		key = strconv.AppendUint(append(key, '~'), o.ready().grant.Shape, 10)
	}
	if a.hooked != nil {
		key = writing.AppendHookLinks(key, a.hooked.Table)
	}
	w, ok := db.writes.Get(key)
	if !ok {
		made, err := writing.Plan(db.engine(ctx), a.m, grantsOf(slices.Concat(a.objs, a.beside)), a.given.Sets, db.images > 0)
		if err != nil {
			return nil, err
		}
		w = db.writes.Add(key, &keptWrite{Writing: made})
	}
	if len(w.Table.Hooks) > 0 && (a.hooked == nil || a.hooked.Table != w.Table) { // no write passes a hook by
		return nil, &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: the hooks of table %s were not asked", w.Table.Name)}
	}
	return w, nil
}

// others are the objects of the same programs but for the one whose rows are written: those that the message names, too (TestBesideNamed).
func (a *asked) others(w *writing.Writing) (out []*object) {
	for i, o := range a.objs {
		if i != int(w.Grant.Origin) {
			out = append(out, o)
		}
	}
	return append(out, a.beside...)
}

// beside are the other objects of the same programs by whose scopes a row that is written may bring others into scope; labelled are
// all those that reach labelled columns, of which a rule of the database may tell.
func (db *DB) beside(a *asked) (beside, labelled []*object, err error) {
	for _, x := range a.m.Granted() {
		o, ok := x.(*object)
		if !ok || o.db != db {
			continue
		}
		if err := o.prepare(); err != nil {
			return nil, nil, err
		}
		if len(o.ready().secrets)+len(o.ready().hidden) > 0 {
			labelled = append(labelled, o)
		}
		if o.ready().grant.Tells() && !slices.Contains(a.objs, o) { // else the message has the grant
			beside = append(beside, o)
		}
	}
	return beside, labelled, nil
}

// changing is the host of one message that writes.
type changing struct {
	*asked
	ctx context.Context
	run *writing.Run
}

// newChanging begins a write that was planned.
func newChanging(ctx context.Context, a *asked, w *writing.Writing) *changing {
	x := &changing{asked: a, ctx: ctx}
	x.run = &writing.Run{Writing: w, Host: x, M: a.m, Given: a.given, Vals: a.vals}
	return x
}

// Read implements writing.Host.
func (x *changing) Read(p *plan.Plan, g *scope.Grant, args []value.Value) (*value.Rows, error) {
	by := x.by
	if g != nil && len(x.beside) > 0 && int(g.Origin) >= len(x.objs) { // its policies know other values
		var err error
		if by, err = x.unit.db.settingsOf(x.beside[int(g.Origin)-len(x.objs):][:1]); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	out, err := x.unit.read(x.ctx, p, args, by, x.m, func(m *exo.Message) *plan.Collector { return plan.NewCollector(p, m) })
	q := Query{SQL: p.Text, Args: args, Took: time.Since(start), plan: p}
	if err != nil {
		x.m.Detail(q)
		return nil, x.classified(err)
	}
	q.Rows = out.Rows().Len()
	x.m.Detail(q)
	return out.Rows(), nil
}

// Write implements writing.Host.
func (x *changing) Write(changes []engine.Change, refused *fence.Refused) (*value.Rows, int64, error) {
	start := time.Now()
	out, n, err := x.unit.change(x.ctx, changes, x.by, x.m)
	if no, ok := errors.AsType[*fence.Refused](err); ok {
		return nil, 0, no // nothing was run
	}
	took, single := time.Since(start), len(changes) == 1 && len(changes[0].Args) == 1
	for _, c := range changes {
		for _, args := range c.Args {
			q := Query{SQL: c.Plan.Text, Args: args, Took: took, plan: c.Plan}
			if took = 0; refused != nil {
				q.Fenced = refused.Why.Error()
			}
			if err == nil && single {
				q.Rows = int(n)
			} else if err == nil && c.Plan.Write.Rows > 0 {
				q.Rows = c.Plan.Write.Rows
			}
			x.m.Detail(q)
		}
	}
	if err != nil {
		return nil, 0, x.classified(err)
	}
	x.unit.mu.Lock()
	x.unit.changed = append(x.unit.changed, x)
	x.unit.mu.Unlock()
	return out.Rows(), n, nil
}

// classified is the error of the database as a program and its host read it.
func (x *changing) classified(err error) error {
	if x.ctx.Err() != nil {
		err = x.ctx.Err()
	}
	return fail.Classify("", x.unit.db.constraintError(x, err))
}

// Next implements writing.Host.
func (x *changing) Next(open *plan.Plan, refused *fence.Refused) *plan.Plan {
	return x.unit.db.guarded(x.ctx, open, refused, x.asked)
}

// Live implements writing.Host.
func (x *changing) Live() (*schema.Database, error) {
	live, _, err := x.unit.db.catalogue(x.ctx)
	return live, err
}

// Broken implements writing.Host.
func (x *changing) Broken(v *engine.Violation) error { return x.unit.db.constraintError(x, v) }

// Over implements writing.Host.
func (x *changing) Over() bool { return x.unit.over() }

var (
	_ exo.Transactional = (*object)(nil)
	_ exo.Beside        = (*object)(nil)
	_ exo.LabelDeclarer = (*object)(nil)
	_ writing.Host      = (*changing)(nil)
)

// writable refuses a table whose writes would tell of rows out of scope, or change them: see writing.Writable. It is asked once of
// each catalogue: what else it goes by (the grants' shapes, their facets and tables, but no values) is the same for all messages
// that w is kept for.
func (db *DB) writable(ctx context.Context, w *keptWrite, a *asked) error {
	live, number, err := db.catalogue(ctx)
	if err != nil {
		return err
	}
	if w.harmless.Load() == number {
		return nil
	}
	of, err := a.objs[w.Grant.Origin].writeOf(w.Grant, w.Facet, w.Link, grantsOf(a.others(w.Writing)), append(a.labelled, a.objs...))
	if err != nil {
		return err
	}
	if err := writing.Writable(live, of); err != nil {
		return &fail.Error{Kind: fail.Denied, Msg: "this table can't be written: its host has to look at it first", Err: err}
	}
	w.harmless.Store(number)
	return nil
}

// labelled are the columns that are labelled, of the tables that the object reaches, and those of the tables whose rows are.
func (o *object) labelled() (to []*decl.Column, rows []*decl.Table, err error) {
	reach, err := o.facet.Close()
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

// writeOf is what an object lets programs change through a facet, by a message or in the eyes of Check. g is its grant, and link that through
// which rows are inserted, or nil. beside are the grants of others that the programs have, and labelled the objects whose labelled
// columns a rule of the database may reveal.
func (o *object) writeOf(g *scope.Grant, f *decl.Facet, link *decl.Link, beside []compile.Prepared, labelled []*object) (writing.Write, error) {
	of, err := writeOf(g, f, o.ready().grant.Rows)
	if err != nil {
		return of, err
	}
	of.Facet = f
	if link != nil {
		of.Through = []*decl.Link{link}
	}
	of.Depends(g, beside)
	for _, x := range labelled {
		for _, c := range x.ready().secrets {
			if !slices.Contains(of.Labelled, c) {
				of.Labelled = append(of.Labelled, c)
			}
		}
		for _, t := range x.ready().hidden {
			if !slices.Contains(of.LabelledRows, t) {
				of.LabelledRows = append(of.LabelledRows, t)
			}
		}
	}
	return of, nil
}

// writeOf is what a grant lets programs change through a facet.
func writeOf(g *scope.Grant, f *decl.Facet, rows decl.Rows) (writing.Write, error) {
	of := writing.Write{Reveals: rows[f.Table], Table: f.Table, Rights: f.Rights, Decided: true, Filled: f.Table.Fills}
	e, err := g.Enter(f.Table, nil, nil)
	if err != nil {
		return of, err
	}
	fixed, _ := e.Parts()
	for _, x := range fixed {
		if len(x.Slots) == 1 {
			of.Fixed = append(of.Fixed, x.Col)
		}
	}
	for _, c := range e.Conditions() {
		switch c.Kind {
		case scope.Holds:
			of.Scope = append(of.Scope, c.Pred.Columns()...)
		case scope.Linked, scope.Followed:
			of.By = append(of.By, c.Link)
			for _, p := range c.Link.Pairs {
				of.Scope = append(of.Scope, p.To)
			}
		default:
			of.Decided = false
		}
		if c.Kind == scope.Linked {
			of.Into = append(of.Into, c.Link)
		}
	}
	for _, m := range f.Links {
		if m.L.One {
			of.Links = append(of.Links, m.L)
		}
	}
	return of, nil
}

// catalogueFor is how long what the database says of itself is believed before a write.
const catalogueFor = time.Minute

// catalogue is what the database says of itself, of late, and its number, from 1.
func (db *DB) catalogue(ctx context.Context) (*schema.Database, uint64, error) {
	db.liveMu.Lock()
	defer db.liveMu.Unlock()
	if db.live == nil || time.Since(db.liveAt) > catalogueFor {
		live, err := db.pool.Catalog(ctx, false)
		if err != nil {
			return nil, 0, err
		}
		db.learn(live)
	}
	return db.live, db.liveNo, nil
}

// learn keeps what the database says of itself. No host has the same object, which it could change. Its caller holds liveMu.
func (db *DB) learn(live *schema.Database) {
	db.live, db.liveAt = live, time.Now()
	db.liveNo++
}

// engine is the database for the compiler. What it takes for equal is looked up when a statement first compares a text that decides
// which rows are in scope: by the catalogue that is known, however old, or else by one that is read now. A host need not call Check.
func (db *DB) engine(ctx context.Context) compile.Engine {
	failed := false
	return compile.Engine{Dialect: db.dialect, Form: func(col *decl.Column) decl.Form {
		db.liveMu.Lock()
		live := db.live
		db.liveMu.Unlock()
		if live == nil && failed {
			return decl.Form{}
		}
		if live == nil {
			var err error
			// A plan is kept for longer than the message: that its context ends must not decide how texts are compared.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), equalityFor)
			defer cancel()
			if live, _, err = db.catalogue(ctx); err != nil {
				failed = true
				return decl.Form{}
			}
		}
		return check.Form(live, col)
	}}
}

// equalityFor is how long the catalogue may take to say what is equal. Without it statements compare all texts twice.
const equalityFor = 5 * time.Second
