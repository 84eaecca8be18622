package service

import (
	"context"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

type cyclic struct{ Next any }

// result calls a function that returns v.
func result[T any](name string, v T, want string) func(*testing.T) (string, string, value.Value, error) {
	return func(t *testing.T) (string, string, value.Value, error) {
		s := mustNew(t, Read("m", "", func(context.Context, None) (T, error) { return v, nil }))
		got, err := open(t, exo.Config{}, s).call(0, "m", value.Value{})
		return name, want, got, err
	}
}

// What a function returns reaches the guest as the JSON that it would have been.
func TestWriteLeaves(t *testing.T) {
	for _, c := range []func(*testing.T) (string, string, value.Value, error){
		result("none", None{}, `null`),
		result("bool", true, `true`),
		result("text", "a\"b", `"a\"b"`),
		result("int", int32(-7), `-7`),
		result("uint", uint16(7), `7`),
		result("beyond 2^53", int64(math.MaxInt64), `"9223372036854775807"`),
		result("float", 1.5, `1.5`),
		result("time", day, `"2024-01-31T12:00:00.000Z"`),
		result("time elsewhere", day.In(time.FixedZone("", 3600)), `"2024-01-31T12:00:00.000Z"`),
		result("text form", netip.MustParseAddr("::1"), `"::1"`),
		result("list", []int{1, 2}, `[1,2]`),
		result("nil list", []int(nil), `[]`),
		result("array", [2]bool{true}, `[true,false]`),
		result("pointer", ptr("x"), `"x"`),
		result("nil pointer", (*string)(nil), `null`),
		result("nil pointer to record", (*inner)(nil), `null`),
		result("record", inner{A: 1, B: ptr("x")}, `{"a":1,"b":"x"}`),
		result("optional left out", inner{A: 1}, `{"a":1}`),
		result("embedded", embedded{inner{A: 2}}, `{"a":2}`),
		result("hidden fields", struct {
			Seen   int
			hidden int
			Out    int       `json:"-"`
			Zero   time.Time `json:"zero,omitzero"`
			None   []int     `json:"none,omitempty"`
		}{1, 2, 3, time.Time{}, nil}, `{"Seen":1}`),
		result("map", map[string]int{"b": 1, "a": 2}, `{"a":2,"b":1}`),
		result("nil map", map[string]int(nil), `{}`),
		result[any]("any", []any{nil, 1, "x", 1.5, day, map[string]any{"k": []string{"y"}}}, `[null,1,"x",1.5,"2024-01-31T12:00:00.000Z",{"k":["y"]}]`),
		result("list of records", []inner{{A: 1}, {A: 2}}, `[{"a":1},{"a":2}]`),
	} {
		name, want, v, err := c(t)
		b, jsonErr := v.MarshalJSON()
		if err != nil || jsonErr != nil || string(b) != want {
			t.Errorf("%s: got %s, error %v; want %s", name, v, err, want)
		}
	}
}

// A result that can't be what the catalogue says is our fault, not the guest's,
// and no part of it leaves.
func TestWriteRefused(t *testing.T) {
	loop := cyclicMap()
	for _, c := range []func(*testing.T) (string, string, value.Value, error){
		result("NaN", math.NaN(), ""),
		result("infinity", []float64{math.Inf(1)}, ""),
		result("NUL", "s3cret\x00", ""),
		result("not UTF-8", inner{B: ptr("s3cret\xff")}, ""),
		result("year 10000", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), ""),
		result("beyond int64", uint64(math.MaxUint64), ""),
		result("prototype", map[string]string{"__proto__": "s3cret"}, ""),
		result("NUL in a name", map[string]int{"s3cret\x00": 1}, ""),
		result[any]("struct in any", struct{ Password string }{"s3cret"}, ""),
		result[any]("pointer in any", ptr("s3cret"), ""),
		result[any]("func in any", func() {}, ""),
		result[any]("int keys in any", map[int]int{1: 1}, ""),
		result[any]("any that contains itself", loop, ""),
		result("struct that contains itself", cyclic{loop}, ""),
		result("text form that fails", netipZone{}, ""),
	} {
		name, _, v, err := c(t)
		if fail.KindOf(err) != fail.Internal || !v.IsZero() {
			t.Errorf("%s: got %s, error %v; want kind internal", name, v, err)
			continue
		}
		if g := fail.GuestText(err); strings.Contains(g, "s3cret") {
			t.Errorf("%s: the guest reads %q", name, g)
		}
	}
}

func cyclicMap() map[string]any {
	m := map[string]any{}
	m["self"] = []any{m}
	return m
}

type netipZone struct{}

func (netipZone) MarshalText() ([]byte, error) { return nil, context.DeadlineExceeded }
func (*netipZone) UnmarshalText([]byte) error  { return nil }

// fits is the second opinion on every result: it must be able to disagree.
func TestFits(t *testing.T) {
	num, text := &message.Type{Name: value.TypeInt}, &message.Type{Name: value.TypeText, Null: true}
	list := &message.Type{Name: value.TypeList, Args: map[string]*message.Type{"of": num}}
	record := &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "n", Type: num}, {Name: "t", Type: text, Opt: true}}}
	n := value.Field{Name: "n", Value: value.Int(1)}
	for _, c := range []struct {
		t  *message.Type
		v  value.Value
		ok bool
	}{
		{num, value.Int(1), true}, {num, value.Text("1"), false}, {num, value.Null(), false},
		{text, value.Text(""), true}, {text, value.Null(), true}, {text, value.Value{}, false},
		{list, value.List(value.Int(1)), true}, {list, value.List(value.Bool(true)), false}, {list, value.RecordValue(), false},
		{record, value.RecordValue(n), true}, {record, value.RecordValue(), false},
		{record, value.RecordValue(n, value.Field{Name: "t", Value: value.Null()}), true},
		{record, value.RecordValue(n, value.Field{Name: "t", Value: value.Int(1)}), false},
		{record, value.RecordValue(n, value.Field{Name: "u", Value: value.Int(1)}), false},
		{&message.Type{Name: "Other"}, value.Int(1), false}, {&message.Type{}, value.Int(1), false},
		{&message.Type{Name: value.TypeNull}, value.Null(), true}, {&message.Type{Name: value.TypeNull}, value.Int(0), false},
		{&message.Type{Name: value.TypeData}, value.List(value.Null()), true},
	} {
		if err := fits(c.t, c.v, nil, "x"); (err == nil) != c.ok {
			t.Errorf("fits(%s, %s) = %v, want ok %t", c.t, c.v, err, c.ok)
		}
	}
}
