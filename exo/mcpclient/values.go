package mcpclient

// This file makes values from answers. An answer that does not fit its type is refused as a whole.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// answer returns the value of a result. It refuses a result with more than most values.
func (t *tool) answer(r *mcp.CallToolResult, most int) (v value.Value, err error) {
	if t.out != nil {
		return read(t.out, r.StructuredContent, 0, &most)
	}
	if v = value.Text(textOf(r.Content)); v.IsZero() {
		err = fmt.Errorf("%w: the text of the answer is not UTF-8 without NUL", ErrMismatch)
	}
	return v, err
}

// textOf joins the texts of a result. For other parts it writes their kind.
func textOf(parts []mcp.Content) string {
	return strings.Join(scalar.Each(parts, func(c mcp.Content) string {
		switch c := c.(type) {
		case *mcp.TextContent:
			return c.Text
		case *mcp.EmbeddedResource:
			if c.Resource != nil && c.Resource.Blob == nil {
				return c.Resource.Text
			}
		case *mcp.ResourceLink:
			return c.URI
		}
		return "[" + strings.TrimPrefix(fmt.Sprintf("%T", c), "*mcp.") + "]"
	}), "\n")
}

// read makes a value of type t from decoded JSON.
func read(t *message.Type, x any, depth int, left *int) (v value.Value, err error) {
	if *left--; *left < 0 {
		return v, fmt.Errorf("%w: the answer has too many values", ErrTooLarge)
	}
	if depth > 2*maxDepth {
		return v, fmt.Errorf("%w: the answer is nested deeper than %d levels", ErrTooLarge, 2*maxDepth)
	}
	fits := func(name string) bool { return t.Name == name || t.Name == value.TypeData }
	ok := false
	switch x := x.(type) {
	case nil:
		v, ok = value.Null(), t.Null || fits(value.TypeNull)
	case bool:
		v, ok = value.Bool(x), fits(value.TypeBool)
	case float64:
		v, ok = value.Float(x), fits(value.TypeFloat)
		if x == math.Trunc(x) && math.Abs(x) <= scalar.SafeInteger && t.Name != value.TypeFloat { // a larger number may differ from the one that the server wrote
			v, ok = value.Int(int64(x)), fits(value.TypeInt)
		}
	case string:
		v, ok = value.Text(x), fits(value.TypeText) && (t.Enum == nil || slices.Contains(t.Enum, x))
	case []any:
		if ok = fits(value.TypeList); ok {
			v, err = readList(t, x, depth, left)
		}
	case map[string]any:
		if ok = fits(value.TypeRecord); ok {
			v, err = readRecord(t, x, depth, left)
		}
	}
	if err == nil && (!ok || v.IsZero()) {
		err = fmt.Errorf("%w: want %s", ErrMismatch, t)
	}
	if err != nil {
		return value.Value{}, err
	}
	return v, nil
}

func readList(t *message.Type, list []any, depth int, left *int) (value.Value, error) {
	of := anything()
	if t.Name == value.TypeList {
		of = t.Args["of"]
	}
	var vs []value.Value
	for _, x := range list {
		v, err := read(of, x, depth+1, left)
		if err != nil {
			return v, err
		}
		vs = append(vs, v)
	}
	return value.List(vs...), nil
}

// readRecord reads only the fields that the type has, since the host has not agreed to others. Plain data may have all
// fields, except names like __proto__, which would change the program's object.
func readRecord(t *message.Type, m map[string]any, depth int, left *int) (value.Value, error) {
	fields := t.Fields
	if t.Name == value.TypeData {
		fields = scalar.Each(slices.Sorted(maps.Keys(m)), func(n string) message.TypeField { return message.TypeField{Name: n, Type: anything()} })
	}
	var fs []value.Field
	for _, f := range fields {
		x, there := m[f.Name]
		if !there && f.Opt {
			continue
		}
		if !there {
			return value.Value{}, fmt.Errorf("%w: the field %.100q is missing", ErrMismatch, f.Name)
		}
		if scalar.BadName(f.Name) != "" {
			return value.Value{}, fmt.Errorf("%w: the answer has a field named %.100q, which is reserved", ErrMismatch, f.Name)
		}
		v, err := read(f.Type, x, depth+1, left)
		if err != nil {
			return value.Value{}, err
		}
		fs = append(fs, value.Field{Name: f.Name, Value: v})
	}
	return value.RecordValue(fs...), nil
}
