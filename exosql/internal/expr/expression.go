package expr

// This file writes columns, operations and lists. Its functions first call those in the files for one engine or one kind of value.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/sqlast"
)

func (e Column) SQL(f *From) sqlast.Expr {
	x := f.Col(e.Row, e.Col)
	if e.Col.Kind == value.TypeList && x != nil && e.form().Cast {
		return Call(arrayOf(e.Col, e.form()), x)
	}
	if x != nil && f.c.HeldAs(e.Col) != "" {
		return f.read(x, e.Col)
	}
	return f.fitting(f.unindexed(x, e.Row, e.Col), e)
}

// comparable returns the column in a form that can be compared and sorted. Times of SQLite may have many forms, so they are converted unless they are declared ISO.
func (e Column) comparable(f *From) sqlast.Expr {
	x := f.Col(e.Row, e.Col)
	if f.c.Dialect == sqlast.Postgres {
		return f.fitting(e.comparablePostgres(x), e)
	}
	switch {
	case x == nil:
	case f.c.HeldAs(e.Col) != "":
		return f.read(x, e.Col)
	case e.Col.Kind == value.TypeTime && !e.Col.Iso():
		return Call(sqlast.AnyTime, x, x, x, x, x, x)
	}
	if e.Col.Kind == value.TypeText && x != nil && f.c.FormOf(e.Col).Numbers { // x is compared as the text that a program reads
		return Call(sqlast.CodePointText, x)
	}
	return f.fitting(f.unindexed(x, e.Row, e.Col), e)
}

func (e Operation) SQL(f *From) sqlast.Expr {
	if f.c.Emitted++; f.c.Emitted > MaxEmitted {
		return sqlast.Null // package compile then refuses the statement as too large
	}
	if x := e.withGuards(f); x != nil {
		return x
	} else if f.c.Dialect == sqlast.Postgres {
		if x := e.postgres(f); x != nil {
			return x
		}
	} else if x := e.held(f); x != nil {
		return x
	}
	if s, ok := e.Args[0].(Subquery); ok && keying(e.Op) { // inside the subquery the engine caches the function's value; outside, the engine would call the function for each row
		return s.write(f, func(x Expr, sub *From) sqlast.Expr { return Operation{e.Op, []Expr{x}, e.of}.SQL(sub) })
	}
	needed := f.c.Needed
	f.c.Needed = needed && (e.Op == sqlast.And || e.Op == sqlast.Or)
	defer func() { f.c.Needed = needed }()
	c := sqlast.Call{Op: e.Op}
	for _, a := range e.Args {
		x := Compared(a, f)
		if e.Op == sqlast.IsNull || e.Op == sqlast.IsNotNull {
			x = f.stored(a, e.Op)                              // converting the operand would hide its index
			if n := a.Type().Native; !n.Text() && !n.Ordered { // a composite IS NULL if all its fields are null, and IS NOT NULL if none is
				return Call(map[sqlast.Op]sqlast.Op{sqlast.IsNull: sqlast.Is, sqlast.IsNotNull: sqlast.IsNot}[e.Op], x, sqlast.Null)
			}
		}
		if c, ok := a.(Column); ok && (e.Op == sqlast.Coalesce || e.Op == sqlast.NullIfNumber || e.Op == sqlast.Case) && c.Col.Kind == value.TypeDecimal { // otherwise a function of this module would read a misfit (see misfit.go) in the result
			if fits, _ := f.c.fit(c); fits != sqlast.NoOp {
				x = Call(sqlast.Case, f.isValue(fits, x), x, sqlast.Null)
			}
		}
		c.Args = append(c.Args, x)
	}
	return c
}

func (e In) SQL(f *From) sqlast.Expr {
	x, list := f.heldList(e.x, e.list)
	needed := f.c.Needed
	f.c.Needed = false // a condition that must be true does not need its operands to be true
	defer func() { f.c.Needed = needed }()
	in := sqlast.In{X: Compared(x, f), Not: e.not}
	for _, a := range list {
		in.List = append(in.List, Compared(a, f))
	}
	if c, ok := PlainText(e.x).(Column); ok {
		_, held := x.(Raw)
		if op, read := f.c.fit(c); needed && op != sqlast.NoOp && (!read || held) {
			guard := f.isValue(op, f.asStored(c))
			if in.X = f.asStored(c); f.c.Dialect == sqlast.Postgres {
				in.X = f.unguarded(func() sqlast.Expr { return Compared(x, f) })
			}
			if e.not && len(list) > 0 {
				return Call(sqlast.And, in, guard)
			}
		}
	}
	if e.not && len(e.list) == 0 {
		// In SQL, NULL NOT IN () is true. A program's notIn is false for NULL, so this tests the value for NULL.
		return Call(sqlast.IsNotNull, e.x.SQL(f))
	}
	return in
}

// Shown returns an expression in the form in which a result shows it. A time is shown as it is compared, or a program could not find a
// row by a time that it read. A cell that is no time stays as it is, so that it is reported as a misfit and not read as NULL.
func Shown(e Expr, f *From) sqlast.Expr {
	if f.c.Dialect == sqlast.Postgres {
		return shownPostgres(e, f)
	}
	if s, ok := e.(Subquery); ok {
		return s.shown(f)
	}
	if _, ok := e.(Column); !ok {
		return e.SQL(f)
	}
	f.c.Raw++
	x := Compared(e, f)
	f.c.Raw--
	c, _ := x.(sqlast.Call)
	switch c.Op {
	case sqlast.AnyTime:
		return Call(sqlast.Coalesce, x, c.Args[0])
	case sqlast.ReadTime, sqlast.ReadDay, sqlast.ReadFlag: // the stored cell could be read as another value
		return Call(sqlast.Coalesce, x, Call(sqlast.TypeOf, c.Args[0]))
	}
	return x
}

func (e SortKey) SQL(f *From) sqlast.Expr {
	if e.Stored {
		f.c.Raw++
		defer func() { f.c.Raw-- }()
	}
	if c, ok := e.X.(Column); ok && f.c.HeldAs(c.Col).Exact(c.Col.Kind) {
		x := Raw{c}.SQL(f)
		if op, _ := f.c.fit(c); op != sqlast.NoOp && x != nil {
			return Call(sqlast.Case, f.isValue(op, x), x, sqlast.Null)
		}
		return x
	}
	if c, ok := e.X.(interface{ comparable(*From) sqlast.Expr }); ok && e.X.Type().Kind == value.TypeTime {
		return c.comparable(f)
	}
	x := sorted(e.X).SQL(f)
	if e.X.Type().Kind != value.TypeBool || x == nil {
		return x
	}
	if _, ok := e.X.(Column); ok {
		return x
	}
	return Call(sqlast.Not, Call(sqlast.Not, x))
}

// NeverNull reports whether an expression has a value in every row. If the expression may be NULL, an
// index of PostgreSQL serves its order only if the index was made with NULLS FIRST.
func (f *From) NeverNull(e Expr) bool {
	s, _ := e.(SortKey)
	if s.X != nil {
		e = s.X
	}
	e = PlainText(e)
	if x, ok := e.(ExactText); ok {
		e = x.X
	}
	c, ok := e.(Column)
	return ok && (!f.mayBeNull(c) && (s.Stored || !f.c.Misfits(c)) || slices.Contains(f.Valued, c))
}

// mayBeNull reports whether a column may be NULL by its declaration, its join or the catalogue. Pages and negations must not miss a row with NULL in a
// column that is declared without NULL.
func (f *From) mayBeNull(c Column) bool {
	return c.Col.Null || c.Row.Optional || f.c.FormOf(c.Col).Null
}

// Values returns the columns that are not NULL in any row that meets a condition.
func Values(cond Expr) (out []Column) {
	var x Expr
	switch e := cond.(type) {
	case In:
		if e.not {
			return nil
		}
		x = e.x
	case Operation:
		switch e.Op {
		case sqlast.Eq, sqlast.Lt, sqlast.Le, sqlast.Gt, sqlast.Ge, sqlast.Between, sqlast.IsNotNull:
		default:
			return nil
		}
		x = e.Args[0]
	case Beyond:
		x = e.Left[0]
	default:
		return nil
	}
	if c, ok := PlainText(x).(Column); ok {
		out = append(out, c)
	}
	return out
}

// Beyond is the condition that one list of values sorts after another. The first pair that differs decides.
type Beyond struct {
	Left, Right []Expr
	Desc        bool
}

func (Beyond) Type() Type { return Type{Kind: value.TypeBool} }

func (e Beyond) SQL(f *From) sqlast.Expr {
	defer func(needed bool) { f.c.Needed = needed }(f.c.Needed)
	f.c.Needed = false // a condition that must be true does not need its operands to be true
	b := sqlast.Beyond{Desc: e.Desc}
	for i := range e.Left {
		b.Left, b.Right = append(b.Left, Compared(e.Left[i], f)), append(b.Right, Compared(e.Right[i], f))
	}
	return b
}
