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
func (db *DB) change(ctx context.Context, a *asked) (exo.Value, error) {
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
		return exo.Value{}, nothing(err)
	}
	x := &changing{asked: a, ctx: ctx, w: w.Writing}
	v, err := x.run()
	if err == nil {
		x.wrote(decl.RowWrite{Run: a.m.Run(), Facet: w.Facet.Alias}, v)
	}
	if err != nil && !a.unit.over() && !x.kept { // what ended the whole unit leaves nothing to go on with
		err = nothing(err)
	}
	return v, err
}

// trusts refuses to a program that has read what outsiders wrote an insert through a link that fills in a column which demands trust: it
// chose the row that the link leads from, as well as it could give the column. It refuses as well what deletes other rows with such a
// column, or changes the column in them, by a cascade or by ON CONFLICT REPLACE, though the host allowed that.
func (db *DB) trusts(ctx context.Context, w *keptWrite, a *asked) error {
	wary := a.m.ChosenBy().Integrity()
	if wary.Empty() {
		return nil
	}
	if w.Link != nil {
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
		return nil, &exo.Error{Kind: exo.Internal, Err: fmt.Errorf("exosql: the hooks of table %s were not asked", w.Table.Name)}
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

// changing is one message that writes, on its way.
type changing struct {
	*asked
	ctx    context.Context
	w      *writing.Writing
	parent []exo.Value
	kept   bool      // something was changed, and an error after it doesn't undo that
	back   *exo.Rows // the row that was inserted
	order  []int     // of an insert: which of the given rows each statement adds; -1: several
}

// read asks one question.
func (x *changing) read(p *plan.Plan, values ...exo.Value) (*exo.Rows, error) {
	return x.readBy(p, x.by, values...)
}

func (x *changing) readBy(p *plan.Plan, by *engine.Settings, values ...exo.Value) (*exo.Rows, error) {
	args, err := x.bind(p, values)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	out, err := x.unit.read(x.ctx, p, args, by, x.m, func(m *exo.Message) *plan.Collector { return plan.NewCollector(p, m) })
	q := Query{SQL: p.Text, Args: args, Took: time.Since(start), plan: p}
	if err != nil {
		x.m.Detail(q)
		return nil, x.said(err)
	}
	q.Rows = out.Rows().Len()
	x.m.Detail(q)
	return out.Rows(), nil
}

// write makes changes together: all or none is made. refused is why the open plan was not run, or nil.
func (x *changing) write(changes []engine.Change, refused *fence.Refused) (*exo.Rows, int64, error) {
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
		return nil, 0, x.said(err)
	}
	return out.Rows(), n, nil
}

func (x *changing) bind(p *plan.Plan, values []exo.Value) ([]exo.Value, error) {
	args := x.m.Args
	if len(values) > 0 {
		args = append(args[:len(args):len(args)], values...)
	}
	return p.Bind(args, x.vals, x.parent, x.m.Zone())
}

// said is what a program is told of an error.
func (x *changing) said(err error) error {
	if x.ctx.Err() != nil {
		err = x.ctx.Err()
	}
	return exo.Classify("", x.unit.db.constraintError(x, err))
}

func errUnseen() error {
	return exo.Errorf(exo.Denied, "", "the row would not be one that this program may see")
}

func (x *changing) run() (exo.Value, error) {
	if p := x.w.Parent; p != nil {
		rows, err := x.read(p)
		if err != nil {
			return exo.Value{}, err
		}
		if n := rows.Len(); n != 1 {
			return exo.Value{}, exo.Errorf(exo.Invalid, "", "it is inserted through one %s, and the query finds %s", x.w.Through, map[bool]string{true: "none", false: "several"}[n == 0])
		}
		cells := rows.Reader().Cells(0)
		for _, same := range cells[x.w.Keys:] {
			if !same.Bool() {
				return exo.Value{}, errUnseen()
			}
		}
		x.parent = cells[:x.w.Keys]
		for i, v := range x.parent { // the link would lead to no row, and not to the new ones
			if v.IsNull() {
				return exo.Value{}, exo.Errorf(exo.Invalid, "", "it is inserted through one %s, whose `%s` is null: it leads to no rows", x.w.Through, x.w.Link.Pairs[i].From.Guest)
			}
		}
	}
	for i := range x.w.Checks {
		if err := x.check(&x.w.Checks[i]); err != nil {
			return exo.Value{}, err
		}
	}
	if x.w.Change == nil {
		return x.insert()
	}
	kept, err := x.imagesBefore()
	if err != nil {
		return exo.Value{}, err
	}
	n, err := x.change(x.w.Change)
	if im := x.unit.images; im != nil && err == nil {
		im.more += n - kept
	}
	if n == 0 && err == nil && x.w.Found {
		err = exo.Errorf(exo.Conflict, "", "the row is gone, or not as it was read any more; read it again in a new program: this one sees the rows as they were when it began")
	}
	return exo.Int(n), err
}

// check finds out whether each key of the given rows leads to a row in scope.
func (x *changing) check(c *writing.Check) error {
	by := x.by
	if c.Grant != nil && len(x.beside) > 0 && int(c.Grant.Origin) >= len(x.objs) { // its policies know other values
		var err error
		if by, err = x.unit.db.settingsOf(x.beside[int(c.Grant.Origin)-len(x.objs):][:1]); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	var keys [][]exo.Value
	var first []int // the first row that has the key
	var enc exo.Encoder
	for i, row := range x.given.Rows {
		key, err := c.Leads(row.Set, func(s plan.Source) exo.Value { return x.value(s, row.Values) })
		if err != nil {
			return err
		}
		enc.B = enc.B[:0]
		for _, v := range key {
			enc.Value(v)
		}
		if key != nil && !seen[string(enc.B)] {
			seen[string(enc.B)] = true
			keys, first = append(keys, key), append(first, i)
		}
	}
	for single := false; len(keys) > 0; {
		p, n := c.One, 1
		if !single && len(keys) > 1 && c.Many != nil {
			p, n = c.Many, min(len(keys), writing.CheckBatch)
		}
		values := slices.Concat(keys[:n]...)
		for i := n; i < writing.CheckBatch && n > 1; i++ { // the last again, up to as many as the statement asks for
			values = append(values, keys[n-1]...)
		}
		rows, err := x.readBy(p, by, values...)
		if err != nil {
			return err
		}
		if found := rows.Reader().Cells(0)[0].Int(); found != int64(n) {
			if single = n > 1; single { // one by one, the error says which row it is
				continue
			}
			return c.Nowhere(x.place(first[0]))
		}
		keys, first = keys[n:], first[n:]
	}
	return nil
}

// value is that of a source of a row with the given values.
func (x *changing) value(s plan.Source, row []exo.Value) exo.Value {
	switch s.Origin {
	case plan.FromMessage:
		if n := len(x.m.Args); s.Index >= n {
			return row[s.Index-n]
		}
		return x.m.Args[s.Index]
	case plan.FromParent:
		return x.parent[s.Index]
	}
	return x.vals[s.Origin][s.Index]
}

// change updates or deletes: open where the database reads rows in scope alone, and with fences where not.
func (x *changing) change(p *plan.Plan) (int64, error) {
	var refused *fence.Refused
	values := x.given.Rows[0].Values
	for open := p.Open; open != nil; open = x.unit.db.guarded(x.ctx, open, refused, x.asked) {
		args, err := x.bind(open, values)
		if err != nil {
			return 0, err
		}
		if _, n, err := x.write([]engine.Change{{Plan: open, Args: [][]exo.Value{args}}}, nil); !errors.As(err, &refused) {
			return n, err
		}
	}
	args, err := x.bind(p, values)
	if err != nil {
		return 0, err
	}
	_, n, err := x.write([]engine.Change{{Plan: p, Args: [][]exo.Value{args}}}, refused)
	return n, err
}

// keeps refuses rows whose tenant the database would store as another one. One that is inserted alone is read back; of many nobody would
// see it.
func (x *changing) keeps() error {
	for _, f := range x.w.Filled {
		live, _, err := x.unit.db.catalogue(x.ctx)
		if err != nil {
			return err
		}
		if check.StoredOtherwise(live, f.Col, x.value(f.Source, nil)) {
			return &exo.Error{Kind: exo.Denied, Msg: "rows can't be added here: its host has to look at it first", Err: fmt.Errorf("exosql: %s.%s can't hold the scope's value as it is, so the rows would be somebody else's", f.Col.Table.Name, f.Col.Name)}
		}
	}
	return nil
}

// insert adds the given rows, of which each set of columns has statements of its own.
func (x *changing) insert() (exo.Value, error) {
	if err := x.keeps(); err != nil {
		return exo.Value{}, err
	}
	changes, err := x.inserts(true)
	if err != nil {
		return exo.Value{}, err
	}
	rows, n, err := x.write(changes, nil)
	if v, ok := errors.AsType[*engine.Violation](err); ok && !x.unit.over() && v.At < len(x.order) && x.order[v.At] < 0 { // one by one, the error says which row it is
		if changes, err = x.inserts(false); err != nil {
			return exo.Value{}, err
		}
		rows, n, err = x.write(changes, nil)
	}
	if im := x.unit.images; im != nil && err == nil {
		im.more += n - x.imagesOf(rows)
	}
	if err != nil || x.w.Back == nil {
		return exo.Int(n), err
	}
	x.kept = true // the row is there, and can be taken back with the whole unit only
	if rows.Len() != 1 {
		return exo.Value{}, &exo.Error{Kind: exo.Internal, Err: errors.New("exosql: an insert gave no key")}
	}
	key := rows.Reader().Cells(0)
	if rows, err = x.read(x.w.Back, append(x.given.Rows[0].Values[:len(x.given.Rows[0].Values):len(x.given.Rows[0].Values)], key...)...); err != nil {
		return exo.Value{}, err
	}
	if rows.Len() != 1 { // one that is out of scope ends the run
		return exo.Value{}, errUnseen()
	}
	x.back = rows
	return rows.Row(0), nil
}

// inserts are the statements that add the given rows, many by one statement or each by its own.
func (x *changing) inserts(together bool) (changes []engine.Change, err error) {
	x.order = nil
	for i, in := range x.w.Inserts {
		one, many := engine.Change{Plan: in.One}, engine.Change{Plan: in.Many}
		var rows [][]exo.Value
		var which []int // of the given rows
		for k, row := range x.given.Rows {
			if row.Set == i {
				rows, which = append(rows, row.Values), append(which, k)
			}
		}
		var ones []int
		for len(rows) > 0 {
			to, n := &one, 1
			if together && in.Many != nil && len(rows) >= in.Batch {
				to, n = &many, in.Batch
				x.order = append(x.order, -1)
			} else {
				ones = append(ones, which[0])
			}
			args, err := x.bind(to.Plan, slices.Concat(rows[:n]...))
			if err != nil {
				return nil, err
			}
			to.Args, rows, which = append(to.Args, args), rows[n:], which[n:]
		}
		x.order = append(x.order, ones...)
		for _, c := range []engine.Change{many, one} {
			if len(c.Args) > 0 {
				changes = append(changes, c)
			}
		}
	}
	return changes, nil
}

// nothing says of an error that it left nothing behind, so that a program may go on after it.
func nothing(err error) error {
	if err == nil || errors.Is(err, exo.ErrNothingDone) {
		return err
	}
	return &exo.Error{Kind: exo.KindOf(err), Msg: exo.Classify("", err).(*exo.Error).Message(), Err: fmt.Errorf("%w: %w", exo.ErrNothingDone, err)}
}

var (
	_ exo.Transactional = (*object)(nil)
	_ exo.Beside        = (*object)(nil)
	_ exo.LabelDeclarer = (*object)(nil)
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
		return &exo.Error{Kind: exo.Denied, Msg: "this table can't be written: its host has to look at it first", Err: err}
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
	of.Leading = append(of.Leading, writing.Beside(g, f.Table, f, beside)...)
	of.Told = append(of.Told, writing.ToldBeside(g, f.Table, f, beside)...)
	of.Beside = writing.Telling(g, f.Table, beside)
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
	of := writing.Write{Reveals: rows[f.Table], Table: f.Table, Rights: f.Rights, Decided: true, Leading: writing.Leading(g, f.Table), Told: writing.Told(g, f.Table), Filled: f.Table.Fills}
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
		live, err := db.pool.Catalog(ctx)
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
