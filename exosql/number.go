package exosql

import (
	"math"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"github.com/exoagent/exoagent/exo"
)

// Arithmetic on SQLite, which has no decimals: the exact numbers that PostgreSQL's
// numeric gives, digit for digit. Every function is total: what can't be calculated
// has no value. An error would come from whatever rows the engine looks at, those
// of other tenants included.

// exact calculates without rounding; a result of more digits than a numeric of
// PostgreSQL holds has no value.
var exact = apd.BaseContext.WithPrecision(0)

const maxPlaces = 20 // of a quotient

// number reads what SQLite holds as a number: whole, float, or the text of a decimal.
func number(x any) (*apd.Decimal, bool) {
	switch x := x.(type) {
	case int64:
		return apd.New(x, 0), true
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, false
		}
		return parseDecimal(strconv.FormatFloat(x, 'f', -1, 64))
	case string:
		if s, ok := exo.Canonical(exo.TypeDecimal, x); ok {
			return parseDecimal(s)
		}
		return parseLong(x)
	}
	return nil, false
}

func parseDecimal(s string) (*apd.Decimal, bool) {
	d, _, err := apd.NewFromString(s)
	return d, err == nil && d.Form == apd.Finite
}

// parseLong reads a number that was calculated and has more digits than a program may write.
func parseLong(s string) (*apd.Decimal, bool) {
	if len(s) > 2*maxNumeric {
		return nil, false
	}
	for i, c := range s {
		if c != '.' && (c < '0' || c > '9') && (c != '-' || i > 0) {
			return nil, false
		}
	}
	return parseDecimal(s)
}

const maxNumeric = 16_000 // digits of a number that is calculated with

// result is the number as SQLite holds it from here on: a whole number that fits,
// or the text of a decimal.
func result(d *apd.Decimal) any {
	if d.Form != apd.Finite || d.NumDigits() > maxNumeric || d.Exponent > maxNumeric || d.Exponent < -maxNumeric {
		return nil
	}
	d.Reduce(d)
	if d.IsZero() {
		return int64(0)
	}
	if i, err := d.Int64(); err == nil {
		return i
	}
	return d.Text('f')
}

func add(a, b *apd.Decimal) any { return calculate(exact.Add, a, b) }
func sub(a, b *apd.Decimal) any { return calculate(exact.Sub, a, b) }
func mul(a, b *apd.Decimal) any { return calculate(exact.Mul, a, b) }

func calculate(f func(d, a, b *apd.Decimal) (apd.Condition, error), a, b *apd.Decimal) any {
	d := new(apd.Decimal)
	if _, err := f(d, a, b); err != nil {
		return nil
	}
	return result(d)
}

// enough is a context in which the whole part of a/b is exact.
func enough(a, b *apd.Decimal) *apd.Context {
	n := a.NumDigits() + int64(a.Exponent) - b.NumDigits() - int64(b.Exponent) + 2
	return apd.BaseContext.WithPrecision(uint32(max(n, 1) + a.NumDigits() + b.NumDigits() + 40))
}

// div cuts the quotient after maxPlaces: PostgreSQL rounds it to a number of
// places that depends on both operands.
func div(a, b *apd.Decimal) any {
	if b.IsZero() {
		return nil
	}
	scaled, q := new(apd.Decimal).Set(a), new(apd.Decimal)
	scaled.Exponent += maxPlaces
	if _, err := enough(scaled, b).QuoInteger(q, scaled, b); err != nil {
		return nil
	}
	q.Exponent -= maxPlaces
	return result(q)
}

func mod(a, b *apd.Decimal) any {
	if b.IsZero() {
		return nil
	}
	d := new(apd.Decimal)
	if _, err := enough(a, b).Rem(d, a, b); err != nil {
		return nil
	}
	return result(d)
}

func neg(a *apd.Decimal) any { return result(new(apd.Decimal).Neg(a)) }
func abs(a *apd.Decimal) any { return result(new(apd.Decimal).Abs(a)) }

// round rounds halves away from zero, as SQL does.
func round(a, places *apd.Decimal) any {
	n, err := places.Int64()
	if err != nil || n < 0 || n > exo.MaxDigits {
		return nil
	}
	if a.Exponent >= int32(-n) {
		return result(new(apd.Decimal).Set(a))
	}
	d := new(apd.Decimal)
	if _, err := enough(a, apd.New(1, 0)).Quantize(d, a, int32(-n)); err != nil { // apd.BaseContext rounds halves up, away from zero
		return nil
	}
	return result(d)
}

// roundUp is JavaScript's Math.round: halves go up.
func roundUp(a *apd.Decimal) any {
	d := new(apd.Decimal)
	if _, err := exact.Add(d, a, apd.New(5, -1)); err != nil {
		return nil
	}
	return floor(d)
}

func floor(a *apd.Decimal) any { return whole((*apd.Context).Floor, a) }
func ceil(a *apd.Decimal) any  { return whole((*apd.Context).Ceil, a) }

func whole(f func(c *apd.Context, d, x *apd.Decimal) (apd.Condition, error), a *apd.Decimal) any {
	d := new(apd.Decimal)
	if _, err := f(enough(a, apd.New(1, 0)), d, a); err != nil {
		return nil
	}
	return result(d)
}

// numberText is the number without an exponent.
func numberText(a *apd.Decimal) any {
	switch x := result(new(apd.Decimal).Set(a)).(type) {
	case int64:
		return strconv.FormatInt(x, 10)
	case string:
		return x
	}
	return nil
}

// numberKey is a blob that sorts as the number does: the sign, the magnitude (how
// many digits stand before the point, or minus how many zeros follow it), the
// digits. Of a negative number every byte is turned over, and the end is marked.
func numberKey(a *apd.Decimal) any {
	d := new(apd.Decimal)
	d.Reduce(a)
	if d.Form != apd.Finite {
		return nil
	}
	if d.IsZero() {
		return []byte{1}
	}
	digits := d.Coeff.String()
	magnitude := uint32(int64(len(digits)) + int64(d.Exponent) + 1<<30)
	b := append([]byte{2, byte(magnitude >> 24), byte(magnitude >> 16), byte(magnitude >> 8), byte(magnitude)}, digits...)
	if d.Negative {
		for i := range b {
			b[i] = ^b[i]
		}
		b = append(b, 0xff)
		b[0] = 0
	}
	return b
}
