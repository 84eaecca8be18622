package expr

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file bounds texts that operators make larger, in bytes, as digits.go bounds numbers. An
// engine that runs out of memory would reveal that some row's text is long.
const (
	maxMade    = 8 << 20 // maxMade bounds a calculated text; no result can show more
	maxLiteral = 256 << 10
)

// Fits refuses a result that could become too large for an engine in some row.
func (t Type) Fits(op string) error {
	switch d := t.digits(); {
	case t.Number() && d.Whole+d.part > number.MaxNumeric:
		return fail.Errorf(fail.Limit, language.Shown(op), "the result could have more than %d digits: select the columns, and calculate with the rows", number.MaxNumeric)
	case t.Kind == value.TypeText && t.Size.Whole > maxMade:
		return fail.Errorf(fail.Limit, language.Shown(op), "the result could be a text of more than %d MiB: put together fewer or shorter texts", maxMade>>20)
	}
	return nil
}

// boundedText gives a text without a known size a bound, which the size of an operator's result is calculated from.
func (f *From) boundedText(e Expr) Expr {
	t := e.Type()
	if _, value := asArgument(e); value || t.Size.Whole > 0 || isNull(e) {
		return e
	}
	t.Size = Digits{Whole: plan.MaxBrief}
	if f.c.Dialect == sqlast.Postgres {
		return Operation{sqlast.Brief, []Expr{e, e}, t}
	}
	return Operation{sqlast.Brief, []Expr{e}, t}
}

func isNull(e Expr) bool {
	t, ok := e.(Text)
	return ok && t.X.Type().Kind == value.TypeNull
}

// asArgument returns e as a value of the message, if it is one, with or without a Text around it.
func asArgument(e Expr) (Argument, bool) {
	if t, ok := e.(Text); ok {
		e = t.X
	}
	v, ok := e.(Argument)
	return v, ok
}

// textSize returns the bound on the bytes of an operator's result.
func textSize(op sqlast.Op, args []Expr) Digits {
	sum := 0
	for i, a := range args {
		if op == sqlast.Substr && i > 0 {
			break
		}
		n := a.Type().Size.Whole
		if _, value := asArgument(a); value {
			n = maxLiteral
		}
		if n == 0 {
			return Digits{}
		}
		sum += n
	}
	if op == sqlast.Lower || op == sqlast.Upper {
		sum *= 3 // \u0390 has one code point, and its capital three
	}
	return Digits{Whole: sum}
}

// made reports whether an operand is calculated. Then each operand gets its own bound. A bound
// repeats its operand, so a bound around the whole would repeat the bounds inside.
func made(args []Expr) bool {
	return slices.ContainsFunc(args, func(a Expr) bool {
		_, value := asArgument(a)
		return !value && a.Type().Size != Digits{}
	})
}

// Longest returns the bound on the bytes of a text that is one of args.
func Longest(args []Expr) Digits {
	out := Digits{Whole: maxLiteral}
	for _, a := range args {
		if _, val := asArgument(a); val || a.Type().Kind == value.TypeNull {
			continue
		}
		n := a.Type().Size.Whole
		if n == 0 {
			return Digits{}
		}
		out.Whole = max(out.Whole, n)
	}
	return out
}
