package service_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/service"
)

// TestReadOf: types that are made at run time work as those of Go functions do, and the check of an argument is made while the program runs.
func TestReadOf(t *testing.T) {
	text, number := reflect.TypeFor[string](), reflect.TypeFor[int64]()
	in := reflect.StructOf([]reflect.StructField{{Name: "A", Type: text, Tag: `json:"a_b"`}, {Name: "B", Type: reflect.PointerTo(number), Tag: `json:"b,omitempty"`}})
	out := reflect.SliceOf(reflect.StructOf([]reflect.StructField{{Name: "A", Type: number, Tag: `json:"n"`}}))
	calls := 0
	check := func(in any) error {
		if reflect.ValueOf(in).Elem().Field(0).String() == "no" {
			return service.Refuse("write something else")
		}
		return nil
	}
	op := service.ReadOf("get", "", in, out, check, func(_ context.Context, in any) (any, error) {
		calls++
		v := reflect.New(out)
		v.Elem().Set(reflect.MakeSlice(out, 1, 1))
		v.Elem().Index(0).Field(0).SetInt(int64(len(reflect.ValueOf(in).Elem().Field(0).String())))
		return v.Interface(), nil
	})
	if op.Effect() != message.NoEffect || op.Held().Effect() != message.Held || op.Held().Immediate().Effect() != message.Immediate {
		t.Error("the effects are others")
	}
	s, err := service.New("svc", "", op, service.Method("act", "", func(context.Context, service.None) (service.None, error) { return service.None{}, nil }))
	if err != nil {
		t.Fatal(err)
	}
	v, err := exotest.Send(t, s, "get", map[string]any{"a_b": "four"})
	if j, _ := v.MarshalJSON(); err != nil || string(j) != `[{"n":4}]` {
		t.Errorf("%s, %v", j, err)
	}
	if _, err := exotest.Send(t, s, "get", map[string]any{"a_b": 4}); fail.KindOf(err) != fail.Invalid {
		t.Error(err)
	}
	held, err := service.New("svc", "", op.Held())
	if err != nil {
		t.Fatal(err)
	}
	calls = 0
	run := exotest.On(t, held)
	if _, err := run.Call("get", map[string]any{"a_b": "no"}).Send(); !strings.Contains(fail.GuestText(err), "write something else") || calls != 0 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if _, err := exotest.Send(t, held, "get", map[string]any{"a_b": "yes"}); err != nil || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// TestReadOfNothing: a function or a type that is not there is an error of New, and a function that answers with nothing, or with another type, fails alone.
func TestReadOfNothing(t *testing.T) {
	text, none := reflect.TypeFor[string](), reflect.TypeFor[service.None]()
	f := func(context.Context, any) (any, error) { return new(string), nil }
	for name, op := range map[string]service.Operation{
		"no argument": service.ReadOf("get", "", nil, text, nil, f),
		"no result":   service.ReadOf("get", "", none, nil, nil, f),
		"no function": service.ReadOf("get", "", none, text, nil, nil),
		"held":        service.ReadOf("get", "", nil, nil, nil, nil).Held(),
		"immediate":   service.ReadOf("get", "", nil, nil, nil, nil).Held().Immediate(),
		"no Read":     service.Read[service.None, string]("get", "", nil),
	} {
		if _, err := service.New("svc", "", op); err == nil || !strings.Contains(err.Error(), "svc.get: the function") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, answer := range map[string]any{"": new(string), "<nil>": nil, "*string": (*string)(nil), "*int": new(int)} {
		s, err := service.New("svc", "", service.ReadOf("get", "", none, text, nil, func(context.Context, any) (any, error) { return answer, nil }))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := exotest.Send(t, s, "get"); (err == nil) != (want == "") || err != nil && (fail.KindOf(err) != fail.Internal || !strings.Contains(err.Error(), "returned "+want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
