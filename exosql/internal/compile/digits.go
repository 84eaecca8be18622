package compile

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// digits bounds how long a number can be: its digits before the point and behind
// it. They are known when a query is compiled, from the types of what it is made
// of. So what could become too long for an engine is refused for every row or for
// none: PostgreSQL would fail for the rows that are long, and show that there are such.
type digits struct{ whole, part int }

// digits is the bound of a number of this type.
func (t Type) digits() digits {
	switch {
	case t.size != digits{}:
		return t.size
	case t.kind == value.TypeInt:
		return digits{19, 0}
	case t.kind == value.TypeFloat:
		return digits{309, 324}
	}
	return digits{scalar.MaxDigits, scalar.MaxDigits}
}

// unbounded is a decimal as it is stored: a numeric of PostgreSQL may have 100,000 digits.
func (t Type) unbounded() bool { return t.kind == value.TypeDecimal && t.size == digits{} }

// bounded is a number to be calculated with. One that is stored with more digits
// than scalar.MaxDigits on one side of its point has no value.
func (f *From) bounded(e expr) expr {
	t := e.Type()
	if !t.unbounded() {
		return f.exactly(e)
	}
	t.size = t.digits()
	if f.c.dialect == sqlast.Postgres {
		return Operation{sqlast.Bounded, []expr{e, e, e}, t}
	}
	return Operation{sqlast.Bounded, []expr{e}, t}
}

// sizeOf is the bound of what an operator gives.
func sizeOf(op sqlast.Op, args []expr) digits {
	a := args[0].Type().digits()
	b := a
	if len(args) > 1 {
		b = args[1].Type().digits()
	}
	switch op {
	case sqlast.Plus, sqlast.Minus:
		return digits{max(a.whole, b.whole) + 1, max(a.part, b.part)}
	case sqlast.Times:
		return digits{a.whole + b.whole, a.part + b.part}
	case sqlast.Over: // the least divisor has its only digit at the end
		return digits{a.whole + b.part + 1, number.MaxPlaces}
	case sqlast.Modulo:
		return digits{min(a.whole, b.whole), max(a.part, b.part)}
	case sqlast.RoundUp, sqlast.Floor, sqlast.Ceil:
		return digits{a.whole + 1, 0}
	case sqlast.Round:
		return digits{a.whole + 1, min(a.part, scalar.MaxDigits)}
	}
	return a
}

// largest is the bound of a number that is one of some.
func largest(args []expr) digits {
	var out digits
	for _, a := range args {
		if t := a.Type(); t.number() {
			if t.unbounded() {
				return digits{}
			}
			d := t.digits()
			out = digits{max(out.whole, d.whole), max(out.part, d.part)}
		}
	}
	return out
}
