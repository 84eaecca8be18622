package exosql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/compile"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/schema"
)

// UnitKey implements exo.Transactional: what can change a database reads it in its unit of work, too.
func (o *object) UnitKey() any {
	if o.db == nil || o.facet == nil || !o.facet.Writes() {
		return nil
	}
	return o.db
}

// unitOf is the unit of work of a message's run, nil for an object that can't change anything.
func (o *object) unitOf(m *exo.Message) (*unit, error) {
	if o.UnitKey() == nil {
		return nil, nil
	}
	u, err := m.Unit(o.db, o.db.beginUnit)
	if err != nil {
		return nil, err
	}
	return u.(*unit), nil
}

// change answers a message that writes.
func (db *DB) change(ctx context.Context, a *asked) (exo.Value, error) {
	m := a.m
	w, err := compile.Write(db.dialect, m, grantsOf(a.objs)) // not cached: its plans depend on which columns are given
	if err != nil {
		return exo.Value{}, nothing(err)
	}
	if err := db.writable(ctx, w); err != nil {
		return exo.Value{}, nothing(err)
	}
	x := &changing{ctx: ctx, u: a.unit, m: m, w: w, args: append([]exo.Value(nil), m.Args...), vals: a.vals}
	for _, g := range w.Given {
		v := m.Args[g.Slot]
		if g.Item >= 0 {
			v = v.At(g.Item)
		}
		v, _ = v.Get(g.Field)
		x.args = append(x.args, v)
	}
	return x.run()
}

// changing is one message that writes, on its way.
type changing struct {
	ctx    context.Context
	u      *unit
	m      *exo.Message
	w      *compile.Writing
	args   []exo.Value
	vals   [][]exo.Value
	parent []exo.Value
}

func (x *changing) do(p *plan.Plan) (*exo.Rows, int64, error) {
	args, err := p.Bind(x.args, x.vals, x.parent, x.m.Zone())
	if err != nil {
		return nil, 0, err
	}
	start := time.Now()
	var rows *exo.Rows
	out, n, err := x.u.do(x.ctx, p, args, x.m, func(m *exo.Message) *plan.Collector { return plan.NewCollector(p, m) })
	if err == nil {
		rows = out.Rows()
	}
	q := Query{SQL: p.Text, Args: args, Rows: int(n), Took: time.Since(start), plan: p}
	if p.Write == nil && rows != nil {
		q.Rows = rows.Len()
	}
	x.m.Detail(q)
	if err != nil && x.ctx.Err() != nil {
		err = x.ctx.Err()
	}
	return rows, n, exo.Classify("", x.u.db.said(x.w, err))
}

func (x *changing) run() (exo.Value, error) {
	if p := x.w.Parent; p != nil {
		rows, _, err := x.do(p)
		if err != nil {
			return exo.Value{}, x.nothing(err)
		}
		if n := rows.Len(); n != 1 {
			return exo.Value{}, x.nothing(exo.Errorf(exo.Invalid, "", "it is inserted through one %s, and the query finds %s", x.w.Through, map[bool]string{true: "none", false: "several"}[n == 0]))
		}
		x.parent = rows.Reader().Cells(0)
	}
	for _, c := range x.w.Checks {
		rows, _, err := x.do(c.Plan)
		if err != nil {
			return exo.Value{}, x.nothing(err)
		}
		if found := rows.Reader().Cells(0)[0].Int(); found != x.different(c) {
			return exo.Value{}, x.nothing(&exo.Error{Kind: exo.Invalid, Msg: c.Text})
		}
	}
	var total int64
	for i, p := range x.w.Write {
		rows, n, err := x.do(p)
		if err != nil {
			if i == 0 {
				err = x.nothing(err)
			}
			return exo.Value{}, err
		}
		total += n
		if x.w.Back != nil {
			if rows.Len() != 1 {
				return exo.Value{}, &exo.Error{Kind: exo.Internal, Err: errors.New("exosql: an insert gave no key")}
			}
			x.args = append(x.args, rows.Reader().Cells(0)...)
			return x.back()
		}
	}
	return exo.Int(total), nil
}

// back reads the row that was inserted. One that is out of scope ends the run: nothing of it is kept.
func (x *changing) back() (exo.Value, error) {
	rows, _, err := x.do(x.w.Back)
	if err != nil {
		return exo.Value{}, err
	}
	if rows.Len() != 1 {
		return exo.Value{}, exo.Errorf(exo.Denied, "", "the row would not be one that this program may see")
	}
	return rows.Row(0), nil
}

// different is how many different keys the values are.
func (x *changing) different(c compile.Check) int64 {
	seen := map[string]bool{}
	for _, tuple := range c.Values {
		var key []byte
		for _, s := range tuple {
			key, _ = x.value(s).AppendJSON(append(key, 0))
		}
		seen[string(key)] = true
	}
	return int64(len(seen))
}

func (x *changing) value(s plan.Source) exo.Value {
	switch s.Origin {
	case plan.FromMessage:
		return x.args[s.Index]
	case plan.FromParent:
		return x.parent[s.Index]
	}
	return x.vals[s.Origin][s.Index]
}

// nothing says of an error that it left nothing behind, so that a program may go on after it. What ended
// the whole unit is no such error.
func (x *changing) nothing(err error) error {
	if x.u.over() {
		return err
	}
	return nothing(err)
}

func nothing(err error) error {
	if err == nil || errors.Is(err, exo.ErrNothingDone) {
		return err
	}
	return &exo.Error{Kind: exo.KindOf(err), Msg: exo.Classify("", err).(*exo.Error).Message(), Err: fmt.Errorf("%w: %w", exo.ErrNothingDone, err)}
}

// said makes an error of the database one that a program can read: which column, which rule, and no value.
func (db *DB) said(w *compile.Writing, err error) error {
	v, ok := errors.AsType[*engine.Violation](err)
	if !ok {
		return err
	}
	what := "the row"
	var names []string
	if w != nil {
		columns := v.Columns
		if len(columns) == 0 && v.Constraint != "" {
			columns = db.columnsOf(v.Table, v.Constraint)
		}
		for _, c := range columns {
			for _, col := range w.Facet.Cols {
				if col.Name == c {
					names = append(names, "`"+col.Guest+"`")
				}
			}
		}
	}
	if len(names) > 0 {
		what = strings.Join(names, ", ")
	}
	text := map[engine.Rule]string{
		engine.NotNull: "is needed", engine.Unique: "is taken: no two rows may have the same",
		engine.ForeignKey: "is referred to by other rows, or refers to none", engine.CheckRule: "breaks a rule of the database",
		engine.BadValue: "has a value that the column can't hold",
	}[v.Rule]
	return &exo.Error{Kind: exo.Invalid, Msg: what + " " + text, Err: err}
}

var _ exo.Transactional = (*object)(nil)

// writable refuses a table whose writes would tell of rows out of scope, or change them: see check.Writable. The
// answer is kept for a while, as the catalogue changes seldom.
func (db *DB) writable(ctx context.Context, w *compile.Writing) error {
	live, err := db.catalogue(ctx)
	if err != nil {
		return err
	}
	e, err := w.Grant.Enter(w.Table, nil, nil)
	if err != nil {
		return err
	}
	of := check.Write{Table: w.Table, Rights: w.Facet.Rights}
	fixed, rest := e.Parts()
	for _, f := range fixed {
		of.Fixed = append(of.Fixed, f.Col)
	}
	for _, c := range rest {
		if c.Kind == scope.Linked {
			of.Links = append(of.Links, c.Link)
		}
	}
	for _, m := range w.Facet.Links {
		if m.L.One {
			of.Links = append(of.Links, m.L)
		}
	}
	if err := check.Writable(live, of); err != nil {
		return &exo.Error{Kind: exo.Denied, Msg: "this table can't be written: its host has to look at it first", Err: err}
	}
	return nil
}

// catalogueFor is how long what the database says of itself is believed before a write.
const catalogueFor = time.Minute

// catalogue is what the database says of itself, of late.
func (db *DB) catalogue(ctx context.Context) (*schema.Database, error) {
	db.liveMu.Lock()
	defer db.liveMu.Unlock()
	if db.live == nil || time.Since(db.liveAt) > catalogueFor {
		live, err := db.pool.Catalog(ctx)
		if err != nil {
			return nil, err
		}
		db.live, db.liveAt = live, time.Now()
	}
	return db.live, nil
}

// columnsOf are the columns of a unique constraint.
func (db *DB) columnsOf(table, constraint string) []string {
	db.liveMu.Lock()
	defer db.liveMu.Unlock()
	if db.live == nil {
		return nil
	}
	t := db.live.Table(schema.Name{Name: table})
	if t == nil {
		return nil
	}
	for _, k := range t.Uniques {
		if k.Name == constraint {
			return k.Columns
		}
	}
	if t.PrimaryKey != nil && t.PrimaryKey.Name == constraint {
		return t.PrimaryKey.Columns
	}
	return nil
}
