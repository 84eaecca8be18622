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
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
)

type color string

type inner struct {
	A int     `json:"a"`
	B *string `json:"b,omitempty"`
}

type embedded struct{ inner }

var day = time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)

// readCase sends v as the field x of the argument and compares what arrives.
func readCase[T any](name string, v value.Value, want T) func(*testing.T) (string, value.Value, any, any, error) {
	return func(t *testing.T) (string, value.Value, any, any, error) {
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
	ab := value.RecordValue(value.Field{Name: "a", Value: value.Int(1)}, value.Field{Name: "b", Value: value.Text("x")})
	for _, c := range []func(*testing.T) (string, value.Value, any, any, error){
		readCase("bool", value.Bool(true), true),
		readCase("text", value.Text("é\U0001f600"), "é\U0001f600"),
		readCase("named text", value.Text("red"), color("red")),
		readCase("int", value.Int(-5), -5),
		readCase("whole float", value.Float(3), 3),
		readCase("int64 limit", value.Int(math.MaxInt64), int64(math.MaxInt64)),
		readCase("beyond 2^53 as text", value.Text("9007199254740993"), int64(9007199254740993)),
		readCase("int8 limits", value.Int(-128), int8(-128)),
		readCase("uint8 limits", value.Int(255), uint8(255)),
		readCase("uint64", value.Int(math.MaxInt64), uint64(math.MaxInt64)),
		readCase("float", value.Float(1.5), 1.5),
		readCase("float of int", value.Int(2), 2.0),
		readCase("float32", value.Float(0.5), float32(0.5)),
		readCase("time", value.Time(day), day),
		readCase("time as text", value.Text("2024-01-31T12:00:00Z"), day),
		readCase("text form", value.Text("10.0.0.1"), netip.MustParseAddr("10.0.0.1")),
		readCase("pointer", value.Int(4), ptr(4)),
		readCase("null pointer", value.Null(), (*int)(nil)),
		readCase("null time", value.Null(), (*time.Time)(nil)),
		readCase("list", value.List(value.Int(1), value.Int(2)), []int{1, 2}),
		readCase("empty list", value.List(), []int{}),
		readCase("array", value.List(value.Int(1), value.Int(2)), [2]int{1, 2}),
		readCase("list of null", value.List(value.Null(), value.Int(2)), []*int{nil, ptr(2)}),
		readCase("record", ab, inner{1, ptr("x")}),
		readCase("optional field left out", rec("a", value.Int(1)), inner{A: 1}),
		readCase("optional field null", value.RecordValue(value.Field{Name: "a", Value: value.Int(1)}, value.Field{Name: "b", Value: value.Null()}), inner{A: 1}),
		readCase("pointer to record", ab, &inner{1, ptr("x")}),
		readCase("embedded", ab, embedded{inner{1, ptr("x")}}),
		readCase("map", rec("k", value.Int(7)), map[string]int{"k": 7}),
		readCase("map of whole floats", rec("k", value.Float(7)), map[color]int{"k": 7}),
		readCase("map of records", rec("k", ab), map[string]inner{"k": {1, ptr("x")}}),
		readCase("map of times as text", rec("k", value.Text("2024-01-31T12:00:00Z")), map[string]time.Time{"k": day}),
		readCase[any]("any text", value.Text("s"), "s"),
		readCase[any]("any null", value.Null(), nil),
		readCase[any]("any tree", value.List(value.Bool(true), value.Float(1.5), value.Int(2), value.Time(day), rec("k", value.Null())),
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
	for _, c := range []func(*testing.T) (string, value.Value, any, any, error){
		readCase("text for bool", value.Text("true"), false),
		readCase("null for int", value.Null(), 0),
		readCase("fraction for int", value.Float(1.5), 0),
		readCase("text for int", value.Text("5"), 0),
		readCase("int8 overflow", value.Int(128), int8(0)),
		readCase("uint8 overflow", value.Int(256), uint8(0)),
		readCase("negative uint", value.Int(-1), uint(0)),
		readCase("negative uint64", value.Int(-1), uint64(0)),
		readCase("float32 overflow", value.Float(1e300), float32(0)),
		readCase("text for float", value.Text("1.5"), 0.0),
		readCase("NaN", value.Float(math.NaN()), 0.0),
		readCase("no date", value.Text("yesterday"), time.Time{}),
		readCase("number for date", value.Int(0), time.Time{}),
		readCase("text form", value.Text("999.0.0.1"), netip.Addr{}),
		readCase("record for list", value.RecordValue(), []int(nil)),
		readCase("null for list", value.Null(), []int(nil)),
		readCase("short array", value.List(value.Int(1)), [2]int{}),
		readCase("long array", value.List(value.Int(1), value.Int(2), value.Int(3)), [2]int{}),
		readCase("list item", value.List(value.Int(1), value.Text("2")), []int(nil)),
		readCase("missing field", value.RecordValue(), inner{}),
		readCase("unknown field", value.RecordValue(value.Field{Name: "a", Value: value.Int(1)}, value.Field{Name: "c", Value: value.Int(1)}), inner{}),
		readCase("field by its Go name", rec("A", value.Int(1)), inner{}),
		readCase("list for map", value.List(), map[string]int(nil)),
		readCase("text in map of int", rec("k", value.Text("x")), map[string]int(nil)),
		readCase("fraction in map of int", rec("k", value.Float(1.5)), map[string]int(nil)),
		readCase("overflow in map", rec("k", value.Int(300)), map[string]uint8(nil)),
		readCase("null in map of text", rec("k", value.Null()), map[string]string(nil)),
		readCase("text in map of bool", rec("k", value.Text("x")), map[string]bool(nil)),
		readCase("text in map of float", rec("k", value.Text("x")), map[string]float64(nil)),
		readCase("unknown field in map", rec("k", value.RecordValue(value.Field{Name: "a", Value: value.Int(1)}, value.Field{Name: "c", Value: value.Int(1)})), map[string]inner(nil)),
		readCase("missing field in map", rec("k", value.RecordValue()), map[string]inner(nil)),
		readCase("bad date in map", rec("k", value.Text("x")), map[string]time.Time(nil)),
		readCase("text for record in map", rec("k", value.Text("x")), map[string]inner(nil)),
		readCase("text for list in map", rec("k", value.Text("x")), map[string][]int(nil)),
	} {
		name, v, got, zero, err := c(t)
		if fail.KindOf(err) != fail.Invalid {
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
	arg := func(i int64) value.Value { return rec("deep", rec("list", value.List(value.Int(i)))) }
	if _, err := r.call(0, "m", arg(127)); err != nil {
		t.Fatal(err)
	}
	_, err := r.call(0, "m", arg(128))
	wantKind(t, err, fail.Invalid)
	if got := fail.GuestText(err); !strings.Contains(got, "deep.list[] is out of range") {
		t.Errorf("the message is %q", got)
	}
}
