package sqlite

import (
	"bytes"
	"database/sql/driver"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"modernc.org/sqlite"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/number"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/search"
	"github.com/exoagent/exoagent/internal/cellform"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/zone"
)

// This file has the functions that sqlast writes for SQLite and that SQLite lacks, or has only for
// ASCII. They belong to this package's driver, so no other connection of the process has them. All
// accept every argument: see package number.
func newDriver() *sqlite.Driver {
	d := &sqlite.Driver{}
	Definer(func(name string, n int32, f func([]driver.Value) any) {
		d.MustRegisterDeterministicScalarFunction(name, n, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			return Result(f(args))
		})
	}).DefineAll()
	DefineAggregates(d)
	return d
}

// Result splits the result of a function into a value and an error: v may be either.
func Result(v any) (driver.Value, error) {
	if err, ok := v.(error); ok {
		return nil, err
	}
	return v, nil
}

func (d Definer) DefineAll() {
	d.defineNumbers()
	d.defineCells()
	d.defineTexts()
	d.defineTimes()
	d.defineJSON()
}

func (d Definer) defineNumbers() {
	for name, f := range map[string]func(a, b number.Decimal) any{"exo_add": number.Add, "exo_sub": number.Sub, "exo_mul": number.Mul, "exo_div": number.Div, "exo_mod": number.Mod, "exo_round": number.Round} {
		d.define(name, 2, func(args []driver.Value) any {
			a, okA := number.Read(args[0])
			b, okB := number.Read(args[1])
			if !okA || !okB {
				return nil
			}
			return f(a, b)
		})
	}
	for name, f := range map[string]func(a number.Decimal) any{
		"exo_neg": number.Neg, "exo_abs": number.Abs, "exo_round_up": number.RoundUp, "exo_floor": number.Floor, "exo_ceil": number.Ceil, "exo_text": number.Text,
		"exo_not_above": number.NotAbove, "exo_not_below": number.NotBelow, "exo_as_whole": number.AsWhole,
	} {
		d.define(name, 1, func(args []driver.Value) any {
			a, ok := number.Read(args[0])
			if !ok {
				return nil
			}
			return f(a)
		})
	}
	d.define("exo_key", 1, func(args []driver.Value) any { return number.KeyOf(args[0]) })
	d.define("exo_bounded", 1, func(args []driver.Value) any {
		if number.CellOf(args[0]) == number.Number {
			return args[0]
		}
		return nil
	})
	d.define("exo_nullif", 2, func(args []driver.Value) any {
		a, okA := number.Read(args[0])
		b, okB := number.Read(args[1])
		if okA && okB && a.Cmp(b) == 0 {
			return nil
		}
		return args[0]
	})
}

// defineCells defines the functions that read and write cells in their stored forms.
func (d Definer) defineCells() {
	d.define("exo_store_whole", 1, storeWhole)
	d.define("exo_store_float", 1, storeFloat)
	d.define("exo_store_exact", 1, func(args []driver.Value) any { return storeExact(args[0], true) })
	d.define("exo_store_text", 1, func(args []driver.Value) any {
		if s, ok := args[0].(string); ok && !number.KeptText(s) {
			return errHold
		}
		return args[0]
	})
	d.define("exo_store_real", 1, func(args []driver.Value) any { return storeExact(args[0], false) })
	for name, kind := range map[string]string{"time": value.TypeTime, "day": value.TypeDate, "flag": value.TypeBool} {
		d.define("exo_read_"+name, 2, func(args []driver.Value) any { return formOf(args[1]).Read(kind, args[0]) })
		d.define("exo_store_"+name, 2, func(args []driver.Value) any { return cellOf(formOf(args[1]), kind, args[0]) })
	}
	d.defineText("exo_cell", plan.CellOf)
}

func (d Definer) defineTexts() {
	for name, most := range map[string]int{"exo_brief": plan.MaxBrief, "exo_short": plan.MaxNeedle} {
		d.defineText(name, func(s string) any {
			if len(s) > most {
				return nil
			}
			return s
		})
	}
	d.defineText("exo_lower", func(s string) any { return cases.Lower(language.Und).String(s) })
	d.defineText("exo_upper", func(s string) any { return cases.Upper(language.Und).String(s) })
	d.defineText2("exo_includes", func(s, part string) any { return truth(strings.Contains(s, part)) })
	d.defineText2("exo_starts", func(s, start string) any { return truth(strings.HasPrefix(s, start)) })
	d.defineText2("exo_ends", func(s, end string) any { return truth(strings.HasSuffix(s, end)) })
	d.defineText2("exo_like", func(s, pattern string) any { return truth(like(s, pattern)) })
	d.defineSearch("exo_search", func(q *search.Query, texts ...string) any { return truth(q.Matches(texts...)) })
	d.defineSearch("exo_rank", func(q *search.Query, texts ...string) any { return q.Rank(texts...) })
}

func (d Definer) defineTimes() {
	d.defineText("exo_interval", intervalKey)
	d.defineText("exo_interval_millis", func(s string) any {
		if micros := intervalMicros(s); micros != nil {
			return micros.Div(micros, big.NewInt(1000)).Int64() // Div rounds down, like floor
		}
		return nil
	})
	d.define("exo_nullif_interval", 2, func(args []driver.Value) any {
		a, okA := args[0].(string)
		b, okB := args[1].(string)
		if okA && okB && bytes.Equal(keyBytes(intervalKey(a)), keyBytes(intervalKey(b))) {
			return nil
		}
		return args[0]
	})
	d.defineText("exo_quarter", quarter)
	d.define("exo_later", 4, func(args []driver.Value) any {
		day, ok := args[0].(string)
		many, isNumber := number.Read(args[1]) // a calculated number is exact, and may be a text
		days, _ := args[2].(int64)
		months, _ := args[3].(int64)
		if !ok || !isNumber {
			return nil
		}
		n, small := number.Floor(many).(int64)
		if !small {
			return nil
		}
		return later(day, n, days, months)
	})
	d.defineText2("exo_local", local)
}

// defineJSON defines the functions of JSON and of arrays, which SQLite stores as JSON.
func (d Definer) defineJSON() {
	for name, of := range map[string]func(string) any{"text": jsonText, "number": jsonNumber, "bool": jsonBool, "length": jsonLength, "digits": jsonDigits} {
		d.define("exo_json_"+name, 1, func(args []driver.Value) any { return of(jsonCell(args[0])) })
	}
	for name, of := range map[string]func(string) any{"exo_json_has_text": jsonText, "exo_json_has_number": jsonNumber, "exo_json_has_bool": jsonBool} {
		d.define(name, 2, func(args []driver.Value) any {
			s, ok := args[0].(string)
			if !ok || args[1] == nil {
				return nil
			}
			return jsonHas(s, args[1], of)
		})
	}
	d.define("exo_fits_list", 1, func(args []driver.Value) any {
		s, text := args[0].(string)
		return text && engine.DecodeJSON([]byte(s)).Type() == value.TypeList
	})
	d.defineText("exo_count", func(s string) any {
		list := engine.DecodeJSON([]byte(s))
		if list.Type() != value.TypeList {
			return nil
		}
		return int64(list.Len())
	})
	d.define("exo_same", 2, func(args []driver.Value) any {
		if args[0] == nil || args[1] == nil {
			return nil
		}
		return truth(same(engine.DecodeJSON([]byte(jsonCell(args[0]))), engine.DecodeJSON([]byte(jsonCell(args[1])))))
	})
	d.defineText2("exo_same_array", func(a, b string) any {
		return truth(sameArray(engine.DecodeJSON([]byte(a)), engine.DecodeJSON([]byte(b))))
	})
	d.defineHas("exo_has", func(v driver.Value) func(value.Value) bool {
		return func(x value.Value) bool { return plain(x) == v }
	})
	d.defineHas("exo_has_number", func(v driver.Value) func(value.Value) bool {
		b, ok := number.Read(v) // v is read only once: it may have 16,000 digits, and the array as many elements
		return func(x value.Value) bool {
			a, okA := number.Read(plain(x))
			return ok && okA && x.Type() != value.TypeBool && a.Cmp(b) == 0
		}
	})
}

// defineHas defines a function that reports whether an array has a value as an element. It compares
// the elements that a program gets, so a program finds the values that it read.
func (d Definer) defineHas(name string, is func(v driver.Value) func(element value.Value) bool) {
	d.define(name, 2, func(args []driver.Value) any {
		s, ok := args[1].(string)
		if !ok || args[0] == nil {
			return nil
		}
		list := engine.DecodeJSON([]byte(s))
		if list.Type() != value.TypeList {
			return nil
		}
		found, same := any(int64(0)), is(args[0])
		for i := range list.Len() {
			x := list.At(i)
			if same(x) {
				return int64(1)
			}
			if x.Type() == value.TypeNull {
				found = nil // a null element might be the value, so the answer is unknown as in SQL
			}
		}
		return found
	})
}

// Definer defines one function with n arguments.
type Definer func(name string, n int32, f func(args []driver.Value) any)

func (d Definer) define(name string, n int32, f func(args []driver.Value) any) { d(name, n, f) }

func (d Definer) defineText(name string, f func(s string) any) {
	d.define(name, 1, func(args []driver.Value) any {
		if s, ok := args[0].(string); ok {
			return f(s)
		}
		return nil
	})
}

func (d Definer) defineText2(name string, f func(a, b string) any) {
	d.define(name, 2, func(args []driver.Value) any {
		a, okA := args[0].(string)
		b, okB := args[1].(string)
		if !okA || !okB {
			return nil
		}
		return f(a, b)
	})
}

// formOf returns the stored form that has the number arg.
func formOf(arg driver.Value) cellform.Form {
	n, _ := arg.(int64)
	return cellform.ByIndex(n)
}

// cellOf returns a calculated value as a cell of a form. It fails if the cell would be read as another value.
func cellOf(form cellform.Form, kind string, x any) any {
	if n, ok := x.(int64); ok && kind == value.TypeBool {
		return form.Flag(n != 0)
	}
	s, ok := x.(string)
	if !ok {
		return nil
	}
	var cell any
	if kind == value.TypeDate {
		cell, ok = form.Day(s)
	} else if t, isTime := scalar.ParseTime(s); isTime {
		var err error
		cell, err = form.Write(t)
		ok = err == nil
	}
	if !ok {
		return errHold
	}
	return cell
}

func truth(b bool) any {
	if b {
		return int64(1)
	}
	return int64(0)
}

// keyBytes returns a key as bytes. NULL gets bytes that no key has.
func keyBytes(key any) []byte {
	if b, ok := key.([]byte); ok {
		return b
	}
	return []byte{0xff}
}

// intervalMicros returns the length of an interval in microseconds, as PostgreSQL compares
// intervals: a month has 30 days, a day 24 hours. For a text that is no interval it returns nil.
func intervalMicros(s string) *big.Int {
	i, ok := scalar.ParseInterval(s)
	if !ok {
		return nil
	}
	days := int64(i.Months)*30 + int64(i.Days)
	n := new(big.Int).Mul(big.NewInt(days), big.NewInt(86_400_000_000))
	return n.Add(n, big.NewInt(i.Micros))
}

// intervalKey returns a key that sorts intervals by their length.
func intervalKey(s string) any {
	if micros := intervalMicros(s); micros != nil {
		return number.Key(number.Decimal{Coef: micros, Exp: 0})
	}
	return nil
}

// local returns the time that clocks in a zone show, or nil for a year that PostgreSQL does not accept. SQLite
// has no time zones, so the rules are those of this process.
func local(at, name string) any {
	z, err := zone.Load(name)
	t, ok := scalar.ParseTime(at)
	if err != nil || !ok || t.Before(firstLocal) || !t.Before(lastLocal) {
		return nil
	}
	return z.In(t).Format("2006-01-02T15:04:05.000")
}

var firstLocal, lastLocal = time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// later returns the day that is n units after another; a unit has a number of days or of months. If
// the month has no such day, the result is the month's last day. It is nil before the year 1 and after 9999.
func later(day string, n, days, months int64) any {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil || n < -4_000_000 || n > 4_000_000 {
		return nil
	}
	if months == 0 {
		t = t.AddDate(0, 0, int(n*days))
	} else {
		first := time.Date(t.Year(), t.Month()+time.Month(n*months), 1, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		t = first.AddDate(0, 0, min(t.Day(), last)-1)
	}
	if t.Year() < 1 || t.Year() > 9999 {
		return nil
	}
	return t.Format(time.DateOnly)
}

// quarter returns the first day of the quarter with a month like "2024-05", or nil for a text that ends in no month.
func quarter(month string) any {
	m, err := strconv.Atoi(month[max(0, len(month)-2):])
	if err != nil || m < 1 || m > 12 {
		return nil
	}
	return fmt.Sprintf("%s%02d-01", month[:len(month)-2], (m-1)/3*3+1)
}

// plain returns an element of an array in the form that SQLite would store.
func plain(x value.Value) any {
	switch x.Type() {
	case value.TypeBool:
		return truth(x.Bool())
	case value.TypeInt:
		return x.Int()
	case value.TypeFloat:
		return x.Float()
	case value.TypeText:
		return x.Text()
	}
	return nil
}
