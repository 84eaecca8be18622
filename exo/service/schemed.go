package service

// This file makes methods whose types are JSON schemas, for objects that stand for something outside, such as an HTTP API.

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"

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
	// Call gets plain data: maps, slices, texts, whole numbers as int64, other numbers as float64, and time.Time. It returns decoded JSON,
	// with json.Number if whole numbers beyond 2^53 are to stay what they are.
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
	if in == nil || in.Type == "object" && len(in.Properties) == 0 {
		in = &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	}
	resolved, err := in.CloneSchemas().Resolve(nil)
	if err != nil {
		return bad("the schema of the argument: %v", err)
	}
	op.takes, op.gives = fromSchema(in, ofArgument, 0), fromSchema(f.Out, ofResult, 0)
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

// writeJSON makes a Value of type t of decoded JSON. Fields that t does not name are left out. An error is for the host.
func writeJSON(t *message.Type, x any, h *hidden, at string, depth int) (value.Value, error) {
	data := t.Name == value.TypeData
	if h.sealed() {
		return h.seal(func() (value.Value, error) { return writeJSON(t, x, nil, at, depth) }), nil
	}
	if depth > maxDepth {
		return value.Value{}, fmt.Errorf("%s: nested too deeply", at)
	}
	if t.Name == value.TypeNull || x == nil && (t.Null || data) {
		return value.Null(), nil
	}
	switch y := x.(type) {
	case map[string]any:
		if data {
			return writeMap(reflect.ValueOf(y), at, func(e reflect.Value, at string) (value.Value, error) {
				return writeJSON(t, e.Interface(), nil, at, depth+1)
			})
		}
		var fs []value.Field
		for _, f := range t.Fields {
			v, err := writeJSON(f.Type, y[f.Name], h.field(f.Name), at+"."+f.Name, depth+1)
			if err != nil {
				return value.Value{}, err
			}
			fs = append(fs, value.Field{Name: f.Name, Value: v})
		}
		return value.RecordValue(fs...), nil // fits refuses it where another type is wanted
	case []any:
		of := t
		if t.Name == value.TypeList {
			of = t.Args["of"]
		}
		return writeList(reflect.ValueOf(y), at, func(e reflect.Value, at string) (value.Value, error) {
			return writeJSON(of, e.Interface(), h, at, depth+1)
		})
	case json.Number:
		if i, err := strconv.ParseInt(y.String(), 10, 64); err == nil && t.Name != value.TypeFloat {
			return value.Int(i), nil
		}
		f, _ := y.Float64()
		return writeJSON(t, f, nil, at, depth)
	case string:
		if when, ok := scalar.ParseTime(y); ok && t.Name == value.TypeTime {
			return value.Time(when), nil
		}
	case float64:
		if i := int64(y); t.Name == value.TypeInt && float64(i) == y && math.Abs(y) <= scalar.SafeInteger {
			return value.Int(i), nil
		}
	case nil:
		return value.Value{}, fmt.Errorf("%s: it is missing", at)
	}
	return writeScalar(reflect.ValueOf(x), at)
}
