package compile

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// part is a whole number that is read from a time or a day. PostgreSQL gives it as a numeric.
func (f *From) part(op sqlast.Op, x expr) expr {
	return Operation{op, []expr{x}, Type{kind: value.TypeInt, exact: f.c.dialect == sqlast.Postgres}}
}

// truncate is the first day of the unit that x is in. A day is the same for everybody, where the
// instant at which it begins is another one in each time zone.
func (f *From) truncate(x expr, unit string) (expr, error) {
	for _, u := range language.Units {
		if u.Name == unit {
			return Operation{u.First, []expr{f.local(x)}, Type{kind: value.TypeDate}}, nil
		}
	}
	return nil, errUnit
}

var errUnit = fail.Errorf(fail.Internal, "truncate", "the catalogue admits a unit that there is not")

// plus is the day so many units after that of x. A time becomes a day first, as in truncate: what clocks
// show at the same time of another day may be no time there, or two.
func (f *From) plus(x, many expr, unit string) (expr, error) {
	day, err := f.truncate(x, "day")
	if err != nil {
		return nil, err
	}
	for _, u := range language.Units {
		if u.Name == unit {
			return Operation{u.Plus, []expr{day, many}, Type{kind: value.TypeDate}}, nil
		}
	}
	return nil, errUnit
}

// elapsed is the milliseconds between two times, as JavaScript subtracts them.
func (f *From) elapsed(op *language.Operator, args []expr) expr {
	a, b := f.part(sqlast.EpochMillis, args[0]), f.part(sqlast.EpochMillis, args[1])
	if op.Name == "rsub" {
		a, b = b, a
	}
	return f.minus(a, b)
}

// days is how many days a time or a day is after another one.
func (f *From) days(args []expr) expr {
	return f.minus(f.part(sqlast.JulianDay, f.local(args[0])), f.part(sqlast.JulianDay, f.local(args[1])))
}

func (f *From) minus(a, b expr) expr {
	args := []expr{f.exactly(a), f.exactly(b)}
	return Operation{sqlast.Minus, args, Type{kind: value.TypeInt, exact: true, size: sizeOf(sqlast.Minus, args)}}
}

// local is a time as clocks of the program's time zone show it; a day is the same everywhere. The zone is an
// argument of the host's: a program has no say in it.
func (f *From) local(x expr) expr {
	if !f.c.zoned || x.Type().kind != value.TypeTime {
		return f.era(x)
	}
	zone := Argument{src: plan.Source{Origin: plan.FromZone, Item: -1, Kind: plan.ArgZone}, kind: value.TypeText}
	c, column := x.(Column)
	switch {
	case f.c.dialect != sqlast.Postgres:
		return Operation{sqlast.Local, []expr{x, zone}, x.Type()}
	case column:
		return Operation{sqlast.Local, []expr{uncompared{c}, uncompared{c}, zone}, x.Type()}
	}
	return Operation{sqlast.LocalOnce, []expr{x, zone}, x.Type()}
}

// era is a time or a day on PostgreSQL that a calendar has, or null. What follows fails for some that the
// column may hold, like a date beyond the last timestamp, and would show that there is such a row.
func (f *From) era(x expr) expr {
	if f.c.dialect != sqlast.Postgres {
		return x
	}
	switch c := x.(type) {
	case Argument:
		return x
	case Column:
		return Operation{sqlast.Era, []expr{uncompared{c}, uncompared{c}}, x.Type()}
	}
	return Operation{sqlast.EraOnce, []expr{x}, x.Type()}
}

// uncompared is a column as it is stored, and not as it is compared.
type uncompared struct{ Column }

func (e uncompared) SQL(f *From) sqlast.Expr { return e.Column.SQL(f) }

// heldAs is the form in which SQLite holds a column, where that is declared and is not what statements calculate with; "": there is none.
func (c *state) heldAs(col *decl.Column) cellform.Form {
	if c.dialect != sqlast.SQLite || col.Iso() || !col.Stored.Fits(col.Kind) {
		return ""
	}
	return col.Stored
}

var readers = map[string]sqlast.Op{value.TypeTime: sqlast.ReadTime, value.TypeDate: sqlast.ReadDay, value.TypeBool: sqlast.ReadFlag}
var storers = map[string]sqlast.Op{value.TypeTime: sqlast.StoreTime, value.TypeDate: sqlast.StoreDay, value.TypeBool: sqlast.StoreFlag}

// read is a cell of a declared form as a time, a day or a truth value; NULL for a cell of another form.
func (f *From) read(x sqlast.Expr, col *decl.Column) sqlast.Expr {
	return call(readers[col.Kind], x, f.c.formArg(col.Stored))
}

func (c *state) formArg(form cellform.Form) sqlast.Expr {
	return c.arg(plan.Source{Origin: plan.FromConst, Index: form.Index(), Item: -1})
}

// raw is a column as it lies in the database, where its index serves.
type raw struct{ Column }

func (e raw) SQL(f *From) sqlast.Expr { return f.unindexed(f.col(e.row, e.col), e.row, e.col) }

func (e raw) comparable(f *From) sqlast.Expr { return e.SQL(f) }

// bound is a value as a cell of the form, see plan.ArgBound.
func (e Argument) bound(kind string, form cellform.Form, of string) Argument {
	e.src.Kind, e.src.Form, e.src.Of = kind, form, of
	return e
}

// held is a comparison of a column of a declared form with a value, or nil. The value is converted and not the column, so that an index
// serves. A cell of another form is on neither side of a value: numbers stand before all texts in SQLite, and would be below each time.
func (e Operation) held(f *From) sqlast.Expr {
	c, ok := e.args[0].(Column)
	if !ok || f.c.heldAs(c.col) == "" {
		return nil
	}
	form, of := f.c.heldAs(c.col), c.col.Kind
	x := raw{c}.SQL(f)
	if e.op == sqlast.IsNull || e.op == sqlast.IsNotNull || x == nil {
		return call(e.op, x)
	}
	if len(e.args) != 2 {
		return nil
	}
	v, ok := e.args[1].(Argument)
	if !ok {
		return nil
	}
	low := func() sqlast.Expr { return v.bound(plan.ArgBound, form, of).SQL(f) }
	next := func() sqlast.Expr { return v.bound(plan.ArgNext, form, of).SQL(f) }
	fits, _ := f.c.fit(c)
	if fits != sqlast.NoOp && !f.c.needed && e.op != sqlast.Is && e.op != sqlast.IsNot {
		return nil
	}
	with := func(x sqlast.Expr, otherwise sqlast.Op) sqlast.Expr {
		switch raw := (raw{c}).SQL(f); {
		case fits != sqlast.NoOp:
			return call(sqlast.And, x, isValue(fits, raw))
		case otherwise == sqlast.NoOp || f.c.paging:
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
func (f *From) heldList(x expr, list []expr) (expr, []expr) {
	c, ok := x.(Column)
	if !ok || !f.c.needed && f.c.guards(c) || !f.c.heldAs(c.col).Exact(c.col.Kind) {
		return x, list
	}
	out := make([]expr, len(list))
	for i, a := range list {
		v, ok := a.(Argument)
		if !ok {
			return x, list
		}
		out[i] = v.bound(plan.ArgBound, f.c.heldAs(c.col), c.col.Kind)
	}
	return raw{c}, out
}

// holding is what a column is given that another column, or what was calculated, is written to; nil: as it is. A cell of a column that holds
// its values in the same form is copied.
func (f *From) holding(col *decl.Column, e expr) sqlast.Expr {
	if f.c.dialect != sqlast.SQLite || storers[col.Kind] == sqlast.NoOp {
		return nil
	}
	c, plain := e.(Column)
	switch form := f.c.heldAs(col); {
	case plain && c.col.Kind == col.Kind && c.col.Stored == col.Stored:
		return raw{c}.SQL(f)
	case form != "":
		return call(storers[col.Kind], compared(e, f), f.c.formArg(form))
	case plain && c.col.Kind == col.Kind:
		return compared(e, f)
	}
	return nil
}
