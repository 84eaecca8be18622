package exo

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"
)

// MaxDigits bounds a decimal, before and behind its point.
const MaxDigits = 1000

// Canonical returns the one text by which a value of a scalar type is written:
// of TypeDecimal, TypeDate, TypeInterval, TypeUUID or TypeBytes. One form, so that
// what a program read finds the row that it came from, on every engine. It is not ok
// for a text that says no such value.
func Canonical(typ, s string) (text string, ok bool) {
	switch typ {
	case TypeDecimal:
		return canonicalDecimal(s)
	case TypeDate:
		t, err := time.Parse(time.DateOnly, s)
		return s, err == nil && t.Year() >= 1
	case TypeInterval:
		i, ok := ParseInterval(s)
		return i.String(), ok
	case TypeUUID:
		return canonicalUUID(s)
	case TypeBytes:
		b, err := base64.StdEncoding.Strict().DecodeString(s)
		return base64.StdEncoding.EncodeToString(b), err == nil
	}
	return "", false
}

// canonicalDecimal drops what has no value: a plus, an exponent, zeros at both ends.
func canonicalDecimal(s string) (string, bool) {
	if len(s) > 2*MaxDigits+8 {
		return "", false
	}
	rest, minus := strings.CutPrefix(s, "-")
	if !minus {
		rest = strings.TrimPrefix(rest, "+")
	}
	exp := 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		var err error
		if exp, err = strconv.Atoi(rest[i+1:]); err != nil || exp > MaxDigits || exp < -MaxDigits {
			return "", false
		}
		rest = rest[:i]
	}
	whole, frac, point := strings.Cut(rest, ".")
	if whole+frac == "" || point && frac == "" || strings.Trim(whole+frac, "0123456789") != "" {
		return "", false
	}
	digits, at := whole+frac, len(whole)+exp
	if at < 0 {
		digits, at = strings.Repeat("0", -at)+digits, 0
	}
	if at > len(digits) {
		digits += strings.Repeat("0", at-len(digits))
	}
	whole, frac = strings.TrimLeft(digits[:at], "0"), strings.TrimRight(digits[at:], "0")
	if len(whole) > MaxDigits || len(frac) > MaxDigits {
		return "", false
	}
	if whole == "" {
		whole = "0"
	}
	if frac != "" {
		whole += "." + frac
	}
	if minus && whole != "0" {
		whole = "-" + whole
	}
	return whole, true
}

func canonicalUUID(s string) (string, bool) {
	if len(s) != 36 {
		return "", false
	}
	s = strings.ToLower(s)
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return "", false
			}
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f':
		default:
			return "", false
		}
	}
	return s, true
}

// Interval is a length of time as databases keep it: months and days have no
// fixed length, so the three parts stay apart.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// ParseInterval reads ISO 8601: "P1Y2M3W4DT5H6M7.5S". Each number may be negative,
// a fraction belongs to seconds and has at most six digits.
func ParseInterval(s string) (Interval, bool) {
	var out Interval
	body, ok := strings.CutPrefix(s, "P")
	if !ok || len(s) > 100 || body == "" {
		return out, false
	}
	day, clock, timed := strings.Cut(body, "T")
	if timed && clock == "" {
		return out, false
	}
	months, days, okDay := units(day, "YMWD", []int64{12, 1, 7, 1}, []int{0, 0, 1, 1}, false)
	micros, _, okClock := units(clock, "HMS", []int64{3600e6, 60e6, 1e6}, []int{0, 0, 0}, true)
	if !okDay || !okClock || months != int64(int32(months)) || days != int64(int32(days)) {
		return out, false
	}
	return Interval{int32(months), int32(days), micros}, true
}

// units reads numbers with their units, each at most once and in order.
func units(s, names string, factor []int64, sum []int, fraction bool) (a, b int64, ok bool) {
	next := 0
	for s != "" {
		i := strings.IndexFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' })
		if i <= 0 {
			return 0, 0, false
		}
		unit := strings.IndexByte(names[next:], s[i])
		if unit < 0 {
			return 0, 0, false
		}
		unit += next
		n, ok := amount(s[:i], factor[unit], fraction && names[unit] == 'S')
		to := &a
		if sum[unit] == 1 {
			to = &b
		}
		if !ok || n > 0 && *to > math.MaxInt64-n || n < 0 && *to < math.MinInt64-n {
			return 0, 0, false
		}
		*to += n
		s, next = s[i+1:], unit+1
	}
	return a, b, true
}

// amount is a number times its unit's factor.
func amount(s string, factor int64, fraction bool) (int64, bool) {
	whole, frac, point := strings.Cut(s, ".")
	if point && (!fraction || frac == "" || len(frac) > 6 || strings.Trim(frac, "0123456789") != "") || strings.HasPrefix(whole, "+") {
		return 0, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > math.MaxInt64/factor-1 || n < math.MinInt64/factor+1 {
		return 0, false
	}
	n *= factor
	if point {
		f, _ := strconv.ParseInt((frac + "000000")[:6], 10, 64)
		if strings.HasPrefix(whole, "-") {
			f = -f
		}
		n += f
	}
	return n, true
}

// String writes the interval as ISO 8601, each part only if it is not zero.
func (i Interval) String() string {
	b := []byte{'P'}
	part := func(n int64, unit byte) {
		if n != 0 {
			b = append(strconv.AppendInt(b, n, 10), unit)
		}
	}
	part(int64(i.Months/12), 'Y')
	part(int64(i.Months%12), 'M')
	part(int64(i.Days), 'D')
	if i.Micros != 0 {
		b = append(b, 'T')
		part(i.Micros/3600e6, 'H')
		part(i.Micros/60e6%60, 'M')
		if s := i.Micros % 60e6; s != 0 {
			if s < 0 {
				b, s = append(b, '-'), -s
			}
			b = strconv.AppendInt(b, s/1e6, 10)
			if f := s % 1e6; f != 0 {
				t := strconv.FormatInt(1e6+f, 10)
				b = append(append(b, '.'), strings.TrimRight(t[1:], "0")...)
			}
			b = append(b, 'S')
		}
	}
	if len(b) == 1 {
		return "PT0S"
	}
	return string(b)
}
