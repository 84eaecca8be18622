package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// A write changes rows in scope, and leaves them in scope. Which rows an update or a delete
// changes is said by a query like any other, with its scopes and fences; the statement finds them
// by their keys. A row that is inserted gets from us what the scope fixes, and what the link that
// it is inserted through says. Whatever a written key points to has to be in scope as well, which
// queries find out before, in the same transaction: a foreign row and a missing one are one error.

// Writing is how a message that writes is answered: the plans in the order in which they run.
type Writing struct {
	Table *decl.Table
	Facet *decl.Facet
	Grant *scope.Grant
	// Given are values that stand within literals of the message. They are arguments of the plans, after those
	// of the message.
	Given []Given
	// Parent finds the row whose link a row is inserted through, or is nil. There has to be one; its
	// cells are arguments of their own.
	Parent  *plan.Plan
	Through string // what the program calls it
	Checks  []Check
	Write   []*plan.Plan // an insert of many rows has one for each set of columns
	// Back reads an inserted row as programs see it, or is nil. The cells of Write are arguments after
	// Given. There has to be one, or the row was inserted out of scope.
	Back *plan.Plan
}

// Given is where a value stands: in a field of literal number Slot, or of item Item of the list that it is.
type Given struct {
	Slot, Item int // -1: it is no list
	Field      string
}

// Check is a query that finds out whether rows are in scope that a written key points to. It
// counts them: there has to be one for each of the different values.
type Check struct {
	Plan   *plan.Plan
	Values [][]plan.Source // of each written row: one for each column of the key
	Text   string          // the error
}

// writer compiles one message that writes.
type writer struct {
	d      sqlast.Dialect
	m      *exo.Message
	grants []*scope.Grant
	w      *Writing
}

// IsWrite reports whether a message writes.
func IsWrite(m *exo.Message) bool {
	switch m.Root.Name {
	case language.Insert, language.InsertMany, language.Update, language.Delete:
		return true
	}
	return false
}

// Write plans a guest's message that writes.
func Write(d sqlast.Dialect, m *exo.Message, grants []Prepared) (*Writing, error) {
	c := newCompiler(d, m, grants)
	w := &writer{d: d, m: m, grants: c.grants, w: &Writing{}}
	var err error
	switch m.Root.Name {
	case language.Insert, language.InsertMany:
		err = w.insert()
	default:
		err = w.change()
	}
	if err != nil {
		return nil, err
	}
	return w.w, nil
}

func (w *writer) compiler() *compiler { return compilerOf(w.d, w.m, w.grants) }

// written is one column of a row that is written, and its value.
type written struct {
	col  *decl.Column
	arg  *argExpr     // nil: null, or an output
	out  *sqlast.Expr // of the select that finds the rows
	null bool
}

// given adds a value that stands within a literal.
func (w *writer) given(col *decl.Column, slot, item int, v exo.Value) written {
	if v.IsNull() {
		return written{col: col, null: true}
	}
	w.w.Given = append(w.w.Given, Given{slot, item, col.Guest})
	index := len(w.m.Args) + len(w.w.Given) - 1
	return w.valued(col, argExpr{src: plan.Source{Origin: plan.FromMessage, Index: index, Item: -1}, kind: kindOfValue(v)})
}

func (w *writer) valued(col *decl.Column, a argExpr) written { return written{col: col, arg: &a} }

// stored is a value as it is bound to be stored in a column. PostgreSQL takes its text for
// whatever type the column has: an enum, a numeric with a scale, a smallint.
func (w *writer) stored(c *compiler, v written) sqlast.Expr {
	if v.null {
		return sqlast.Null
	}
	if v.out != nil {
		return *v.out
	}
	src := v.arg.src
	switch {
	case w.d == sqlast.Postgres && v.col.Kind == exo.TypeBytes:
		src.Kind = plan.ArgStoredBytes
	case w.d == sqlast.Postgres:
		src.Kind = plan.ArgStored
	case v.col.Kind == exo.TypeDecimal, v.col.Kind == exo.TypeBytes, v.col.Kind == exo.TypeFloat:
		src.Kind = v.col.Kind
	}
	return c.arg(src)
}

// finished is the plan of a write.
func (w *writer) finished(c *compiler, x *sqlast.Write, cells []plan.Cell) (*plan.Plan, error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if len(c.slots) > maxValues {
		return nil, exo.Errorf(exo.Limit, "", "too many values in one statement: the limit is %d; write fewer rows at a time", maxValues)
	}
	text, slots, reads, err := sqlast.RenderWrite(x, c.dialect)
	if err != nil {
		return nil, &exo.Error{Kind: exo.Internal, Err: err}
	}
	p := &plan.Plan{Text: text, Kind: plan.RunAll, Cells: cells, Shape: &exo.Shape{}, Joins: c.tables * c.columns,
		Write: &plan.Write{Table: x.Table, Insert: x.Kind == sqlast.Insert, Delete: x.Kind == sqlast.Delete, Effects: w.w.Facet.Rights.Effects}, Reads: lowered(reads)}
	if x.Kind == sqlast.Update {
		p.Write.Update = x.Columns
	}
	for _, cell := range cells {
		p.Shape.Names = append(p.Shape.Names, cell.Name)
	}
	for _, s := range slots {
		p.Args = append(p.Args, c.slots[s])
	}
	return p, nil
}

// change plans an update or a delete.
func (w *writer) change() error {
	root := w.m.Root
	if !conditioned(root.Recv) {
		return exo.Errorf(exo.Invalid, "", "it would %s every row: say which by where, or say .all().%s(…) if all are meant", root.Name, root.Name)
	}
	c := w.compiler()
	f := c.newFrom(nil)
	q, err := f.query(root.Recv, names{})
	if err != nil {
		return err
	}
	if q.out != nil || len(q.ns) != 1 || q.base.grouped() || q.base.facet == nil || q.base.window != nil || q.base.selected != nil {
		return exo.Errorf(exo.Invalid, "", "%s is for the rows of one table as they are: without join, select, groupBy and their like; a condition on other tables can stand in where", root.Name)
	}
	row := q.base
	w.w.Table, w.w.Facet, w.w.Grant = row.table, row.facet, row.grant
	if err := hasKey(row.table); err != nil {
		return err
	}
	entry, err := row.grant.Enter(row.table, nil, nil) // all that the scope says, of which the way here may have implied some
	if err != nil {
		return err
	}
	kind := sqlast.Delete
	if root.Name == language.Update {
		kind = sqlast.Update
	}
	x, err := entry.Write(kind)
	if err != nil {
		return err
	}
	x.Alias, x.As = c.alias(), c.alias()
	sel := &sqlast.Select{}
	for i, k := range row.table.Keys {
		out := fmt.Sprintf("c%d", i)
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: f.col(row, k), As: out})
		x.Keys = append(x.Keys, sqlast.KeyOutput{Column: k.Name, Output: out})
	}
	if root.Name == language.Update {
		set, err := w.set(f, q, sel, x.As)
		if err != nil {
			return err
		}
		if err := w.stays(entry, set); err != nil {
			return err
		}
		if err := w.points(row.grant, row.facet, [][]written{set}); err != nil {
			return err
		}
		for _, v := range set {
			x.Columns = append(x.Columns, v.col.Name)
			x.Values = append(x.Values, w.stored(c, v))
		}
	} else if !row.facet.Rights.Delete {
		return exo.Errorf(exo.Denied, "", "rows can't be deleted")
	}
	if sel.Limit, sel.Offset = q.limits, q.offsets; len(q.limits)+len(q.offsets) > 0 {
		sel.OrderBy = f.orders(q, true)
	}
	sel.Where = f.where
	f.sources.Changing(x, sel)
	// The key finds the row. That it finds no other, whatever the declarations say of keys, the
	// scope's own columns say once more (TestKeyThatIsNone).
	fixed, _ := entry.Parts()
	for _, y := range fixed {
		if y.Via == nil {
			x.Where = append(x.Where, c.again(y, x.Alias))
		}
	}
	p, err := w.finished(c, x, nil)
	w.w.Write = []*plan.Plan{p}
	return err
}

// again is a condition of the scope on the row that is written.
func (c *compiler) again(y scope.Fixed, alias string) sqlast.Expr {
	f := c.newFrom(nil)
	row := &occurrence{table: y.Col.Table, alias: alias}
	f.at[row] = place{alias: alias}
	c.satisfying = true
	defer func() { c.satisfying = false }()
	return f.predicate(y.Pred, row, y.Origin)
}

// conditioned reports whether a chain of calls says which rows are meant.
func conditioned(n *exo.Node) bool {
	for ; n != nil; n = n.Recv {
		switch n.Name {
		case "where", "limit", language.First, language.All, language.DistinctBy:
			if n.Op == exo.OpCall {
				return true
			}
		}
	}
	return false
}

// hasKey refuses a table whose rows have no key.
func hasKey(t *decl.Table) error {
	if len(t.Keys) == 0 {
		return noKey(t)
	}
	return nil
}

// set are the values of an update. Those that are calculated become outputs of sel.
func (w *writer) set(f *from, q *query, sel *sqlast.Select, as string) ([]written, error) {
	arg, env := w.m.Root.Args[0], names{}
	if arg.Op == exo.OpLambda {
		env = f.bound(arg, q, env)
		arg = arg.Args[0]
	}
	fc := q.base.facet
	var out []written
	add := func(name string, value func(*decl.Column) (written, error)) error {
		col := named1(fc.Rights.Update, name)
		if col == nil {
			return exo.Errorf(exo.Denied, "", "`%s` can't be changed", name)
		}
		v, err := value(col)
		out = append(out, v)
		return err
	}
	switch arg.Op {
	case exo.OpLit:
		for n, v := range arg.Lit.Fields() {
			if err := add(n, func(col *decl.Column) (written, error) { return w.given(col, arg.Slot, -1, v), nil }); err != nil {
				return nil, err
			}
		}
	case exo.OpRecord:
		for i, n := range arg.Names {
			if err := add(n, func(col *decl.Column) (written, error) { return w.calculated(f, col, arg.Args[i], env, sel, as) }); err != nil {
				return nil, err
			}
		}
	default:
		return nil, errNode(arg)
	}
	if len(out) == 0 {
		return nil, exo.Errorf(exo.Invalid, "", "there is nothing to change: give it an object of columns and values")
	}
	return out, nil
}

// calculated is a value that an update's callback gives.
func (w *writer) calculated(f *from, col *decl.Column, n *exo.Node, env names, sel *sqlast.Select, as string) (written, error) {
	if n.Op == exo.OpLit {
		if n.Lit.IsNull() {
			return written{col: col, null: true}, nil
		}
		return w.valued(col, argExpr{src: plan.Source{Origin: plan.FromMessage, Index: n.Slot, Item: -1}, kind: kindOfValue(n.Lit)}), nil
	}
	e, err := f.expr(n, env)
	if err != nil {
		return written{}, err
	}
	if c, ok := e.(colExpr); len(col.Enum) > 0 && (!ok || !slices.Equal(c.col.Enum, col.Enum)) {
		return written{}, exo.Errorf(exo.Invalid, "", "`%s` is one of '%s', and can't be set to what is calculated", col.Guest, strings.Join(col.Enum, "', '"))
	}
	name := fmt.Sprintf("c%d", len(sel.Columns))
	sel.Columns = append(sel.Columns, sqlast.Output{Expr: e.sql(f), As: name})
	var x sqlast.Expr = sqlast.Column{Alias: as, Name: name}
	return written{col: col, out: &x}, nil
}

// stays sees to it that rows that are updated stay in scope: a column by which that is told is not
// written, or, where it is the key of a row in scope, points to another one in scope.
func (w *writer) stays(entry scope.Entry, set []written) error {
	for _, c := range entry.Conditions() {
		var of []*decl.Column
		if c.Kind == scope.Holds {
			of = columnsOf(c.Pred, nil)
		} else {
			for _, p := range keysOf(c, entry.Table()) {
				of = append(of, p.To)
			}
		}
		touched := false
		for _, v := range set {
			if !slices.Contains(of, v.col) {
				continue
			}
			if c.Kind != scope.Linked {
				return exo.Errorf(exo.Denied, "", "`%s` can't be changed: by it rows are told that may be seen", v.col.Guest)
			}
			touched = true
		}
		if touched {
			if err := w.reach(c.Grant, c.Link.From, c.Link, [][]written{set}, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func columnsOf(p *decl.Pred, out []*decl.Column) []*decl.Column {
	if p == nil {
		return out
	}
	if p.Col != nil {
		out = append(out, p.Col)
	}
	for _, s := range p.Subs {
		out = columnsOf(s, out)
	}
	return out
}

func named1(cols []*decl.Column, guest string) *decl.Column {
	for _, c := range cols {
		if c.Guest == guest {
			return c
		}
	}
	return nil
}
