package expr

// A misfit is a cell that its column's type can't contain: '' in a column of whole numbers, or a text in one of bytes. Programs read null
// instead, so a misfit is also compared, sorted, grouped and summed as null. A guard is the condition that a cell is no misfit. A column that
// is compared with a value has its guard as a second condition, so that an index still serves. Elsewhere the guard is around the column. Keys,
// links, scopes and Go code's conditions have no guard. So no row is found by a value that it lacks, and no row is lost.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// fits has, for each kind, the condition that a cell is a value of that kind. Some conditions are not exact. A text between the
// years 0 and 9999 counts as a day, and as a time of a declared form. A JSON array counts as a list, whatever its items are.
var fits = map[string]sqlast.Op{
	value.TypeInt: sqlast.FitsWhole, value.TypeFloat: sqlast.FitsFloat, value.TypeBool: sqlast.FitsFlag, value.TypeText: sqlast.FitsText, value.TypeBytes: sqlast.FitsBytes,
	value.TypeDate: sqlast.FitsDay, value.TypeTime: sqlast.FitsTime, value.TypeUUID: sqlast.FitsUUID, value.TypeDecimal: sqlast.FitsDecimal,
	value.TypeJSON: sqlast.FitsJSON, value.TypeInterval: sqlast.FitsInterval, value.TypeList: sqlast.FitsList,
}

// postgresFits are the conditions for kinds that may have misfits on PostgreSQL. Columns of its other types contain only values of their kinds.
var postgresFits = map[string]sqlast.Op{
	value.TypeFloat: sqlast.Finite, value.TypeDecimal: sqlast.Finite, value.TypeDate: sqlast.Finite, value.TypeTime: sqlast.FitsTime, value.TypeInterval: sqlast.FitsInterval,
}

// fit returns the guard of a column, or NoOp if it needs none. read reports whether comparisons of the column treat a misfit as null anyway.
func (c *State) fit(e Column) (op sqlast.Op, read bool) {
	if !c.Program || c.Raw > 0 || c.Satisfying || c.Linking || e.Row == nil || e.Row.Grant == nil || e.Col == e.Row.Depth ||
		e.Col.Key || c.fixes(e.Row, e.Col) || e.linked() {
		return sqlast.NoOp, false
	}
	op = fits[e.Col.Kind]
	if c.Dialect == sqlast.Postgres {
		op = postgresFits[e.Col.Kind]
	} else if form := c.HeldAs(e.Col); form != "" {
		if read = true; form.Number() {
			op = sqlast.FitsWhole
		} else if e.Col.Kind != value.TypeBool {
			op = sqlast.FitsTime
		} else {
			op = map[cellform.Form]sqlast.Op{cellform.Letters: sqlast.FitsLetter, cellform.Words: sqlast.FitsWord}[form]
		}
	} else {
		read = e.Col.Kind == value.TypeDecimal || e.Col.Kind == value.TypeJSON || e.Col.Kind == value.TypeList || e.Col.Kind == value.TypeInterval
		if e.Col.Kind == value.TypeTime && !e.Col.Iso() {
			op, read = sqlast.AnyTime, true
		}
	}
	if f := c.FormOf(e.Col); f.Clean || f.Numbers || op == sqlast.NoOp || c.Wider(e.Col) { // inside the CASE of a guard, the column would lose its collation
		return sqlast.NoOp, read
	}
	if !slices.Contains(c.Fitted, e) {
		c.Fitted = append(c.Fitted, e)
	}
	return op, read
}

// linked reports whether a link that the program sees begins at the column, or whether a link led through the column to its row.
func (e Column) linked() bool {
	is := func(p decl.Pair) bool { return p.From == e.Col || p.To == e.Col }
	if e.Row.By != nil && slices.ContainsFunc(e.Row.By.Pairs, is) {
		return true
	}
	return e.Row.Facet != nil && slices.ContainsFunc(e.Row.Facet.Links, func(m decl.LinkMember) bool { return slices.ContainsFunc(m.L.Pairs, is) })
}

// asStored returns a column as the database stores it.
func (f *From) asStored(c Column) sqlast.Expr { return f.unindexed(f.Col(c.Row, c.Col), c.Row, c.Col) }

// unguarded calls write so that it writes columns without their guards.
func (f *From) unguarded(write func() sqlast.Expr) sqlast.Expr {
	f.c.Raw++
	defer func() { f.c.Raw-- }()
	return write()
}

// guardable returns the column that an operand is. On PostgreSQL the column may be inside a NumberKey or IntervalKey, which changes no value there.
func (f *From) guardable(e Expr) (Column, bool) {
	if op, ok := e.(Operation); ok && f.c.Dialect == sqlast.Postgres && (op.Op == sqlast.NumberKey || op.Op == sqlast.IntervalKey) {
		e = op.Args[0]
	}
	c, ok := PlainText(e).(Column)
	return c, ok
}

// isValue returns the condition that a cell is a value of its column. For NULL it is false or unknown, depending on op.
func (f *From) isValue(op sqlast.Op, x sqlast.Expr) sqlast.Expr {
	switch op {
	case sqlast.Finite:
		return Call(op, x, x)
	case sqlast.AnyTime:
		return Call(sqlast.IsNotNull, Call(op, x, x, x, x, x, x))
	case sqlast.FitsDecimal, sqlast.FitsDay:
		return Call(op, x, x, x)
	case sqlast.FitsUUID:
		return Call(op, x, x, x, x)
	}
	if op == sqlast.FitsTime && f.c.Dialect == sqlast.SQLite {
		return Call(op, x, x, x)
	}
	return Call(op, x)
}

// fitting returns a column inside its guard, for uses other than plain comparisons.
func (f *From) fitting(x sqlast.Expr, e Column) sqlast.Expr {
	if op, read := f.c.fit(e); op != sqlast.NoOp && !read && x != nil {
		return Call(sqlast.Case, f.isValue(op, f.asStored(e)), x, sqlast.Null)
	}
	return x
}

// withGuards writes an operation on stored columns with their guards as further conditions. It returns nil if the operation takes none: see Operation.SQL.
func (e Operation) withGuards(f *From) sqlast.Expr {
	c, ok := f.guardable(e.Args[0])
	op, read := sqlast.NoOp, false
	if ok {
		op, read = f.c.fit(c)
	}
	switch e.Op {
	case sqlast.IsNull, sqlast.IsNotNull:
		x := f.asStoredIf(c, op)
		if x == nil {
			return nil
		}
		if e.Op == sqlast.IsNull && f.c.Changing && c.Row != f.c.Base {
			return Call(sqlast.IsNull, x) // x is the column without its guard (see stored)
		}
		if e.Op == sqlast.IsNull {
			return Call(sqlast.Or, Call(sqlast.IsNull, x), Call(sqlast.Not, f.isValue(op, x)))
		}
		return Call(sqlast.And, Call(sqlast.IsNotNull, x), f.isValue(op, x))
	case sqlast.Eq, sqlast.Ne, sqlast.Is, sqlast.IsNot, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge:
	default:
		return nil
	}
	if len(e.Args) != 2 || !f.c.Needed && e.Op != sqlast.Is && e.Op != sqlast.IsNot { // for a misfit the guard would make the comparison false, where it must be unknown
		return nil
	}
	side := func(i int) (x, guard sqlast.Expr) {
		c, ok := f.guardable(e.Args[i])
		if !ok {
			return Compared(e.Args[i], f), nil
		}
		op, read := f.c.fit(c)
		if op == sqlast.NoOp || read {
			return Compared(e.Args[i], f), nil
		}
		x = f.asStored(c)
		guard = f.isValue(op, x)
		if f.c.Dialect == sqlast.Postgres {
			x = f.unguarded(func() sqlast.Expr { return Compared(e.Args[i], f) })
		}
		return x, guard
	}
	_, byValue := asArgument(e.Args[1])
	if _, other := f.guardable(e.Args[1]); (op == sqlast.NoOp || read) && !other || !byValue && (e.Op == sqlast.Is || e.Op == sqlast.IsNot) {
		return nil
	}
	x, guard := side(0)
	y, more := side(1)
	if x == nil || y == nil || guard == nil && more == nil {
		return nil
	}
	all := []sqlast.Expr{Call(e.Op, x, y)}
	if f.c.Dialect == sqlast.Postgres {
		if within := f.unguarded(func() sqlast.Expr { return e.postgres(f) }); within != nil {
			all[0] = within
		}
	}
	switch e.Op {
	case sqlast.Is, sqlast.IsNot: // a misfit equals no value of the column
		return all[0]
	case sqlast.Eq:
		if guard == nil || more == nil {
			return all[0]
		}
		more = nil // a cell that equals a value is no misfit
	}
	for _, g := range []sqlast.Expr{guard, more} {
		if g != nil {
			all = append(all, g)
		}
	}
	return Call(sqlast.And, all...)
}

func (f *From) asStoredIf(c Column, op sqlast.Op) sqlast.Expr {
	if op == sqlast.NoOp {
		return nil
	}
	return f.asStored(c)
}

// stored writes the operand of IS NULL. While the rows of a change are selected, a misfit in a linked row does not count as
// null: no row may be changed because of it. Statement.Misfits counts misfits in the row itself.
func (f *From) stored(x Expr, op sqlast.Op) sqlast.Expr {
	if _, linked := x.(Subquery); linked && f.c.Changing && op == sqlast.IsNull {
		f.c.Raw++
		defer func() { f.c.Raw-- }()
	}
	return x.SQL(f)
}

// MayMisfit reports whether columns of a kind may have misfits on PostgreSQL.
func MayMisfit(kind string) bool { return postgresFits[kind] != sqlast.NoOp }

// Misfits reports whether a column may have misfits.
func (c *State) Misfits(e Column) bool {
	op, _ := c.fit(e)
	return op != sqlast.NoOp
}

// Misfit is the condition that a column's cell is a misfit.
type Misfit struct{ X Column }

func (Misfit) Type() Type { return Type{Kind: value.TypeBool} }

func (e Misfit) SQL(f *From) sqlast.Expr {
	op, _ := f.c.fit(e.X)
	x := f.asStored(e.X)
	if op == sqlast.NoOp || x == nil {
		return sqlast.False
	}
	return Call(sqlast.And, Call(sqlast.IsNotNull, x), Call(sqlast.Not, Call(sqlast.Coalesce, f.isValue(op, x), sqlast.False)))
}

// Tally counts the rows behind one value of an answer that have a misfit in a column. The misfit
// became null, and the reader of a sum or a key would not notice that.
type Tally struct {
	Col  *decl.Column
	Rows Expr
}

// Tallied adds tallies for the columns in x that may have misfits and that have no label.
func (f *From) Tallied(tallies []Tally, x Expr) []Tally {
	if op, ok := x.(Operation); ok {
		for _, a := range op.Args {
			tallies = f.Tallied(tallies, a)
		}
	}
	c, ok := PlainText(x).(Column)
	if !ok || !f.c.Misfits(c) || !c.Col.Label.Empty() || slices.ContainsFunc(tallies, func(t Tally) bool { return t.Col == c.Col }) {
		return tallies
	}
	return append(tallies, Tally{c.Col, Aggregate{sqlast.Count, misfitting{c}, nil, Type{Kind: value.TypeInt}}})
}

// misfitting returns a column's cell if it is a misfit, or else NULL.
type misfitting struct{ Column }

func (e misfitting) SQL(f *From) sqlast.Expr {
	op, _ := f.c.fit(e.Column)
	x := f.asStored(e.Column)
	if op == sqlast.NoOp || x == nil {
		return sqlast.Null
	}
	return Call(sqlast.Case, f.isValue(op, x), sqlast.Null, x)
}

func (e misfitting) comparable(f *From) sqlast.Expr { return e.SQL(f) }
