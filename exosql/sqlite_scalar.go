package exosql

import (
	"encoding/base64"
	"strconv"

	"github.com/exoagent/exoagent/exo"
)

// SQLite has five kinds of values. This is how the other types are held in them:
// a decimal as a number or a text, a date as "2006-01-02", an interval as ISO 8601, a
// UUID as its text in lower case, JSON and arrays as the text of JSON. A date, a UUID
// or an interval in another form contradicts the declaration: it would be shown
// in the one form, and that would not find its row.

// decodeScalar makes a Value of a kind that is none of SQLite's own, or the zero Value.
func (c *cell) decodeScalar(x any) exo.Value {
	switch s, text := x.(string); c.kind {
	case exo.TypeDecimal:
		return decodeExact(x, c.kind)
	case exo.TypeDate:
		if text {
			return canonical(c.kind, s)
		}
	case exo.TypeInterval, exo.TypeUUID:
		if v := canonical(c.kind, s); text && v.Text() == s {
			return v
		}
	case exo.TypeBytes:
		if b, ok := x.([]byte); ok {
			return exo.Text(base64.StdEncoding.EncodeToString(b))
		}
	case exo.TypeJSON:
		if text {
			return decodeJSON([]byte(s))
		}
	case exo.TypeList:
		if text {
			return c.decodeElements(decodeJSON([]byte(s)))
		}
	}
	return exo.Value{}
}

// decodeElements checks an array's elements against their type.
func (c *cell) decodeElements(list exo.Value) exo.Value {
	if list.Type() != exo.TypeList {
		return exo.Value{}
	}
	item := cell{kind: c.of}
	items := make([]exo.Value, list.Len())
	for i := range items {
		v := list.At(i)
		switch v.Type() {
		case exo.TypeNull:
			items[i] = v
			continue
		case exo.TypeBool:
			items[i] = item.decodeSQLite(v.Bool())
		case exo.TypeInt:
			items[i] = item.decodeSQLite(v.Int())
		case exo.TypeFloat:
			items[i] = item.decodeSQLite(v.Float())
		case exo.TypeText:
			items[i] = item.decodeSQLite(v.Text())
		}
		if items[i].IsZero() {
			return exo.Value{}
		}
	}
	return exo.List(items...)
}

// decodeExact makes a Value of a number that was calculated, see number.go. A
// whole number beyond 64 bits is shown as its digits.
func decodeExact(x any, kind string) exo.Value {
	s := ""
	switch x := x.(type) {
	case int64:
		if kind == exo.TypeInt {
			return exo.Int(x)
		}
		s = strconv.FormatInt(x, 10)
	case float64:
		s = strconv.FormatFloat(x, 'f', -1, 64)
	case string:
		s = x
	}
	return exactValue(kind, s)
}

// exactValue makes a Value of the text of an exact number. One that is beyond
// what its kind holds is shown as its digits.
func exactValue(kind, s string) exo.Value {
	switch kind {
	case exo.TypeFloat:
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return exo.Float(f)
		}
	case exo.TypeInt:
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return exo.Int(i)
		}
	}
	if v := canonical(exo.TypeDecimal, s); !v.IsZero() {
		return v
	}
	if d, ok := parseDecimal(s); ok { // of more digits than a program may write
		if text, ok := numberText(d).(string); ok {
			return exo.Text(text)
		}
	}
	return exo.Value{}
}
