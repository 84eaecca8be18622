package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/value"
)

func schema(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s := new(jsonschema.Schema)
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchema: what a program passes and gets is what the schemas say, and no more.
func TestSchema(t *testing.T) {
	in := schema(t, `{"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "pattern": "^[a-z]+$"},
		"n": {"type": "integer", "minimum": 1, "maximum": 9}, "kind": {"type": "string", "enum": ["a", "b"]}, "more": {"anyOf": [{"type": "string"}, {"type": "null"}]},
		"big": {"type": "integer"}}}`)
	out := schema(t, `{"type": "array", "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "at": {"type": "string", "format": "date-time"},
		"tags": {"type": "array", "items": {"type": "string"}}, "any": {}}}}`)
	var got any
	var answer any
	s, err := service.New("svc", "", service.Schema("get", "", service.Schemed{In: in, Out: out, Call: func(_ context.Context, in any) (any, error) { got = in; return answer, nil }}))
	if err != nil {
		t.Fatal(err)
	}
	exotest.Conform(t, s)
	answer = []any{map[string]any{"id": 1.0, "at": "2024-01-31T12:00:00Z", "hidden": "x"}, map[string]any{"id": json.Number("1152921504606846976"), "any": []any{map[string]any{"x": true, "n": json.Number("1.5")}}}}
	for _, c := range []struct{ program, want string }{
		{`svc.get({name: "ann", n: 2, big: "9007199254740993"})`, `[{"any":null,"at":"2024-01-31T12:00:00.000Z","id":1,"tags":null},{"any":[{"n":1.5,"x":true}],"at":null,"id":"1152921504606846976","tags":null}]`},
		{`svc.get({name: "ANN"})`, "invalid"},
		{`svc.get({name: "ann", n: 10})`, "invalid"},
		{`svc.get({name: "ann", kind: "c"})`, "invalid"},
		{`svc.get({name: "ann", more: 1})`, "invalid"},
		{`svc.get({name: "ann", other: 1})`, "invalid"},
		{`svc.get({})`, "invalid"},
	} {
		if r := runWith(t, s, c.program, codemode.Options{}); !strings.HasPrefix(r, c.want) {
			t.Errorf("%s: %s, want %s", c.program, r, c.want)
		}
	}
	want := map[string]any{"name": "ann", "n": int64(2), "big": int64(9007199254740993)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the function got %v, want %v", got, want)
	}
	for _, bad := range []any{nil, "x", []any{"x"}, []any{map[string]any{}}, []any{map[string]any{"id": 1.5}}, []any{map[string]any{"id": 1.0, "at": "soon"}}, []any{map[string]any{"id": 1.0, "any": map[string]any{"__proto__": 1.0}}}} {
		answer = bad
		if r := runWith(t, s, `svc.get({name: "ann"})`, codemode.Options{}); !strings.HasPrefix(r, "internal") {
			t.Errorf("the answer %v: %s", bad, r)
		}
	}
}

// TestSchemaLabelled: a field that may be missing can be labelled, since it is null then, and an odd content fails nothing.
func TestSchemaLabelled(t *testing.T) {
	out := schema(t, `{"type": "object", "properties": {"plain": {"type": "string"}, "field": {"type": "string"}}}`)
	for _, field := range []any{"secret", nil, 1.0, map[string]any{"__proto__": "x"}, "x\x00"} {
		op := service.Schema("get", "", service.Schemed{Out: out, Call: func(context.Context, any) (any, error) { return map[string]any{"field": field}, nil }})
		s, err := service.New("svc", "", op.Labelled(value.NewLabel("pii"), "field"))
		if err != nil {
			t.Fatal(err)
		}
		if r := runWith(t, s, `return await svc.get()`, codemode.Options{}); r != `{"field":"[sealed pii]","plain":null}` {
			t.Errorf("%v: %s", field, r)
		}
	}
}

// TestSchemaMisused: what can't be a method is an error of New.
func TestSchemaMisused(t *testing.T) {
	call := func(context.Context, any) (any, error) { return nil, nil }
	for want, op := range map[string]service.Operation{
		"has no function":           service.Schema("x", "", service.Schemed{}),
		"can't have the effect":     service.Schema("x", "", service.Schemed{Effect: message.InUnit, Call: call}),
		"no object with properties": service.Schema("x", "", service.Schemed{In: schema(t, `{"type": "string"}`), Call: call}),
		"the schema of the":         service.Schema("x", "", service.Schemed{In: schema(t, `{"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}}`), Call: call}),
		"can't be Immediate":        service.Schema("x", "", service.Schemed{Call: call}).Immediate(),
	} {
		if _, err := service.New("svc", "", op); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestSchemaHeld: a held call is checked at once, and its result is dropped, whatever it is.
func TestSchemaHeld(t *testing.T) {
	calls := 0
	op := service.Schema("send", "", service.Schemed{Effect: message.Held, In: schema(t, `{"type": "object", "properties": {"to": {"type": "string"}}}`), Out: schema(t, `{"type": "integer"}`),
		Check: func(in any) error {
			if in.(map[string]any)["to"] == "nobody" {
				return service.Refuse("write to somebody")
			}
			return nil
		}, Call: func(context.Context, any) (any, error) { calls++; return "no integer", nil }})
	s, err := service.New("svc", "", op)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exotest.Send(t, s, "send", map[string]any{"to": "nobody"}); !strings.Contains(fail.GuestText(err), "write to somebody") || errors.Is(err, context.Canceled) || calls != 0 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if _, err := exotest.Send(t, s, "send", map[string]any{"to": "ann"}); err != nil || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
