package service

// This file makes methods whose types are JSON schemas, for objects that stand for something outside, such as an HTTP API.

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Schemed is a function whose types are JSON schemas.
type Schemed struct {
	Effect message.EffectMode // NoEffect, Held or Immediate
	In     *jsonschema.Schema // an object; nil: there is no argument
	Out    *jsonschema.Schema // nil: any data
	Check  func(in any) error // refuses an argument that In allows, see Refuse; nil: none
	// Call gets plain data: maps, slices, texts, whole numbers as int64, other numbers as float64, and time.Time. It returns such data.
	Call func(ctx context.Context, in any) (out any, err error)
}

// Schema makes a method of a function whose types are JSON schemas. The argument has the schema In, in full. Of the result
// programs get the fields that Out names, and a field that Out does not require is null where it is missing. A part of a
// schema that has no type here, such as anyOf, is plain data for programs.
func Schema(name, doc string, f Schemed) Operation {
	op := Operation{name: name, doc: doc, effect: f.Effect}
	bad := func(format string, args ...any) Operation {
		op.call, op.misuse = func(context.Context, value.Value, *hidden) (v value.Value, err error) { return }, fmt.Errorf(format, args...)
		return op
	}
	if f.Call == nil {
		return op
	}
	if f.Effect != message.NoEffect && f.Effect != message.Held && f.Effect != message.Immediate {
		return bad("a function can't have the effect %s", f.Effect)
	}
	in := f.In
	if in == nil {
		in = &jsonschema.Schema{Type: "object"}
	}
	resolved, err := in.CloneSchemas().Resolve(nil)
	if err != nil {
		return bad("the schema of the argument: %v", err)
	}
	if op.takes = dataType(in, false, 0); op.takes.Name == value.TypeData && len(in.Properties) == 0 {
		op.takes = &message.Type{Name: value.TypeRecord}
	}
	op.gives = dataType(f.Out, true, 0)
	result := op.gives
	read := func(v value.Value) (any, error) {
		in, x := plain(v), any(nil)
		b, err := json.Marshal(in)
		if err == nil {
			err = json.Unmarshal(b, &x)
		}
		if err != nil {
			return nil, Refuse("the argument has no JSON")
		}
		if err := resolved.Validate(x); err != nil {
			return nil, Refuse("the argument does not fit: %s", scalar.Clip(err.Error(), 300))
		}
		if f.Check != nil {
			err = f.Check(in)
		}
		return in, err // and not x, which has no whole numbers beyond 2^53
	}
	op.checkArg = func(v value.Value) error {
		if _, err := read(v); err != nil {
			return failure(context.Background(), err)
		}
		return nil
	}
	op.call = func(ctx context.Context, v value.Value, h *hidden) (value.Value, error) {
		x, err := read(v)
		if err == nil {
			x, err = f.Call(ctx, x)
		}
		if err != nil {
			return value.Value{}, failure(ctx, err)
		}
		if h == dropped {
			return value.Null(), nil
		}
		w, err := writeJSON(result, x, h, "result", 0)
		if err != nil {
			return value.Value{}, internal(err)
		}
		return w, nil
	}
	return op
}

// Effect returns when the operation takes effect.
func (op Operation) Effect() message.EffectMode { return op.effect }

// dropped is in the place of the hidden parts of a result that nobody gets: that of a Held method. It need not have its type.
var dropped = &hidden{}

// cloned returns a copy of a type: a method's declarations are written into it.
func cloned(t *message.Type) *message.Type { return message.Description{Type: t}.Clone().Type }

// mostDoc is the length of a field's description in a catalogue, mostNested how deep a schema is read.
const mostDoc, mostNested = 200, 8

// dataType returns the type of a schema. In a result, a field that is not required may be null.
func dataType(s *jsonschema.Schema, result bool, depth int) *message.Type {
	data := &message.Type{Name: value.TypeData}
	if s == nil || depth > mostNested || s.Ref != "" || s.DynamicRef != "" || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil || s.Not != nil || s.If != nil {
		return data
	}
	t, kinds := &message.Type{}, slices.Clone(s.Types)
	if s.Type != "" {
		kinds = []string{s.Type}
	}
	if k := slices.Index(kinds, "null"); k >= 0 {
		kinds, t.Null = slices.Delete(kinds, k, k+1), true
	}
	if len(kinds) == 0 && t.Null {
		return &message.Type{Name: value.TypeNull}
	} else if len(kinds) != 1 {
		return data
	}
	switch kinds[0] {
	case "boolean":
		t.Name = value.TypeBool
	case "integer":
		t.Name = value.TypeInt
		if s.Minimum != nil && s.Maximum != nil && !result && *s.Minimum < *s.Maximum && math.Abs(*s.Minimum) < scalar.SafeInteger && math.Abs(*s.Maximum) < scalar.SafeInteger {
			t.Min, t.Max = int64(math.Ceil(*s.Minimum)), int64(math.Floor(*s.Maximum))
		}
	case "number":
		t.Name = value.TypeFloat
	case "string":
		t.Name = value.TypeText
		if s.Format == "date-time" {
			t.Name = value.TypeTime
			break
		}
		for _, x := range s.Enum {
			if text, ok := x.(string); ok && !result {
				t.Enum = append(t.Enum, text)
			}
		}
	case "array":
		t.Name, t.Args = value.TypeList, map[string]*message.Type{"of": dataType(s.Items, result, depth+1)}
	case "object":
		names := s.PropertyOrder
		if len(names) == 0 {
			for n := range s.Properties {
				names = append(names, n)
			}
			slices.Sort(names)
		}
		if len(names) == 0 || slices.Contains(names, "__proto__") {
			return data
		}
		t.Name = value.TypeRecord
		for _, n := range names {
			f := message.TypeField{Name: n, Type: dataType(s.Properties[n], result, depth+1), Doc: scalar.Clip(strings.Join(strings.Fields(s.Properties[n].Description), " "), mostDoc)}
			if !slices.Contains(s.Required, n) {
				f.Opt, f.Type.Null = !result, f.Type.Null || result && f.Type.Name != value.TypeData
			}
			t.Fields = append(t.Fields, f)
		}
	default:
		return data
	}
	return t
}

// writeJSON makes a Value of type t of decoded JSON. Fields that t does not name are left out. An error is for the host.
func writeJSON(t *message.Type, x any, h *hidden, at string, depth int) (value.Value, error) {
	if h.sealed() {
		return h.seal(func() (value.Value, error) { return writeJSON(t, x, nil, at, depth) }), nil
	}
	if depth > maxDepth {
		return value.Value{}, fmt.Errorf("%s: nested too deeply", at)
	}
	if t.Name == value.TypeNull || x == nil && (t.Null || t.Name == value.TypeData) {
		return value.Null(), nil
	}
	switch y := x.(type) {
	case map[string]any:
		if t.Name != value.TypeRecord {
			break
		}
		var fs []value.Field
		for _, f := range t.Fields {
			v, err := writeJSON(f.Type, y[f.Name], h.field(f.Name), at+"."+f.Name, depth+1)
			if err != nil {
				return value.Value{}, err
			}
			fs = append(fs, value.Field{Name: f.Name, Value: v})
		}
		return value.RecordValue(fs...), nil
	case []any:
		if t.Name == value.TypeList {
			return writeList(reflect.ValueOf(y), at, func(e reflect.Value, at string) (value.Value, error) {
				return writeJSON(t.Args["of"], e.Interface(), h, at, depth+1)
			})
		}
	case string:
		if t.Name == value.TypeTime {
			if at, ok := scalar.ParseTime(y); ok {
				return value.Time(at), nil
			}
		}
	case float64:
		if i := int64(y); t.Name == value.TypeInt && float64(i) == y && math.Abs(y) <= scalar.SafeInteger {
			return value.Int(i), nil
		}
	case int64:
		if t.Name == value.TypeFloat {
			return value.Float(float64(y)), nil
		}
	}
	if x == nil {
		return value.Value{}, fmt.Errorf("%s: it is missing", at)
	}
	return writeData(reflect.ValueOf(x), at, depth)
}
