package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// aggExpr is an aggregate function over the rows of a from. Those for which a condition does
// not hold have no value to it.
type aggExpr struct {
	fn     sqlast.Func
	x      expr // nil: each row counts
	within []expr
	of     exprType
}

func (e aggExpr) typ() exprType { return e.of }

func (e aggExpr) sql(f *from) sqlast.Expr {
	if f.c.emitted++; f.c.emitted > maxEmitted {
		return sqlast.Null // finish refuses the whole
	}
	// By a value that is compared the engine may read rows in order.
	over, before := f.c.over, f.c.sorting
	f.c.over = nil // an aggregate within its value is one of linked rows
	defer func() { f.c.over = over }()
	f.c.sorting = before || e.fn != sqlast.Count && e.fn != sqlast.Sum && e.fn != sqlast.SumWhole
	defer func() { f.c.sorting = before }()
	var x sqlast.Expr
	cell, stored := e.stored(f, over != nil)
	if stored && f.c.dialect == sqlast.Postgres { // its bounds leave misfits out
		x = f.unguarded(func() sqlast.Expr { return compared(cell, f) })
	} else if stored {
		x = compared(cell, f)
	} else if e.x != nil {
		raw, extremes := 0, f.c.extremes
		if e.asStored(f) {
			raw = 1
		}
		f.c.extremes = false // of what an aggregate within gives no cell says that the query has to be asked again
		f.c.raw += raw
		x = compared(e.x, f)
		f.c.raw -= raw // conditions on its rows have their guards
		f.c.extremes = extremes
	}
	if len(e.within) > 0 && x == nil {
		x = sqlast.One
	}
	x = among(f, x, e.within)
	if own, ok := e.x.(ownText); ok && len(e.within) > 0 {
		x = own.collated(x)
	}
	a := sqlast.Aggregate{Func: e.fn, X: x, Stored: stored}
	if over != nil {
		return over.of(a)
	}
	return a
}

// stored is the column of decimals that a function of ours takes as it is stored: one call for a row and
// not two, and what is no number is an error and not left out.
//
// PostgreSQL tries the bounds of a sum that way in less time. Of some rows, or over a window, it takes the value as any other.
func (e aggExpr) stored(f *from, window bool) (colExpr, bool) {
	op, ok := e.x.(opExpr)
	if !ok || op.op != sqlast.Bounded || f.c.dialect == sqlast.Postgres && (window || len(e.within) > 0 || e.fn != sqlast.Sum && e.fn != sqlast.Mean) {
		return colExpr{}, false
	}
	switch e.fn {
	case sqlast.Sum, sqlast.Mean, sqlast.Median, sqlast.MinNumber, sqlast.MaxNumber:
		c, ok := op.args[0].(colExpr)
		return c, ok
	}
	return colExpr{}, false
}

// asStored reports whether the aggregate is of a column as it is stored: a sum leaves misfits out by itself, and whether the least or the
// greatest is one shows, see marked.
func (e aggExpr) asStored(f *from) bool {
	c, ok := plainText(e.x).(colExpr)
	return ok && (e.fn == sqlast.SumWhole || f.c.extremes && !f.c.engine.Again && len(e.within) == 0 && f.c.form(c.col).Indexed)
}

// among is x in the rows for which conditions hold, and NULL in others.
func among(f *from, x sqlast.Expr, within []expr) sqlast.Expr {
	if len(within) == 0 {
		return x
	}
	conds := make([]sqlast.Expr, len(within))
	for i, c := range within {
		conds[i] = f.c.need(true, func() sqlast.Expr { return demanded(c).sql(f) })
	}
	return call(sqlast.Case, all(conds), x, sqlast.Null)
}

// aggregate is the aggregate with a name, of x in the rows for which conditions hold.
func (f *from) aggregate(name string, x expr, within []expr) (expr, error) {
	count := exprType{kind: value.TypeInt, size: digits{19, 0}}
	switch name {
	case language.Count:
		return aggExpr{sqlast.Count, nil, within, count}, nil
	case language.CountDistinct:
		return aggExpr{sqlast.CountDistinct, f.distinctly(x), within, count}, nil
	case language.Sum:
		sum := f.sum(x, within)
		return sum, sum.typ().fits(name)
	case language.Avg:
		sum := f.sum(x, within)
		n := aggExpr{sqlast.Count, f.summed(x), within, count}
		of := exprType{kind: value.TypeFloat, exact: true}
		if x.typ().kind == value.TypeDecimal {
			of.kind = value.TypeDecimal
		}
		if f.c.dialect == sqlast.SQLite && !whole(x) { // what is no number is counted by COUNT, and not summed
			of.size = sizeOf(sqlast.Over, []expr{sum, n})
			return aggExpr{sqlast.Mean, f.bounded(x), within, of}, of.fits(name)
		}
		args := []expr{sum, opExpr{sqlast.IntExact, []expr{n}, exprType{kind: value.TypeInt, exact: true, size: count.size}}}
		of.size = sizeOf(sqlast.Over, args)
		return meanExpr{aggExpr{sqlast.Mean, sum.(aggExpr).x, within, of}, opExpr{sqlast.Over, args, of}}, of.fits(name)
	case language.Median:
		return f.median(x, within)
	case language.Min, language.Max:
		return f.extreme(name, x, within)
	}
	return nil, ErrNode(&message.Node{Name: name})
}

// meanExpr is a mean: of a column of decimals as one function, and else a sum by a count.
type meanExpr struct {
	stored aggExpr
	over   opExpr
}

func (e meanExpr) typ() exprType { return e.over.of }

func (e meanExpr) sql(f *from) sqlast.Expr {
	if _, ok := e.stored.stored(f, f.c.over != nil); ok {
		return e.stored.sql(f)
	}
	return e.over.sql(f)
}

// summed is a number as it is summed.
func (f *from) summed(x expr) expr {
	if whole(x) {
		return x
	}
	return f.bounded(x)
}

// whole reports whether x is a column of whole numbers: each engine sums those by itself.
func whole(x expr) bool {
	c, ok := x.(colExpr)
	return ok && c.col.Kind == value.TypeInt
}

// sumDigits are the digits that a sum can have more than each of its numbers: of a million million rows.
const sumDigits = 12

func (f *from) sum(x expr, within []expr) expr {
	of := x.typ()
	of.exact, of.size = true, digits{of.digits().whole + sumDigits, of.digits().part}
	if whole(x) {
		return aggExpr{sqlast.SumWhole, x, within, of}
	}
	return aggExpr{sqlast.Sum, f.bounded(x), within, of}
}

// maxHolding is how many aggregates of a query may hold what they take: each has a bound of
// its own, and SQLite keeps them in the host's memory.
const maxHolding = 10

func (f *from) holds(name string) error {
	if f.c.holding++; f.c.holding > maxHolding {
		return fail.Errorf(fail.Limit, name, "a query can have %d medians and lists; ask for the others in another query", maxHolding)
	}
	return nil
}

// median is the value in the middle, or the mean of the two there. A condition makes NULL of the
// other rows' values, which have no place in the order.
func (f *from) median(x expr, within []expr) (expr, error) {
	if err := f.holds(language.Median); err != nil {
		return nil, err
	}
	of := exprType{kind: value.TypeFloat, exact: true}
	if x.typ().kind == value.TypeDecimal {
		of.kind = value.TypeDecimal
	}
	x = f.summed(x)
	of.size = sizeOf(sqlast.Plus, []expr{x})
	of.size.part++ // of a half
	return aggExpr{sqlast.Median, x, within, of}, of.fits(language.Median)
}

// extreme is the least or the greatest value.
func (f *from) extreme(name string, x expr, within []expr) (expr, error) {
	of, greatest := x.typ(), name == language.Max
	switch {
	case of.native.Extreme:
		x = nativeExpr{x, true}
	case !of.native.Text():
		return nil, fail.Errorf(fail.Invalid, name, "%s", noOrder(x, "the database has no "+name+" of it, but an order: take the first row of .orderBy(…)"))
	case of.decimal():
		x = f.bounded(x)
		of = x.typ()
		of.exact = true
		if greatest {
			return aggExpr{sqlast.MaxNumber, x, within, of}, nil
		}
		return aggExpr{sqlast.MinNumber, x, within, of}, nil
	case of.kind == value.TypeText:
		x = textExpr{x}
		of = x.typ()
	}
	if c, ok := x.(colExpr); ok && c.single() {
		x = f.exactly(x)
		of = x.typ()
	}
	if greatest {
		return aggExpr{sqlast.Max, x, within, of}, nil
	}
	return aggExpr{sqlast.Min, x, within, of}, nil
}

// distinctly is a value such that different ones have different texts in the engine.
func (f *from) distinctly(x expr) expr {
	if same, ok := natively([]expr{x}); ok {
		return same[0]
	} else if own, _, ok := f.loose(x); ok {
		return own
	} else if x.typ().kind == value.TypeText {
		return textExpr{x}
	}
	return keyOf(x, x.typ())
}

// same reports whether two expressions over one from are the same. What is not known to be is not.
func same(a, b expr) bool {
	switch a := a.(type) {
	case colExpr, argExpr, constExpr, nullExpr, cell, searchExpr:
		return a == b
	case known:
		b, ok := b.(known)
		return ok && same(a.x, b.x)
	case textExpr:
		b, ok := b.(textExpr)
		return ok && same(a.x, b.x)
	case nativeExpr:
		b, ok := b.(nativeExpr)
		return ok && same(a.x, b.x)
	case ownText:
		b, ok := b.(ownText)
		return ok && same(a.x, b.x)
	case opExpr:
		b, ok := b.(opExpr)
		return ok && a.op == b.op && a.of == b.of && slices.EqualFunc(a.args, b.args, same)
	case meanExpr:
		b, ok := b.(meanExpr)
		return ok && same(a.over, b.over)
	case overExpr:
		b, ok := b.(overExpr)
		return ok && a.w == b.w && a.fn == b.fn && a.of == b.of && a.away == nil && b.away == nil && (a.x == nil) == (b.x == nil) && (a.x == nil || same(a.x, b.x))
	case overAll:
		b, ok := b.(overAll)
		return ok && a.w == b.w && a.frame == b.frame && a.rows == nil && b.rows == nil && same(a.x, b.x)
	case aggExpr:
		b, ok := b.(aggExpr)
		return ok && a.fn == b.fn && a.of == b.of && (a.x == nil) == (b.x == nil) && (a.x == nil || same(a.x, b.x)) && slices.EqualFunc(a.within, b.within, same)
	}
	return false
}
