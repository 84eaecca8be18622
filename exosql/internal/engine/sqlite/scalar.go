package sqlite

import (
	"encoding/base64"
	"strconv"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// SQLite has five kinds of values. This is how the other types are held in them:
// a decimal as a number or a text, a date as "2006-01-02", an interval as ISO 8601, a
// UUID as its text in lower case, JSON and arrays as the text of JSON. A date, a UUID
// or an interval in another form contradicts the declaration: it would be shown
// in the one form, and that would not find its row.

// decodeScalar makes a Value of a kind that is none of SQLite's own, or the zero Value.
func decodeScalar(c *plan.Cell, x any) exo.Value {
	switch s, text := x.(string); c.Kind {
	case exo.TypeDecimal:
		return decodeExact(x, c.Kind)
	case exo.TypeDate:
		if text {
			return plan.Canonical(c.Kind, s)
		}
	case exo.TypeInterval, exo.TypeUUID:
		if v := plan.Canonical(c.Kind, s); text && v.Text() == s {
			return v
		}
	case exo.TypeBytes:
		if b, ok := x.([]byte); ok {
			return exo.Text(base64.StdEncoding.EncodeToString(b))
		}
	case exo.TypeJSON:
		switch n := x.(type) {
		case string:
			return engine.DecodeJSON([]byte(n))
		case int64: // a column named JSON has NUMERIC affinity, which makes numbers of the texts of numbers
			return engine.DecodeJSON(strconv.AppendInt(nil, n, 10))
		case float64:
			return engine.DecodeJSON(strconv.AppendFloat(nil, n, 'g', -1, 64))
		}
	case exo.TypeList:
		if text {
			return decodeElements(c, engine.DecodeJSON([]byte(s)))
		}
	}
	return exo.Value{}
}

// decodeElements checks an array's elements against their type.
func decodeElements(c *plan.Cell, list exo.Value) exo.Value {
	if list.Type() != exo.TypeList {
		return exo.Value{}
	}
	item := plan.Cell{Kind: c.Of}
	items := make([]exo.Value, list.Len())
	for i := range items {
		v := list.At(i)
		switch v.Type() {
		case exo.TypeNull:
			items[i] = v
			continue
		case exo.TypeBool:
			items[i] = decode(&item, v.Bool())
		case exo.TypeInt:
			items[i] = decode(&item, v.Int())
		case exo.TypeFloat:
			items[i] = decode(&item, v.Float())
		case exo.TypeText:
			items[i] = decode(&item, v.Text())
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
	return plan.ExactValue(kind, s)
}
