package exosql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// plan is a compiled statement without values: what a plan cache holds. It is
// immutable and shared by all runs and tenants, so it must never depend on a
// value; TestPlanHoldsNoValue looks for them.
type plan struct {
	text  string
	args  []argSource // in placeholder order
	cells []cell      // of one row
	shape *exo.Shape
	reads map[string]map[string]bool // tables and columns, lower case: all that the engine's wall admits
	kind  runKind
	joins int // tables times the columns of all of them, each place where a table is read: see prepareBytes
	bytes int // of the plan in the cache; 0 before it was there
}

type cell struct {
	kind string
	of   string // kind of the items of a list

	exact bool // a number that was calculated: see exprType
	null  bool
	name  string // for the host's errors: table.column
}

type runKind uint8

const (
	runAll   runKind = iota
	runFirst         // at most one row
	runCount         // one number
)

// maxValues is below what both engines take: 32,766 on SQLite, 65,535 on PostgreSQL.
const maxValues = 30_000

// maxBound bounds the texts that are bound, in bytes: one value may be used many times.
const maxBound = 32 << 20

// finish makes the statement of a query that is complete.
func (f *from) finish(q *query, kind runKind, out *projection) (*plan, error) {
	p := &plan{kind: kind}
	sel := &sqlast.Select{}
	if kind == runCount {
		if err := f.settle(q); err != nil {
			return nil, err
		}
		sel.Columns = []sqlast.Output{{Expr: sqlast.CountAll{}, As: "c0"}}
		p.cells = []cell{{kind: exo.TypeInt, name: "count"}}
		p.shape = &exo.Shape{Names: []string{"count"}}
	} else {
		p.shape = f.outputs(sel, p, out)
		sel.OrderBy = f.orders(q, q.pending() || kind == runFirst)
		sel.Limit, sel.Offset = q.limits, q.offsets
		if kind == runFirst {
			sel.Limit = append(sel.Limit[:len(sel.Limit):len(sel.Limit)], sqlast.One)
		}
	}
	sel.From, sel.Where = f.sources, f.where
	if f.c.emitted > maxEmitted {
		return nil, exo.Errorf(exo.Limit, "", "the query is too large: it repeats its expressions too often")
	}
	if f.c.handled > maxHandled || f.c.held > maxHeld {
		return nil, exo.Errorf(exo.Limit, "", "the query does too much with texts that it puts together; put fewer or shorter ones together")
	}
	if len(f.c.slots) > maxValues {
		return nil, exo.Errorf(exo.Limit, "", "the query has too many values: the limit is %d; use a condition instead of a long list", maxValues)
	}
	text, slots, err := sqlast.Render(sel, f.c.dialect)
	if errors.Is(err, sqlast.ErrLarge) || errors.Is(err, sqlast.ErrDeep) {
		return nil, &exo.Error{Kind: exo.Limit, Msg: "the query is too large for the database", Err: err}
	}
	if err != nil {
		return nil, &exo.Error{Kind: exo.Internal, Err: err}
	}
	p.text, p.joins = text, f.c.tables*f.c.columns
	for _, s := range slots {
		p.args = append(p.args, f.c.slots[s])
	}
	p.reads = map[string]map[string]bool{}
	for t, cols := range sqlast.Tables(sel) {
		lower := map[string]bool{}
		for c := range cols {
			lower[strings.ToLower(c)] = true
		}
		p.reads[strings.ToLower(t)] = lower
	}
	return p, nil
}

// outputs adds the cells of a projection to the statement and the plan.
func (f *from) outputs(sel *sqlast.Select, p *plan, out *projection) *exo.Shape {
	s := &exo.Shape{Names: slices.Clone(out.names)}
	for i, it := range out.items {
		if it.sub != nil {
			if s.Subs == nil {
				s.Subs = make([]*exo.Shape, len(out.items))
			}
			s.Subs[i] = f.outputs(sel, p, it.sub)
			continue
		}
		c := cell{kind: it.kind, of: it.elem, null: it.null, exact: it.expr.typ().exact, name: out.names[i]}
		if ce, ok := it.expr.(colExpr); ok {
			c.name, c.null = ce.col.table.name+"."+ce.col.name, ce.col.null || ce.row.optional
		}
		p.cells = append(p.cells, c)
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: shown(it.expr, f), As: fmt.Sprintf("c%d", len(sel.Columns))})
	}
	return s
}

// compileMessage plans a guest's message.
func compileMessage(d sqlast.Dialect, m *exo.Message, objs []*object) (*plan, error) {
	c := &compiler{dialect: d, msg: m}
	for i, o := range objs {
		g := o.grant
		g.origin = argOrigin(i)
		g.basis = nil
		c.grants = append(c.grants, &g)
	}
	f := c.newFrom(nil)
	q, err := f.query(m.Root.Recv, names{})
	if err != nil {
		return nil, err
	}
	out := q.out
	if out == nil {
		out = wholeRow(q.base)
	}
	switch m.Root.Name {
	case "execute":
		return f.finish(q, runAll, out)
	case "first":
		return f.finish(q, runFirst, out)
	case "count":
		return f.finish(q, runCount, nil)
	}
	return nil, errNode(m.Root)
}

// compileRelation plans a chain of typed calls. r and g are a shaper's copies.
func compileRelation(d sqlast.Dialect, r *relation, g *guestGrant, kind runKind) (*plan, error) {
	c := &compiler{dialect: d, grants: []*guestGrant{g}}
	f := c.newFrom(nil)
	q, row, err := f.relation(r, g)
	if err != nil {
		return nil, err
	}
	if kind == runFirst && len(r.table.keys) == 0 {
		return nil, noKey(r.table)
	}
	out := &projection{}
	for _, col := range r.table.cols {
		out.names = append(out.names, col.name)
		out.items = append(out.items, projected{expr: colExpr{row, col}, kind: col.kind, elem: col.elem, null: col.null})
	}
	return f.finish(q, kind, out)
}

// run answers a chain of typed calls.
func (r *relation) run(ctx context.Context, kind runKind) (exo.Value, error) {
	if r.err != nil {
		return exo.Value{}, r.err
	}
	ss, err := r.chainScopes()
	if err != nil {
		return exo.Value{}, &exo.Error{Op: r.table.name, Kind: exo.Denied, Err: err}
	}
	s := shaper{key: fmt.Appendf(nil, "typed %d;", kind)}
	chain, fixed := s.relation(r), s.scopes(ss)
	p, ok := r.db.plans.Get(s.key)
	if !ok {
		if p, err = compileRelation(r.db.dialect, chain, &guestGrant{scopes: fixed, chain: fixed}, kind); err != nil {
			return exo.Value{}, err
		}
		p = r.db.plans.Add(s.key, p)
	}
	args, err := p.bind(nil, [][]exo.Value{s.vals})
	if err != nil {
		return exo.Value{}, err
	}
	return r.db.query(ctx, p, args, nil)
}

// answer plans and runs a guest's message.
func (db *DB) answer(ctx context.Context, m *exo.Message, objs []*object) (exo.Value, error) {
	p, args, err := db.plan(m, objs)
	if err != nil {
		return exo.Value{}, err
	}
	return db.query(ctx, p, args, m)
}

// plan finds or makes the plan of a guest's message, and the values of its placeholders.
func (db *DB) plan(m *exo.Message, objs []*object) (*plan, []exo.Value, error) {
	var keys [512]byte
	var few [4][]exo.Value
	key, vals := keys[:0], few[:0]
	for _, o := range objs {
		key = append(strconv.AppendUint(key, o.shape, 10), ',')
		vals = append(vals, o.vals)
	}
	key = append(append(key, '|'), m.Shape...)
	p, ok := db.plans.Get(key)
	if !ok {
		var err error
		if p, err = compileMessage(db.dialect, m, objs); err != nil {
			return nil, nil, err
		}
		p = db.plans.Add(key, p)
	}
	args, err := p.bind(m.Args, vals)
	return p, args, err
}

// bind collects the values of a plan's placeholders.
func (p *plan) bind(msg []exo.Value, grants [][]exo.Value) ([]exo.Value, error) {
	out, size := make([]exo.Value, len(p.args)), 0
	for i, a := range p.args {
		from := msg
		if a.origin != fromMessage {
			from = grants[a.origin]
		}
		v := from[a.index]
		if a.item >= 0 {
			v = v.At(min(a.item, v.Len()-1)) // repeat the last up to the class of the length
		}
		if a.count && v.Int() < 0 {
			// SQLite takes a negative limit for none.
			return nil, exo.Errorf(exo.Invalid, "", "the number of rows must not be negative; got %d", v.Int())
		}
		v, err := a.convert(v, from)
		if err != nil {
			return nil, err
		}
		if size += len(v.Text()); size > maxBound {
			return nil, exo.Errorf(exo.Limit, "", "the values of the query are longer than %d MiB together, each counted as often as it is used", maxBound>>20)
		}
		out[i] = v
	}
	return out, nil
}
