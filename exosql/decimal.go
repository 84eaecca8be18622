package exosql

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
	"sync"
)

// decimal is the number coef × 10^exp, exactly. No function here rounds, fails,
// or changes an operand.
//
// What a number costs is bounded by what was read: parseDecimal gives at most
// 2*maxNumeric digits and an exponent between minus that and zero. So no power of
// ten that is made below has more than 5*maxNumeric digits, whoever wrote the number.
type decimal struct {
	coef *big.Int
	exp  int
}

// parseDecimal reads digits with at most one point among them, and a minus before.
func parseDecimal(s string) (decimal, bool) {
	if len(s) > 2*maxNumeric { // to read them takes the square of their number
		return decimal{}, false
	}
	digits, minus := strings.CutPrefix(s, "-")
	whole, part, point := strings.Cut(digits, ".")
	if point {
		digits = whole + part
	}
	d := decimal{new(big.Int), -len(part)}
	if len(digits) < 20 { // 64 bits hold them
		i, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return decimal{}, false
		}
		d.coef.SetUint64(i)
	} else if strings.Trim(digits, "0123456789") != "" { // SetString would take one more sign
		return decimal{}, false
	} else {
		d.coef.SetString(digits, 10)
	}
	if minus {
		d.coef.Neg(d.coef)
	}
	return d, true
}

// powers are the powers of ten that most numbers need. They are made when the
// first is asked for: this package is in processes that live for a few milliseconds.
var powers = sync.OnceValue(func() *[64]*big.Int {
	p := &[64]*big.Int{big.NewInt(1)}
	for i := 1; i < len(p); i++ {
		p[i] = new(big.Int).Mul(p[i-1], big.NewInt(10))
	}
	return p
})

// power is 10^n. The caller must not change it.
func power(n int) *big.Int {
	if p := powers(); n < len(p) {
		return p[n]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// align returns the coefficients of two numbers at the lesser of their exponents.
func align(a, b decimal) (x, y *big.Int, exp int) {
	switch {
	case a.exp > b.exp:
		return new(big.Int).Mul(a.coef, power(a.exp-b.exp)), b.coef, b.exp
	case a.exp < b.exp:
		return a.coef, new(big.Int).Mul(b.coef, power(b.exp-a.exp)), a.exp
	}
	return a.coef, b.coef, a.exp
}

func (d decimal) cmp(b decimal) int {
	sign, other := d.coef.Sign(), b.coef.Sign()
	if sign != other || sign == 0 {
		return cmp.Compare(sign, other)
	}
	// That 1e-15999 is less than 1 takes no number of 16,000 digits: an array may
	// make many such comparisons.
	if far := d.size() - b.size(); math.Abs(far) > 1 {
		return sign * cmp.Compare(far, 0)
	}
	x, y, _ := align(d, b)
	return x.Cmp(y)
}

// size is the logarithm of the number to the base 10, or up to 0.31 more.
func (d decimal) size() float64 {
	return float64(d.coef.BitLen())*(math.Ln2/math.Ln10) + float64(d.exp)
}

// long reports whether the coefficient has more than n digits.
func (d decimal) long(n int) bool {
	return d.coef.BitLen() > 3*n && d.coef.CmpAbs(power(n)) >= 0 // 10^n has more than 3n bits
}

// reduced is the number with no zero at the end of its coefficient.
func (d decimal) reduced() decimal {
	if d.coef.Sign() == 0 {
		return decimal{d.coef, 0}
	}
	if d.coef.IsInt64() {
		i := d.coef.Int64()
		if i%10 != 0 {
			return d
		}
		for ; i%10 == 0; i /= 10 {
			d.exp++
		}
		return decimal{big.NewInt(i), d.exp}
	}
	// 10^n has n factors of 2, so there are fewer zeros than twice the first step, and
	// each step is taken once: 15 divisions, where one for each zero would be 16,000.
	step := 1
	for n := int(d.coef.TrailingZeroBits()); 2*step <= n; step *= 2 {
	}
	for ; step > 0; step /= 2 {
		if q, rest := new(big.Int).QuoRem(d.coef, power(step), new(big.Int)); rest.Sign() == 0 {
			d = decimal{q, d.exp + step}
		}
	}
	return d
}

// int64 is the number if it is whole and 64 bits hold it.
func (d decimal) int64() (int64, bool) {
	if d.exp != 0 {
		if d = d.reduced(); d.exp < 0 || d.exp > 18 {
			return 0, false
		}
		d.coef = new(big.Int).Mul(d.coef, power(d.exp))
	}
	return d.coef.Int64(), d.coef.IsInt64()
}

// text is the number without an exponent.
func (d decimal) text() string {
	digits, minus := strings.CutPrefix(d.coef.String(), "-")
	if n := len(digits); d.exp >= 0 {
		digits += strings.Repeat("0", d.exp)
	} else if -d.exp >= n {
		digits = "0." + strings.Repeat("0", -d.exp-n) + digits
	} else {
		digits = digits[:n+d.exp] + "." + digits[n+d.exp:]
	}
	if minus {
		return "-" + digits
	}
	return digits
}
