package number

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// short is coef × 10^exp: a number of few digits, like most numbers, which needs no big.Int.
type short struct {
	coef int64
	exp  int32
}

// maxShort bounds the digits of a text that is read as a short number.
const maxShort = 18

// shortOf reads a cell like Read, if it is a text of few digits, with at most one point and perhaps
// a minus. Otherwise ok is false.
func shortOf(x any) (s short, ok bool) {
	text, ok := x.(string)
	if !ok {
		return s, false
	}
	digits := strings.TrimPrefix(text, "-")
	if len(digits) == 0 || len(digits) > maxShort+1 || digits[0] == '.' || digits[len(digits)-1] == '.' {
		return s, false
	}
	point := -1
	for i := range len(digits) {
		switch c := digits[i]; {
		case c == '.' && point < 0:
			point = i
		case c < '0' || c > '9':
			return s, false
		default:
			s.coef = s.coef*10 + int64(c-'0')
		}
	}
	if point >= 0 {
		s.exp = int32(point + 1 - len(digits))
	} else if len(digits) > maxShort {
		return s, false
	}
	if len(digits) != len(text) {
		s.coef = -s.coef
	}
	return s, true
}

func (s short) decimal() Decimal { return Decimal{big.NewInt(s.coef), int(s.exp)} }

// plus returns the sum, if it fits 64 bits at the smaller exponent.
func (s short) plus(b short) (sum short, ok bool) {
	if s.exp > b.exp {
		s, b = b, s
	}
	if b.coef != 0 && b.exp != s.exp {
		far := int(b.exp) - int(s.exp)
		if far > maxShort {
			return sum, false
		}
		high, low := bits.Mul64(magnitude(b.coef), power(far).Uint64())
		if high != 0 || low > math.MaxInt64 {
			return sum, false
		}
		if b.coef < 0 {
			low = -low
		}
		b.coef = int64(low)
	}
	t := s.coef + b.coef
	if (t > s.coef) != (b.coef > 0) && b.coef != 0 {
		return sum, false
	}
	return short{t, s.exp}, true
}

// Cell is the kind of a cell in a column of decimals.
type Cell uint8

const (
	NoNumber Cell = iota // NoNumber: the cell contradicts the declaration
	NoValue              // NoValue: an infinity, or a number with too many digits for calculations
	Number
)

// CellOf returns the kind of a cell, which is in the form that SQLite stores.
func CellOf(x any) Cell {
	if _, ok := x.(int64); ok {
		return Number
	}
	if _, ok := shortOf(x); ok {
		return Number
	}
	if f, ok := x.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return NoValue
	}
	d, ok := Read(x)
	switch {
	case !ok && tooLong(x):
		return NoValue
	case !ok:
		return NoNumber
	case !Bounded(d):
		return NoValue
	}
	return Number
}

// tooLong reports whether a text would be a number if it were shorter.
func tooLong(x any) bool {
	s, ok := x.(string)
	if !ok || len(s) <= 2*MaxNumeric {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || strings.Trim(s, "-0123456789.") == ""
}
