package value

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/internal/wire"
	"pgregory.net/rapid"
)

var goldenShape = &Shape{Names: []string{"id", "who", "at"}, Subs: []*Shape{nil, {Names: []string{"name", "age"}}, nil}}

// golden are things whose bytes may only change with the version. Each kind is there,
// and each bound of a number.
var golden = []struct {
	name  string
	value Value
}{
	{"null", Null()}, {"false", Bool(false)}, {"true", Bool(true)},
	{"zero", Int(0)}, {"one", Int(1)}, {"minus one", Int(-1)}, {"least int", Int(math.MinInt64)}, {"greatest int", Int(math.MaxInt64)},
	{"float zero", Float(0)}, {"float minus zero", Float(math.Copysign(0, -1))}, {"float", Float(1.5)}, {"greatest float", Float(math.MaxFloat64)},
	{"empty text", Text("")}, {"text", Text("a \"text\" in ä€😀")}, {"long text", Text(strings.Repeat("x", 200))},
	{"epoch", Time(time.UnixMilli(0))}, {"time", Time(time.UnixMilli(1732300800123))}, {"first time", Time(time.UnixMilli(-62135596800000))}, {"last time", Time(time.UnixMilli(253402300799999))},
	{"empty list", List()}, {"list", List(Int(1), Null(), List(Text("x")))},
	{"empty record", RecordValue()}, {"record", RecordValue(Field{"b", Int(1)}, Field{"a", RecordValue(Field{"", Bool(true)})})},
	{"no rows", RowsValue(&Rows{Shape: goldenShape})},
	{"rows", RowsValue(&Rows{Shape: goldenShape, Cells: []Value{Int(1), Text("ann"), Null(), Time(time.UnixMilli(5)), Int(2), Text("bob"), Float(0.5), List(Int(7))}})},
	{"reference", NumberedRef(7)}, {"greatest reference", NumberedRef(math.MaxUint32)},
	{"labelled", Int(1).WithLabel(NewLabel("secret"))}, {"two tags", List(Int(1).WithLabel(NewLabel("b", "a")), Int(1)).WithLabel(NewLabel("c"))},
}

const someValues = 9999

func anyText() *rapid.Generator[string] { return rapid.StringMatching(`[a-zäß€😀"\\]{0,9}`) }

func anyEncodable(depth int) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		v := anyUnlabelled(t, depth)
		if tags := rapid.SliceOfN(rapid.StringMatching(`[a-c]{0,2}`), 0, 3).Draw(t, "tags"); rapid.Bool().Draw(t, "labelled") {
			v = v.WithLabel(NewLabel(tags...))
		}
		return v
	})
}

func anyUnlabelled(t *rapid.T, depth int) Value {
	kinds := 9
	if depth == 0 {
		kinds = 6
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0:
		return Null()
	case 1:
		return Bool(rapid.Bool().Draw(t, "bool"))
	case 2:
		return Int(rapid.Int64().Draw(t, "int"))
	case 3:
		return NumberedRef(rapid.Uint32().Draw(t, "ref"))
	case 4:
		return Time(time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "time")))
	case 5:
		f := rapid.Float64().Draw(t, "float")
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f = math.Copysign(0, -1)
		}
		return Float(f)
	case 6:
		return Text(anyText().Draw(t, "text"))
	case 7:
		return List(append([]Value{}, rapid.SliceOfN(anyEncodable(depth-1), 0, 4).Draw(t, "list")...)...)
	case 8:
		s := anyShape(t, 2)
		n := rapid.IntRange(0, 3).Draw(t, "rows") * s.Width()
		return RowsValue(&Rows{Shape: s, Cells: append([]Value{}, rapid.SliceOfN(anyEncodable(depth-1), n, n).Draw(t, "cells")...)})
	}
	fields := []Field{}
	for _, n := range rapid.SliceOfNDistinct(anyText(), 0, 15, rapid.ID[string]).Draw(t, "names") {
		fields = append(fields, Field{Name: n, Value: anyEncodable(depth-1).Draw(t, n)})
	}
	return RecordValue(fields...)
}

func anyShape(t *rapid.T, depth int) *Shape {
	s := &Shape{Names: append([]string{}, rapid.SliceOfNDistinct(anyText(), 0, 14, rapid.ID[string]).Draw(t, "columns")...)}
	for i := range s.Names {
		if depth > 0 && rapid.IntRange(0, 9).Draw(t, "nested") == 0 {
			if s.Subs == nil {
				s.Subs = make([]*Shape, len(s.Names))
			}
			s.Subs[i] = anyShape(t, depth-1)
		}
	}
	return s
}

// What is read of a value's bytes is that value, labels of its parts included; another
// value has other bytes, and another digest.
func TestValuesAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := anyEncodable(3).Draw(t, "value"), anyEncodable(1).Draw(t, "other")
		a, err := v.AppendBinary([]byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeValue(string(a[6:]), 1e6)
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Fatalf("%v is read as %v, %v", v, got, err)
		}
		if again, err := got.AppendBinary([]byte("before")); err != nil || !bytes.Equal(a, again) {
			t.Fatalf("%x is written again as %x, %v", a, again, err)
		}
		b, err := w.AppendBinary([]byte("before"))
		da, err1 := v.Digest()
		db, err2 := w.Digest()
		if err != nil || err1 != nil || err2 != nil {
			t.Fatal(err, err1, err2)
		}
		if same := reflect.DeepEqual(v, w); same != bytes.Equal(a, b) || same != (da == db) {
			t.Fatalf("%v and %v: %x, %x", v, w, a, b)
		}
	})
}

// Two values that differ in a label only differ in their digest, wherever it is.
func TestLabelsAreInDigests(t *testing.T) {
	l := NewLabel("secret")
	shape := &Shape{Names: []string{"a"}}
	seen := map[Digest]string{}
	for name, v := range map[string]Value{
		"public": List(Int(1)), "whole": List(Int(1)).WithLabel(l), "item": List(Int(1).WithLabel(l)), "other tag": List(Int(1).WithLabel(NewLabel("top"))),
		"both": List(Int(1).WithLabel(l)).WithLabel(l), "rows": RowsValue(&Rows{Shape: shape, Cells: []Value{Int(1)}}), "cell": RowsValue(&Rows{Shape: shape, Cells: []Value{Int(1).WithLabel(l)}}),
		"record": RecordValue(Field{"a", Int(1)}), "field": RecordValue(Field{"a", Int(1).WithLabel(l)}), "two tags": List(Int(1)).WithLabel(l).WithLabel(NewLabel("top")), "one tag": List(Int(1)).WithLabel(NewLabel("secrettop")),
	} {
		d, err := v.Digest()
		if err != nil {
			t.Fatal(err)
		}
		if seen[d] != "" {
			t.Errorf("%s and %s have one digest", name, seen[d])
		}
		seen[d] = name
	}
}

// Rows are hashed in pieces; it is one digest all the same.
func TestDigestOfMany(t *testing.T) {
	for _, n := range []int{0, 1, 5000, 5001} {
		rows := &Rows{Shape: &Shape{Names: []string{"a"}}}
		for i := range n {
			rows.Cells = append(rows.Cells, Text(fmt.Sprint("row ", i)))
		}
		v := List(RowsValue(rows), Int(int64(n)))
		d, err := v.Digest()
		enc, _ := v.AppendBinary(nil)
		e := Encoder{B: append([]byte{'v'}, enc...), sum: digesters.Get().(*Encoder).sum}
		want, err2 := e.digest()
		if err != nil || err2 != nil || d != want {
			t.Errorf("%d rows: %v, %v; %v", n, d, want, err)
		}
	}
	if _, err := RefValue(new(int)).Digest(); fail.KindOf(err) != fail.Invalid {
		t.Errorf("the digest of an object: %v", err)
	}
	if d, err := Null().Digest(); err != nil || d != mustDigest(Null()) {
		t.Error("a digest after one that failed is another")
	}
}

func mustDigest(v Value) Digest {
	d, err := v.Digest()
	if err != nil {
		panic(err)
	}
	return d
}

// Each bound of the decoder refuses on its own, just beyond what it admits: hostile
// bytes are within all the others.
func TestDecoderBounds(t *testing.T) {
	list := func(n int) string {
		return string(binary.AppendUvarint([]byte{tagList}, uint64(n))) + strings.Repeat(string(rune(tagNull)), n)
	}
	nested := func(levels int) string {
		return strings.Repeat(string([]byte{tagList, 1}), levels) + string(rune(tagNull))
	}
	record := func(names ...string) string {
		b := binary.AppendUvarint([]byte{tagRecord}, uint64(len(names)))
		for _, n := range names {
			b = append(wire.AppendText(b, n), tagNull)
		}
		return string(b)
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprint("n", i))
	}
	shape := func(levels int) string {
		return strings.Repeat(string([]byte{1, 1, 'a', 1}), levels) + string([]byte{1, 1, 'a', 0})
	}
	rows := func(cells int) string {
		return string([]byte{tagRows, 1, 1, 'a', 0, byte(cells)}) + strings.Repeat(string(rune(tagNull)), cells)
	}
	rowsOf := func(cell string) string { return string([]byte{tagRows, 1, 1, 'a', 0, 1}) + cell }
	value := func(d *Decoder) { d.Value() }
	whole := func(n int) func(d *Decoder) {
		return func(d *Decoder) { d.whole, d.Values = true, n; d.Value() }
	}
	for _, c := range []struct {
		what      string
		bad, good string
		read      func(d *Decoder)
	}{
		{"values", list(10), list(9), value}, // with the list itself there are 10
		{"names", record(many[:5]...), record(many[:4]...), value},
		{"cells", rows(10), rows(9), whole(10)},
		{"cells of rows in cells", string([]byte{tagRows, 1, 1, 'a', 0, 2}) + rows(3) + rows(4), string([]byte{tagRows, 1, 1, 'a', 0, 2}) + rows(3) + rows(3), whole(9)},
		{"tags", string([]byte{tagLabelled, 3, 1, 'a', 1, 'b', 1, 'c', tagNull}), string([]byte{tagLabelled, 2, 1, 'a', 1, 'b', tagNull}), whole(3)},
		{"depth", nested(MaxDepth + 1), nested(MaxDepth), whole(1000)},
		{"depth of cells", nested(MaxDepth)[:2*MaxDepth] + rowsOf(list(0)), nested(MaxDepth)[:2*(MaxDepth-1)] + rowsOf(list(0)), whole(1000)},
		{"tags and items", string([]byte{tagLabelled, 2, 1, 'a', 1, 'b'}) + list(3), string([]byte{tagLabelled, 2, 1, 'a', 1, 'b'}) + list(2), whole(5)},
		{"labels on labels", strings.Repeat(string([]byte{tagLabelled, 1, 1, 'a'}), 2) + string(rune(tagNull)), string([]byte{tagLabelled, 1, 1, 'a', tagNull}), whole(1000)},
		{"a name twice among many", record(append(many, "n3")...), record(many...), whole(100)},
		{"a name twice among few", record("a", "b", "a"), record("a", "b", "c"), value},
		{"a reference of a guest", string([]byte{tagRef, 0}), string([]byte{tagNull}), value},
		{"rows of a guest", string([]byte{tagRows, 0, 0}), string([]byte{tagNull}), value},
		{"a label of a guest", string([]byte{tagLabelled, 1, 1, 'a', tagNull}), string([]byte{tagNull}), value},
		{"an extension of a guest", string([]byte{wire.FirstExtension, 0}), string([]byte{tagNull}), value},
		{"shape", shape(MaxDepth + 1), shape(MaxDepth), func(d *Decoder) { d.Shape() }},
		{"a count of what has no room", "\x03" + strings.Repeat("x", 23), "\x03" + strings.Repeat("x", 24), func(d *Decoder) {
			d.Count(8)
			d.Skip(len(d.Rest()))
		}},
		{"a number spelled twice", "\x81\x00", "\x81\x01", func(d *Decoder) { d.Uint() }},
		{"a number of ten bytes", strings.Repeat("\xff", 9) + "\x02", strings.Repeat("\xff", 9) + "\x01", func(d *Decoder) { d.Uint() }},
		{"bytes that are not valid UTF-8", "\x01\xff", "\x01x", func(d *Decoder) { d.UTF8() }},
		{"the rest", "\x00x", "\x00", func(d *Decoder) { d.Uint() }},
	} {
		for _, bad := range []bool{true, false} {
			s := c.good
			if bad {
				s = c.bad
			}
			d := &Decoder{Reader: wire.NewReader(s), Values: 10}
			c.read(d)
			if err := d.Done(); (err != nil) != bad {
				t.Errorf("%s, bad %v: %v", c.what, bad, err)
			}
		}
	}
}

// A list within a list within a list says of the same bytes that they are each of them:
// the count is refused before memory is taken for what it counts.
func TestCountBeyondTheValues(t *testing.T) {
	for n, ok := range map[int]bool{8: true, 9: false} {
		d := &Decoder{Reader: wire.NewReader(string(rune(n)) + strings.Repeat("\x01", n)), Values: 8}
		if got := d.claim(1); (got == n) != ok || (d.Err() == nil) != ok {
			t.Errorf("%d of 8 values: %d, %v", n, got, d.Err())
		}
	}
}

var update = flag.Bool("update", false, "write the golden bytes of the encoding")

// What no decoder takes is not written: a record of it could not be read.
func TestNotEncodable(t *testing.T) {
	deep := Int(1)
	for range MaxDepth {
		deep = List(deep)
	}
	var nested *Shape
	for range MaxDepth + 2 {
		nested = &Shape{Names: []string{"a"}, Subs: []*Shape{nested}}
	}
	shape := &Shape{Names: []string{"a", "b"}}
	if _, err := deep.AppendBinary(nil); err != nil {
		t.Error(err)
	}
	for name, v := range map[string]Value{
		"no value": {}, "no value in a list": List(Int(1), Value{}), "an object": RefValue(new(int)), "too deep": List(deep),
		"a cell too deep": RowsValue(&Rows{Shape: &Shape{Names: []string{"a"}}, Cells: []Value{deep}}),
		"a name twice":    RecordValue(Field{"a", Int(1)}, Field{"a", Int(1)}), "a name that is no text": RecordValue(Field{"\xff", Int(1)}),
		"no rows": RowsValue(nil), "rows without a shape": RowsValue(&Rows{}), "half a row": RowsValue(&Rows{Shape: shape, Cells: []Value{Int(1)}}),
		"cells of no column": RowsValue(&Rows{Shape: &Shape{}, Cells: []Value{Int(1)}}), "a column twice": RowsValue(&Rows{Shape: &Shape{Names: []string{"a", "a"}}}),
		"another number of shapes": RowsValue(&Rows{Shape: &Shape{Names: []string{"a", "b"}, Subs: []*Shape{nil}}}), "a deep shape": RowsValue(&Rows{Shape: nested}),
		"a tag that is no text": Int(1).WithLabel(NewLabel("\xff")), "no value in a cell": RowsValue(&Rows{Shape: shape, Cells: []Value{Int(1), {}}}),
	} {
		if b, err := v.AppendBinary(nil); fail.KindOf(err) != fail.Invalid {
			t.Errorf("%s is written %x, %v", name, b, err)
		}
	}
}

// What bytes make their reader allocate stays in proportion to their length, whatever
// counts within counts say.
func TestCountsTakeNoMemory(t *testing.T) {
	const n = 1 << 20
	nest := func(levels int, open ...byte) string {
		return strings.Repeat(string(open), levels) + strings.Repeat("\xff", 2*n)
	}
	count := binary.AppendUvarint(nil, n/2)
	tag := func(tag byte, more ...byte) []byte { return append(append([]byte{tag}, count...), more...) }
	values := func(s string) error { _, err := DecodeValue("\x01"+s, n); return err }
	for name, c := range map[string]struct {
		s    string
		read func(string) error
	}{
		"lists":   {nest(65, tag(tagList)...), values},
		"records": {nest(65, tag(tagRecord, 1, 'a')...), values},
		"rows":    {nest(65, append([]byte{tagRows, 1, 1, 'a', 0}, count...)...), values},
		"shapes":  {string(rune(tagRows)) + nest(65, append(count, 1, 'a', 1)...), values},
		"labels":  {nest(65, tag(tagLabelled, 1, 'a')...), values},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := c.read(c.s)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 8<<20 {
			t.Errorf("%s: %d KiB, %v", name, took>>10, err)
		}
	}
}

func BenchmarkEncoding(b *testing.B) {
	rows := &Rows{Shape: &Shape{Names: []string{"id", "title"}}}
	for i := range 10_000 {
		rows.Cells = append(rows.Cells, Int(int64(i)), Text(fmt.Sprint("task number ", i)))
	}
	for _, n := range []int{1, 100, 10_000} {
		v := RowsValue(&Rows{Shape: rows.Shape, Cells: rows.Cells[:2*n]})
		b.Run(fmt.Sprintf("digest of %d rows", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustDigest(v)
			}
		})
		b.Run(fmt.Sprintf("JSON of %d rows", n), func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf, _ = v.AppendJSON(buf[:0])
			}
		})
	}
}

// The bytes of each version stay what they are: who changes them makes a new version.
// Run with -update then, and keep the file of the old one: its bytes must be refused.
func TestGoldenBytes(t *testing.T) {
	var b strings.Builder
	line := func(what, name string, bytes []byte) { fmt.Fprintf(&b, "%s\t%s\t%x\n", what, name, bytes) }
	for _, c := range golden {
		enc, err := c.value.AppendBinary(nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		sum, err := c.value.Digest()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		line("value", c.name, enc)
		line("digest", c.name, sum[:])
	}
	file := filepath.Join("testdata", "encoding", fmt.Sprintf("v%d.txt", wire.Encoding))
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Errorf("the encoding is no more what version %d was: raise wire.Encoding\n%s\n%s", wire.Encoding, want, &b)
	}
	others, err := filepath.Glob(filepath.Join("testdata", "encoding", "v*.txt"))
	if err != nil || len(others) != wire.Encoding {
		t.Errorf("%d files for %d versions, %v", len(others), wire.Encoding, err)
	}
	for _, f := range others {
		text, _ := os.ReadFile(f)
		for l := range strings.Lines(string(text)) {
			part := strings.Split(strings.TrimSuffix(l, "\n"), "\t")
			if part[0] != "value" {
				continue
			}
			enc, err := hex.DecodeString(part[2])
			if err != nil {
				t.Fatal(err)
			}
			if _, err = DecodeValue(string(enc), someValues); (err == nil) != (f == file) {
				t.Errorf("%s %s: %v", f, part[1], err)
			}
		}
	}
}

// Second spellings, each found or thought of once. A line is a number, what is spelled,
// the bytes and why they are refused.
func TestSecondSpellings(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "encoding", "refused.txt"))
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, ""
	for l := range strings.Lines(string(text)) {
		if l == "\n" || strings.HasPrefix(l, "#") {
			continue
		}
		n++
		part := strings.Split(strings.TrimSuffix(l, "\n"), "\t")
		if len(part) != 5 || part[1] != "value" || part[0] <= last {
			t.Fatalf("case %d: %q", n, l)
		}
		last = part[0]
		decode := func(hexed string) error {
			b, err := hex.DecodeString(strings.ReplaceAll(hexed, " ", ""))
			if err != nil {
				t.Fatalf("%s: %v", part[0], err)
			}
			_, err = DecodeValue(string(b), 100)
			return err
		}
		if err := decode(part[2]); err != nil {
			t.Errorf("%s: the first spelling is refused: %v", part[0], err)
		}
		if err := decode(part[3]); fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), part[4]) {
			t.Errorf("%s: %v; want %q", part[0], err, part[4])
		}
	}
	if n < 10 {
		t.Errorf("%d cases", n)
	}
}

// What a decoder takes, the encoder writes in the same bytes: there is one spelling of
// each value and message, and nothing in them goes unread.
func FuzzEncoding(f *testing.F) {
	for _, c := range golden {
		b, _ := c.value.AppendBinary(nil)
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := DecodeValue(s, 1000); err == nil {
			if b, err := v.AppendBinary(nil); err != nil || string(b) != s {
				t.Errorf("%q is read as %v, which is written %q, %v", s, v, b, err)
			}
		}
	})
}

// Each field of what has an encoding was written into it once: who adds one comes here.
func TestEncodingNamesEveryField(t *testing.T) {
	for _, c := range []struct {
		v      any
		fields int
	}{{Value{}, 5}, {Rows{}, 4}, {Shape{}, 2}} {
		if n := reflect.TypeOf(c.v).NumField(); n != c.fields {
			t.Errorf("%T has %d fields; the encoding was written for %d", c.v, n, c.fields)
		}
	}
	if KindSealed != 11 {
		t.Error("a new kind; the encoding was written for fewer")
	}
}
