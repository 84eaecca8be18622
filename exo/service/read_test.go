package service

import (
	"context"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
)

type color string

type inner struct {
	A int     `json:"a"`
	B *string `json:"b,omitempty"`
}

type embedded struct{ inner }

var day = time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)

// readCase sends v as the field x of the argument and compares what arrives.
func readCase[T any](name string, v exo.Value, want T) func(*testing.T) (string, exo.Value, any, any, error) {
	return func(t *testing.T) (string, exo.Value, any, any, error) {
		var got T
		s := mustNew(t, Read("m", "", func(_ context.Context, in struct {
			X T `json:"x"`
		}) (None, error) {
			got = in.X
			return None{}, nil
		}))
		_, err := open(t, exo.Config{}, s).call(0, "m", rec("x", v))
		return name, v, got, want, err
	}
}

func ptr[T any](x T) *T { return &x }

// What a guest sends arrives as the Go value that it means.
func TestReadTaken(t *testing.T) {
	ab := exo.RecordValue(exo.Field{Name: "a", Value: exo.Int(1)}, exo.Field{Name: "b", Value: exo.Text("x")})
	for _, c := range []func(*testing.T) (string, exo.Value, any, any, error){
		readCase("bool", exo.Bool(true), true),
		readCase("text", exo.Text("é\U0001f600"), "é\U0001f600"),
		readCase("named text", exo.Text("red"), color("red")),
		readCase("int", exo.Int(-5), -5),
		readCase("whole float", exo.Float(3), 3),
		readCase("int64 limit", exo.Int(math.MaxInt64), int64(math.MaxInt64)),
		readCase("beyond 2^53 as text", exo.Text("9007199254740993"), int64(9007199254740993)),
		readCase("int8 limits", exo.Int(-128), int8(-128)),
		readCase("uint8 limits", exo.Int(255), uint8(255)),
		readCase("uint64", exo.Int(math.MaxInt64), uint64(math.MaxInt64)),
		readCase("float", exo.Float(1.5), 1.5),
		readCase("float of int", exo.Int(2), 2.0),
		readCase("float32", exo.Float(0.5), float32(0.5)),
		readCase("time", exo.Time(day), day),
		readCase("time as text", exo.Text("2024-01-31T12:00:00Z"), day),
		readCase("text form", exo.Text("10.0.0.1"), netip.MustParseAddr("10.0.0.1")),
		readCase("pointer", exo.Int(4), ptr(4)),
		readCase("null pointer", exo.Null(), (*int)(nil)),
		readCase("null time", exo.Null(), (*time.Time)(nil)),
		readCase("list", exo.List(exo.Int(1), exo.Int(2)), []int{1, 2}),
		readCase("empty list", exo.List(), []int{}),
		readCase("array", exo.List(exo.Int(1), exo.Int(2)), [2]int{1, 2}),
		readCase("list of null", exo.List(exo.Null(), exo.Int(2)), []*int{nil, ptr(2)}),
		readCase("record", ab, inner{1, ptr("x")}),
		readCase("optional field left out", rec("a", exo.Int(1)), inner{A: 1}),
		readCase("optional field null", exo.RecordValue(exo.Field{Name: "a", Value: exo.Int(1)}, exo.Field{Name: "b", Value: exo.Null()}), inner{A: 1}),
		readCase("pointer to record", ab, &inner{1, ptr("x")}),
		readCase("embedded", ab, embedded{inner{1, ptr("x")}}),
		readCase("map", rec("k", exo.Int(7)), map[string]int{"k": 7}),
		readCase("map of whole floats", rec("k", exo.Float(7)), map[color]int{"k": 7}),
		readCase("map of records", rec("k", ab), map[string]inner{"k": {1, ptr("x")}}),
		readCase("map of times as text", rec("k", exo.Text("2024-01-31T12:00:00Z")), map[string]time.Time{"k": day}),
		readCase[any]("any text", exo.Text("s"), "s"),
		readCase[any]("any null", exo.Null(), nil),
		readCase[any]("any tree", exo.List(exo.Bool(true), exo.Float(1.5), exo.Int(2), exo.Time(day), rec("k", exo.Null())),
			[]any{true, 1.5, int64(2), day, map[string]any{"k": nil}}),
	} {
		name, v, got, want, err := c(t)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v arrived as %#v, want %#v; error %v", name, v, got, want, err)
		}
	}
}

// What the Go type can't hold is refused before the function is called, by name.
func TestReadRefused(t *testing.T) {
	for _, c := range []func(*testing.T) (string, exo.Value, any, any, error){
		readCase("text for bool", exo.Text("true"), false),
		readCase("null for int", exo.Null(), 0),
		readCase("fraction for int", exo.Float(1.5), 0),
		readCase("text for int", exo.Text("5"), 0),
		readCase("int8 overflow", exo.Int(128), int8(0)),
		readCase("uint8 overflow", exo.Int(256), uint8(0)),
		readCase("negative uint", exo.Int(-1), uint(0)),
		readCase("negative uint64", exo.Int(-1), uint64(0)),
		readCase("float32 overflow", exo.Float(1e300), float32(0)),
		readCase("text for float", exo.Text("1.5"), 0.0),
		readCase("NaN", exo.Float(math.NaN()), 0.0),
		readCase("no date", exo.Text("yesterday"), time.Time{}),
		readCase("number for date", exo.Int(0), time.Time{}),
		readCase("text form", exo.Text("999.0.0.1"), netip.Addr{}),
		readCase("record for list", exo.RecordValue(), []int(nil)),
		readCase("null for list", exo.Null(), []int(nil)),
		readCase("short array", exo.List(exo.Int(1)), [2]int{}),
		readCase("long array", exo.List(exo.Int(1), exo.Int(2), exo.Int(3)), [2]int{}),
		readCase("list item", exo.List(exo.Int(1), exo.Text("2")), []int(nil)),
		readCase("missing field", exo.RecordValue(), inner{}),
		readCase("unknown field", exo.RecordValue(exo.Field{Name: "a", Value: exo.Int(1)}, exo.Field{Name: "c", Value: exo.Int(1)}), inner{}),
		readCase("field by its Go name", rec("A", exo.Int(1)), inner{}),
		readCase("list for map", exo.List(), map[string]int(nil)),
		readCase("text in map of int", rec("k", exo.Text("x")), map[string]int(nil)),
		readCase("fraction in map of int", rec("k", exo.Float(1.5)), map[string]int(nil)),
		readCase("overflow in map", rec("k", exo.Int(300)), map[string]uint8(nil)),
		readCase("null in map of text", rec("k", exo.Null()), map[string]string(nil)),
		readCase("text in map of bool", rec("k", exo.Text("x")), map[string]bool(nil)),
		readCase("text in map of float", rec("k", exo.Text("x")), map[string]float64(nil)),
		readCase("unknown field in map", rec("k", exo.RecordValue(exo.Field{Name: "a", Value: exo.Int(1)}, exo.Field{Name: "c", Value: exo.Int(1)})), map[string]inner(nil)),
		readCase("missing field in map", rec("k", exo.RecordValue()), map[string]inner(nil)),
		readCase("bad date in map", rec("k", exo.Text("x")), map[string]time.Time(nil)),
		readCase("text for record in map", rec("k", exo.Text("x")), map[string]inner(nil)),
		readCase("text for list in map", rec("k", exo.Text("x")), map[string][]int(nil)),
	} {
		name, v, got, zero, err := c(t)
		if exo.KindOf(err) != exo.Invalid {
			t.Errorf("%s: %v: got %v and error %v, want kind invalid", name, v, got, err)
		}
		if !reflect.DeepEqual(got, zero) {
			t.Errorf("%s: the function was called with %#v", name, got)
		}
	}
}

func TestReadNamesField(t *testing.T) {
	s := mustNew(t, Read("m", "", func(_ context.Context, in struct {
		Deep struct {
			List []int8 `json:"list"`
		} `json:"deep"`
	}) (None, error) {
		return None{}, nil
	}))
	r := open(t, exo.Config{}, s)
	arg := func(i int64) exo.Value { return rec("deep", rec("list", exo.List(exo.Int(i)))) }
	if _, err := r.call(0, "m", arg(127)); err != nil {
		t.Fatal(err)
	}
	_, err := r.call(0, "m", arg(128))
	wantKind(t, err, exo.Invalid)
	if got := exo.GuestText(err); !strings.Contains(got, "deep.list[] is out of range") {
		t.Errorf("the message is %q", got)
	}
}
