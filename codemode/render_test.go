package codemode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/value"
)

func texts(n, size int) value.Value {
	vs := make([]value.Value, n)
	for i := range vs {
		vs[i] = value.Text(strings.Repeat("é", size/2))
	}
	return value.List(vs...)
}

func rows(n int) value.Value {
	r := &value.Rows{Shape: &value.Shape{Names: []string{"id", "title", "owner"}, Subs: []*value.Shape{nil, nil, {Names: []string{"name"}}}}}
	for i := range n {
		r.Cells = append(r.Cells, value.Int(int64(i)), value.Text(fmt.Sprint("title ", i)), value.Text("ann"))
	}
	return value.RowsValue(r)
}

func record(n int, v value.Value) value.Value {
	fs := make([]value.Field, n)
	for i := range fs {
		fs[i] = value.Field{Name: fmt.Sprint("field", i), Value: v}
	}
	return value.RecordValue(fs...)
}

func nested(depth int, v value.Value) value.Value {
	for range depth {
		v = value.List(v, value.RecordValue(value.Field{Name: "in", Value: v}))
	}
	return v
}

var large = map[string]value.Value{
	"rows":              rows(10_000),
	"one text":          value.Text(strings.Repeat("x", 1<<20)),
	"control text":      value.Text(strings.Repeat("\x01\"\n", 1<<16)),
	"wide runes":        value.Text(strings.Repeat("😀", 1<<16)),
	"texts":             texts(10, 100_000),
	"one huge of many":  value.List(value.Text(strings.Repeat("x", 1<<20)), value.Int(1), value.Int(2), value.Bool(true)),
	"numbers":           numbers(100_000),
	"record of arrays":  value.RecordValue(value.Field{Name: "a", Value: rows(5_000)}, value.Field{Name: "b", Value: texts(5_000, 50)}, value.Field{Name: "n", Value: value.Int(7)}),
	"array of arrays":   value.List(texts(300, 300), texts(300, 300), value.List(), texts(300, 300)),
	"many small fields": record(50_000, value.Int(1)),
	"many large fields": record(500, value.Text(strings.Repeat("x", 5_000))),
	"deep":              nested(12, texts(3, 100)),
	"long name":         value.RecordValue(value.Field{Name: strings.Repeat("n", 1<<20), Value: value.Int(1)}),
	"nested records":    value.List(record(3, record(3, texts(100, 100))), record(3, rows(1000))),
}

func TestCutFits(t *testing.T) {
	for name, v := range large {
		full, err := v.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{1, 2, 5, 40, 64, 100, 333, 1000, 4096, 40_000, 256 << 10, 10 << 20} {
			b, notice, err := codemode.Render(v, limit, "To see less: ask for less.")
			switch {
			case err != nil:
				t.Errorf("%s, %d: %v", name, limit, err)
			case !json.Valid(b):
				t.Errorf("%s, %d: not JSON: %.100s", name, limit, b)
			case len(full) <= limit && (notice != "" || !bytes.Equal(b, full)):
				t.Errorf("%s, %d: cut without need: %s", name, limit, notice)
			case len(full) > limit && (notice == "" || bytes.Equal(b, full)):
				t.Errorf("%s, %d: not cut, or without a notice: %q", name, limit, notice)
			case len(b) > limit+40:
				t.Errorf("%s, %d: %d bytes", name, limit, len(b))
			case len(notice) > codemode.MaxNotice+8:
				t.Errorf("%s, %d: the notice has %d bytes", name, limit, len(notice))
			case limit >= 1000 && len(full) > limit && len(b) < limit/3 && name != "deep" && name != "long name":
				t.Errorf("%s, %d: only %d bytes are shown", name, limit, len(b))
			}
		}
	}
}

// What is counted is what would be written, byte for byte; what can't be written
// is not counted either.
func TestMeasure(t *testing.T) {
	values := maps.Clone(large)
	for i, v := range []value.Value{
		value.Null(), value.Bool(true), value.Bool(false), value.Float(0.1), value.Float(1e300), value.Float(-1e-9), value.Text(""), value.Text("a\"\\\n\x01é😀"),
		value.Time(time.UnixMilli(1)), value.Int(0), value.Int(-1), value.Int(9), value.Int(10), value.Int(-10), value.Int(1<<53 - 1), value.Int(1 << 53), value.Int(-1 << 53), value.Int(math.MinInt64), value.Int(math.MaxInt64),
		value.List(), value.RecordValue(), value.RowsValue(&value.Rows{Shape: &value.Shape{}}), rows(0), rows(1), value.List(rows(3), value.List(), value.RecordValue()),
		value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"empty", "a\"b"}, Subs: []*value.Shape{{}, nil}}, Cells: []value.Value{value.Null(), value.List(value.Int(1))}}),
	} {
		values[fmt.Sprint("value ", i)] = v
	}
	for name, v := range values {
		b, err := v.AppendJSON(nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if !json.Valid(b) {
			t.Errorf("%s: not JSON: %.100s", name, b)
		}
		if n, err := codemode.Measure(v); n != len(b) || err != nil {
			t.Errorf("%s: measured %d %v, written %d: %.100s", name, n, err, len(b), b)
		}
	}
	for _, v := range []value.Value{value.RowsValue(&value.Rows{}), rows(0), value.List(), value.RecordValue()} {
		if b, _, err := codemode.Render(v, 1, ""); err != nil || len(b) != 2 {
			t.Errorf("%v in one byte: %s %v", v, b, err)
		}
	}
	none := value.Value{}
	bad := value.RowsValue(&value.Rows{Shape: &value.Shape{Names: []string{"a", "b", "c", "d"}}, Cells: []value.Value{none, none, none, none, none, none, none, none}})
	for _, v := range []value.Value{none, bad, value.List(value.Text("x"), none, none, none), value.RecordValue(value.Field{Name: "a", Value: bad}), value.List(bad, bad, bad, rows(10_000))} {
		if n, err := codemode.Measure(v); err == nil {
			t.Errorf("%v: measured %d", v, n)
		}
	}
}

// TestCutCounts compares what the notice says with what is there.
func TestCutCounts(t *testing.T) {
	b, notice, err := codemode.Render(rows(10_000), 5_000, "To see less: x.")
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("result: %d of 10000 items shown.", len(got)); !strings.Contains(notice, want) {
		t.Errorf("want %q in %q", want, notice)
	}
	if got[len(got)-1]["owner"].(map[string]any)["name"] != "ann" {
		t.Errorf("the last row is cut: %v", got[len(got)-1])
	}
	b, notice, err = codemode.Render(value.RecordValue(value.Field{Name: "a", Value: value.Text(strings.Repeat("é", 5_000))}, value.Field{Name: "b", Value: value.Int(1)}), 1_000, "x")
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ A string }
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("result.a: %d of 10000 bytes of text shown.", len(strings.TrimSuffix(r.A, "…"))); !strings.Contains(notice, want) {
		t.Errorf("want %q in %q", want, notice)
	}
	// The same cut in many places is counted as one.
	_, notice, err = codemode.Render(value.List(rows(500), rows(500), rows(500), rows(500)), 4_000, "x")
	if err != nil || !strings.Contains(notice, "of 2000 items shown, over 4 places.") {
		t.Errorf("%q, %v", notice, err)
	}
	// A huge item does not push out the small ones after it.
	b, _, err = codemode.Render(large["one huge of many"], 1_000, "x")
	var items []any
	if err2 := json.Unmarshal(b, &items); err != nil || err2 != nil || len(items) != 4 {
		t.Errorf("%.200s, %v", b, err)
	}
}

func FuzzCut(f *testing.F) {
	f.Add([]byte{3, 200, 1, 40, 2, 9, 9, 9}, 50)
	f.Add([]byte{2, 2, 2, 2, 250, 250, 0, 0, 1, 1, 1}, 200)
	f.Fuzz(func(t *testing.T, seed []byte, limit int) {
		if limit < 0 || limit > 1<<16 || len(seed) > 1<<10 {
			return
		}
		v := grow(&seed, 0)
		b, notice, err := codemode.Render(v, limit, "x")
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(b) || len(b) > limit+40 || len(notice) > codemode.MaxNotice+8 {
			t.Fatalf("limit %d: %d bytes, valid %t, notice %d bytes", limit, len(b), json.Valid(b), len(notice))
		}
		if full, _ := v.AppendJSON(nil); (notice == "") != (len(full) <= limit) {
			t.Fatalf("limit %d: %d bytes, notice %q", limit, len(full), notice)
		}
	})
}

// grow makes a value of random bytes.
func grow(seed *[]byte, depth int) value.Value {
	next := func() int {
		if len(*seed) == 0 {
			return 0
		}
		n := int((*seed)[0])
		*seed = (*seed)[1:]
		return n
	}
	switch k := next(); {
	case k < 40 && depth < 20:
		var vs []value.Value
		for range next() % 20 {
			vs = append(vs, grow(seed, depth+1))
		}
		return value.List(vs...)
	case k < 80 && depth < 20:
		var fs []value.Field
		for i := range next() % 20 {
			fs = append(fs, value.Field{Name: strings.Repeat("k", next()%30+1) + fmt.Sprint(i), Value: grow(seed, depth+1)})
		}
		return value.RecordValue(fs...)
	case k < 160:
		return value.Text(strings.Repeat("a\n😀", next()))
	case k < 200:
		return value.Int(int64(next()) << 50)
	case k < 220:
		return rows(next())
	}
	return value.Null()
}

func numbers(n int) value.Value {
	vs := make([]value.Value, n)
	for i := range vs {
		vs[i] = value.Int(int64(i))
	}
	return value.List(vs...)
}
