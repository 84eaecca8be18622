package compile

// A misfit is a cell of SQLite that its column can't hold: '' in a column of whole numbers, a text in one of bytes. Programs read null, so a
// misfit is compared, sorted, grouped and added up as null, too. A column that a condition compares with a value stays as it is, and a
// guard stands beside it: an index serves still. Elsewhere the guard stands around the column. Keys, links, scopes and what Go code asks
// have none: a row is never found by a value that it does not have, and none is lost.

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// fits are the conditions that a cell is a value of a kind. Three are not exact: a text between the years 0 and 9999 counts as a time or a
// day, and a JSON array as a list, whatever its items are.
var fits = map[string]sqlast.Op{
	value.TypeInt: sqlast.FitsWhole, value.TypeFloat: sqlast.FitsFloat, value.TypeBool: sqlast.FitsFlag, value.TypeText: sqlast.FitsText, value.TypeBytes: sqlast.FitsBytes,
	value.TypeDate: sqlast.FitsDay, value.TypeTime: sqlast.FitsTime, value.TypeUUID: sqlast.FitsUUID, value.TypeDecimal: sqlast.FitsDecimal,
	value.TypeJSON: sqlast.FitsJSON, value.TypeInterval: sqlast.FitsInterval, value.TypeList: sqlast.FitsList,
}

// postgresFits are those of PostgreSQL, where all other types have only values of their kinds.
var postgresFits = map[string]sqlast.Op{
	value.TypeFloat: sqlast.Finite, value.TypeDecimal: sqlast.Finite, value.TypeDate: sqlast.Finite, value.TypeTime: sqlast.FitsTime, value.TypeInterval: sqlast.FitsInterval,
}

// fit is the guard of a column, or NoOp where it needs none. read reports that its comparisons find no value in a misfit by themselves.
func (c *compiler) fit(e colExpr) (op sqlast.Op, read bool) {
	if c.msg == nil || c.raw > 0 || c.satisfying || c.linking || e.row == nil || e.row.grant == nil || e.col == e.row.depth ||
		e.col.Key || c.fixes(e.row, e.col) || e.linked() {
		return sqlast.NoOp, false
	}
	op = fits[e.col.Kind]
	if c.dialect == sqlast.Postgres {
		op = postgresFits[e.col.Kind]
	} else if form := c.heldAs(e.col); form != "" {
		if read = true; form.Number() {
			op = sqlast.FitsWhole
		} else if e.col.Kind != value.TypeBool {
			op = sqlast.FitsTime
		} else {
			op = map[cellform.Form]sqlast.Op{cellform.Letters: sqlast.FitsLetter, cellform.Words: sqlast.FitsWord}[form]
		}
	} else {
		read = e.col.Kind == value.TypeDecimal || e.col.Kind == value.TypeJSON || e.col.Kind == value.TypeList || e.col.Kind == value.TypeInterval || e.col.Kind == value.TypeTime && !e.col.Iso()
	}
	if f := c.form(e.col); f.Clean || f.Numbers || op == sqlast.NoOp || c.wider(e.col) { // what stands in a CASE has no collation
		return sqlast.NoOp, read
	}
	if !slices.Contains(c.fitted, e) {
		c.fitted = append(c.fitted, e)
	}
	return op, read
}

// linked reports whether a link that the program sees leads from the column, or the row was reached by it.
func (e colExpr) linked() bool {
	is := func(p decl.Pair) bool { return p.From == e.col || p.To == e.col }
	if e.row.by != nil && slices.ContainsFunc(e.row.by.Pairs, is) {
		return true
	}
	return e.row.facet != nil && slices.ContainsFunc(e.row.facet.Links, func(m decl.LinkMember) bool { return slices.ContainsFunc(m.L.Pairs, is) })
}

// asStored is a column as it lies in the database.
func (f *from) asStored(c colExpr) sqlast.Expr { return f.unindexed(f.col(c.row, c.col), c.row, c.col) }

// unguarded is what is written of a column without its guard.
func (f *from) unguarded(write func() sqlast.Expr) sqlast.Expr {
	f.c.raw++
	defer func() { f.c.raw-- }()
	return write()
}

// guardable is the column that an operand is, with what makes no other value of a number or a length of time on PostgreSQL.
func (f *from) guardable(e expr) (colExpr, bool) {
	if op, ok := e.(opExpr); ok && f.c.dialect == sqlast.Postgres && (op.op == sqlast.NumberKey || op.op == sqlast.IntervalKey) {
		e = op.args[0]
	}
	c, ok := plainText(e).(colExpr)
	return c, ok
}

// isValue is the condition that a cell is a value of its column. Where the cell is NULL it is false or unknown, as op is.
func (f *from) isValue(op sqlast.Op, x sqlast.Expr) sqlast.Expr {
	switch op {
	case sqlast.Finite:
		return call(op, x, x)
	case sqlast.FitsDecimal, sqlast.FitsDay:
		return call(op, x, x, x)
	case sqlast.FitsUUID:
		return call(op, x, x, x, x)
	}
	if op == sqlast.FitsTime && f.c.dialect == sqlast.SQLite {
		return call(op, x, x, x)
	}
	return call(op, x)
}

// fitting is a column behind its guard, as it is used in anything but a plain comparison.
func (f *from) fitting(x sqlast.Expr, e colExpr) sqlast.Expr {
	if op, read := f.c.fit(e); op != sqlast.NoOp && !read && x != nil {
		return call(sqlast.Case, f.isValue(op, f.asStored(e)), x, sqlast.Null)
	}
	return x
}

// withGuards is an operation on columns as they are stored, and their guards; nil where the operation takes none: see opExpr.sql.
func (e opExpr) withGuards(f *from) sqlast.Expr {
	c, ok := f.guardable(e.args[0])
	op, read := sqlast.NoOp, false
	if ok {
		op, read = f.c.fit(c)
	}
	switch e.op {
	case sqlast.IsNull, sqlast.IsNotNull:
		x := f.asStoredIf(c, op)
		if x == nil {
			return nil
		}
		if e.op == sqlast.IsNull && f.c.changing && c.row != f.c.base {
			return call(sqlast.IsNull, x) // see stored
		}
		if e.op == sqlast.IsNull {
			return call(sqlast.Or, call(sqlast.IsNull, x), call(sqlast.Not, f.isValue(op, x)))
		}
		return call(sqlast.And, call(sqlast.IsNotNull, x), f.isValue(op, x))
	case sqlast.Eq, sqlast.Ne, sqlast.Is, sqlast.IsNot, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge:
	default:
		return nil
	}
	if len(e.args) != 2 || !f.c.needed && e.op != sqlast.Is && e.op != sqlast.IsNot { // it would be false of a misfit, and not unknown
		return nil
	}
	side := func(i int) (x, guard sqlast.Expr) {
		c, ok := f.guardable(e.args[i])
		if !ok {
			return compared(e.args[i], f), nil
		}
		op, read := f.c.fit(c)
		if op == sqlast.NoOp || read {
			return compared(e.args[i], f), nil
		}
		x = f.asStored(c)
		guard = f.isValue(op, x)
		if f.c.dialect == sqlast.Postgres {
			x = f.unguarded(func() sqlast.Expr { return compared(e.args[i], f) })
		}
		return x, guard
	}
	_, byValue := asArgument(e.args[1])
	if _, other := f.guardable(e.args[1]); (op == sqlast.NoOp || read) && !other || !byValue && (e.op == sqlast.Is || e.op == sqlast.IsNot) {
		return nil
	}
	x, guard := side(0)
	y, more := side(1)
	if x == nil || y == nil || guard == nil && more == nil {
		return nil
	}
	all := []sqlast.Expr{call(e.op, x, y)}
	if f.c.dialect == sqlast.Postgres {
		if within := f.unguarded(func() sqlast.Expr { return e.postgres(f) }); within != nil {
			all[0] = within
		}
	}
	switch e.op {
	case sqlast.Is, sqlast.IsNot: // no misfit is equal to a value
		return all[0]
	case sqlast.Eq:
		if guard == nil || more == nil {
			return all[0]
		}
		more = nil // what is equal to a value is one
	}
	for _, g := range []sqlast.Expr{guard, more} {
		if g != nil {
			all = append(all, g)
		}
	}
	return call(sqlast.And, all...)
}

func (f *from) asStoredIf(c colExpr, op sqlast.Op) sqlast.Expr {
	if op == sqlast.NoOp {
		return nil
	}
	return f.asStored(c)
}

// stored is what is asked whether it is null. A misfit of a linked row is none where rows are found to be changed: Misfits counts those of
// the row itself, and no row may be changed because another one's reads as null.
func (f *from) stored(x expr, op sqlast.Op) sqlast.Expr {
	if _, linked := x.(subquery); linked && f.c.changing && op == sqlast.IsNull {
		f.c.raw++
		defer func() { f.c.raw-- }()
	}
	return x.sql(f)
}

// need writes a condition that has to hold, or one that is unknown where it is neither true nor false.
func (c *compiler) need(holds bool, write func() sqlast.Expr) sqlast.Expr {
	before := c.needed
	c.needed = holds
	x := write()
	c.needed = before
	return x
}

// inStoredOrder reports whether rows are sorted by columns as they are stored: where the first has an index, which would not serve its guard.
func (f *from) inStoredOrder(terms []orderTerm) bool {
	if len(terms) == 0 || f.c.engine.Again {
		return false
	}
	c, ok := plainText(terms[0].x()).(colExpr)
	if !ok || c.row == nil || !f.c.form(c.col).Indexed {
		return false
	}
	if f.c.dialect == sqlast.Postgres { // no index serves milliseconds of a time
		return c.col.Kind != value.TypeTime || c.col.Iso()
	}
	switch form := f.c.heldAs(c.col); c.col.Kind {
	case value.TypeInt, value.TypeFloat, value.TypeText, value.TypeUUID, value.TypeBytes:
		return true
	case value.TypeBool:
		return form == ""
	case value.TypeTime, value.TypeDate: // no index serves what is read first
		return (form != "" || c.col.Kind != value.TypeTime || c.col.Iso()) && (form == "" || form.Exact(c.col.Kind))
	}
	return false
}

// asIndexed are terms that sort columns as they are stored, where an index serves that.
func (f *from) asIndexed(terms []orderTerm) []orderTerm {
	if !f.inStoredOrder(terms) {
		return terms
	}
	out := slices.Clone(terms)
	for i, o := range out {
		_, column := plainText(o.x()).(colExpr)
		out[i].expr = sortExpr{o.x(), column}
	}
	return out
}

// marked marks the cells of a result by which it is sorted as it is stored, and adds those that are not shown: a misfit there is in another
// one's place, and the query is asked again with guards.
func (f *from) marked(sel *sqlast.Select, p *plan.Plan, out *projection, terms []orderTerm) {
	for _, o := range terms {
		c, _ := plainText(o.x()).(colExpr)
		if !o.expr.(sortExpr).stored || !f.c.guards(c) {
			continue
		}
		at := 0
		if i := out.find(c, &at); i >= 0 && c.col.Label.Empty() {
			p.Cells[i].Again = true
			continue
		}
		p.Cells = append(p.Cells, plan.Cell{Kind: c.col.Kind, Of: c.col.Elem, Null: true, Misfits: true, Again: true, Name: c.col.Table.Name + "." + c.col.Name})
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: shown(c, f), As: fmt.Sprintf("c%d", len(sel.Columns))})
		p.After++
	}
}

// find is the number of the cell that shows a column, counted from at; -1: none does.
func (out *projection) find(c colExpr, at *int) int {
	for _, it := range out.items {
		if it.sub == nil && it.expr == c {
			return *at
		} else if it.sub == nil {
			*at++
		} else if i := it.sub.find(c, at); i >= 0 {
			return i
		}
	}
	return -1
}

// guards reports whether a column may hold a misfit, which is null.
func (c *compiler) guards(e colExpr) bool {
	op, _ := c.fit(e)
	return op != sqlast.NoOp
}

// Misfits is the plan that counts the rows that a change finds, n says which, and that have a misfit in a column that it asks of or
// calculates with; nil: there is none. s is made anew, of the message of the change. What is null to the program and not in the database
// is not changed as if it were.
func (s *Statement) Misfits(n *message.Node, change *Statement) (*plan.Plan, error) {
	var cols []*decl.Column
	for _, e := range change.c.fitted {
		if e.row == change.q.base {
			cols = append(cols, e.col)
		}
	}
	if len(cols) == 0 {
		return nil, nil
	}
	if err := s.Find(n); err != nil {
		return nil, err
	}
	if err := s.f.settle(s.q); err != nil {
		return nil, err
	}
	var any []expr
	for _, col := range cols {
		any = append(any, misfitExpr{colExpr{s.q.base, col}})
	}
	s.f.demand(joined(sqlast.Or, any))
	return s.f.finish(&query{base: s.q.base, ns: s.q.ns}, plan.RunCount, nil)
}

// misfitExpr is the condition that a column holds a misfit.
type misfitExpr struct{ x colExpr }

func (misfitExpr) typ() exprType { return exprType{kind: value.TypeBool} }

func (e misfitExpr) sql(f *from) sqlast.Expr {
	op, _ := f.c.fit(e.x)
	x := f.asStored(e.x)
	if op == sqlast.NoOp || x == nil {
		return sqlast.False
	}
	return call(sqlast.And, call(sqlast.IsNotNull, x), call(sqlast.Not, call(sqlast.Coalesce, f.isValue(op, x), sqlast.False)))
}
