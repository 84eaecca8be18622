package compile

// A misfit is a cell of SQLite that its column can't hold: '' in a column of whole numbers, a text in one of bytes. Programs read null, so a
// misfit is compared, sorted, grouped and added up as null, too. A column that a condition compares with a value stays as it is, and a
// guard stands beside it: an index serves still. Elsewhere the guard stands around the column. Keys, links, scopes and what Go code asks
// have none: a row is never found by a value that it does not have, and none is lost.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// fits are the conditions that a cell is a value of a kind. Three are not exact: a text between the years 0 and 9999 counts as a time or a
// day, and a JSON array as a list, whatever its items are.
var fits = map[string]sqlast.Op{
	value.TypeInt: sqlast.FitsWhole, value.TypeFloat: sqlast.IsNumber, value.TypeBool: sqlast.FitsFlag, value.TypeText: sqlast.FitsText, value.TypeBytes: sqlast.FitsBytes,
	value.TypeDate: sqlast.FitsDay, value.TypeTime: sqlast.FitsTime, value.TypeUUID: sqlast.FitsUUID, value.TypeDecimal: sqlast.FitsDecimal,
	value.TypeJSON: sqlast.FitsJSON, value.TypeInterval: sqlast.FitsInterval, value.TypeList: sqlast.FitsList,
}

// fit is the guard of a column, or NoOp where it needs none. read reports that its comparisons find no value in a misfit by themselves.
func (c *state) fit(e Column) (op sqlast.Op, read bool) {
	if c.dialect != sqlast.SQLite || !c.program || c.raw > 0 || c.satisfying || c.linking || e.row == nil || e.row.grant == nil || e.col == e.row.depth ||
		e.col.Key || c.fixes(e.row, e.col) || e.linked() {
		return sqlast.NoOp, false
	}
	op = fits[e.col.Kind]
	if form := c.heldAs(e.col); form != "" {
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
	if f := c.formOf(e.col); f.Clean || f.Numbers || op == sqlast.NoOp || c.wider(e.col) { // what stands in a CASE has no collation
		return sqlast.NoOp, read
	}
	if !slices.Contains(c.fitted, e) {
		c.fitted = append(c.fitted, e)
	}
	return op, read
}

// linked reports whether a link that the program sees leads from the column, or the row was reached by it.
func (e Column) linked() bool {
	is := func(p decl.Pair) bool { return p.From == e.col || p.To == e.col }
	if e.row.by != nil && slices.ContainsFunc(e.row.by.Pairs, is) {
		return true
	}
	return e.row.facet != nil && slices.ContainsFunc(e.row.facet.Links, func(m decl.LinkMember) bool { return slices.ContainsFunc(m.L.Pairs, is) })
}

// asStored is a column as it lies in the database.
func (f *From) asStored(c Column) sqlast.Expr { return f.unindexed(f.col(c.row, c.col), c.row, c.col) }

// isValue is the condition that a cell is a value of its column. Where the cell is NULL it is false or unknown, as op is.
func isValue(op sqlast.Op, x sqlast.Expr) sqlast.Expr {
	switch op {
	case sqlast.FitsDay:
		return call(op, x, x)
	case sqlast.FitsDecimal:
		return call(op, x, x, x)
	case sqlast.FitsUUID:
		return call(op, x, x, x, x)
	}
	return call(op, x)
}

// fitting is a column behind its guard, as it is used in anything but a plain comparison.
func (f *From) fitting(x sqlast.Expr, e Column) sqlast.Expr {
	if op, read := f.c.fit(e); op != sqlast.NoOp && !read && x != nil {
		return call(sqlast.Case, isValue(op, x), x, sqlast.Null)
	}
	return x
}

// withGuards is an operation on columns as they are stored, and their guards; nil where the operation takes none: see Operation.sql.
func (e Operation) withGuards(f *From) sqlast.Expr {
	c, ok := plainText(e.args[0]).(Column)
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
			return call(sqlast.Or, call(sqlast.IsNull, x), call(sqlast.Not, isValue(op, x)))
		}
		return call(sqlast.And, call(sqlast.IsNotNull, x), isValue(op, x))
	case sqlast.Eq, sqlast.Ne, sqlast.Is, sqlast.IsNot, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge:
	default:
		return nil
	}
	if len(e.args) != 2 || !f.c.needed && e.op != sqlast.Is && e.op != sqlast.IsNot { // it would be false of a misfit, and not unknown
		return nil
	}
	side := func(i int) (x, guard sqlast.Expr) {
		c, ok := plainText(e.args[i]).(Column)
		if !ok {
			return compared(e.args[i], f), nil
		}
		op, read := f.c.fit(c)
		if op == sqlast.NoOp || read {
			return compared(e.args[i], f), nil
		}
		x = f.asStored(c)
		return x, isValue(op, x)
	}
	_, byValue := asArgument(e.args[1])
	if _, other := plainText(e.args[1]).(Column); (op == sqlast.NoOp || read) && !other || !byValue && (e.op == sqlast.Is || e.op == sqlast.IsNot) {
		return nil
	}
	x, guard := side(0)
	y, more := side(1)
	if x == nil || y == nil || guard == nil && more == nil {
		return nil
	}
	all := []sqlast.Expr{call(e.op, x, y)}
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

func (f *From) asStoredIf(c Column, op sqlast.Op) sqlast.Expr {
	if op == sqlast.NoOp {
		return nil
	}
	return f.asStored(c)
}

// stored is what is asked whether it is null. A misfit of a linked row is none where rows are found to be changed: Misfits counts those of
// the row itself, and no row may be changed because another one's reads as null.
func (f *From) stored(x expr, op sqlast.Op) sqlast.Expr {
	if _, linked := x.(subquery); linked && f.c.changing && op == sqlast.IsNull {
		f.c.raw++
		defer func() { f.c.raw-- }()
	}
	return x.SQL(f)
}

// guards reports whether a column may hold a misfit, which is null.
func (c *state) guards(e Column) bool {
	op, _ := c.fit(e)
	return op != sqlast.NoOp
}

// Misfit is the condition that a column holds a misfit.
type Misfit struct{ x Column }

func (Misfit) Type() Type { return Type{kind: value.TypeBool} }

func (e Misfit) SQL(f *From) sqlast.Expr {
	op, _ := f.c.fit(e.x)
	x := f.asStored(e.x)
	if op == sqlast.NoOp || x == nil {
		return sqlast.False
	}
	return call(sqlast.And, call(sqlast.IsNotNull, x), call(sqlast.Not, call(sqlast.Coalesce, isValue(op, x), sqlast.False)))
}
