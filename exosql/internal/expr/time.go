package expr

// This file has times and days: their parts, local time, and the forms in which SQLite stores them.

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// part reads a whole number from a time or a day. On PostgreSQL it is a numeric.
func (f *From) part(op sqlast.Op, x Expr) Expr {
	return Operation{op, []Expr{x}, Type{Kind: value.TypeInt, Exact: f.c.Dialect == sqlast.Postgres}}
}

// Truncate returns the first day of the unit that contains x. The result is a day, which is the
// same in each time zone, while the instant at which it begins is not.
func (f *From) Truncate(x Expr, unit string) (Expr, error) {
	for _, u := range language.Units {
		if u.Name == unit {
			return Operation{u.First, []Expr{f.local(x)}, Type{Kind: value.TypeDate}}, nil
		}
	}
	return nil, errUnit
}

var errUnit = fail.Errorf(fail.Internal, "truncate", "exosql does not know this unit of time, so nothing ran: this is a fault of exosql, please report it")

// Plus returns the day that is many units after the day of x. A time becomes a day first, as in
// Truncate: the same time may not exist on another day, or exist twice.
func (f *From) Plus(x, many Expr, unit string) (Expr, error) {
	day, err := f.Truncate(x, "day")
	if err != nil {
		return nil, err
	}
	for _, u := range language.Units {
		if u.Name == unit {
			return Operation{u.Plus, []Expr{day, many}, Type{Kind: value.TypeDate}}, nil
		}
	}
	return nil, errUnit
}

// elapsed returns the milliseconds between two times, as JavaScript subtracts them.
func (f *From) elapsed(op *language.Operator, args []Expr) Expr {
	a, b := f.part(sqlast.EpochMillis, args[0]), f.part(sqlast.EpochMillis, args[1])
	if op.Name == "rsub" {
		a, b = b, a
	}
	return f.minus(a, b)
}

// days returns the number of days by which the first time or day is after the second.
func (f *From) days(args []Expr) Expr {
	return f.minus(f.part(sqlast.JulianDay, f.local(args[0])), f.part(sqlast.JulianDay, f.local(args[1])))
}

func (f *From) minus(a, b Expr) Expr {
	args := []Expr{f.Exactly(a), f.Exactly(b)}
	return Operation{sqlast.Minus, args, Type{Kind: value.TypeInt, Exact: true, Size: sizeOf(sqlast.Minus, args)}}
}

// local returns a time as clocks show it in the program's time zone. A day is the same everywhere.
// The host chooses the zone, not the program.
func (f *From) local(x Expr) Expr {
	if !f.c.Zoned || x.Type().Kind != value.TypeTime {
		return f.era(x)
	}
	zone := Argument{Src: plan.Source{Origin: plan.FromZone, Item: -1, Kind: plan.ArgZone}, Kind: value.TypeText}
	c, column := x.(Column)
	switch {
	case f.c.Dialect != sqlast.Postgres:
		return Operation{sqlast.Local, []Expr{x, zone}, x.Type()}
	case column:
		return Operation{sqlast.Local, []Expr{uncompared{c}, uncompared{c}, zone}, x.Type()}
	}
	return Operation{sqlast.LocalOnce, []Expr{x, zone}, x.Type()}
}

// era returns a time or a day of PostgreSQL, or null if no calendar has it. Functions fail for some stored
// values, like a date beyond the last timestamp, and the failure would reveal that such a row exists.
func (f *From) era(x Expr) Expr {
	if f.c.Dialect != sqlast.Postgres {
		return x
	}
	switch c := x.(type) {
	case Argument:
		return x
	case Column:
		return Operation{sqlast.Era, []Expr{uncompared{c}, uncompared{c}}, x.Type()}
	}
	return Operation{sqlast.EraOnce, []Expr{x}, x.Type()}
}

// uncompared is a column in its stored form, not in the form that is compared.
type uncompared struct{ Column }

func (e uncompared) SQL(f *From) sqlast.Expr { return f.Col(e.Row, e.Col) }

// HeldAs returns the declared form in which SQLite stores a column if statements can't calculate with that form, else "".
func (c *State) HeldAs(col *decl.Column) cellform.Form {
	if c.Dialect != sqlast.SQLite || col.Iso() || !col.Stored.Fits(col.Kind) {
		return ""
	}
	return col.Stored
}

var readers = map[string]sqlast.Op{value.TypeTime: sqlast.ReadTime, value.TypeDate: sqlast.ReadDay, value.TypeBool: sqlast.ReadFlag}
var storers = map[string]sqlast.Op{value.TypeTime: sqlast.StoreTime, value.TypeDate: sqlast.StoreDay, value.TypeBool: sqlast.StoreFlag}

// read converts a cell of a declared form to a time, a day or a truth value. A cell of another form becomes NULL.
func (f *From) read(x sqlast.Expr, col *decl.Column) sqlast.Expr {
	return Call(readers[col.Kind], x, f.c.formArg(col.Stored))
}

func (c *State) formArg(form cellform.Form) sqlast.Expr {
	return c.Arg(plan.Source{Origin: plan.FromConst, Index: form.Index(), Item: -1})
}

// Raw is a column in its stored form, where its index serves.
type Raw struct{ Column }

func (e Raw) SQL(f *From) sqlast.Expr { return f.unindexed(f.Col(e.Row, e.Col), e.Row, e.Col) }

func (e Raw) comparable(f *From) sqlast.Expr { return e.SQL(f) }

// bound returns a value converted to a cell of the form: see plan.ArgBound.
func (e Argument) bound(kind string, form cellform.Form, of string) Argument {
	e.Src.Kind, e.Src.Form, e.Src.Of = kind, form, of
	return e
}

// held writes a comparison of a column in a declared form with a value. It returns nil for any other operation. It converts the value and not
// the column, so that an index serves. A cell of another form must match neither < nor >: SQLite sorts numbers before all texts, so such a
// cell would be below every value.
func (e Operation) held(f *From) sqlast.Expr {
	c, ok := e.Args[0].(Column)
	if !ok || f.c.HeldAs(c.Col) == "" {
		return nil
	}
	form, of := f.c.HeldAs(c.Col), c.Col.Kind
	x := Raw{c}.SQL(f)
	if e.Op == sqlast.IsNull || e.Op == sqlast.IsNotNull || x == nil {
		return Call(e.Op, x)
	}
	if len(e.Args) != 2 {
		return nil
	}
	v, ok := e.Args[1].(Argument)
	if !ok {
		return nil
	}
	low := func() sqlast.Expr { return v.bound(plan.ArgBound, form, of).SQL(f) }
	next := func() sqlast.Expr { return v.bound(plan.ArgNext, form, of).SQL(f) }
	fits, _ := f.c.fit(c)
	if fits != sqlast.NoOp && !f.c.Needed && e.Op != sqlast.Is && e.Op != sqlast.IsNot {
		return nil
	}
	with := func(x sqlast.Expr, otherwise sqlast.Op) sqlast.Expr {
		switch raw := (Raw{c}).SQL(f); {
		case fits != sqlast.NoOp:
			return Call(sqlast.And, x, f.isValue(fits, raw))
		case otherwise == sqlast.NoOp:
			return x
		default:
			return Call(sqlast.And, x, Call(otherwise, raw))
		}
	}
	op, right := e.Op, low
	if !form.Exact(of) { // several cells may have the same millisecond
		switch e.Op {
		case sqlast.Eq:
			return Call(sqlast.And, Call(sqlast.Ge, x, low()), Call(sqlast.Lt, x, next()))
		case sqlast.Is:
			return Call(sqlast.And, Call(sqlast.Ge, x, low()), Call(sqlast.Lt, x, next()), Call(sqlast.IsNotNull, x))
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
		return Call(op, x, right())
	case sqlast.Lt, sqlast.Le:
		if !form.Number() {
			return with(Call(op, x, right()), sqlast.NoNumber)
		}
		return with(Call(op, x, right()), sqlast.NoOp)
	case sqlast.Gt, sqlast.Ge:
		if form.Number() {
			return with(Call(op, x, right()), sqlast.IsNumber)
		}
		return with(Call(op, x, right()), sqlast.NoOp)
	}
	return nil
}

// heldList returns a column of a declared form, and a list of values converted to that form. It returns x and list unchanged unless all items are
// values.
func (f *From) heldList(x Expr, list []Expr) (Expr, []Expr) {
	c, ok := x.(Column)
	if !ok || !f.c.Needed && f.c.Misfits(c) || !f.c.HeldAs(c.Col).Exact(c.Col.Kind) {
		return x, list
	}
	out := make([]Expr, len(list))
	for i, a := range list {
		v, ok := a.(Argument)
		if !ok {
			return x, list
		}
		out[i] = v.bound(plan.ArgBound, f.c.HeldAs(c.Col), c.Col.Kind)
	}
	return Raw{c}, out
}

// Holding returns what a column stores for another column or for a calculated value, or nil for the
// value as it is. A cell of a column with the same stored form is copied.
func (f *From) Holding(col *decl.Column, e Expr) sqlast.Expr {
	if f.c.Dialect != sqlast.SQLite || storers[col.Kind] == sqlast.NoOp {
		return nil
	}
	c, plain := e.(Column)
	switch form := f.c.HeldAs(col); {
	case plain && c.Col.Kind == col.Kind && c.Col.Stored == col.Stored:
		return Raw{c}.SQL(f)
	case form != "":
		return Call(storers[col.Kind], Compared(e, f), f.c.formArg(form))
	case plain && c.Col.Kind == col.Kind:
		return Compared(e, f)
	}
	return nil
}
