package exosql

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"

	"github.com/exoagent/exoagent/exo"
)

// Arithmetic on SQLite, which has no decimals: the exact numbers that PostgreSQL's
// numeric gives, digit for digit. Every function is total: what can't be calculated
// has no value. An error would come from whatever rows the engine looks at, those
// of other tenants included.

const (
	maxPlaces  = 20     // of a quotient
	maxNumeric = 16_000 // digits of a number that is calculated with
)

// number reads what SQLite holds as a number: whole, float, or the text of a decimal.
func number(x any) (decimal, bool) {
	switch x := x.(type) {
	case int64:
		return decimal{big.NewInt(x), 0}, true
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return decimal{}, false
		}
		return parseDecimal(strconv.FormatFloat(x, 'f', -1, 64))
	case string:
		if s, ok := exo.Canonical(exo.TypeDecimal, x); ok {
			return parseDecimal(s)
		}
		return parseDecimal(x) // it was calculated, and has more digits than a program may write
	}
	return decimal{}, false
}

// result is the number as SQLite holds it from here on: a whole number that fits,
// or the text of a decimal. Every zero that was calculated counts as a digit.
func result(d decimal) any {
	if d.exp < -maxNumeric || d.long(maxNumeric) {
		return nil
	}
	if d = d.reduced(); d.exp >= 0 {
		if i, ok := d.int64(); ok {
			return i
		}
	}
	return d.text()
}

func add(a, b decimal) any {
	x, y, exp := align(a, b)
	return result(decimal{new(big.Int).Add(x, y), exp})
}

func sub(a, b decimal) any {
	x, y, exp := align(a, b)
	return result(decimal{new(big.Int).Sub(x, y), exp})
}

func mul(a, b decimal) any {
	return result(decimal{new(big.Int).Mul(a.coef, b.coef), a.exp + b.exp})
}

// div cuts the quotient after maxPlaces: PostgreSQL rounds it to a number of
// places that depends on both operands.
func div(a, b decimal) any {
	if b.coef.Sign() == 0 {
		return nil
	}
	x, y, _ := align(decimal{a.coef, a.exp + maxPlaces}, b)
	return result(decimal{new(big.Int).Quo(x, y), -maxPlaces})
}

// mod has the sign of what is divided.
func mod(a, b decimal) any {
	if b.coef.Sign() == 0 {
		return nil
	}
	x, y, exp := align(a, b)
	return result(decimal{new(big.Int).Rem(x, y), exp})
}

func neg(a decimal) any { return result(decimal{new(big.Int).Neg(a.coef), a.exp}) }
func abs(a decimal) any { return result(decimal{new(big.Int).Abs(a.coef), a.exp}) }

// round rounds halves away from zero, as SQL does.
func round(a, places decimal) any {
	n, ok := places.int64()
	if !ok || n < 0 || n > exo.MaxDigits {
		return nil
	}
	if a.exp >= int(-n) {
		return result(a)
	}
	unit := power(int(-n) - a.exp)
	q, rest := new(big.Int).QuoRem(a.coef, unit, new(big.Int))
	if rest.Lsh(rest, 1).CmpAbs(unit) >= 0 {
		q.Add(q, big.NewInt(int64(a.coef.Sign())))
	}
	return result(decimal{q, int(-n)})
}

// roundUp is JavaScript's Math.round: halves go up.
func roundUp(a decimal) any {
	x, y, exp := align(a, decimal{big.NewInt(5), -1})
	return floor(decimal{new(big.Int).Add(x, y), exp})
}

func floor(a decimal) any {
	if a.exp >= 0 {
		return result(a)
	}
	return result(decimal{new(big.Int).Div(a.coef, power(-a.exp)), 0}) // down, since the divisor is positive
}

func ceil(a decimal) any {
	if a.exp >= 0 {
		return result(a)
	}
	q := new(big.Int).Neg(a.coef)
	return result(decimal{q.Neg(q.Div(q, power(-a.exp))), 0})
}

// numberText is the number without an exponent.
func numberText(a decimal) any {
	switch x := result(a).(type) {
	case int64:
		return strconv.FormatInt(x, 10)
	case string:
		return x
	}
	return nil
}

// numberBounded reports whether a number has at most exo.MaxDigits digits on each side of its point.
func numberBounded(a decimal) bool {
	d := a.reduced()
	return d.exp >= -exo.MaxDigits && d.exp <= exo.MaxDigits && !d.long(exo.MaxDigits-d.exp)
}

// numberKey is a blob that sorts as the number does: the sign, the magnitude (how
// many digits stand before the point, or minus how many zeros follow it), the
// digits. Of a negative number every byte is turned over, and the end is marked.
func numberKey(a decimal) any {
	d := a.reduced()
	sign := d.coef.Sign()
	if sign == 0 {
		return []byte{1}
	}
	b := d.coef.Append(make([]byte, 5, 32), 10)
	if sign < 0 {
		b = append(b[:5], b[6:]...) // without the minus
	}
	b[0] = 2
	binary.BigEndian.PutUint32(b[1:], uint32(len(b)-5+d.exp+1<<30))
	if sign < 0 {
		for i := range b {
			b[i] = ^b[i]
		}
		b = append(b, 0xff)
		b[0] = 0
	}
	return b
}
