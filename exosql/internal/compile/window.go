package compile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// window is a derived table of the rows that a query had at partitionBy. Its further outputs are functions over these
// rows. So later conditions do not change which rows a window has, and conditions on its outputs are outside of it.
//
// The rows come from behind a fence, or from a plan that reads only rows in scope (see package fence). So no row out
// of scope is sorted or counted (TestWindowReads). A statement with guards may read rows out of scope, so it has no
// window.
type window struct {
	inner *from
	sel   *sqlast.Select
	ns    []expr.Named // ns are the rows that the callbacks of the window's functions see
	by    []expr.Expr
	order *query // order is the query that gives the window its order
	cells map[*decl.Column]expr.Expr
}

func (w *window) Source() *expr.From { return &w.inner.From }

func (w *window) Output(col *decl.Column) expr.Expr { return w.cells[col] }

// windowOf returns the window that a row belongs to, or nil if it belongs to none.
func windowOf(row *expr.Row) *window {
	w, _ := row.Made.(*window)
	return w
}

// windowOrder chooses which rows have different places in a window's order.
type windowOrder int

const (
	eachRow  windowOrder = iota // every row has its own place: the order is total
	peers                       // rows that the program's order does not distinguish share a place
	together                    // all rows share one place
)

var windowNames = [...]string{eachRow: "w", peers: "p", together: "a"}

// over returns the name of the window in the statement that has the given order, and adds that window if it is new.
func (w *window) over(order windowOrder) string {
	name := windowNames[order]
	if slices.ContainsFunc(w.sel.Windows, func(x sqlast.Window) bool { return x.As == name }) {
		return name
	}
	f := w.inner
	x := sqlast.Window{As: name, PartitionBy: f.partition(w.by)}
	if order != together {
		x.OrderBy = f.orders(w.order, order == eachRow)
	}
	w.sel.Windows = append(w.sel.Windows, x)
	return name
}

// partition writes the keys of a window.
func (f *from) partition(by []expr.Expr) (out []sqlast.Expr) {
	f.c.sort(true, func() {
		for _, k := range by {
			out = append(out, f.CanonicalSQL(k))
		}
	})
	return out
}

// rowsOf prepares a query for windows and distinctBy, which compare rows with each other, and returns the keys of n's callback.
func (f *from) rowsOf(q *query, n *message.Node, env expr.Names) ([]expr.Expr, error) {
	apart := f.Outer
	for apart != nil && len(apart.Rows) == 0 { // an outer from without rows does not make f depend on it: a link is followed from a query
		apart = apart.Outer
	}
	if len(q.context) > 0 || f.asked != nil || apart != nil {
		return nil, fail.Errorf(fail.Invalid, n.Name, "works on a whole query, and can't be used in a callback or in a query that is joined; for the first row of a link write .orderBy(…).limit(1) after the link")
	}
	if err := f.settle(q); err != nil {
		return nil, err
	}
	f.fence()
	if len(f.c.Guards) > 0 {
		f.c.Unguarded = true // a statement with guards may read rows out of scope, and the program must not sort these
	}
	if len(n.Args) == 0 {
		return nil, nil
	}
	record, inner := n.Args[0].Args[0], f.bound(n.Args[0], q, env)
	var by []expr.Expr
	for i, a := range record.Args {
		x, err := f.expr(a, inner)
		if err != nil {
			return nil, err
		}
		if !groupable(x) {
			return nil, fail.Errorf(fail.Invalid, n.Name, "`%s` can't be a key: use %s", record.Names[i], ofColumns)
		}
		by = append(by, f.Equally(x))
	}
	return by, nil
}

// doDistinctBy keeps the first of all rows with equal keys.
func (f *from) doDistinctBy(q *query, n *message.Node, env expr.Names) error {
	by, err := f.rowsOf(q, n, env)
	if err != nil {
		return err
	}
	keys, order := f.partition(by), f.orders(q, true)
	f.wrap(func(_ *from, sel *sqlast.Select, alias string) []sqlast.Expr {
		if f.c.Dialect == sqlast.SQLite {
			sel.Columns = []sqlast.Output{{Expr: sqlast.RowNumber{PartitionBy: keys, OrderBy: order}, As: "n"}}
			return []sqlast.Expr{expr.Call(sqlast.Eq, sqlast.Column{Alias: alias, Name: "n"}, sqlast.One)}
		}
		// DISTINCT ON reads the table in its own order. With row numbers instead, PostgreSQL may walk an
		// index that begins with the keys, and read the table's pages at random.
		for i, k := range keys {
			sel.Columns = append(sel.Columns, sqlast.Output{Expr: k, As: fmt.Sprintf("k%d", i)})
		}
		sel.DistinctOn, sel.OrderBy = len(keys), order
		return nil
	})
	f.open = false // the derived table inside is behind a fence already
	q.chosen = true
	return nil
}

// doPartition adds a window to the rows of q.
func (f *from) doPartition(q *query, n *message.Node, env expr.Names) error {
	by, err := f.rowsOf(q, n, env)
	if err != nil {
		return err
	}
	was := *q
	w := &window{ns: q.ns, by: by, order: &was, cells: map[*decl.Column]expr.Expr{}}
	f.wrap(func(inner *from, sel *sqlast.Select, _ string) []sqlast.Expr {
		w.inner, w.sel = inner, sel
		return nil
	})
	f.open = false
	row := &expr.Row{Table: &decl.Table{Name: "window"}, Optional: true, Made: w}
	f.At[row] = f.At[f.Rows[0]]
	f.Rows = append(slices.Clip(f.Rows), row)
	q.ns = append(slices.Clip(q.ns), expr.Named{Name: language.WindowAlias, Row: row})
	return nil
}

// isWindow reports whether a type is that of a window.
func isWindow(t *message.Type) bool { return t.Args["over"] != nil }

// ofWindow interprets a call of a window's function.
func (f *from) ofWindow(n *message.Node, env expr.Names) (expr.Expr, error) {
	recv, frame := n.Recv, n
	var conds []*message.Node
	for isWindow(recv.Type) && recv.Op == message.OpCall {
		switch {
		case recv.Name == language.WhereMethod:
			conds = append(conds, recv.Args[0])
		case frame != n:
			return nil, fail.Errorf(fail.Invalid, n.Name, "takes one running() or moving(n) before it, and here are two: leave one of them out")
		default:
			frame = recv
		}
		recv = recv.Recv
	}
	row, _, err := f.groupNode(recv, env)
	if err != nil || windowOf(row) == nil {
		return nil, expr.ErrNode(n)
	}
	w := windowOf(row)
	var within []expr.Expr
	for _, c := range conds {
		y, err := w.value(n, c)
		if err != nil {
			return nil, err
		}
		within = append(within, y)
	}
	var x expr.Expr
	if len(n.Args) > 0 && n.Args[0].Op == message.OpLambda {
		if x, err = w.value(n, n.Args[0]); err != nil {
			return nil, err
		}
	}
	f.repeated(&query{ns: w.ns}, n)
	made, err := w.function(n, frame, x, within)
	if err != nil {
		return nil, err
	}
	for col, of := range w.cells { // an expression that is both selected and sorted by is calculated once
		if expr.Same(of, made) {
			return expr.Cell{Row: row, Col: col, Of: made.Type()}, nil
		}
	}
	c := expr.Cell{Row: row, Col: &decl.Column{Table: row.Table, Name: "window", Kind: made.Type().Kind, Null: true, Stored: cellform.ISO}, Of: made.Type()}
	w.cells[c.Col] = made
	return c, nil
}

// value interprets a callback about the rows of the window.
func (w *window) value(n, lambda *message.Node) (expr.Expr, error) {
	if expr.Strange(lambda, nil) {
		return nil, fail.Errorf(fail.Invalid, n.Name, "the callback sees only the rows of the window: combine its result with other columns outside of the callback")
	}
	return w.inner.expr(lambda.Args[0], expr.Names{lambda.Recv: w.ns})
}

// function returns the window's function that n calls, of x in the rows that meet the conditions. frame is the call of running or moving before n, or n.
func (w *window) function(n, frame *message.Node, x expr.Expr, within []expr.Expr) (expr.Expr, error) {
	all, name := overAll{w: w}, n.Name
	if of, ok := language.Running[frame.Name]; ok {
		name, all.frame = cmp.Or(of, name), sqlast.UpTo
	} else if of, ok := language.Moving[frame.Name]; ok {
		name, all.frame = cmp.Or(of, name), sqlast.Moving
		all.rows = &plan.Source{Origin: plan.FromMessage, Index: frame.Args[len(frame.Args)-1].Slot, Item: -1, Count: true, Kind: plan.ArgMoving}
	}
	if n.Method().Measure {
		of, err := w.inner.aggregate(w.order, n, nil, within)
		all.x = of
		return all, err
	}
	e := overExpr{w: w, x: x, of: expr.Type{Kind: value.TypeInt, Size: expr.Digits{Whole: 19}}}
	switch name {
	case language.Count, language.Sum, language.Avg, language.Min, language.Max:
		var err error
		all.x, err = w.inner.Aggregate(name, x, within)
		return all, err
	}
	if len(within) > 0 || frame != n {
		return nil, fail.Errorf(fail.Invalid, n.Name, "can't follow where, running or moving, which choose some rows of a window: write an aggregate or a measure after these, like %s.where(t => condition).max(t => t.column); to leave rows out of the whole window write .where(…) before .partitionBy(…)", language.WindowAlias)
	}
	switch name {
	case language.RowNumber:
		e.fn = sqlast.Number
		return e, nil
	case language.Rank, language.DenseRank:
		if len(w.order.order) == 0 {
			return nil, fail.Errorf(fail.Invalid, n.Name, "needs an order: write .orderBy(t => t.column.desc()) before .partitionBy(…)")
		}
		e.fn, e.order = sqlast.Rank, peers
		if n.Name == language.DenseRank {
			e.fn = sqlast.DenseRank
		}
		return e, nil
	case language.Lag:
		e.fn = sqlast.Lag
	case language.Lead:
		e.fn = sqlast.Lead
	case language.FirstOf:
		e.fn = sqlast.FirstValue
	case language.LastOf:
		e.fn, e.frame = sqlast.LastValue, sqlast.Whole
	default:
		return nil, expr.ErrNode(n)
	}
	if !groupable(x) {
		return nil, fail.Errorf(fail.Invalid, n.Name, "takes %s", ofColumns)
	}
	if len(n.Args) > 1 {
		e.away = &plan.Source{Origin: plan.FromMessage, Index: n.Args[1].Slot, Item: -1, Count: true, Kind: plan.ArgLength}
	}
	e.x = w.inner.Canonical(x)
	e.of = e.x.Type()
	return e, nil
}

// overExpr is a function that returns, for each row, a value from the rows of its window.
type overExpr struct {
	w     *window
	fn    sqlast.WindowFunc
	x     expr.Expr
	away  *plan.Source
	order windowOrder
	frame sqlast.Frame
	of    expr.Type
}

func (e overExpr) Type() expr.Type { return e.of }

func (e overExpr) SQL(f *expr.From) sqlast.Expr {
	o := sqlast.Windowed{Window: e.w.over(e.order), Func: e.fn, Frame: e.frame}
	if e.x != nil {
		o.X = f.CanonicalSQL(e.x)
	}
	if e.away != nil {
		o.N = e.w.inner.c.Arg(*e.away)
	}
	return o
}

// overAll is an aggregate over the rows of a window, or a calculation with several aggregates.
type overAll struct {
	w     *window
	frame sqlast.Frame // frame is NoFrame for an aggregate over all rows
	rows  *plan.Source // rows counts the rows before the current one in a moving window
	x     expr.Expr
}

func (e overAll) Type() expr.Type { return e.x.Type() }

func (e overAll) SQL(f *expr.From) sqlast.Expr {
	c := e.w.inner.c
	before := c.State.Over
	c.State.Over = &e
	defer func() { c.State.Over = before }()
	return expr.Compared(e.x, f)
}

// Of turns an aggregate into an aggregate over the window.
func (e *overAll) Of(a sqlast.Aggregate) sqlast.Windowed {
	o := sqlast.Windowed{Func: sqlast.Aggregated, Agg: a.Func, X: a.X, Stored: a.Stored}
	if o.Frame = e.frame; o.Frame == sqlast.NoFrame {
		o.Window = e.w.over(together)
		return o
	}
	if o.Window = e.w.over(eachRow); e.rows != nil {
		o.N = e.w.inner.c.Arg(*e.rows)
	}
	return o
}

// errShowsWindow returns the error for a select that shows the window itself, and not a function of it.
func errShowsWindow() error {
	return fail.Errorf(fail.Invalid, "select", "a window can't be shown; show what a function of it gives, like %s.rowNumber()", language.WindowAlias)
}

func (e overExpr) Same(other expr.Expr) bool {
	b, ok := other.(overExpr)
	return ok && e.w == b.w && e.fn == b.fn && e.of == b.of && e.away == nil && b.away == nil && (e.x == nil) == (b.x == nil) && (e.x == nil || expr.Same(e.x, b.x))
}

func (e overAll) Same(other expr.Expr) bool {
	b, ok := other.(overAll)
	return ok && e.w == b.w && e.frame == b.frame && e.rows == nil && b.rows == nil && expr.Same(e.x, b.x)
}
