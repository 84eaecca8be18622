package message_test

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
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/wire"
)

var updateGolden = flag.Bool("update", false, "write the golden bytes of the encoding")

var goldenMessages = []struct {
	name string
	expr message.Expr
}{
	{"no node", message.Expr{}},
	{"call", message.Expr{[]message.WireNode{{Op: message.OpRef, Recv: -1}, {Op: message.OpCall, Name: "rows", Recv: 0}}}},
	{"callback", message.Expr{[]message.WireNode{{Op: message.OpRef, Recv: -1, Ref: 7}, {Op: message.OpParam, Name: "where", Recv: 0, Arg: 1},
		{Op: message.OpLit, Recv: -1, Lit: value.List(value.Text("x"), value.Null(), value.RecordValue(value.Field{Name: "a", Value: value.Float(1.5)}))},
		{Op: message.OpRecord, Recv: -1, Names: []string{"a", "b"}, Args: []int32{1, 2}}, {Op: message.OpLambda, Recv: 1, Args: []int32{3}}, {Op: message.OpCall, Name: "where", Recv: 0, Args: []int32{4}}}}},
}

// goldenCatalog has each field of a catalogue set once.
var goldenCatalog = message.Catalog{"Box": {Name: "Box", Doc: "A box.", Is: []string{"Thing"}, Await: "get", Order: []string{"size", "get"},
	Words:  []message.Words{message.NewWords(message.Phrase{On: ".put", Needs: "get", Text: "write .get()"})},
	Fields: map[string]*message.Property{"size": {Type: &message.Type{Name: value.TypeInt, Null: true}, Label: value.NewLabel("l")}},
	Methods: map[string]*message.Method{"get": {Name: "get", Sends: true, Row: true, Sink: true, Truth: "there", Label: value.NewLabel("a"), Admits: value.NewLabel("b"),
		Result: &message.Term{Ext: []*message.Term{{Var: "self"}, {App: "list", Args: map[string]*message.Term{"of": {Con: &message.Type{Name: value.TypeText, Enum: []string{"x"}}}}}}, Null: true, Bare: true},
		Params: []message.Param{{Name: "by", Bind: "n", Want: &message.Term{Key: "k", Of: &message.Term{Wide: []*message.Term{{Var: "x"}}, To: map[string]string{"int": "Int"}}}, Lambda: &message.Term{Var: "row"}, Plain: true, Filter: true, Many: true, Null: true, Opt: true, Count: true, Fixed: true, Static: true, Ident: true}}}}}}

// What a run was granted has one digest, which changes with whatever could be asked.
func TestDigestOfGrants(t *testing.T) {
	granted := []message.GrantedName{{Name: "box", Type: &message.Type{Name: "Box"}}}
	was := coding.DigestGrants(goldenCatalog, granted)
	if was == (value.Digest{}) || was != coding.DigestGrants(goldenCatalog, granted) {
		t.Error("no digest, or two")
	}
	if coding.DigestGrants(goldenCatalog, []message.GrantedName{{Name: "bot", Type: &message.Type{Name: "Box"}}}) == was {
		t.Error("another name")
	}
	i := *goldenCatalog["Box"]
	m := *i.Methods["get"]
	m.Sink = false
	i.Methods = map[string]*message.Method{"get": &m}
	if coding.DigestGrants(message.Catalog{"Box": &i}, granted) == was {
		t.Error("a method that is no sink any more")
	}
	m = *goldenCatalog["Box"].Methods["get"]
	m.Doc = "Other words."
	if coding.DigestGrants(message.Catalog{"Box": &i}, granted) != was {
		t.Error("documentation")
	}
}

func grantsOf(granted []message.GrantedName, c message.Catalog) []byte {
	var e value.Encoder
	coding.WriteGrants(&e, granted, c)
	return e.B
}

// What no decoder takes is not written: a message of it could not be read.
func TestMessagesNotEncodable(t *testing.T) {
	shape := &value.Shape{Names: []string{"a", "b"}}
	lit := func(v value.Value) []message.WireNode {
		return []message.WireNode{{Op: message.OpLit, Recv: -1, Lit: v}}
	}
	for name, x := range map[string][]message.WireNode{
		"rows": lit(value.RowsValue(&value.Rows{Shape: shape})), "a reference": lit(value.List(value.NumberedRef(1))), "an object": lit(value.RefValue(new(int))),
		"a name": {{Op: message.OpRef, Recv: -1, Name: "\xff"}}, "names": {{Op: message.OpRecord, Recv: -1, Names: []string{"\xff"}}}, "a parameter": {{Op: message.OpRef, Recv: -1, Arg: -1}},
		"a large parameter": {{Op: message.OpRef, Recv: -1, Arg: message.MaxArg + 1}}, "a receiver": {{Op: message.OpRef, Recv: -2}}, "itself": {{Op: message.OpField, Name: "x", Recv: 0}},
		"a later node": {{Op: message.OpField, Name: "x", Recv: 1}, {Op: message.OpRef, Recv: -1}}, "an unused node": {{Op: message.OpRef, Recv: -1}, {Op: message.OpRef, Recv: -1}},
		"another order": {{Op: message.OpLit, Recv: -1, Lit: value.Int(1)}, {Op: message.OpRef, Recv: -1}, {Op: message.OpCall, Name: "x", Recv: 1, Args: []int32{0}}},
		"arguments":     {{Op: message.OpRef, Recv: -1}, {Op: message.OpList, Recv: -1, Args: []int32{-1}}},
		"many values":   lit(value.List(slices.Repeat([]value.Value{value.Null()}, message.MaxLiterals+1)...)),
	} {
		if b, err := (message.Expr{x}).AppendBinary(nil); fail.KindOf(err) != fail.Invalid {
			t.Errorf("%s: a message is written %x, %v", name, b[:min(len(b), 99)], err)
		}
	}
	// A label is no part of a message: the guest did not say it.
	a, err1 := (message.Expr{lit(value.Int(1))}).AppendBinary(nil)
	b, err2 := (message.Expr{lit(value.Int(1).WithLabel(value.NewLabel("x")))}).AppendBinary(nil)
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
	coding.ReadType(&d)
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

// TestDemandsCross: what a worker reads of a catalogue has each demand that the host declared, and what is total, fresh or a measure.
func TestDemandsCross(t *testing.T) {
	text := &message.Type{Name: value.TypeText}
	for _, is := range []bool{true, false} {
		var e value.Encoder
		coding.WriteType(&e, &message.Type{Name: value.TypeRecord, Fields: []message.TypeField{{Name: "to", Type: text, Trusted: is}}})
		d := value.Decoder{Reader: wire.NewReader(string(e.B))}
		if got := coding.ReadType(&d); got == nil || got.Fields[0].Trusted != is || got.Fields[0].Opt {
			t.Error("a field that demands trust does not cross to a worker")
		}
		many := map[bool]string{true: "Things"}[is]
		cat := message.Catalog{"Thing": {Name: "Thing", Many: many}, "Things": {Name: "Things", Methods: map[string]*message.Method{"sum": {Name: "sum", Measure: is, Sends: true, Nested: &message.Term{Con: text}}, "delete": {Name: "delete", Sends: true, Effect: message.InUnit, Result: &message.Term{Con: text}, Trusted: is, Fresh: !is}}},
			"Text": {Name: "Text", Expr: true, Methods: map[string]*message.Method{"lower": {Name: "lower", Total: is, Result: &message.Term{Con: text}}}}}
		d = value.Decoder{Reader: wire.NewReader(string(grantsOf(nil, cat)))}
		_, got := coding.ReadGrants(&d)
		lower := got["Text"].Methods["lower"]
		if d.Err() != nil || got["Things"].Methods["delete"].Trusted != is || got["Things"].Methods["delete"].Fresh == is || lower.Total != is || lower.Effect != message.NoEffect || lower.Nested != nil || got["Thing"].Many != many || got["Things"].Methods["sum"].Measure != is {
			t.Errorf("the catalogue does not cross to a worker: %+v %v", lower, d.Err())
		}
		before := coding.DigestGrants(cat, nil)
		cat["Text"].Methods["lower"].Total = !is
		if coding.DigestGrants(cat, nil) == before {
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
	granted := []message.GrantedName{{Name: "box", ID: 0, Type: &message.Type{Name: "Box"}}}
	line("grants", "box", grantsOf(granted, goldenCatalog))
	sum := coding.DigestGrants(goldenCatalog, granted)
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
			if _, err = message.DecodeExpr(string(enc), 9999); (err == nil) != (f == file) {
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
			_, err = message.DecodeExpr(string(b), 100)
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
		if x, err := message.DecodeExpr(s, 100); err == nil {
			if b, err := x.AppendBinary(nil); err != nil || string(b) != s {
				t.Errorf("%q is read as %+v, which is written %q, %v", s, x, b, err)
			}
		}
		d := value.Decoder{Reader: wire.NewReader(s)}
		coding.ReadGrants(&d)
	})
}

// Each field of what has an encoding was written into it once: who adds one comes here.
func TestEveryFieldOfMessages(t *testing.T) {
	for _, c := range []struct {
		v      any
		fields int
	}{{message.WireNode{}, 8}, {message.Interface{}, 14 /* LabelBy has no encoding */}, {message.Words{}, 1}, {message.Method{}, 19}, {message.Param{}, 13}, {message.Term{}, 13}, {message.Type{}, 8 /* Label has no encoding */}, {message.Property{}, 3}, {message.TypeField{}, 8 /* Needed has no encoding */}, {message.GrantedName{}, 4}} {
		if n := reflect.TypeOf(c.v).NumField(); n != c.fields {
			t.Errorf("%T has %d fields; the encoding was written for %d", c.v, n, c.fields)
		}
	}
	if message.OpList != 8 {
		t.Error("a new kind; the encoding was written for fewer")
	}
}
