package expr

// This file bounds the length of numbers, by the types of their operands.

import (
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// digits returns the bound on the digits of a number of this type.
func (t Type) digits() Digits {
	switch {
	case t.Size != Digits{}:
		return t.Size
	case t.Kind == value.TypeInt:
		return Digits{19, 0}
	case t.Kind == value.TypeFloat:
		return Digits{309, 324}
	}
	return Digits{scalar.MaxDigits, scalar.MaxDigits}
}

// unbounded reports whether the type is a stored decimal: a numeric of PostgreSQL may have 100,000 digits.
func (t Type) unbounded() bool { return t.Kind == value.TypeDecimal && t.Size == Digits{} }

// bounded returns a number for calculations. It is NULL for a stored number with more than
// scalar.MaxDigits digits on one side of its point.
func (f *From) bounded(e Expr) Expr {
	t := e.Type()
	if !t.unbounded() {
		return f.Exactly(e)
	}
	t.Size = t.digits()
	if f.c.Dialect == sqlast.Postgres {
		return Operation{sqlast.Bounded, []Expr{e, e, e}, t}
	}
	return Operation{sqlast.Bounded, []Expr{e}, t}
}

// sizeOf returns the bound on the digits of an operator's result.
func sizeOf(op sqlast.Op, args []Expr) Digits {
	a := args[0].Type().digits()
	b := a
	if len(args) > 1 {
		b = args[1].Type().digits()
	}
	switch op {
	case sqlast.Plus, sqlast.Minus:
		return Digits{max(a.Whole, b.Whole) + 1, max(a.part, b.part)}
	case sqlast.Times:
		return Digits{a.Whole + b.Whole, a.part + b.part}
	case sqlast.Over: // dividing by 0.001 adds as many digits as the divisor has places
		return Digits{a.Whole + b.part + 1, number.MaxPlaces}
	case sqlast.Modulo:
		return Digits{min(a.Whole, b.Whole), max(a.part, b.part)}
	case sqlast.RoundUp, sqlast.Floor, sqlast.Ceil:
		return Digits{a.Whole + 1, 0}
	case sqlast.Round:
		return Digits{a.Whole + 1, min(a.part, scalar.MaxDigits)}
	}
	return a
}

// Largest returns the bound on the digits of a result that is one of args.
func Largest(args []Expr) Digits {
	var out Digits
	for _, a := range args {
		if t := a.Type(); t.Number() {
			if t.unbounded() {
				return Digits{}
			}
			d := t.digits()
			out = Digits{max(out.Whole, d.Whole), max(out.part, d.part)}
		}
	}
	return out
}

// Exactly returns a number in a form that calculations treat exactly.
func (f *From) Exactly(e Expr) Expr {
	t := e.Type()
	switch v, val := e.(Argument); {
	case val:
		return v.As(value.TypeDecimal)
	case t.Exact, t.Kind == value.TypeDecimal, t.Kind == value.TypeNull:
		return e
	case t.Kind == value.TypeFloat:
		return Operation{sqlast.FloatExact, []Expr{e}, Type{Kind: t.Kind, Exact: true, Size: t.digits()}}
	}
	return Operation{sqlast.IntExact, []Expr{e}, Type{Kind: t.Kind, Exact: true, Size: t.digits()}}
}

// whole reports whether x is a column of whole numbers, which each engine sums exactly itself.
func whole(x Expr) bool {
	c, ok := x.(Column)
	return ok && c.Col.Kind == value.TypeInt
}

// bytes returns the bound on the bytes of a value as text, or zero if there is none.
func (t Type) bytes() Digits {
	switch t.Kind {
	case value.TypeText, value.TypeNull:
		return t.Size
	}
	return Digits{Whole: 64} // Digits{64} is enough for a day or a UUID; a number becomes text only by toText
}
