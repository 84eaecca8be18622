package scalar

import (
	"math"
	"strconv"
	"strings"
)

// Interval is a length of time as databases store it. The three parts stay separate, because months and days have no fixed length.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// ParseInterval reads ISO 8601: "P1Y2M3W4DT5H6M7.5S"; false for other texts. Each number may be negative. Only seconds may have a fraction (six digits).
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

// units reads numbers with their units, each at most once, and in order. It adds each number, times the unit's factor, to a or to b, as sum chooses.
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

// amount multiplies a number by the factor of its unit. It returns false for another text, and for a product beyond 64 bits.
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

// String writes the interval as ISO 8601. It leaves out parts that are zero.
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
