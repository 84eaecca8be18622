package exosql

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"modernc.org/sqlite"

	"github.com/exoagent/exoagent/exo"
)

// The functions that sqlast writes for SQLite and SQLite has not, or has for ASCII
// only. They belong to the driver of this package, so no other connection of the
// process sees them. All are total: see number.go.
func newSQLiteDriver() *sqlite.Driver {
	d := functions{&sqlite.Driver{}}
	for name, f := range map[string]func(a, b *apd.Decimal) any{"exo_add": add, "exo_sub": sub, "exo_mul": mul, "exo_div": div, "exo_mod": mod, "exo_round": round} {
		d.define(name, 2, func(args []driver.Value) any {
			a, okA := number(args[0])
			b, okB := number(args[1])
			if !okA || !okB {
				return nil
			}
			return f(a, b)
		})
	}
	for name, f := range map[string]func(a *apd.Decimal) any{
		"exo_neg": neg, "exo_abs": abs, "exo_round_up": roundUp, "exo_floor": floor, "exo_ceil": ceil, "exo_text": numberText, "exo_key": numberKey,
	} {
		d.define(name, 1, func(args []driver.Value) any {
			a, ok := number(args[0])
			if !ok {
				return nil
			}
			return f(a)
		})
	}
	d.define("exo_bounded", 1, func(args []driver.Value) any {
		a, ok := number(args[0])
		if !ok {
			return nil
		}
		if a.Reduce(a); a.NumDigits()+int64(a.Exponent) > exo.MaxDigits || a.Exponent < -exo.MaxDigits {
			return nil
		}
		return args[0]
	})
	d.defineText("exo_brief", func(s string) any {
		if len(s) > maxBrief {
			return nil
		}
		return s
	})
	d.defineText("exo_lower", func(s string) any { return cases.Lower(language.Und).String(s) })
	d.defineText("exo_upper", func(s string) any { return cases.Upper(language.Und).String(s) })
	d.defineText("exo_interval", intervalKey)
	d.defineText("exo_count", func(s string) any {
		list, ok := elements(s)
		if !ok {
			return nil
		}
		return int64(len(list))
	})
	d.defineText2("exo_ends", func(s, end string) any { return truth(strings.HasSuffix(s, end)) })
	d.defineText2("exo_like", func(s, pattern string) any { return truth(like(s, pattern)) })
	d.define("exo_nullif", 2, func(args []driver.Value) any {
		a, okA := number(args[0])
		b, okB := number(args[1])
		if okA && okB && a.Cmp(b) == 0 {
			return nil
		}
		return args[0]
	})
	d.define("exo_nullif_interval", 2, func(args []driver.Value) any {
		a, okA := args[0].(string)
		b, okB := args[1].(string)
		if okA && okB && bytes.Equal(keyBytes(intervalKey(a)), keyBytes(intervalKey(b))) {
			return nil
		}
		return args[0]
	})
	d.defineHas("exo_has", func(x any, v driver.Value) bool {
		if b, ok := x.(bool); ok {
			return truth(b) == v
		}
		return x == v
	})
	d.defineHas("exo_has_number", func(x any, v driver.Value) bool {
		if n, ok := x.(json.Number); ok {
			x = string(n)
		}
		a, okA := number(x)
		b, okB := number(v)
		return okA && okB && a.Cmp(b) == 0
	})
	return d.Driver
}

// defineHas defines whether a value is among the elements of an array.
func (d functions) defineHas(name string, same func(element any, v driver.Value) bool) {
	d.define(name, 2, func(args []driver.Value) any {
		s, ok := args[1].(string)
		if !ok || args[0] == nil {
			return nil
		}
		list, ok := elements(s)
		if !ok {
			return nil
		}
		found := any(int64(0))
		for _, x := range list {
			if same(x, args[0]) {
				return int64(1)
			}
			if x == nil {
				found = nil // as SQL has it: the value might be the one that is not known
			}
		}
		return found
	})
}

type functions struct{ *sqlite.Driver }

func (d functions) define(name string, n int32, f func(args []driver.Value) any) {
	d.MustRegisterDeterministicScalarFunction(name, n, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		return f(args), nil
	})
}

func (d functions) defineText(name string, f func(s string) any) {
	d.define(name, 1, func(args []driver.Value) any {
		if s, ok := args[0].(string); ok {
			return f(s)
		}
		return nil
	})
}

func (d functions) defineText2(name string, f func(a, b string) any) {
	d.define(name, 2, func(args []driver.Value) any {
		a, okA := args[0].(string)
		b, okB := args[1].(string)
		if !okA || !okB {
			return nil
		}
		return f(a, b)
	})
}

func truth(b bool) any {
	if b {
		return int64(1)
	}
	return int64(0)
}

// keyBytes is a key as bytes; that of no value is like no other's.
func keyBytes(key any) []byte {
	if b, ok := key.([]byte); ok {
		return b
	}
	return []byte{0xff}
}

// intervalKey is the length of an interval as PostgreSQL compares it, in
// microseconds: a month has 30 days, a day 24 hours.
func intervalKey(s string) any {
	i, ok := exo.ParseInterval(s)
	if !ok {
		return nil
	}
	days := int64(i.Months)*30 + int64(i.Days)
	n := new(big.Int).Mul(big.NewInt(days), big.NewInt(86_400_000_000))
	d, _, err := apd.NewFromString(n.Add(n, big.NewInt(i.Micros)).String())
	if err != nil {
		return nil
	}
	return numberKey(d)
}

// elements reads an array, which SQLite holds as the text of a JSON array.
func elements(s string) ([]any, bool) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var list []any
	if err := d.Decode(&list); err != nil || d.More() || list == nil {
		return nil, false
	}
	return list, true
}
