// Package cellform has the forms in which SQLite columns store times, days and flags, for which SQLite has no types.
package cellform

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Form is how all cells of a column are written. The zero Form means that none is declared: then
// times are texts in any form that ReadTime reads, days are "2006-01-02", and flags 0 and 1.
type Form string

// All forms but UnixMillis, Unix and the flags are texts in UTC.
const (
	ISO        Form = "iso"          // 2006-01-02T15:04:05.000Z; on PostgreSQL nothing finer than a millisecond
	Seconds    Form = "sql"          // 2006-01-02 15:04:05
	Fraction   Form = "sql-fraction" // 2006-01-02 15:04:05.999999, with any number of digits
	Go         Form = "go"           // 2006-01-02 15:04:05.999999999 +0000 UTC
	Offset     Form = "offset"       // 2006-01-02 15:04:05.999999999+00:00
	Unix       Form = "unix"         // whole seconds since 1970
	UnixMillis Form = "unix-ms"      // whole milliseconds since 1970
	Letters    Form = "t/f"          // flags
	Words      Form = "true/false"   // flags
)

// layouts are Go's layouts of the texts.
var layouts = map[Form]string{
	ISO: scalar.TimeFormat, Seconds: time.DateTime, Fraction: "2006-01-02 15:04:05.999999999",
	Go: "2006-01-02 15:04:05.999999999 +0000 UTC", Offset: "2006-01-02 15:04:05.999999999+00:00",
}

var ends = map[Form]string{ISO: "Z", Go: "UTC", Offset: "+00:00"}

// flags are the texts for true and for false.
var flags = map[Form][2]string{Letters: {"t", "f"}, Words: {"true", "false"}}

// Of returns the forms of a type, coarse before finer ones: the first form that fits all cells is the form of a column.
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

// Exact reports whether a cell has no more precision than a program sees of it. Then equal values have equal cells, and cells sort like values.
func (f Form) Exact(kind string) bool {
	return f != "" && (kind != "time" || f != Fraction && f != Go && f != Offset)
}

// Index is a form's number in a statement, and ByIndex returns the form of a number.
func (f Form) Index() int { return slices.Index(all, f) }

func ByIndex(i int64) Form {
	if i < 0 || i >= int64(len(all)) {
		return ""
	}
	return all[i]
}

var all = []Form{"", ISO, Seconds, Fraction, Go, Offset, Unix, UnixMillis, Letters, Words}

// Time reads a cell (an int64, a float64 or a text) as a time, cut to the millisecond. ok is false for a cell in another form.
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
		s, _, _ = strings.Cut(s, " m=")                                                               // cuts off Go's monotonic clock
		if len(s) < len(time.DateTime) || s[10] != layouts[f][10] || !strings.HasSuffix(s, ends[f]) { // checked first: Parse makes an error for a text that does not match
			return t, false
		}
		var err error
		t, err = time.Parse(layouts[f], s)
		ok = err == nil && !(f == Seconds && len(s) != len(time.DateTime)) // Parse takes a fraction where the layout has none
	}
	if t = t.UTC(); !ok || t.Year() < 0 || t.Year() > 9999 {
		return t, false
	}
	return t.Truncate(time.Millisecond), true
}

// These are the milliseconds since 1970 of the years 0 to 9999.
var least, most = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC).UnixMilli()

// ReadTime reads a time in any form that is a text: ISO 8601 and RFC 3339, SQL's with an offset of minutes or
// of hours only, and the form of the String method of Go's time.Time, which Go drivers for SQLite store.
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

// Read reads a cell as a value of a type: the text of a time or a day as programs get it, or 0 and 1. It returns nil for a cell in another form.
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
	return t.UTC().Format(layouts[Fraction]) // the other texts begin with it
}

// Write returns the cell for a time. It fails if the form can't represent the time.
func (f Form) Write(t time.Time) (any, error) {
	if whole := t.Truncate(time.Second); (f == Unix || f == Seconds) && !whole.Equal(t) {
		return nil, errors.New("holds whole seconds, and can't be given a time with milliseconds: write new Date(Math.floor(time / 1000) * 1000)")
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

// Example is a cell of the form, for people.
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
	var out []string
	for _, f := range forms {
		out = append(out, string(f)+" ("+f.Example()+")")
	}
	return strings.Join(out, ", ")
}
