package exosql

import (
	"time"

	"github.com/exoagent/exoagent/exo"
)

// sqliteArgs are values as the driver takes them. Times are text in
// exo.TimeFormat, truth values 0 and 1.
func sqliteArgs(args []exo.Value) []any {
	out := make([]any, len(args))
	for i, v := range args {
		switch v.Kind() {
		case exo.KindBool:
			out[i] = int64(0)
			if v.Bool() {
				out[i] = int64(1)
			}
		case exo.KindInt:
			out[i] = v.Int()
		case exo.KindFloat:
			out[i] = v.Float()
		case exo.KindText:
			out[i] = v.Text()
		case exo.KindTime:
			out[i] = v.Time().Format(exo.TimeFormat)
		}
	}
	return out
}

// decodeSQLite turns what the driver read into a Value of the declared kind, or
// into the zero Value: SQLite stores any value in any column, and what contradicts the
// declaration is an error for the host, not a guess.
func (c *cell) decodeSQLite(x any) exo.Value {
	if c.exact {
		return decodeExact(x, c.kind)
	}
	switch c.kind {
	case exo.TypeInt:
		if i, ok := x.(int64); ok {
			return exo.Int(i)
		}
	case exo.TypeFloat:
		switch f := x.(type) {
		case float64:
			return exo.Float(f)
		case int64:
			return exo.Float(float64(f))
		}
	case exo.TypeBool:
		switch b := x.(type) {
		case bool:
			return exo.Bool(b)
		case int64:
			if b == 0 || b == 1 {
				return exo.Bool(b == 1)
			}
		}
	case exo.TypeText:
		if s, ok := x.(string); ok {
			return exo.Text(s)
		}
	case exo.TypeTime:
		switch t := x.(type) {
		case time.Time:
			return exo.Time(t)
		case string:
			if t, ok := exo.ParseTime(t); ok {
				return exo.Time(t)
			}
		}
	default:
		return c.decodeScalar(x)
	}
	return exo.Value{}
}
