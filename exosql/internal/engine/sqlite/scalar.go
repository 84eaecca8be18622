package sqlite

import (
	"encoding/base64"
	"strconv"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// SQLite has five kinds of values. It stores a decimal as a number or a text, a date as
// "2006-01-02", and an interval as ISO 8601. A UUID is text in lower case; JSON and arrays are JSON
// text. A date or a UUID in another form contradicts the declaration: a program would get it in the
// usual form, which would not find its row.

// decodeScalar returns the Value of a kind that SQLite itself lacks, or the zero Value.
func decodeScalar(c *plan.Cell, x any) value.Value {
	switch s, text := x.(string); c.Kind {
	case value.TypeDecimal:
		return decodeExact(x, c.Kind)
	case value.TypeDate:
		if text {
			return plan.Canonical(c.Kind, s)
		}
	case value.TypeInterval: // an interval may have any form of ISO 8601
		if text {
			return plan.Canonical(c.Kind, s)
		}
	case value.TypeUUID:
		if v := plan.Canonical(c.Kind, s); text && v.Text() == s {
			return v
		}
	case value.TypeBytes:
		if b, ok := x.([]byte); ok {
			return value.Text(base64.StdEncoding.EncodeToString(b))
		}
	case value.TypeJSON:
		switch n := x.(type) {
		case string:
			return engine.DecodeJSON([]byte(n))
		case int64: // a column of type JSON has NUMERIC affinity, which turns texts of numbers into numbers
			return engine.DecodeJSON(strconv.AppendInt(nil, n, 10))
		case float64:
			return engine.DecodeJSON(strconv.AppendFloat(nil, n, 'g', -1, 64))
		}
	case value.TypeList:
		if text {
			return decodeElements(c, engine.DecodeJSON([]byte(s)))
		}
	}
	return value.Value{}
}

// decodeElements checks an array's elements against their type.
func decodeElements(c *plan.Cell, list value.Value) value.Value {
	if list.Type() != value.TypeList {
		return value.Value{}
	}
	item := plan.Cell{Kind: c.Of}
	items := make([]value.Value, list.Len())
	for i := range items {
		v := list.At(i)
		switch v.Type() {
		case value.TypeNull:
			items[i] = v
			continue
		case value.TypeBool:
			items[i] = decode(&item, v.Bool())
		case value.TypeInt:
			items[i] = decode(&item, v.Int())
		case value.TypeFloat:
			items[i] = decode(&item, v.Float())
		case value.TypeText:
			items[i] = decode(&item, v.Text())
		}
		if items[i].IsZero() {
			return value.Value{}
		}
	}
	return value.List(items...)
}

// decodeExact returns the Value of a calculated number (see package number). A whole number beyond
// 64 bits becomes the text of its digits.
func decodeExact(x any, kind string) value.Value {
	s := ""
	switch x := x.(type) {
	case int64:
		if kind == value.TypeInt {
			return value.Int(x)
		}
		s = strconv.FormatInt(x, 10)
	case float64:
		s = strconv.FormatFloat(x, 'f', -1, 64)
	case string:
		s = x
	}
	return plan.ExactValue(kind, s)
}
