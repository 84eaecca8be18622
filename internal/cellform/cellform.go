// Package cellform has the forms in which SQLite columns store times, days and flags. SQLite has no types for these.
package cellform

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Form is how all cells of a column are written. The zero Form is an undeclared one: times in any text that ReadTime reads, days as
// "2006-01-02", and flags as 0 and 1.
type Form string

// These are texts in UTC, except UnixMillis, Unix and the flags.
const (
	ISO        Form = "iso"          // like 2006-01-02T15:04:05.000Z; PostgreSQL then keeps nothing finer than a millisecond
	Seconds    Form = "sql"          // like 2006-01-02 15:04:05
	Fraction   Form = "sql-fraction" // like 2006-01-02 15:04:05.999999, with any number of digits
	Go         Form = "go"           // like 2006-01-02 15:04:05.999999999 +0000 UTC
	Offset     Form = "offset"       // like 2006-01-02 15:04:05.999999999+00:00
	Unix       Form = "unix"         // whole seconds since 1970
	UnixMillis Form = "unix-ms"      // whole milliseconds since 1970
	Letters    Form = "t/f"          // flags as t and f
	Words      Form = "true/false"   // flags as true and false
)

// layouts maps the forms of texts to Go's layouts.
var layouts = map[Form]string{
	ISO: scalar.TimeFormat, Seconds: time.DateTime, Fraction: "2006-01-02 15:04:05.999999999",
	Go: "2006-01-02 15:04:05.999999999 +0000 UTC", Offset: "2006-01-02 15:04:05.999999999+00:00",
}

var ends = map[Form]string{ISO: "Z", Go: "UTC", Offset: "+00:00"}

// flags maps forms of flags to the texts for true and false.
var flags = map[Form][2]string{Letters: {"t", "f"}, Words: {"true", "false"}}

// Of returns the forms of a type, coarse ones first. A column gets the first form that fits all its cells.
func Of(kind string) []Form {
	switch kind {
	case "time":
		return []Form{ISO, Seconds, Fraction, Go, Offset, Unix, UnixMillis}
	case "date":
		return []Form{Seconds, Go, Offset, Unix, UnixMillis}
	case "bool":
		return []Form{Letters, Words}
	}
	return nil
}

// Fits reports whether a column of a type can have the form.
func (f Form) Fits(kind string) bool { return slices.Contains(Of(kind), f) }

// Number reports whether cells are whole numbers.
func (f Form) Number() bool { return f == Unix || f == UnixMillis }

// Exact reports whether a cell has no more precision than a program sees. Then equal values have equal cells, and cells sort like values.
func (f Form) Exact(kind string) bool {
	return f != "" && (kind != "time" || f != Fraction && f != Go && f != Offset)
}

// Index returns the number by which statements name a form. ByIndex returns the form with a number, or "" for any other number.
func (f Form) Index() int { return slices.Index(all, f) }

func ByIndex(i int64) Form {
	if i < 0 || i >= int64(len(all)) {
		return ""
	}
	return all[i]
}

var all = []Form{"", ISO, Seconds, Fraction, Go, Offset, Unix, UnixMillis, Letters, Words}

// Time reads a cell (an int64, a float64 or a text) as a time, cut to the millisecond. The result ok is false if the cell has another form.
func (f Form) Time(cell any) (t time.Time, ok bool) {
	s, text := cell.(string)
	n, whole := cell.(int64)
	switch {
	case f == "":
		t, ok = ReadTime(s)
	case f.Number() && whole && f == Unix:
		t, ok = time.Unix(n, 0), n >= least/1000 && n <= most/1000
	case f.Number() && whole:
		t, ok = time.UnixMilli(n), n >= least && n <= most
	case f.Number() || !text:
		return t, false
	default:
		s, _, _ = strings.Cut(s, " m=")                                                               // Go's texts may end with a monotonic clock
		if len(s) < len(time.DateTime) || s[10] != layouts[f][10] || !strings.HasSuffix(s, ends[f]) { // this check is cheap; for other texts Parse would make an error
			return t, false
		}
		var err error
		t, err = time.Parse(layouts[f], s)
		ok = err == nil && !(f == Seconds && len(s) != len(time.DateTime)) // Parse accepts a fraction even if the layout has none
	}
	if t = t.UTC(); !ok || t.Year() < 0 || t.Year() > 9999 {
		return t, false
	}
	return t.Truncate(time.Millisecond), true
}

// These are the first millisecond of year 0 and the last of year 9999, since 1970.
var least, most = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC).UnixMilli()

// ReadTime reads a time from any text form: ISO 8601, RFC 3339, SQL's form with an offset in hours and minutes, or only in hours. It also
// reads the String form of Go's time.Time, which Go drivers for SQLite store.
func ReadTime(s string) (time.Time, bool) {
	if t, ok := scalar.ParseTime(s); ok {
		return t, true
	}
	if len(s) > 80 {
		return time.Time{}, false
	}
	s, _, _ = strings.Cut(s, " m=")
	for _, layout := range []string{"2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02 15:04:05.999999999 -0700 -0700", "2006-01-02 15:04:05.999999999Z07", "2006-01-02T15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999 Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// Read reads a cell as a value of a type. A time or a day becomes the text that programs get, a flag 0 or 1. Read returns nil for a cell in
// another form.
func (f Form) Read(kind string, cell any) any {
	if kind == "bool" {
		switch i := slices.Index(flagsOf(f), cell); i {
		case 0, 1:
			return int64(1 - i)
		}
		return nil
	}
	t, ok := f.Time(cell)
	switch {
	case !ok:
		return nil
	case kind == "time":
		return t.Format(scalar.TimeFormat)
	case !t.Equal(t.Truncate(24 * time.Hour)):
		return nil
	}
	return t.Format(time.DateOnly)
}

func flagsOf(f Form) []any {
	if w, ok := flags[f]; ok {
		return []any{w[0], w[1]}
	}
	return nil
}

// Bound returns the value to compare cells with: the least cell for this time or a later one.
func (f Form) Bound(t time.Time) any {
	switch f {
	case Unix:
		if ms := t.UnixMilli(); ms%1000 != 0 {
			return float64(ms) / 1000
		}
		return t.Unix()
	case UnixMillis:
		return t.UnixMilli()
	case "", ISO:
		return t.UTC().Format(scalar.TimeFormat)
	}
	return t.UTC().Format(layouts[Fraction]) // texts with more precision begin with this one
}

// Write returns the cell for a time. It fails if the form lacks the precision.
func (f Form) Write(t time.Time) (any, error) {
	if whole := t.Truncate(time.Second); (f == Unix || f == Seconds) && !whole.Equal(t) {
		return nil, errors.New("the column stores whole seconds, and this time has milliseconds: write new Date(Math.floor(time / 1000) * 1000)")
	}
	if f.Number() || f == "" {
		return f.Bound(t), nil
	}
	return t.UTC().Format(layouts[f]), nil
}

// Day returns the cell for a day, "2006-01-02".
func (f Form) Day(day string) (any, bool) {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, false
	}
	cell, err := f.Write(t)
	return cell, err == nil
}

// Flag returns the cell for a truth value.
func (f Form) Flag(b bool) any {
	if w, ok := flags[f]; ok && b {
		return w[0]
	} else if ok {
		return w[1]
	}
	return b
}

// Example returns a cell of the form, for people.
func (f Form) Example() string {
	switch {
	case f == Unix:
		return "1704164645"
	case f == UnixMillis:
		return "1704164645000"
	case flags[f][0] != "":
		return "'" + flags[f][0] + "'"
	}
	return "'" + time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC).Format(layouts[f]) + "'"
}

// Texts lists forms for people, each with an example.
func Texts(forms []Form) string {
	out := scalar.Each(forms, func(f Form) string { return string(f) + " (" + f.Example() + ")" })
	return strings.Join(out, ", ")
}
