package sqlite

import (
	"bytes"
	"fmt"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/cellform"
)

// cell passes column i of st's current row to out as its next value.
func (c *conn) cell(st *stmt, i int, out *plan.Collector) error {
	// The value belongs to the statement. It is read before the next step, and nothing else uses the
	// connection.
	x := sqlite3.Xsqlite3_column_value(c.Tls, st.P, int32(i))
	want := out.Next()
	var held any
	switch sqlite3.Xsqlite3_value_type(c.Tls, x) {
	case sqlite3.SQLITE_NULL:
		return out.Null()
	case sqlite3.SQLITE_INTEGER:
		n := sqlite3.Xsqlite3_value_int64(c.Tls, x)
		if want.Kind == value.TypeInt && !want.Exact || want.Raw {
			return out.Add(value.Int(n))
		}
		held = n
	case sqlite3.SQLITE_FLOAT:
		held = sqlite3.Xsqlite3_value_double(c.Tls, x)
	case sqlite3.SQLITE_TEXT:
		if err := out.Afford(int(sqlite3.Xsqlite3_value_bytes(c.Tls, x))); err != nil {
			return err
		}
		b, ok := valueBytes(sqlite3.Xsqlite3_value_text(c.Tls, x), sqlite3.Xsqlite3_value_bytes(c.Tls, x))
		if !ok {
			return errNoMemory
		}
		if want.Kind == value.TypeText && !want.Raw {
			return out.AddText(b)
		}
		held = string(b)
	default:
		if err := out.Afford(int(sqlite3.Xsqlite3_value_bytes(c.Tls, x))); err != nil {
			return err
		}
		b, _ := valueBytes(sqlite3.Xsqlite3_value_blob(c.Tls, x), sqlite3.Xsqlite3_value_bytes(c.Tls, x)) // an empty blob has a null pointer
		if want.Rows != nil {
			v, n, err := decodeRows(want.Rows, b, out.Misfits())
			if err != nil {
				return err
			}
			return out.AddRows(v, n)
		}
		held = bytes.Clone(b)
	}
	if want.Raw {
		return out.Add(plan.Held(held))
	}
	v := decode(want, held)
	if v.IsZero() {
		return out.Unreadable(fmt.Sprintf("a %T", held))
	}
	return out.Add(v)
}

// valueBytes returns n bytes of SQLite's own memory without a copy. The next step overwrites them. It returns false for a null pointer.
func valueBytes(p uintptr, n int32) ([]byte, bool) {
	if p == 0 {
		return []byte{}, false
	}
	return libc.GoBytes(p, int(n)), true
}

// decode converts a cell of SQLite (an int64, a float64, a string or a []byte) to a Value of the
// declared kind, or to the zero Value. SQLite stores any value in any column; one that contradicts
// the declaration is an error for the host, not a guess.
func decode(c *plan.Cell, x any) value.Value {
	if c.Collected {
		s, _ := x.(string)
		return plan.Collected(c.Of, engine.DecodeJSON([]byte(s)))
	}
	if c.Form != "" {
		x = c.Form.Read(c.Kind, x)
	}
	if c.Exact {
		return decodeExact(x, c.Kind)
	}
	switch c.Kind {
	case value.TypeInt:
		if i, ok := x.(int64); ok {
			return value.Int(i)
		}
	case value.TypeFloat:
		switch f := x.(type) {
		case float64:
			return value.Float(f)
		case int64:
			return value.Float(float64(f))
		}
	case value.TypeBool:
		switch b := x.(type) {
		case bool: // only an element of an array can be a bool
			return value.Bool(b)
		case int64:
			if b == 0 || b == 1 {
				return value.Bool(b == 1)
			}
		}
	case value.TypeText:
		if s, ok := x.(string); ok {
			return value.Text(s)
		}
	case value.TypeTime:
		s, _ := x.(string)
		if t, ok := cellform.ReadTime(s); ok {
			return value.Time(t)
		}
	default:
		return decodeScalar(c, x)
	}
	return value.Value{}
}
