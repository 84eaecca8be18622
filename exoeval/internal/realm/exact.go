package realm

// This file has the arithmetic of Decimal.

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// exact is the exact number coef / 10^places. coef does not end in a zero unless places is 0. There are at most scalar.MaxDigits digits on
// each side of the point. So the cost of an operation is bounded: no intermediate number has more than four times scalar.MaxDigits digits.
// An exact never changes.
type exact struct {
	coef   *big.Int
	places int
}

// quotientPlaces is the number of decimal places that a quotient keeps. Databases cut there, too (maxPlaces of exosql;
// TestDecimalAsDatabases).
const quotientPlaces = 20

const numberDigits = 17 // the most digits of a number of JavaScript

// parseExact reads the decimals that scalar.Canonical accepts, which are bounded.
func parseExact(s string) (exact, bool) {
	s, ok := scalar.Canonical(value.TypeDecimal, s)
	if !ok {
		return exact{}, false
	}
	whole, part, _ := strings.Cut(s, ".")
	coef, ok := new(big.Int).SetString(whole+part, 10)
	return exact{coef, len(part)}, ok
}

// bounded returns the number coef / 10^places. ok is false if it has too many digits.
func bounded(coef *big.Int, places int) (exact, bool) {
	if places > 0 && coef.Sign() == 0 {
		return exact{coef, 0}, true
	}
	if places > 0 && coef.Bit(0) == 0 { // an odd number does not end in a zero
		if digits := coef.String(); digits[len(digits)-1] == '0' {
			zeros := min(places, len(digits)-len(strings.TrimRight(digits, "0")))
			coef, places = new(big.Int).Quo(coef, power(zeros)), places-zeros
		}
	}
	short := coef.BitLen() <= 3*scalar.MaxDigits // 10^n has more than 3n bits, so a shorter coef is surely small enough
	return exact{coef, places}, places <= scalar.MaxDigits && (short || coef.CmpAbs(power(scalar.MaxDigits+places)) < 0)
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// align returns the coefficients of both numbers with the same number of places.
func align(a, b exact) (x, y *big.Int, places int) {
	switch d := a.places - b.places; {
	case d > 0:
		return a.coef, new(big.Int).Mul(b.coef, power(d)), a.places
	case d < 0:
		return new(big.Int).Mul(a.coef, power(-d)), b.coef, b.places
	}
	return a.coef, b.coef, a.places
}

func (a exact) cmp(b exact) int {
	x, y, _ := align(a, b)
	return x.Cmp(y)
}

func (a exact) plus(b exact) (exact, bool) {
	x, y, places := align(a, b)
	return bounded(new(big.Int).Add(x, y), places)
}

func (a exact) minus(b exact) (exact, bool) { return a.plus(b.neg()) }

func (a exact) times(b exact) (exact, bool) {
	return bounded(new(big.Int).Mul(a.coef, b.coef), a.places+b.places)
}

// div cuts the quotient after quotientPlaces. b must not be zero.
func (a exact) div(b exact) (exact, bool) { return a.cut(b, quotientPlaces) }

func (a exact) cut(b exact, places int) (exact, bool) {
	x, y, _ := align(a, b)
	x = new(big.Int).Mul(x, power(places))
	return bounded(x.Quo(x, y), places)
}

// quotient is div with more places for a small quotient, so that the quotient has as many significant digits as a number of JavaScript:
// 1e-19 / 3 is not 0.
func (a exact) quotient(b exact) (exact, bool) {
	x, y, _ := align(a, b)
	if short := len(y.String()) - len(x.String()) - (quotientPlaces - numberDigits); short > 0 && a.coef.Sign() != 0 {
		return a.cut(b, min(quotientPlaces+short, scalar.MaxDigits))
	}
	return a.div(b)
}

// mod is the operator %: the rest has the sign of a. b must not be zero.
func (a exact) mod(b exact) (exact, bool) {
	x, y, places := align(a, b)
	return bounded(new(big.Int).Rem(x, y), places)
}

// power raises a to a whole power. ok is false if the exact number is too long to compute, or for a division by zero.
func (a exact) power(n int) (exact, bool) {
	size := max(n, -n)
	if size > 10*scalar.MaxDigits || (a.coef.BitLen()+a.places)*size > 8*scalar.MaxDigits || n < 0 && a.coef.Sign() == 0 {
		return exact{}, false
	}
	r, ok := bounded(new(big.Int).Exp(a.coef, big.NewInt(int64(size)), nil), a.places*size)
	if ok && n < 0 {
		return exact{big.NewInt(1), 0}.quotient(r)
	}
	return r, ok
}

func (a exact) neg() exact { return exact{new(big.Int).Neg(a.coef), a.places} }
func (a exact) abs() exact { return exact{new(big.Int).Abs(a.coef), a.places} }

// round rounds to the given places, halves away from zero, like SQL.
func (a exact) round(places int) (exact, bool) {
	if a.places <= places {
		return a, true
	}
	unit := power(a.places - places)
	q, rest := new(big.Int).QuoRem(a.coef, unit, new(big.Int))
	if rest.Lsh(rest, 1).CmpAbs(unit) >= 0 {
		q.Add(q, big.NewInt(int64(a.coef.Sign())))
	}
	return bounded(q, places)
}

// whole rounds a to a whole number like Math.floor, ceil, trunc or round, which rounds halves up.
func (a exact) whole(how string) (exact, bool) {
	unit := power(a.places)
	q, rest := new(big.Int).DivMod(a.coef, unit, new(big.Int)) // the rest is not negative
	up := how == "ceil" || how == "trunc" && a.coef.Sign() < 0
	if how == "round" {
		up = new(big.Int).Lsh(rest, 1).Cmp(unit) >= 0
	}
	if up && rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return bounded(q, 0)
}

// fixed returns the text with at least this many places. With 0 places the text is canonical.
func (a exact) fixed(places int) string {
	digits, minus := strings.CutPrefix(a.coef.String(), "-")
	digits = strings.Repeat("0", max(a.places+1-len(digits), 0)) + digits
	part := digits[len(digits)-a.places:] + strings.Repeat("0", max(places-a.places, 0))
	digits = digits[:len(digits)-a.places]
	if part != "" {
		digits += "." + part
	}
	if minus {
		return "-" + digits
	}
	return digits
}

func (a exact) String() string { return a.fixed(0) }

// significant returns the first n digits of a, and the exponent of ten of the first digit. It rounds the last digit, halves away from zero.
func (a exact) significant(n int) (digits string, e int) {
	coef := new(big.Int).Abs(a.coef)
	e = len(coef.String()) - 1 - a.places
	if coef.Sign() == 0 {
		return strings.Repeat("0", n), 0
	}
	if drop := a.places + e + 1 - n; drop > 0 {
		unit := power(drop)
		rest := new(big.Int)
		if coef.QuoRem(coef, unit, rest); rest.Lsh(rest, 1).Cmp(unit) >= 0 {
			coef.Add(coef, big.NewInt(1))
		}
	} else {
		coef.Mul(coef, power(-drop))
	}
	if digits = coef.String(); len(digits) > n { // rounding made 10.0 of 9.99
		digits, e = digits[:n], e+1
	}
	return digits, e
}

// digits returns a with n digits in the form of toPrecision or toExponential.
func (a exact) digits(n int, exponential bool) (s string) {
	s, e := a.significant(n)
	switch {
	case exponential || e < -6 || e >= n:
		if n > 1 {
			s = s[:1] + "." + s[1:]
		}
		s += fmt.Sprintf("e%+d", e)
	case e < 0:
		s = "0." + strings.Repeat("0", -e-1) + s
	case e < n-1:
		s = s[:e+1] + "." + s[e+1:]
	}
	if a.coef.Sign() < 0 {
		return "-" + s
	}
	return s
}
