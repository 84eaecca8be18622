package proof

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// exact is a number as it is compared and calculated with; a float is the
// shortest decimal that is read as it.
func (v Value) exact() *big.Rat {
	s := v.S
	switch {
	case v.R != nil:
		return v.R
	case v.Kind == Int:
		return new(big.Rat).SetInt64(v.I)
	case v.Kind == Float:
		s = strconv.FormatFloat(v.F, 'g', -1, 64)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("proof: no number: " + s)
	}
	return r
}

// order compares two values of one kind, or two numbers; NULL is the smallest.
func order(a, b Value) int {
	switch {
	case a.Null || b.Null:
		return int(is(!a.Null)) - int(is(!b.Null))
	case a.Kind.numeric():
		return a.exact().Cmp(b.exact())
	case a.Kind == Bool:
		return int(is(a.B)) - int(is(b.B))
	case a.Kind == Time:
		return new(big.Int).Sub(big.NewInt(a.I), big.NewInt(b.I)).Sign()
	case a.Kind == Span:
		return length(a.S).Cmp(length(b.S))
	case a.Kind == Bytes:
		x, _ := Value{Kind: Bytes, S: a.S}.stored().([]byte)
		y, _ := Value{Kind: Bytes, S: b.S}.stored().([]byte)
		return slices.Compare(x, y)
	}
	return strings.Compare(a.S, b.S)
}

// length is an interval in microseconds, with months of 30 days.
func length(s string) *big.Int {
	var sum big.Int
	unit := map[byte]int64{'Y': 360 * 86400e6, 'M': 30 * 86400e6, 'W': 7 * 86400e6, 'D': 86400e6}
	number := ""
	for i := 1; i < len(s); i++ {
		c := s[i]
		if c == 'T' {
			unit = map[byte]int64{'H': 3600e6, 'M': 60e6, 'S': 1e6}
			continue
		}
		if unit[c] == 0 {
			number += string(c)
			continue
		}
		n, _ := new(big.Rat).SetString(number)
		n.Mul(n, new(big.Rat).SetInt64(unit[c]))
		sum.Add(&sum, n.Num())
		number = ""
	}
	return &sum
}

// digits is a number without an exponent. It must have an end.
func digits(r *big.Rat) string {
	n, _ := r.FloatPrec()
	return r.FloatString(n)
}

func (v Value) json() string {
	if v.Null {
		return "null"
	}
	switch v.Kind {
	case Int:
		r := v.exact()
		if n := r.Num(); r.IsInt() && n.IsInt64() && n.Int64() <= 1<<53-1 && n.Int64() >= -(1<<53-1) {
			return n.String()
		}
		return strconv.Quote(digits(r))
	case Decimal:
		return strconv.Quote(digits(v.exact()))
	case Float:
		f := v.F
		if v.R != nil {
			if f, _ = v.R.Float64(); math.IsInf(f, 0) {
				return strconv.Quote(digits(v.R)) // no float holds it
			}
		}
		if f == 0 {
			return "0"
		}
		if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
			return strconv.FormatFloat(f, 'f', -1, 64)
		}
		return strings.Replace(strconv.FormatFloat(f, 'e', -1, 64), "e-0", "e-", 1) // as JavaScript writes it
	case Bool:
		return strconv.FormatBool(v.B)
	case Time:
		return strconv.Quote(timeText(v.I))
	case JSON:
		return v.S
	case Tags, Nums:
		var items []string
		for _, x := range v.L {
			items = append(items, x.json())
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v.S)
	return strings.TrimSuffix(b.String(), "\n")
}

// moment is an instant of a calendar that goes back for ever, in UTC.
type moment struct {
	year, month, day, weekday, hour, minute, second, milli int64
}

// at counts days in eras of 400 years that begin in March, so that the leap day is last.
func at(ms int64) moment {
	day, rest := ms/86400000, ms%86400000
	if rest < 0 {
		day, rest = day-1, rest+86400000
	}
	z := day + 719468
	era := z / 146097
	if z < 0 {
		era = (z - 146096) / 146097
	}
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	m := (5*doy + 2) / 153
	out := moment{year: yoe + era*400, month: m + 3, day: doy - (153*m+2)/5 + 1, weekday: ((day+4)%7 + 7) % 7}
	if out.month > 12 {
		out.month, out.year = out.month-12, out.year+1
	}
	out.hour, out.minute, out.second, out.milli = rest/3600000, rest/60000%60, rest/1000%60, rest%1000
	return out
}

// number counts days as at does: 1970-01-01 is 0.
func (m moment) number() int64 {
	y, month := m.year, m.month-3
	if month < 0 {
		y, month = y-1, month+12
	}
	return 365*y + y/4 - y/100 + y/400 + (153*month+2)/5 + m.day - 1 - 719468
}

// week is that of ISO 8601: a week is of the year that its Thursday is in.
func (m moment) week() int64 {
	thursday := m.number() - (m.weekday+6)%7 + 3
	year := at(thursday * 86400000).year
	return (thursday-moment{year: year, month: 1, day: 1}.number())/7 + 1
}

// truncate is the first day of the unit that m is in.
func (m moment) truncate(unit string) string {
	switch unit {
	case "week":
		m = at((m.number() - (m.weekday+6)%7) * 86400000)
	case "month":
		m.day = 1
	case "quarter":
		m.day, m.month = 1, m.month-(m.month-1)%3
	case "year":
		m.day, m.month = 1, 1
	}
	return fmt.Sprintf("%04d-%02d-%02d", m.year, m.month, m.day)
}

// plus is the day n units later, the last of a month that has no such day, or no value beyond the years 1 to 9999.
func (m moment) plus(many *big.Rat, unit string) Value {
	if limit := big.NewRat(4_000_000, 1); many.Cmp(limit) > 0 || many.Cmp(limit.Neg(limit)) < 0 {
		return Value{Kind: Day, Null: true}
	}
	n := many.Num().Int64()
	if days := map[string]int64{"day": 1, "week": 7}[unit]; days > 0 {
		m = at((m.number() + n*days) * 86400000)
	} else {
		months := m.year*12 + m.month - 1 + n*map[string]int64{"month": 1, "quarter": 3, "year": 12}[unit]
		m.year, m.month = months/12, months%12+1
		if m.month < 1 {
			m.year, m.month = m.year-1, m.month+12
		}
		for d := m.day; at(m.number()*86400000).month != m.month; d-- {
			m.day = d - 1
		}
	}
	if m.year < 1 || m.year > 9999 {
		return Value{Kind: Day, Null: true}
	}
	return Value{Kind: Day, S: m.truncate("day")}
}

func timeText(ms int64) string {
	t := at(ms)
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", t.year, t.month, t.day, t.hour, t.minute, t.second, t.milli)
}

// moment is a time or day.
func (v Value) moment() moment {
	if v.Kind == Time {
		return at(v.I)
	}
	t, err := time.Parse(time.DateOnly, v.S)
	if err != nil {
		panic(err)
	}
	return at(t.UnixMilli())
}
