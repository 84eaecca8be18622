package number

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// This file has arithmetic for SQLite, which has no decimals. It gives the numbers of PostgreSQL's
// numeric, digit for digit. Every function accepts every operand, and returns nil if there is no
// result. An error could come from any row that the engine reads, and reveal another tenant's row.

const (
	MaxPlaces  = 20     // MaxPlaces is how many digits a quotient has after the point
	MaxNumeric = 16_000 // MaxNumeric is how many digits an operand may have
)

// Read reads a cell that SQLite stores as a number: an integer, a float, or the text of a decimal. It returns false for any other cell, and for infinities.
func Read(x any) (Decimal, bool) {
	switch x := x.(type) {
	case int64:
		return Decimal{big.NewInt(x), 0}, true
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Decimal{}, false
		}
		return Parse(strconv.FormatFloat(x, 'f', -1, 64))
	case string:
		if s, ok := scalar.Canonical(value.TypeDecimal, x); ok {
			return Parse(s)
		}
		return Parse(x) // a calculated number may have more digits than a program may write
	}
	return Decimal{}, false
}

// Kept returns the cell of a number for a column in which SQLite turns texts into numbers. With
// wholes a whole number is an integer; any other number is a float that reads as the same decimal.
// Kept returns false if SQLite would silently keep only 17 digits. A value that is not a number is
// unchanged.
func Kept(x any, wholes bool) (any, bool) {
	d, ok := Read(x)
	if !ok {
		return x, true
	}
	s, _ := Text(d).(string)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && wholes {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	back, ok := Read(f)
	return f, err == nil && ok && Text(back) == Text(d)
}

// KeptText reports whether a column in which SQLite turns texts into numbers gives back the same
// text: 007 would become 7, and 1e3 a thousand.
func KeptText(s string) bool {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return strconv.FormatInt(n, 10) == s
	}
	plain := strings.TrimPrefix(strings.ToLower(strings.Trim(s, " \t\n\v\f\r")), "+")
	f, err := strconv.ParseFloat(plain, 64)
	if strings.Trim(plain, "+-.0123456789e") != "" || err != nil && !errors.Is(err, strconv.ErrRange) {
		return true // the text is no number
	}
	size := math.Abs(f)
	return strconv.FormatFloat(f, 'f', -1, 64) == s && f != math.Trunc(f) && size > 1e-4 && size < 1e15 && len(s) <= 16
}

// result returns the number in the form that SQLite stores: an integer if it fits, or the text of a
// decimal. It returns nil for more than MaxNumeric digits; every calculated zero counts as one.
func result(d Decimal) any {
	if d.Exp < -MaxNumeric || d.long(MaxNumeric) {
		return nil
	}
	if d = d.reduced(); d.Exp >= 0 {
		if i, ok := d.int64(); ok {
			return i
		}
	}
	return d.text()
}

func Add(a, b Decimal) any {
	x, y, exp := align(a, b)
	return result(Decimal{new(big.Int).Add(x, y), exp})
}

func Sub(a, b Decimal) any {
	x, y, exp := align(a, b)
	return result(Decimal{new(big.Int).Sub(x, y), exp})
}

func Mul(a, b Decimal) any {
	return result(Decimal{new(big.Int).Mul(a.Coef, b.Coef), a.Exp + b.Exp})
}

// Div returns the quotient, cut after MaxPlaces. PostgreSQL rounds it instead, to a number of
// places that depends on both operands.
func Div(a, b Decimal) any {
	if b.Coef.Sign() == 0 {
		return nil
	}
	x, y, _ := align(Decimal{a.Coef, a.Exp + MaxPlaces}, b)
	return result(Decimal{new(big.Int).Quo(x, y), -MaxPlaces})
}

// Mod returns the remainder, with the sign of the dividend.
func Mod(a, b Decimal) any {
	if b.Coef.Sign() == 0 {
		return nil
	}
	x, y, exp := align(a, b)
	return result(Decimal{new(big.Int).Rem(x, y), exp})
}

func Neg(a Decimal) any { return result(Decimal{new(big.Int).Neg(a.Coef), a.Exp}) }

func Abs(a Decimal) any { return result(Decimal{new(big.Int).Abs(a.Coef), a.Exp}) }

// Round rounds to places, with halves away from zero, as SQL does.
func Round(a, places Decimal) any {
	n, ok := places.int64()
	if !ok || n < 0 || n > scalar.MaxDigits {
		return nil
	}
	if a.Exp >= int(-n) {
		return result(a)
	}
	unit := power(int(-n) - a.Exp)
	q, rest := new(big.Int).QuoRem(a.Coef, unit, new(big.Int))
	if rest.Lsh(rest, 1).CmpAbs(unit) >= 0 {
		q.Add(q, big.NewInt(int64(a.Coef.Sign())))
	}
	return result(Decimal{q, int(-n)})
}

// RoundUp rounds halves up, as JavaScript's Math.round does.
func RoundUp(a Decimal) any {
	x, y, exp := align(a, Decimal{big.NewInt(5), -1})
	return Floor(Decimal{new(big.Int).Add(x, y), exp})
}

func Floor(a Decimal) any {
	if a.Exp >= 0 {
		return result(a)
	}
	return result(Decimal{new(big.Int).Div(a.Coef, power(-a.Exp)), 0}) // Int.Div rounds down here, since the divisor is positive
}

func Ceil(a Decimal) any {
	if a.Exp >= 0 {
		return result(a)
	}
	q := new(big.Int).Neg(a.Coef)
	return result(Decimal{q.Neg(q.Div(q, power(-a.Exp))), 0})
}

// Text returns the digits of the number, without an exponent.
func Text(a Decimal) any {
	switch x := result(a).(type) {
	case int64:
		return strconv.FormatInt(x, 10)
	case string:
		return x
	}
	return nil
}

// Bounded reports whether a number has at most scalar.MaxDigits digits on each side of its point.
func Bounded(a Decimal) bool {
	d := a.reduced()
	return d.Exp >= -scalar.MaxDigits && d.Exp <= scalar.MaxDigits && !d.long(scalar.MaxDigits-d.Exp)
}

// NotAbove returns the greatest whole number that is not above a. SQLite can compare it with its
// own whole numbers: it has 64 bits, or is an infinity.
func NotAbove(a Decimal) any { return orInfinite(Floor(a), a) }

// NotBelow returns the least whole number that is not below a, in the form of NotAbove.
func NotBelow(a Decimal) any { return orInfinite(Ceil(a), a) }

func orInfinite(x any, a Decimal) any {
	if i, ok := x.(int64); ok {
		return i
	}
	return math.Inf(a.Coef.Sign())
}

// AsWhole returns a number that equals exactly those whole numbers of SQLite that a equals: a itself, or 0.5, which equals none.
func AsWhole(a Decimal) any {
	if i, ok := a.int64(); ok {
		return i
	}
	return 0.5
}

// KeyOf returns the Key of a cell that SQLite stores as a number, or nil for other cells.
func KeyOf(x any) any {
	s, ok := shortOf(x)
	if i, whole := x.(int64); whole {
		s, ok = short{coef: i}, true
	}
	if !ok {
		d, ok := Read(x)
		if !ok {
			return nil
		}
		return Key(d)
	}
	for s.coef != 0 && s.coef%10 == 0 {
		s.coef, s.exp = s.coef/10, s.exp+1
	}
	return key(cmp.Compare(s.coef, 0), strconv.AppendUint(make([]byte, 5, 32), magnitude(s.coef), 10), int(s.exp))
}

// Key returns a blob that sorts like the number. It has the sign, the magnitude, and the digits.
// The magnitude counts the digits before the point, or is minus the number of zeros after it. For a
// negative number every byte is inverted, and an end mark is added.
func Key(a Decimal) any {
	d := a.reduced()
	b := d.Coef.Append(make([]byte, 5, 32), 10)
	if d.Coef.Sign() < 0 {
		b = append(b[:5], b[6:]...) // drop the minus
	}
	return key(d.Coef.Sign(), b, d.Exp)
}

// key completes b, which has room for sign and magnitude before the digits of a coefficient.
func key(sign int, b []byte, exp int) any {
	if sign == 0 {
		return []byte{1}
	}
	b[0] = 2
	binary.BigEndian.PutUint32(b[1:], uint32(len(b)-5+exp+1<<30))
	if sign < 0 {
		for i := range b {
			b[i] = ^b[i]
		}
		b = append(b, 0xff)
		b[0] = 0
	}
	return b
}
