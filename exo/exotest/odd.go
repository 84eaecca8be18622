package exotest

import (
	"math"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// arguments makes arguments for a method that the gate may admit. ok is false if the method needs a
// callback or an object.
func (c *conform) arguments(m *message.Method) (args []any, ok bool) {
	for i := range m.Params {
		p := &m.Params[i]
		if p.Opt && c.rand.Intn(3) == 0 {
			return args, true
		}
		if p.Lambda != nil || p.Want.Con == nil {
			return args, p.Opt
		}
		v, ok := c.value(p.Want.Con, 0)
		if !ok {
			return args, p.Opt
		}
		if p.Ident {
			v = value.Text(pick(c, []string{"a", "b2", "_c"}))
		}
		if p.Count && v.Type() == value.TypeInt && v.Int() < 0 {
			v = value.Int(0)
		}
		args = append(args, v)
	}
	return args, true
}

// texts has texts that break programs which paste text together, count bytes, or parse.
var texts = []string{"", " ", "a", "'; DROP TABLE users; --", "\" OR 1=1", "null", "undefined", "0", "-1", "1e309", "../../etc/passwd", "%00", "%s%n",
	"<script>alert(1)</script>", "\r\nBcc: a@b", "{{7*7}}", "\u202etxt", "e\u0301", "\U0001f469\u200d\U0001f467", "__proto__", "A,B;C\tD", "NaN", strings.Repeat("x", 5000), "ann@example.com", "2024-02-30"}

var times = []time.Time{{}, time.Unix(0, 0), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC), time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)}

// forms has texts for each type without a value.Kind of its own.
var forms = map[string][]string{
	value.TypeDecimal:  {"0", "-0.5", "1" + strings.Repeat("0", 60), "0.0000000000000000000000001"},
	value.TypeDate:     {"0001-01-01", "9999-12-31", "2024-02-29"},
	value.TypeInterval: {"PT0S", "-P1D", "P1Y2M3DT4H5M6.789S", "P100Y"},
	value.TypeUUID:     {"00000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426614174000"},
	value.TypeBytes:    {"", "AA==", "/////w=="},
}

func pick[T any](c *conform, from []T) T { return from[c.rand.Intn(len(from))] }

// value makes an odd value of a type. ok is false if only an object fits.
func (c *conform) value(t *message.Type, depth int) (v value.Value, ok bool) {
	if t.Null && c.rand.Intn(5) == 0 {
		return value.Null(), true
	}
	switch t.Name {
	case value.TypeNull:
		return value.Null(), true
	case value.TypeBool:
		return value.Bool(c.rand.Intn(2) == 0), true
	case value.TypeInt:
		if t.Min < t.Max {
			return value.Int(pick(c, []int64{t.Min, t.Max})), true
		}
		return value.Int(pick(c, []int64{0, 1, -1, 2, 100, math.MaxInt32 + 1, scalar.SafeInteger + 2, math.MaxInt64, math.MinInt64})), true
	case value.TypeFloat, value.TypeNumber:
		return value.Float(pick(c, []float64{0, math.Copysign(0, -1), 0.1, -1.5, math.MaxFloat64, math.SmallestNonzeroFloat64})), true
	case value.TypeText:
		if len(t.Enum) > 0 {
			return value.Text(pick(c, t.Enum)), true
		}
		return value.Text(pick(c, texts)), true
	case value.TypeTime:
		return value.Time(pick(c, times)), true
	case value.TypeDecimal, value.TypeDate, value.TypeInterval, value.TypeUUID, value.TypeBytes:
		return value.Text(pick(c, forms[t.Name])), true
	case value.TypeData, value.TypeJSON:
		return c.data(depth), true
	case value.TypeList:
		var vs []value.Value
		for range pick(c, []int{0, 1, 2, 3, 40}) >> depth {
			x, ok := c.value(t.Args["of"], depth+1)
			if !ok {
				return v, false
			}
			vs = append(vs, x)
		}
		return value.List(vs...), true
	case value.TypeRecord:
		var fs []value.Field
		for _, f := range t.Fields {
			if f.Opt && c.rand.Intn(3) == 0 {
				continue
			}
			x, ok := c.value(f.Type, depth+1)
			if !ok {
				return v, false
			}
			fs = append(fs, value.Field{Name: f.Name, Value: x})
		}
		return value.RecordValue(fs...), true
	}
	return v, false
}

// data makes some plain data.
func (c *conform) data(depth int) value.Value {
	leaf := &message.Type{Name: pick(c, []string{value.TypeNull, value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeText, value.TypeTime})}
	if depth < 3 {
		switch c.rand.Intn(4) {
		case 0:
			return value.List(c.data(depth+1), c.data(depth+1))
		case 1:
			return value.RecordValue(value.Field{Name: "a", Value: c.data(depth + 1)}, value.Field{Name: pick(c, []string{"b", "constructor", "to", ""}), Value: c.data(depth + 1)})
		}
	}
	v, _ := c.value(leaf, depth)
	return v
}
