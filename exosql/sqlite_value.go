package exosql

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/exoagent/exoagent/exo"
)

// cell takes column i of the row that st is at as the next value of out.
func (c *sqliteConn) cell(st *stmt, i int, out *collector, texts *arena) error {
	// The value belongs to the statement and is read before the next step; nobody
	// else has the connection.
	x := sqlite3.Xsqlite3_column_value(c.tls, st.p, int32(i))
	want := out.next()
	var held any
	switch sqlite3.Xsqlite3_value_type(c.tls, x) {
	case sqlite3.SQLITE_NULL:
		return out.null()
	case sqlite3.SQLITE_INTEGER:
		n := sqlite3.Xsqlite3_value_int64(c.tls, x)
		if want.kind == exo.TypeInt && !want.exact {
			return out.add(exo.Int(n))
		}
		held = n
	case sqlite3.SQLITE_FLOAT:
		held = sqlite3.Xsqlite3_value_double(c.tls, x)
	case sqlite3.SQLITE_TEXT:
		if err := out.afford(int(sqlite3.Xsqlite3_value_bytes(c.tls, x))); err != nil {
			return err
		}
		b, ok := valueBytes(sqlite3.Xsqlite3_value_text(c.tls, x), sqlite3.Xsqlite3_value_bytes(c.tls, x))
		if !ok {
			return errNoMemory
		}
		if want.kind == exo.TypeText {
			return out.add(exo.Text(texts.keep(b)))
		}
		held = string(b)
	default:
		if err := out.afford(int(sqlite3.Xsqlite3_value_bytes(c.tls, x))); err != nil {
			return err
		}
		b, _ := valueBytes(sqlite3.Xsqlite3_value_blob(c.tls, x), sqlite3.Xsqlite3_value_bytes(c.tls, x)) // empty: no pointer
		held = bytes.Clone(b)
	}
	v := want.decodeSQLite(held)
	if v.IsZero() {
		return want.contradicts(fmt.Sprintf("a %T", held))
	}
	return out.add(v)
}

// valueBytes is the engine's own memory, which the next step overwrites.
func valueBytes(p uintptr, n int32) ([]byte, bool) {
	if p == 0 {
		return []byte{}, false
	}
	return libc.GoBytes(p, int(n)), true
}

// decodeSQLite turns what SQLite holds, an int64, a float64, a string or a []byte, into a Value of the declared kind, or
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
		case bool: // an element of an array
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
		s, _ := x.(string)
		if t, ok := exo.ParseTime(s); ok {
			return exo.Time(t)
		}
		// Go's SQLite drivers store a time.Time in the form of its String method.
		s, _, _ = strings.Cut(s, " m=")
		if t, err := time.Parse("2006-01-02 15:04:05.999999999 -0700 MST", s); err == nil {
			return exo.Time(t)
		}
	default:
		return c.decodeScalar(x)
	}
	return exo.Value{}
}

// arena copies texts out of the engine's memory, many into one allocation. What
// is kept of it keeps at most a chunk more alive than itself.
type arena struct {
	b    *strings.Builder
	size int
}

const chunk = 16 << 10 // bytes

func (a *arena) keep(b []byte) string {
	if len(b) > chunk/4 {
		return string(b)
	}
	if a.b == nil || a.b.Cap()-a.b.Len() < len(b) {
		// Another one, never a larger one: growing would copy what is there.
		a.size = min(max(2*a.size, 256), chunk)
		a.b = &strings.Builder{}
		a.b.Grow(max(a.size, len(b)))
	}
	from := a.b.Len()
	a.b.Write(b)
	return a.b.String()[from:]
}
