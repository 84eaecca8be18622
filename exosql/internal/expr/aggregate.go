package expr

// This file has aggregates over the rows of a From, a FROM clause. The value of each is exact on both engines.

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// Aggregate is an aggregate function over the rows of a from. It ignores rows that do not meet
// the conditions of the field within.
type Aggregate struct {
	fn     sqlast.Func
	x      Expr // x is nil if each row counts
	within []Expr
	of     Type
}

func (e Aggregate) Type() Type { return e.of }

func (e Aggregate) SQL(f *From) sqlast.Expr {
	if f.c.Emitted++; f.c.Emitted > MaxEmitted {
		return sqlast.Null // package compile then refuses the statement as too large
	}
	// The engine may read rows in the order of the values that the aggregate compares.
	over, before := f.c.Over, f.c.Sorting
	f.c.Over = nil // an aggregate inside the value is over linked rows, not over the window
	defer func() { f.c.Over = over }()
	f.c.Sorting = before || e.fn != sqlast.Count && e.fn != sqlast.Sum && e.fn != sqlast.SumWhole
	defer func() { f.c.Sorting = before }()
	var x sqlast.Expr
	cell, stored := e.stored(f, over != nil)
	if stored && f.c.Dialect == sqlast.Postgres { // Bounded already leaves misfits (see misfit.go) out of stored decimals
		x = f.unguarded(func() sqlast.Expr { return Compared(cell, f) })
	} else if stored {
		x = Compared(cell, f)
	} else if e.x != nil {
		raw, extremes := 0, f.c.Extremes
		if e.asStored(f) {
			raw = 1
		}
		f.c.Extremes = false // a nested min or max shows no misfit in a cell of the answer, so it needs its guards
		f.c.Raw += raw
		x = Compared(e.x, f)
		f.c.Raw -= raw // the conditions on the rows have their guards
		f.c.Extremes = extremes
	}
	if len(e.within) > 0 && x == nil {
		x = sqlast.One
	}
	x = OnlyWhere(f, x, e.within)
	if own, ok := e.x.(ownText); ok && len(e.within) > 0 {
		x = own.collated(x)
	}
	a := sqlast.Aggregate{Func: e.fn, X: x, Stored: stored}
	if over != nil {
		return over.Of(a)
	}
	return a
}

// stored returns the column of decimals that the aggregate may take as it is stored. Then each row needs one call of a
// function instead of two. A text that is no number is an error, and not left out.
//
// On PostgreSQL only sums and means without where and window read the column as stored. For others, testing the bounds
// takes less time.
func (e Aggregate) stored(f *From, window bool) (Column, bool) {
	op, ok := e.x.(Operation)
	if !ok || op.Op != sqlast.Bounded || f.c.Dialect == sqlast.Postgres && (window || len(e.within) > 0 || e.fn != sqlast.Sum && e.fn != sqlast.Mean) {
		return Column{}, false
	}
	switch e.fn {
	case sqlast.Sum, sqlast.Mean, sqlast.Median, sqlast.MinNumber, sqlast.MaxNumber:
		c, ok := op.Args[0].(Column)
		return c, ok
	}
	return Column{}, false
}

// asStored reports whether the aggregate reads a column without its guard. A sum of whole numbers leaves misfits out by itself. A
// misfit that is the least or the greatest value shows in the result, and the query runs again: see marked in package compile.
func (e Aggregate) asStored(f *From) bool {
	_, ok := PlainText(e.x).(Column)
	return ok && (e.fn == sqlast.SumWhole || len(e.within) == 0 && f.Ends(e.x))
}

// Ends reports whether the query asks only for the least or the greatest value of a column with an index, at whose end the value is.
func (f *From) Ends(x Expr) bool {
	c, ok := PlainText(x).(Column)
	return ok && f.c.Extremes && !f.c.Engine.Again && f.c.FormOf(c.Col).Indexed
}

// OnlyWhere returns x in the rows that meet the conditions, and NULL in others.
func OnlyWhere(f *From, x sqlast.Expr, within []Expr) sqlast.Expr {
	if len(within) == 0 {
		return x
	}
	conds := make([]sqlast.Expr, len(within))
	for i, c := range within {
		conds[i] = f.c.Need(true, func() sqlast.Expr { return Demanded(c).SQL(f) })
	}
	return Call(sqlast.Case, All(conds), x, sqlast.Null)
}

// Aggregate returns the named aggregate of x, over the rows that meet the conditions of the list within.
func (f *From) Aggregate(name string, x Expr, within []Expr) (Expr, error) {
	count := Type{Kind: value.TypeInt, Size: Digits{19, 0}}
	switch name {
	case language.Count:
		return Aggregate{sqlast.Count, nil, within, count}, nil
	case language.CountDistinct:
		return Aggregate{sqlast.CountDistinct, f.distinctly(x), within, count}, nil
	case language.Sum:
		sum := f.sum(x, within)
		return sum, sum.Type().Fits(name)
	case language.Avg:
		sum := f.sum(x, within)
		n := Aggregate{sqlast.Count, f.summed(x), within, count}
		of := Type{Kind: value.TypeFloat, Exact: true}
		if x.Type().Kind == value.TypeDecimal {
			of.Kind = value.TypeDecimal
		}
		if f.c.Dialect == sqlast.SQLite && !whole(x) { // COUNT would count values that are no numbers, while SUM leaves them out
			of.Size = sizeOf(sqlast.Over, []Expr{sum, n})
			return Aggregate{sqlast.Mean, f.bounded(x), within, of}, of.Fits(name)
		}
		args := []Expr{sum, Operation{sqlast.IntExact, []Expr{n}, Type{Kind: value.TypeInt, Exact: true, Size: count.Size}}}
		of.Size = sizeOf(sqlast.Over, args)
		return mean{Aggregate{sqlast.Mean, sum.(Aggregate).x, within, of}, Operation{sqlast.Over, args, of}}, of.Fits(name)
	case language.Median:
		return f.median(x, within)
	case language.Min, language.Max:
		return f.Extreme(name, x, within)
	}
	return nil, ErrNode(&message.Node{Name: name})
}

// mean is an average: one function for a column of decimals, otherwise a sum divided by a count.
type mean struct {
	stored Aggregate
	over   Operation
}

func (e mean) Type() Type { return e.over.of }

func (e mean) SQL(f *From) sqlast.Expr {
	if _, ok := e.stored.stored(f, f.c.Over != nil); ok {
		return e.stored.SQL(f)
	}
	return e.over.SQL(f)
}

// summed returns a number in a form that can be summed exactly.
func (f *From) summed(x Expr) Expr {
	if whole(x) {
		return x
	}
	return f.bounded(x)
}

// sumDigits bounds how many more digits a sum has than its longest number: enough for 10^12 rows.
const sumDigits = 12

func (f *From) sum(x Expr, within []Expr) Expr {
	of := x.Type()
	of.Exact, of.Size = true, Digits{of.digits().Whole + sumDigits, of.digits().part}
	if whole(x) {
		return Aggregate{sqlast.SumWhole, x, within, of}
	}
	return Aggregate{sqlast.Sum, f.bounded(x), within, of}
}

// maxHolding bounds the aggregates of a query that keep all their values until the end. Each has
// its own bound, and SQLite keeps the values in the host's memory.
const maxHolding = 10

func (f *From) Holds(name string) error {
	if f.c.holding++; f.c.holding > maxHolding {
		return fail.Errorf(fail.Limit, name, "a query can have at most %d medians and collected lists: ask for the others in another query", maxHolding)
	}
	return nil
}

// median returns the value in the middle, or the mean of the two in the middle. Values of rows that
// fail the conditions become NULL, which has no place in the order.
func (f *From) median(x Expr, within []Expr) (Expr, error) {
	if err := f.Holds(language.Median); err != nil {
		return nil, err
	}
	of := Type{Kind: value.TypeFloat, Exact: true}
	if x.Type().Kind == value.TypeDecimal {
		of.Kind = value.TypeDecimal
	}
	x = f.summed(x)
	of.Size = sizeOf(sqlast.Plus, []Expr{x})
	of.Size.part++ // the mean of two values has one more digit
	return Aggregate{sqlast.Median, x, within, of}, of.Fits(language.Median)
}

// Extreme returns the least or the greatest value of x.
func (f *From) Extreme(name string, x Expr, within []Expr) (Expr, error) {
	of, greatest := x.Type(), name == language.Max
	switch {
	case of.Native.Extreme:
		x = Native{x, true}
	case !of.Native.Text():
		return nil, fail.Errorf(fail.Invalid, name, "%s", noOrder(x, "the database can sort it, but has no "+name+" of it: take the first row of .orderBy(…)"))
	case of.Decimal():
		x = f.bounded(x)
		of = x.Type()
		of.Exact = true
		if greatest {
			return Aggregate{sqlast.MaxNumber, x, within, of}, nil
		}
		return Aggregate{sqlast.MinNumber, x, within, of}, nil
	case of.Kind == value.TypeText:
		x = Text{x}
		of = x.Type()
	}
	if c, ok := x.(Column); ok && c.single() {
		x = f.Exactly(x)
		of = x.Type()
	}
	if greatest {
		return Aggregate{sqlast.Max, x, within, of}, nil
	}
	return Aggregate{sqlast.Min, x, within, of}, nil
}

// distinctly converts a value so that different values have different texts in the engine.
func (f *From) distinctly(x Expr) Expr {
	if same, ok := natively([]Expr{x}); ok {
		return same[0]
	} else if own, _, ok := f.Loose(x); ok {
		return own
	} else if x.Type().Kind == value.TypeText {
		return Text{x}
	}
	return KeyOf(x, x.Type())
}

// Same reports whether two expressions over one from always have the same value, as far as is known.
func Same(a, b Expr) bool {
	switch a := a.(type) {
	case Column, Argument, Const, Null, Cell, Searched:
		return a == b
	case known:
		b, ok := b.(known)
		return ok && Same(a.x, b.x)
	case Text:
		b, ok := b.(Text)
		return ok && Same(a.X, b.X)
	case Native:
		b, ok := b.(Native)
		return ok && Same(a.x, b.x)
	case ownText:
		b, ok := b.(ownText)
		return ok && Same(a.x, b.x)
	case Operation:
		b, ok := b.(Operation)
		return ok && a.Op == b.Op && a.of == b.of && slices.EqualFunc(a.Args, b.Args, Same)
	case mean:
		b, ok := b.(mean)
		return ok && Same(a.over, b.over)
	case Aggregate:
		b, ok := b.(Aggregate)
		return ok && a.fn == b.fn && a.of == b.of && (a.x == nil) == (b.x == nil) && (a.x == nil || Same(a.x, b.x)) && slices.EqualFunc(a.within, b.within, Same)
	case interface{ Same(Expr) bool }:
		return a.Same(b)
	}
	return false
}
