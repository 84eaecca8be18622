package compile

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// part is a whole number that is read from a time or a day. PostgreSQL gives it as a numeric.
func (f *from) part(op sqlast.Op, x expr) expr {
	return opExpr{op, []expr{x}, exprType{kind: value.TypeInt, exact: f.c.dialect == sqlast.Postgres}}
}

// truncate is the first day of the unit that x is in. A day is the same for everybody, where the
// instant at which it begins is another one in each time zone.
func (f *from) truncate(x expr, unit string) (expr, error) {
	for _, u := range language.Units {
		if u.Name == unit {
			return opExpr{u.First, []expr{f.local(x)}, exprType{kind: value.TypeDate}}, nil
		}
	}
	return nil, errUnit
}

var errUnit = fail.Errorf(fail.Internal, "truncate", "the catalogue admits a unit that there is not")

// plus is the day so many units after that of x. A time becomes a day first, as in truncate: what clocks
// show at the same time of another day may be no time there, or two.
func (f *from) plus(x expr, n *message.Node, env names) (expr, error) {
	day, err := f.truncate(x, "day")
	if err != nil {
		return nil, err
	}
	var many expr
	if n.Args[0].Op == message.OpLit {
		many = f.literal(n.Args[0], value.TypeInt)
	} else if many, err = f.expr(n.Args[0], env); err != nil {
		return nil, err
	}
	for _, u := range language.Units {
		if u.Name == n.Args[1].Lit.Text() {
			return opExpr{u.Plus, []expr{day, many}, exprType{kind: value.TypeDate}}, nil
		}
	}
	return nil, errUnit
}

// elapsed is the milliseconds between two times, as JavaScript subtracts them.
func (f *from) elapsed(op *language.Operator, args []expr) expr {
	a, b := f.part(sqlast.EpochMillis, args[0]), f.part(sqlast.EpochMillis, args[1])
	if op.Name == "rsub" {
		a, b = b, a
	}
	return f.minus(a, b)
}

// days is how many days a time or a day is after another one.
func (f *from) days(args []expr) expr {
	return f.minus(f.part(sqlast.JulianDay, f.local(args[0])), f.part(sqlast.JulianDay, f.local(args[1])))
}

func (f *from) minus(a, b expr) expr {
	args := []expr{f.exactly(a), f.exactly(b)}
	return opExpr{sqlast.Minus, args, exprType{kind: value.TypeInt, exact: true, size: sizeOf(sqlast.Minus, args)}}
}

// local is a time as clocks of the program's time zone show it; a day is the same everywhere. The zone is an
// argument of the host's: a program has no say in it.
func (f *from) local(x expr) expr {
	if !f.c.zoned || x.typ().kind != value.TypeTime {
		return f.era(x)
	}
	zone := argExpr{src: plan.Source{Origin: plan.FromZone, Item: -1, Kind: plan.ArgZone}, kind: value.TypeText}
	c, column := x.(colExpr)
	switch {
	case f.c.dialect != sqlast.Postgres:
		return opExpr{sqlast.Local, []expr{x, zone}, x.typ()}
	case column:
		return opExpr{sqlast.Local, []expr{storedExpr{c}, storedExpr{c}, zone}, x.typ()}
	}
	return opExpr{sqlast.LocalOnce, []expr{x, zone}, x.typ()}
}

// era is a time or a day on PostgreSQL that a calendar has, or null. What follows fails for some that the
// column may hold, like a date beyond the last timestamp, and would show that there is such a row.
func (f *from) era(x expr) expr {
	if f.c.dialect != sqlast.Postgres {
		return x
	}
	switch c := x.(type) {
	case argExpr:
		return x
	case colExpr:
		return opExpr{sqlast.Era, []expr{storedExpr{c}, storedExpr{c}}, x.typ()}
	}
	return opExpr{sqlast.EraOnce, []expr{x}, x.typ()}
}

// storedExpr is a column as it is stored, and not as it is compared.
type storedExpr struct{ colExpr }

func (e storedExpr) sql(f *from) sqlast.Expr { return f.col(e.row, e.col) }

// heldAs is the form in which SQLite holds a column, where that is declared and is not what statements calculate with; "": there is none.
func (c *compiler) heldAs(col *decl.Column) cellform.Form {
	if c.dialect != sqlast.SQLite || col.Iso() || !col.Stored.Fits(col.Kind) {
		return ""
	}
	return col.Stored
}

var readers = map[string]sqlast.Op{value.TypeTime: sqlast.ReadTime, value.TypeDate: sqlast.ReadDay, value.TypeBool: sqlast.ReadFlag}
var storers = map[string]sqlast.Op{value.TypeTime: sqlast.StoreTime, value.TypeDate: sqlast.StoreDay, value.TypeBool: sqlast.StoreFlag}

// read is a cell of a declared form as a time, a day or a truth value; NULL for a cell of another form.
func (f *from) read(x sqlast.Expr, col *decl.Column) sqlast.Expr {
	return call(readers[col.Kind], x, f.c.formArg(col.Stored))
}

func (c *compiler) formArg(form cellform.Form) sqlast.Expr {
	return c.arg(plan.Source{Origin: plan.FromConst, Index: form.Index(), Item: -1})
}

// rawExpr is a column as it lies in the database, where its index serves.
type rawExpr struct{ colExpr }

func (e rawExpr) sql(f *from) sqlast.Expr { return f.unindexed(f.col(e.row, e.col), e.row, e.col) }

func (e rawExpr) comparable(f *from) sqlast.Expr { return e.sql(f) }

// bound is a value as a cell of the form, see plan.ArgBound.
func (e argExpr) bound(kind string, form cellform.Form, of string) argExpr {
	e.src.Kind, e.src.Form, e.src.Of = kind, form, of
	return e
}

// held is a comparison of a column of a declared form with a value, or nil. The value is converted and not the column, so that an index
// serves. A cell of another form is on neither side of a value: numbers stand before all texts in SQLite, and would be below each time.
func (e opExpr) held(f *from) sqlast.Expr {
	c, ok := e.args[0].(colExpr)
	if !ok || f.c.heldAs(c.col) == "" {
		return nil
	}
	form, of := f.c.heldAs(c.col), c.col.Kind
	x := rawExpr{c}.sql(f)
	if e.op == sqlast.IsNull || e.op == sqlast.IsNotNull || x == nil {
		return call(e.op, x)
	}
	if len(e.args) != 2 {
		return nil
	}
	v, ok := e.args[1].(argExpr)
	if !ok {
		return nil
	}
	low := func() sqlast.Expr { return v.bound(plan.ArgBound, form, of).sql(f) }
	next := func() sqlast.Expr { return v.bound(plan.ArgNext, form, of).sql(f) }
	fits, _ := f.c.fit(c)
	if fits != sqlast.NoOp && !f.c.needed && e.op != sqlast.Is && e.op != sqlast.IsNot {
		return nil
	}
	with := func(x sqlast.Expr, otherwise sqlast.Op) sqlast.Expr {
		switch raw := (rawExpr{c}).sql(f); {
		case fits != sqlast.NoOp:
			return call(sqlast.And, x, f.isValue(fits, raw))
		case otherwise == sqlast.NoOp:
			return x
		default:
			return call(sqlast.And, x, call(otherwise, raw))
		}
	}
	op, right := e.op, low
	if !form.Exact(of) { // a millisecond has several cells
		switch e.op {
		case sqlast.Eq:
			return call(sqlast.And, call(sqlast.Ge, x, low()), call(sqlast.Lt, x, next()))
		case sqlast.Is:
			return call(sqlast.And, call(sqlast.Ge, x, low()), call(sqlast.Lt, x, next()), call(sqlast.IsNotNull, x))
		case sqlast.Le:
			op, right = sqlast.Lt, next
		case sqlast.Gt:
			op, right = sqlast.Ge, next
		case sqlast.Lt, sqlast.Ge:
		default:
			return nil
		}
	}
	switch op {
	case sqlast.Eq, sqlast.Is:
		return call(op, x, right())
	case sqlast.Lt, sqlast.Le:
		if !form.Number() {
			return with(call(op, x, right()), sqlast.NoNumber)
		}
		return with(call(op, x, right()), sqlast.NoOp)
	case sqlast.Gt, sqlast.Ge:
		if form.Number() {
			return with(call(op, x, right()), sqlast.IsNumber)
		}
		return with(call(op, x, right()), sqlast.NoOp)
	}
	return nil
}

// heldList is a column of a declared form, and the values among which it is, as its cells, if all are values.
func (f *from) heldList(x expr, list []expr) (expr, []expr) {
	c, ok := x.(colExpr)
	if !ok || !f.c.needed && f.c.guards(c) || !f.c.heldAs(c.col).Exact(c.col.Kind) {
		return x, list
	}
	out := make([]expr, len(list))
	for i, a := range list {
		v, ok := a.(argExpr)
		if !ok {
			return x, list
		}
		out[i] = v.bound(plan.ArgBound, f.c.heldAs(c.col), c.col.Kind)
	}
	return rawExpr{c}, out
}

// holding is what a column is given that another column, or what was calculated, is written to; nil: as it is. A cell of a column that holds
// its values in the same form is copied.
func (f *from) holding(col *decl.Column, e expr) sqlast.Expr {
	if f.c.dialect != sqlast.SQLite || storers[col.Kind] == sqlast.NoOp {
		return nil
	}
	c, plain := e.(colExpr)
	switch form := f.c.heldAs(col); {
	case plain && c.col.Kind == col.Kind && c.col.Stored == col.Stored:
		return rawExpr{c}.sql(f)
	case form != "":
		return call(storers[col.Kind], compared(e, f), f.c.formArg(form))
	case plain && c.col.Kind == col.Kind:
		return compared(e, f)
	}
	return nil
}
