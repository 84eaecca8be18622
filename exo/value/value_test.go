package value

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/internal/scalar"
)

// plainData draws a value and what encoding/json would be given for it.
func plainData(t *rapid.T, depth int) (Value, any) {
	max := 7
	if depth > 3 {
		max = 5
	}
	switch rapid.IntRange(0, max).Draw(t, "kind") {
	case 0:
		return Null(), nil
	case 1:
		b := rapid.Bool().Draw(t, "b")
		return Bool(b), b
	case 2:
		i := rapid.Int64Range(-scalar.SafeInteger, scalar.SafeInteger).Draw(t, "i")
		return Int(i), i
	case 3:
		f := rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }).Draw(t, "f")
		return Float(f), f + 0 // JavaScript writes -0 as 0, and so do we
	case 4:
		s := rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "\x00") && utf8.ValidString(s) }).Draw(t, "s")
		return Text(s), s
	case 5:
		d := time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "t")).UTC()
		return Time(d), d.Format(scalar.TimeFormat)
	case 6:
		vs, as := []Value{}, []any{}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			x, a := plainData(t, depth+1)
			vs, as = append(vs, x), append(as, a)
		}
		return List(vs...), as
	}
	fs, m := []Field{}, map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "n") {
		n := rapid.String().Draw(t, "name")
		if _, dup := m[n]; dup || !utf8.ValidString(n) {
			continue
		}
		x, a := plainData(t, depth+1)
		fs, m[n] = append(fs, Field{n, x}), a
	}
	return RecordValue(fs...), m
}

// Our JSON says what encoding/json says.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, a := plainData(t, 0)
		got, err := x.MarshalJSON()
		if err != nil || !json.Valid(got) {
			t.Fatalf("%q, %v", got, err)
		}
		want, _ := json.Marshal(a)
		if !bytes.Equal(normal(t, got), normal(t, want)) {
			t.Fatalf("%s, encoding/json says %s", got, want)
		}
	})
}

func normal(t *rapid.T, b []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(b))
	var a any
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	out, _ := json.Marshal(a)
	return out
}

// Rows render as the list of the records that they hold.
func TestRowsJSON(t *testing.T) {
	s := &Shape{Names: []string{"a", "b"}, Subs: []*Shape{nil, {Names: []string{"c", "d"}}}}
	v := RowsValue(&Rows{Shape: s, Cells: []Value{Int(1), Text("x"), Null(), Int(2), Text("y"), Bool(true)}})
	const want = `[{"a":1,"b":{"c":"x","d":null}},{"a":2,"b":{"c":"y","d":true}}]`
	if v.String() != want || v.Len() != 2 {
		t.Errorf("%s of %d", v, v.Len())
	}
	if l := List(v.Rows().Row(0), v.Rows().Row(1)); l.String() != want {
		t.Error(l)
	}
}

// No digit is lost on the way to a reader whose numbers are floats.
func TestBigIntegers(t *testing.T) {
	for i, want := range map[int64]string{
		scalar.SafeInteger: "9007199254740991", scalar.SafeInteger + 1: `"9007199254740992"`, -scalar.SafeInteger: "-9007199254740991",
		-scalar.SafeInteger - 1: `"-9007199254740992"`, math.MaxInt64: `"9223372036854775807"`, math.MinInt64: `"-9223372036854775808"`,
	} {
		if b, err := Int(i).MarshalJSON(); err != nil || string(b) != want {
			t.Errorf("%d: %s, %v", i, b, err)
		}
	}
}

// What engines disagree about is no value.
func TestNoValue(t *testing.T) {
	for what, c := range map[string]struct{ bad, good Value }{
		"NaN":       {Float(math.NaN()), Float(0)},
		"+Inf":      {Float(math.Inf(1)), Float(math.MaxFloat64)},
		"-Inf":      {Float(math.Inf(-1)), Float(-math.MaxFloat64)},
		"NUL":       {Text("a\x00b"), Text("a\x01b")},
		"not UTF-8": {Text("a\xffb"), Text("aÿb")},
		"surrogate": {Text("\xed\xa0\x80"), Text("\U00010000")},
		"year 0":    {Time(time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC)), Time(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))},
		"year 9999 that is 10000 in UTC": {Time(time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3600))),
			Time(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))},
		"no object": {RefValue(nil), RefValue(new(int))},
	} {
		if c.bad.kind != KindNone || c.good.kind == KindNone {
			t.Errorf("%s: %v and %v", what, c.bad, c.good)
		}
		if _, err := List(c.bad).MarshalJSON(); err == nil {
			t.Errorf("%s was rendered", what)
		}
	}
	if _, err := List(RefValue(new(int))).MarshalJSON(); err == nil {
		t.Error("a capability was turned into data")
	}
}

// A value does not change with what it was made of.
func TestImmutable(t *testing.T) {
	vs, fs := []Value{Int(1), Int(2)}, []Field{{"a", Int(1)}}
	l, r := List(vs...), RecordValue(fs...)
	vs[0], fs[0] = Text("changed"), Field{"b", Text("changed")}
	if l.String() != "[1,2]" || r.String() != `{"a":1}` {
		t.Error(l, r)
	}
	lab := NewLabel("a", "b")
	lab.Tags()[0] = "c"
	if lab.String() != "{a,b}" {
		t.Error(lab)
	}
	tags := []string{"a", "b"}
	lab = NewLabel(tags...)
	tags[0] = "z"
	if lab.String() != "{a,b}" {
		t.Error(lab)
	}
}

// Accessors of the wrong kind give zeros, never another's bits.
func TestAccessors(t *testing.T) {
	for _, x := range []Value{{}, Null(), Bool(true), Int(7), Float(7), Text("7"), Time(time.UnixMilli(7)), List(Int(7)), RecordValue(Field{"a", Int(7)}), RefValue(new(int))} {
		k := x.kind
		if x.Bool() != (k == KindBool) || (x.Int() != 0) != (k == KindInt) || (x.Float() != 0) != (k == KindFloat || k == KindInt) || (x.Text() != "") != (k == KindText) ||
			x.Time().IsZero() != (k != KindTime) || (x.At(0).kind != KindNone) != (k == KindList) || (x.Ref() != nil) != (k == KindRef) || x.Rows() != nil {
			t.Errorf("%v of kind %d answers for another", x, k)
		}
	}
}

func TestParseTime(t *testing.T) {
	for s, want := range map[string]string{
		"2024-01-31": "2024-01-31T00:00:00.000Z", "2024-01-31T12:00:00+01:00": "2024-01-31T11:00:00.000Z",
		"2024-01-31 12:00": "2024-01-31T12:00:00.000Z", "2024-01-31T12:00:00.123456Z": "2024-01-31T12:00:00.123Z",
	} {
		if got, ok := scalar.ParseTime(s); !ok || Time(got).Time().Format(scalar.TimeFormat) != want {
			t.Errorf("%s: %v %t", s, got, ok)
		}
	}
	for _, s := range []string{"", "yesterday", "2024-02-30", "10000-01-01", "2024-01-31T25:00:00Z", strings.Repeat("2", 50)} {
		if got, ok := scalar.ParseTime(s); ok {
			t.Errorf("%q is %v", s, got)
		}
	}
}

// TestCount: a record is one, whatever it has.
func TestCount(t *testing.T) {
	record := RecordValue(Field{Name: "a", Value: Int(1)}, Field{Name: "b", Value: Null()})
	for want, v := range map[int]Value{0: Int(7), 1: record, 2: List(record, record)} {
		if got := v.Count(); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
}
