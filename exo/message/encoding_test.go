package message

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

var updateGolden = flag.Bool("update", false, "write the golden bytes of the encoding")

var goldenMessages = []struct {
	name string
	expr Expr
}{
	{"no node", Expr{}},
	{"call", Expr{[]WireNode{{Op: OpRef, Recv: -1}, {Op: OpCall, Name: "rows", Recv: 0}}}},
	{"callback", Expr{[]WireNode{{Op: OpRef, Recv: -1, Ref: 7}, {Op: OpParam, Name: "where", Recv: 0, Arg: 1},
		{Op: OpLit, Recv: -1, Lit: value.List(value.Text("x"), value.Null(), value.RecordValue(value.Field{Name: "a", Value: value.Float(1.5)}))},
		{Op: OpRecord, Recv: -1, Names: []string{"a", "b"}, Args: []int32{1, 2}}, {Op: OpLambda, Recv: 1, Args: []int32{3}}, {Op: OpCall, Name: "where", Recv: 0, Args: []int32{4}}}}},
}

// goldenCatalog has each field of a catalogue set once.
var goldenCatalog = Catalog{"Box": {Name: "Box", Doc: "A box.", Is: []string{"Thing"}, Await: "get", Order: []string{"size", "get"},
	Words:  []Words{NewWords(Phrase{On: ".put", Needs: "get", Text: "write .get()"})},
	Fields: map[string]*Property{"size": {Type: &Type{Name: value.TypeInt, Null: true}, Label: value.NewLabel("l")}},
	Methods: map[string]*Method{"get": {Name: "get", Sends: true, Row: true, Sink: true, Truth: "there", Label: value.NewLabel("a"), Admits: value.NewLabel("b"),
		Result: &Term{Ext: []*Term{{Var: "self"}, {App: "list", Args: map[string]*Term{"of": {Con: &Type{Name: value.TypeText, Enum: []string{"x"}}}}}}, Null: true, Bare: true},
		Params: []Param{{Name: "by", Bind: "n", Want: &Term{Key: "k", Of: &Term{Wide: []*Term{{Var: "x"}}, To: map[string]string{"int": "Int"}}}, Lambda: &Term{Var: "row"}, Plain: true, Filter: true, Many: true, Null: true, Opt: true, Count: true, Fixed: true, Static: true, Ident: true}}}}}}

// What a run was granted has one digest, which changes with whatever could be asked.
func TestDigestOfGrants(t *testing.T) {
	granted := []GrantedName{{Name: "box", Type: &Type{Name: "Box"}}}
	was := DigestGrants(goldenCatalog, granted)
	if was == (value.Digest{}) || was != DigestGrants(goldenCatalog, granted) {
		t.Error("no digest, or two")
	}
	if DigestGrants(goldenCatalog, []GrantedName{{Name: "bot", Type: &Type{Name: "Box"}}}) == was {
		t.Error("another name")
	}
	i := *goldenCatalog["Box"]
	m := *i.Methods["get"]
	m.Sink = false
	i.Methods = map[string]*Method{"get": &m}
	if DigestGrants(Catalog{"Box": &i}, granted) == was {
		t.Error("a method that is no sink any more")
	}
	m = *goldenCatalog["Box"].Methods["get"]
	m.Doc = "Other words."
	if DigestGrants(Catalog{"Box": &i}, granted) != was {
		t.Error("documentation")
	}
}

func grantsOf(granted []GrantedName, c Catalog) []byte {
	var e value.Encoder
	WriteGrants(&e, granted, c)
	return e.B
}

// What no decoder takes is not written: a message of it could not be read.
func TestMessagesNotEncodable(t *testing.T) {
	shape := &value.Shape{Names: []string{"a", "b"}}
	lit := func(v value.Value) []WireNode { return []WireNode{{Op: OpLit, Recv: -1, Lit: v}} }
	for name, x := range map[string][]WireNode{
		"rows": lit(value.RowsValue(&value.Rows{Shape: shape})), "a reference": lit(value.List(value.NumberedRef(1))), "an object": lit(value.RefValue(new(int))),
		"a name": {{Op: OpRef, Recv: -1, Name: "\xff"}}, "names": {{Op: OpRecord, Recv: -1, Names: []string{"\xff"}}}, "a parameter": {{Op: OpRef, Recv: -1, Arg: -1}},
		"a large parameter": {{Op: OpRef, Recv: -1, Arg: maxArg + 1}}, "a receiver": {{Op: OpRef, Recv: -2}}, "itself": {{Op: OpField, Name: "x", Recv: 0}},
		"a later node": {{Op: OpField, Name: "x", Recv: 1}, {Op: OpRef, Recv: -1}}, "an unused node": {{Op: OpRef, Recv: -1}, {Op: OpRef, Recv: -1}},
		"another order": {{Op: OpLit, Recv: -1, Lit: value.Int(1)}, {Op: OpRef, Recv: -1}, {Op: OpCall, Name: "x", Recv: 1, Args: []int32{0}}},
		"arguments":     {{Op: OpRef, Recv: -1}, {Op: OpList, Recv: -1, Args: []int32{-1}}},
		"many values":   lit(value.List(slices.Repeat([]value.Value{value.Null()}, maxLiterals+1)...)),
	} {
		if b, err := (Expr{x}).AppendBinary(nil); fail.KindOf(err) != fail.Invalid {
			t.Errorf("%s: a message is written %x, %v", name, b[:min(len(b), 99)], err)
		}
	}
	// A label is no part of a message: the guest did not say it.
	a, err1 := (Expr{lit(value.Int(1))}).AppendBinary(nil)
	b, err2 := (Expr{lit(value.Int(1).WithLabel(value.NewLabel("x")))}).AppendBinary(nil)
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("%x, %x", a, b)
	}
}

// What bytes make their reader allocate stays in proportion to their length, whatever
// counts within counts say.
func TestTypesTakeNoMemory(t *testing.T) {
	const n = 1 << 20
	level := append(append([]byte{1 | 1<<3, 1, 'T'}, binary.AppendUvarint(nil, n/2)...), 1, 'f', 0)
	d := value.Decoder{Reader: wire.NewReader(strings.Repeat(string(level), 65) + strings.Repeat("\xff", 2*n))}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ReadType(&d)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; d.Err() == nil || took > 8<<20 {
		t.Errorf("%d KiB, %v", took>>10, d.Err())
	}
}

func BenchmarkMessages(b *testing.B) {
	x := goldenMessages[2].expr
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf, _ = x.AppendBinary(buf[:0])
	}
}

// TestDemandsCross: what a worker reads of a catalogue has each demand that the host declared, and what is total.
func TestDemandsCross(t *testing.T) {
	text := &Type{Name: value.TypeText}
	for _, is := range []bool{true, false} {
		var e value.Encoder
		WriteType(&e, &Type{Name: value.TypeRecord, Fields: []TypeField{{Name: "to", Type: text, Trusted: is}}})
		d := value.Decoder{Reader: wire.NewReader(string(e.B))}
		if got := ReadType(&d); got == nil || got.Fields[0].Trusted != is || got.Fields[0].Opt {
			t.Error("a field that demands trust does not cross to a worker")
		}
		cat := Catalog{"Things": {Name: "Things", Methods: map[string]*Method{"delete": {Name: "delete", Sends: true, Effect: InUnit, Result: &Term{Con: text}, Trusted: is}}},
			"Text": {Name: "Text", Expr: true, Methods: map[string]*Method{"lower": {Name: "lower", Total: is, Result: &Term{Con: text}}}}}
		d = value.Decoder{Reader: wire.NewReader(string(grantsOf(nil, cat)))}
		_, got := ReadGrants(&d)
		lower := got["Text"].Methods["lower"]
		if d.Err() != nil || got["Things"].Methods["delete"].Trusted != is || lower.Total != is || lower.Effect != NoEffect || lower.Nested != nil {
			t.Errorf("the catalogue does not cross to a worker: %+v %v", lower, d.Err())
		}
		before := DigestGrants(cat, nil)
		cat["Text"].Methods["lower"].Total = !is
		if DigestGrants(cat, nil) == before {
			t.Error("the digest does not say what is total")
		}
	}
}

// The bytes of each version stay what they are: who changes them makes a new version.
// Run with -updateGolden then, and keep the file of the old one: its bytes must be refused.
func TestGoldenMessages(t *testing.T) {
	var b strings.Builder
	line := func(what, name string, bytes []byte) { fmt.Fprintf(&b, "%s\t%s\t%x\n", what, name, bytes) }
	for _, c := range goldenMessages {
		enc, err := c.expr.AppendBinary(nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		line("message", c.name, enc)
	}
	granted := []GrantedName{{Name: "box", ID: 0, Type: &Type{Name: "Box"}}}
	line("grants", "box", grantsOf(granted, goldenCatalog))
	sum := DigestGrants(goldenCatalog, granted)
	line("digest", "grants", sum[:])

	file := filepath.Join("testdata", "encoding", fmt.Sprintf("v%d.txt", wire.Encoding))
	if *updateGolden {
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
			if part[0] != "message" {
				continue
			}
			enc, err := hex.DecodeString(part[2])
			if err != nil {
				t.Fatal(err)
			}
			if _, err = DecodeExpr(string(enc), 9999); (err == nil) != (f == file) {
				t.Errorf("%s %s: %v", f, part[1], err)
			}
		}
	}
}

// Second spellings, each found or thought of once. A line is a number, what is spelled,
// the bytes and why they are refused.
func TestMessageSpellings(t *testing.T) {
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
		if len(part) != 5 || part[1] != "message" || part[0] <= last {
			t.Fatalf("case %d: %q", n, l)
		}
		last = part[0]
		decode := func(hexed string) error {
			b, err := hex.DecodeString(strings.ReplaceAll(hexed, " ", ""))
			if err != nil {
				t.Fatalf("%s: %v", part[0], err)
			}
			_, err = DecodeExpr(string(b), 100)
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
func FuzzMessages(f *testing.F) {
	for _, c := range goldenMessages {
		b, _ := c.expr.AppendBinary(nil)
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, s string) {
		if x, err := DecodeExpr(s, 100); err == nil {
			if b, err := x.AppendBinary(nil); err != nil || string(b) != s {
				t.Errorf("%q is read as %+v, which is written %q, %v", s, x, b, err)
			}
		}
		d := value.Decoder{Reader: wire.NewReader(s)}
		ReadGrants(&d)
	})
}

// Each field of what has an encoding was written into it once: who adds one comes here.
func TestEveryFieldOfMessages(t *testing.T) {
	for _, c := range []struct {
		v      any
		fields int
	}{{WireNode{}, 8}, {Interface{}, 13 /* LabelBy has no encoding */}, {Words{}, 1}, {Method{}, 16}, {Param{}, 13}, {Term{}, 13}, {Type{}, 8 /* Label has no encoding */}, {Property{}, 3}, {TypeField{}, 8 /* Needed has no encoding */}, {GrantedName{}, 4}} {
		if n := reflect.TypeOf(c.v).NumField(); n != c.fields {
			t.Errorf("%T has %d fields; the encoding was written for %d", c.v, n, c.fields)
		}
	}
	if OpList != 8 {
		t.Error("a new kind; the encoding was written for fewer")
	}
}
