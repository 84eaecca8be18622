package number

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
	"sync"
)

// Decimal is exactly the number coef × 10^exp. No function here rounds, fails, or changes an
// operand.
//
// The text that was read bounds the cost: Parse returns at most 2*MaxNumeric digits, and an
// exponent between minus that and zero. So no power of ten here has more than 5*MaxNumeric digits,
// for any input.
type Decimal struct {
	Coef *big.Int
	Exp  int
}

// Parse reads digits, with at most one point among them and perhaps a minus before them. It returns false for other texts, and for too long ones.
func Parse(s string) (Decimal, bool) {
	if len(s) > 2*MaxNumeric { // reading takes time that grows with the square of the length
		return Decimal{}, false
	}
	digits, minus := strings.CutPrefix(s, "-")
	whole, part, point := strings.Cut(digits, ".")
	if point {
		digits = whole + part
	}
	d := Decimal{new(big.Int), -len(part)}
	if len(digits) < 20 { // fewer than 20 digits fit 64 bits
		i, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return Decimal{}, false
		}
		d.Coef.SetUint64(i)
	} else if strings.Trim(digits, "0123456789") != "" { // SetString would accept a second sign
		return Decimal{}, false
	} else {
		d.Coef.SetString(digits, 10)
	}
	if minus {
		d.Coef.Neg(d.Coef)
	}
	return d, true
}

// powers returns the powers of ten that most numbers need. They are made when they are first
// called, since some processes with this package live for only a few milliseconds.
var powers = sync.OnceValue(func() *[64]*big.Int {
	p := &[64]*big.Int{big.NewInt(1)}
	for i := 1; i < len(p); i++ {
		p[i] = new(big.Int).Mul(p[i-1], big.NewInt(10))
	}
	return p
})

// power returns 10^n, which the caller must not change.
func power(n int) *big.Int {
	if p := powers(); n < len(p) {
		return p[n]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// align returns the coefficients of two numbers, both for the smaller of their exponents.
func align(a, b Decimal) (x, y *big.Int, exp int) {
	switch {
	case a.Exp > b.Exp:
		return new(big.Int).Mul(a.Coef, power(a.Exp-b.Exp)), b.Coef, b.Exp
	case a.Exp < b.Exp:
		return a.Coef, new(big.Int).Mul(b.Coef, power(b.Exp-a.Exp)), a.Exp
	}
	return a.Coef, b.Coef, a.Exp
}

func (d Decimal) Cmp(b Decimal) int {
	sign, other := d.Coef.Sign(), b.Coef.Sign()
	if sign != other || sign == 0 {
		return cmp.Compare(sign, other)
	}
	// Comparing 1e-15999 with 1 must not make a number of 16,000 digits, since an array may cause many
	// such comparisons.
	if far := d.size() - b.size(); math.Abs(far) > 1 {
		return sign * cmp.Compare(far, 0)
	}
	x, y, _ := align(d, b)
	return x.Cmp(y)
}

// size returns the base-10 logarithm of the number, or up to 0.31 more.
func (d Decimal) size() float64 {
	return float64(d.Coef.BitLen())*(math.Ln2/math.Ln10) + float64(d.Exp)
}

// long reports whether the coefficient has more than n digits.
func (d Decimal) long(n int) bool {
	return d.Coef.BitLen() > 3*n && d.Coef.CmpAbs(power(n)) >= 0 // 10^n has more than 3n bits
}

// reduced returns the number without trailing zeros in its coefficient.
func (d Decimal) reduced() Decimal {
	if d.Coef.Sign() == 0 {
		return Decimal{d.Coef, 0}
	}
	if d.Coef.IsInt64() {
		i := d.Coef.Int64()
		if i%10 != 0 {
			return d
		}
		for ; i%10 == 0; i /= 10 {
			d.Exp++
		}
		return Decimal{big.NewInt(i), d.Exp}
	}
	// A multiple of 10^n has at least n factors of 2, so there are fewer zeros than twice the first
	// step. Each step is taken once: 15 divisions instead of one for each of up to 16,000 zeros.
	step := 1
	for n := int(d.Coef.TrailingZeroBits()); 2*step <= n; step *= 2 {
	}
	for ; step > 0; step /= 2 {
		if q, rest := new(big.Int).QuoRem(d.Coef, power(step), new(big.Int)); rest.Sign() == 0 {
			d = Decimal{q, d.Exp + step}
		}
	}
	return d
}

// int64 returns the number if it is whole and fits 64 bits.
func (d Decimal) int64() (int64, bool) {
	if d.Exp != 0 {
		if d = d.reduced(); d.Exp < 0 || d.Exp > 18 {
			return 0, false
		}
		d.Coef = new(big.Int).Mul(d.Coef, power(d.Exp))
	}
	return d.Coef.Int64(), d.Coef.IsInt64()
}

// text returns the digits of the number, without an exponent.
func (d Decimal) text() string {
	digits, minus := strings.CutPrefix(d.Coef.String(), "-")
	if n := len(digits); d.Exp >= 0 {
		digits += strings.Repeat("0", d.Exp)
	} else if -d.Exp >= n {
		digits = "0." + strings.Repeat("0", -d.Exp-n) + digits
	} else {
		digits = digits[:n+d.Exp] + "." + digits[n+d.Exp:]
	}
	if minus {
		return "-" + digits
	}
	return digits
}
