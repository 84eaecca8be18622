package compile

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
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

func (e storedExpr) sql(f *from) sqlast.Expr { return e.colExpr.sql(f) }
