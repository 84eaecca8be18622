package message

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// TestTypesKeepLabels: no type that is made of others loses a label, however a method's terms make it.
func TestTypesKeepLabels(t *testing.T) {
	cat := Catalog{"Text": {Name: "Text", Expr: true}, "Query": {Name: "Query"}}
	secret := labelled(columnOf("Text", value.TypeText), value.NewLabel("a"))
	other := labelled(columnOf("Text", value.TypeText), value.NewLabel("b"))
	deep := secret
	for range 20 {
		deep = &Type{Name: value.TypeRecord, Fields: []TypeField{{Name: "x", Type: deep}}}
	}
	e := &env{cat: cat, self: secret, args: map[string]*Type{"row": {Name: value.TypeRecord, Fields: []TypeField{{Name: "f", Type: secret}}}, "deep": deep}, vars: []binding{{name: "v", typ: secret}, {name: "w", typ: other}}, keys: []binding{{name: "k", text: "key"}}}
	to := map[string]string{value.TypeText: "Text"}
	for what, c := range map[string]struct {
		t    *Term
		want string
	}{
		"itself": {&Term{Var: "self"}, "{a}"}, "an argument": {typeVar("row"), "{a}"}, "or null": {&Term{Var: "v", Null: true}, "{a}"}, "bare": {&Term{Var: "v", Bare: true}, "{a}"},
		"the least type of two": {&Term{Wide: []*Term{typeVar("v"), typeVar("w")}, To: to}, "{a,b}"}, "its value": {&Term{Wide: []*Term{typeVar("w")}, Null: true}, "{b}"},
		"under a name": {&Term{Name: "n", Of: typeVar("v")}, "{a}"}, "under a key": {&Term{Key: "k", Of: typeVar("w")}, "{b}"}, "a union": {&Term{Ext: []*Term{typeVar("row"), {Name: "g", Of: typeVar("w")}}}, "{a,b}"},
		"a list": {applied(value.TypeList, map[string]*Term{"of": typeVar("row")}), "{a}"}, "of a query": {applied("Query", map[string]*Term{"row": typeVar("row")}), "{a}"}, "an item of another name": {applied("Query", map[string]*Term{"item": typeVar("v")}), "{a}"},
		"own fields": {&Term{App: "Text", Own: typeVar("row"), To: to}, "{a}"}, "the one field": {&Term{Var: "row.*"}, "{a}"}, "a deep record": {typeVar("deep"), "{a}"},
		"what callbacks are given": {applied("Query", map[string]*Term{"ns": typeVar("row"), ShownArg: typeVar("row")}), "{}"},
	} {
		got, err := e.resolve("", c.t)
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if l := cat.Shows(got).String(); l != c.want {
			t.Errorf("%s: %s shows %s, want %s", what, got, l, c.want)
		}
	}
	if got := asExpressions([]TypeField{{Name: "f", Type: labelled(&Type{Name: value.TypeText}, value.NewLabel("a"))}}, to); cat.Shows(got[0].Type).String() != "{a}" {
		t.Error("a value that stands for an expression loses its label")
	}
	c := &Checker{Catalog: cat, Bounds: Bounds{Nodes: 4000, Depth: 200, LiteralBytes: 256 << 10}}
	n, err := c.MakeList([]*Node{{Op: OpField, Type: secret}, {Op: OpField, Type: other}})
	if err != nil || cat.Shows(n.Type).String() != "{a,b}" {
		t.Errorf("a list: %v %v", n, err)
	}
}

// TestOpaqueReads: where the type of a reply doesn't say what of the receiver is in it, it may be anything. A part of a
// labelled value is made of it.
func TestOpaqueReads(t *testing.T) {
	secret := labelled(columnOf("Text", value.TypeText), value.NewLabel("a"))
	cat := Catalog{"Text": {Name: "Text", Expr: true, Fields: map[string]*Property{"length": {Type: columnOf("Text", value.TypeText)}}}, "Query": interfaceOf("Query", nil, false,
		&Method{Name: "csv", Sends: true, Result: closed(value.TypeText)}, &Method{Name: "dump", Sends: true, Result: closed(value.TypeData)}, &Method{Name: "count", Sends: true, Result: closed(value.TypeInt)},
		&Method{Name: "nested", Sends: true, Result: closed(value.TypeInt), Nested: closed(value.TypeText)}, &Method{Name: "distinct", Row: true, Result: typeVar("self")})}
	c := &Checker{Catalog: cat, Bounds: Bounds{Nodes: 4000, Depth: 200, LiteralBytes: 256 << 10}, Ref: func(uint32) *Type { return &Type{Name: "Query", Args: map[string]*Type{"row": secret}} }}
	for name, want := range map[string]string{"csv": "{a}", "dump": "{a}", "count": "{}", "nested": "{a}", "distinct": "{a}"} {
		q, err := c.MakeRef(0)
		mustBe(t, name, err)
		n, err := c.MakeCall(q, name, nil)
		if err != nil || n.label.String() != want {
			t.Errorf("%s: %v %v", name, n.label, err)
		}
	}
	n, err := c.MakeField(&Node{Op: OpField, Type: secret}, "length")
	if err != nil || n.label.String() != "{a}" {
		t.Errorf("length: %v %v", n, err)
	}
}

// Converting a record to what a method wants keeps its label.
func TestConversionKeepsTheLabel(t *testing.T) {
	want := &Type{Name: value.TypeRecord, Fields: []TypeField{{Name: "n", Type: &Type{Name: value.TypeInt}}}}
	secret := value.NewLabel("diary")
	for what, x := range map[string]value.Value{"record": value.RecordValue(value.Field{Name: "n", Value: value.Float(2)}), "list": value.List(value.RecordValue(value.Field{Name: "n", Value: value.Float(2)}))} {
		w := want
		if what == "list" {
			w = &Type{Name: value.TypeList, Args: map[string]*Type{"of": want}}
		}
		got, ok := admit(w, x.WithLabel(secret), 0, nil)
		if !ok || got.Label().String() != "{diary}" {
			t.Errorf("%s: %v %v %v", what, got, got.Label(), ok)
		}
	}
}

// A limit or offset of a program is never negative: SQLite takes that for none.
func TestCountsAreNotNegative(t *testing.T) {
	c := &Checker{Bounds: Bounds{Nodes: 4000, Depth: 200, LiteralBytes: 256 << 10}}
	p := &Param{Name: "the number", Count: true}
	for n, ok := range map[int64]bool{-5: false, -1: false, 0: true, 1: true} {
		x, err := c.MakeLit(value.Int(n))
		mustBe(t, "literal", err)
		if _, err := c.accept("limit", p, &Type{Name: value.TypeInt}, x); (err == nil) != ok {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// Of a text that may be one of a few, nothing else passes.
func TestOnlyTheWordsThereAre(t *testing.T) {
	want := &Type{Name: value.TypeText, Enum: []string{"open", "done"}}
	for text, ok := range map[string]bool{"open": true, "done": true, "Open": false, "open,done": false, "": false, "dropped": false} {
		if _, got := admit(want, value.Text(text), 0, nil); got != ok {
			t.Errorf("%q: admitted %v", text, got)
		}
	}
}

// TestRanges: a whole number beyond its range is no argument.
func TestRanges(t *testing.T) {
	want := &Type{Name: value.TypeInt, Min: -1, Max: 3}
	for v, ok := range map[value.Value]bool{value.Int(-1): true, value.Int(3): true, value.Float(2): true, value.Int(4): false, value.Float(4): false, value.Int(-2): false} {
		if _, got := admit(want, v, 0, nil); got != ok {
			t.Errorf("%v: %v", v, got)
		}
	}
	if want.String() != "a whole number from -1 to 3" {
		t.Error(want)
	}
}

// TestBits: what a result can tell, and that what has no bound is refused when it is granted.
func TestBits(t *testing.T) {
	text := &Type{Name: value.TypeText}
	enum := func(n int) *Type { return &Type{Name: value.TypeText, Enum: make([]string, n)} }
	ints := func(a, b int64) *Type { return &Type{Name: value.TypeInt, Min: a, Max: b} }
	rec := func(ts ...*Type) *Type {
		t := &Type{Name: value.TypeRecord}
		for i, x := range ts {
			t.Fields = append(t.Fields, TypeField{Name: string(rune('a' + i)), Type: x})
		}
		return t
	}
	opt := rec(&Type{Name: value.TypeBool})
	opt.Fields[0].Opt = true
	for _, c := range []struct {
		t    *Type
		bits int // 0: refused
	}{
		{&Type{Name: value.TypeBool}, 2}, {enum(1), 1}, {enum(3), 2}, {enum(4), 3}, {enum(7), 3}, {enum(8), 4}, {ints(0, 6), 3}, {ints(-4, 3), 4}, {ints(math.MinInt64, math.MinInt64+1), 2},
		{rec(), 1}, {rec(&Type{Name: value.TypeBool}), 2}, {rec(&Type{Name: value.TypeBool, Null: true}), 2}, {rec(enum(3), enum(5)), 4}, {rec(rec(enum(16)), enum(16)), 9}, {opt, 2},
		{ints(0, 1<<32-2), 32}, {ints(0, 1<<32-1), 0}, {ints(math.MinInt64, math.MaxInt64), 0}, {rec(ints(0, 1<<31), ints(0, 1<<31)), 0}, {rec(ints(0, 1<<32-2), ints(0, 1<<32-2), ints(0, 1<<31-1)), 0 /* 2^31 of them, in 64 bits */}, {rec(ints(0, 1<<31), ints(0, 1<<31), ints(0, 1<<31), ints(0, 1<<31)), 0},
		{text, 0}, {&Type{Name: value.TypeInt}, 0}, {ints(3, 3), 0}, {&Type{Name: value.TypeFloat}, 0}, {&Type{Name: value.TypeTime}, 0}, {&Type{Name: value.TypeData}, 0}, {&Type{Name: value.TypeNull}, 0}, {&Type{Name: value.TypeDecimal}, 0},
		{rec(&Type{Name: value.TypeBool}, text), 0}, {&Type{Name: value.TypeList, Args: map[string]*Type{"of": {Name: value.TypeBool}}}, 0}, {&Type{Name: "Mail"}, 0},
	} {
		r := *c.t
		r.Null = true
		m := &Method{Name: "m", Sends: true, Sink: true, Result: &Term{Con: &r}, Declassifies: value.NewLabel("diary")}
		err := m.checkDeclassifies()
		if (err != nil) != (c.bits == 0) || err == nil && m.Bits() != c.bits {
			t.Errorf("%s: %v, %d bits, want %d", c.t, err, m.Bits(), c.bits)
		}
		if m.Declassifies = (value.Label{}); m.checkDeclassifies() != nil || m.Bits() != 0 {
			t.Errorf("%s, which does not declassify", c.t)
		}
	}
}

// TestTrustStays: no description that is narrowed loses a demand.
func TestTrustStays(t *testing.T) {
	field := func(trusted bool) *Type {
		return &Type{Name: value.TypeRecord, Fields: []TypeField{{Name: "to", Type: &Type{Name: value.TypeText}, Trusted: trusted}}}
	}
	for _, c := range []struct{ was, is bool }{{true, true}, {false, true}, {false, false}, {true, false}} {
		got := field(c.was)
		err := got.meet(field(c.is), true)
		if (err != nil) != (c.was && !c.is) || err == nil && got.Fields[0].Trusted != c.is {
			t.Error(c, err, got.Fields)
		}
	}
	method := func(trusted bool) *Method {
		return &Method{Name: "delete", Sends: true, Effect: InUnit, Result: closed(value.TypeInt), Trusted: trusted}
	}
	for _, c := range []struct{ was, is bool }{{true, true}, {false, true}, {false, false}, {true, false}} {
		got := method(c.was)
		if err := got.meet(method(c.is)); (err != nil) != (c.was && !c.is) || err == nil && got.Trusted != c.is {
			t.Error(c, err, got.Trusted)
		}
	}
}

// totalCatalog has an expression with a method that is total, beside those that read.
func totalCatalog() Catalog {
	text := &Term{Wide: []*Term{closed(value.TypeText)}, To: map[string]string{value.TypeText: "Text"}}
	return Catalog{
		"Text": {Name: "Text", Expr: true, Fields: map[string]*Property{"length": {Type: columnOf("Text", value.TypeText)}}, Methods: map[string]*Method{
			"lower":  {Name: "lower", Total: true, Result: text},
			"concat": {Name: "concat", Total: true, Params: []Param{{Name: "the text", Want: closed(value.TypeText)}}, Result: text},
			"cut":    {Name: "cut", Result: text},
		}},
	}
}

// TestFreshStays: what an object says of what it adds no policy says in its place, and of what adds nothing it is an error.
func TestFreshStays(t *testing.T) {
	method := func(fresh bool) *Method {
		return &Method{Name: "add", Sends: true, Effect: InUnit, Result: closed(value.TypeInt), Fresh: fresh}
	}
	for _, c := range []struct{ was, is bool }{{false, false}, {true, true}, {true, false}, {false, true}} {
		got := method(c.was)
		if err := got.meet(method(c.is)); (err != nil) != (c.is && !c.was) || err == nil && got.Fresh != c.is {
			t.Error(c, err, got.Fresh)
		}
	}
	for e, ok := range map[EffectMode]bool{NoEffect: false, InUnit: true, Immediate: true} {
		m := method(true)
		m.Effect = e
		i := &Interface{Name: "Things", Methods: map[string]*Method{"add": m}, Order: []string{"add"}}
		if err := i.Validate(); (err == nil) != ok {
			t.Error(e, err)
		}
	}
}

// TestTotals: what a total method gives shows what its receiver and its arguments show, and nothing of them is read; whatever else is done
// with it reads it.
func TestTotals(t *testing.T) {
	c := &Checker{Catalog: totalCatalog(), Bounds: Bounds{Nodes: 4000, Depth: 200, LiteralBytes: 256 << 10}}
	a, b := &Node{Op: OpField, Type: labelled(columnOf("Text", value.TypeText), value.NewLabel("a")), size: 1}, &Node{Op: OpField, Type: labelled(columnOf("Text", value.TypeText), value.NewLabel("b", value.Untrusted)), size: 1}
	call := func(recv *Node, name string, args ...*Node) *Node {
		t.Helper()
		n, err := c.MakeCall(recv, name, args)
		mustBe(t, name, err)
		return n
	}
	length, err := c.MakeField(call(a, "lower"), "length")
	mustBe(t, "length", err)
	for what, x := range map[string]struct {
		n            *Node
		reads, shows string
	}{
		"one":               {call(a, "lower"), "{}", "{a}"},
		"of one":            {call(call(a, "lower"), "lower"), "{}", "{a}"},
		"of two":            {call(a, "concat", b), "{}", "{a,b,untrusted}"},
		"an argument of it": {call(a, "concat", call(b, "lower")), "{}", "{a,b,untrusted}"},
		"one that reads":    {call(a, "cut"), "{a}", "{}"},
		"of one that reads": {call(call(a, "cut"), "lower"), "{a}", "{}"},
		"read afterwards":   {call(call(a, "lower"), "cut"), "{a}", "{}"},
		"a part of it":      {length, "{a}", "{}"},
	} {
		if shows := c.Catalog.Shows(x.n.Type).String(); x.n.label.String() != x.reads || shows != x.shows {
			t.Errorf("%s: reads %v and shows %s, want %s and %s", what, x.n.label, shows, x.reads, x.shows)
		}
	}
	r, err := c.MakeRecord([]string{"x", "y"}, []*Node{call(a, "lower"), call(b, "concat", b)})
	if err != nil || !r.label.Empty() || c.Catalog.Shows(r.Type).String() != "{a,b,untrusted}" {
		t.Errorf("a selection: %v %v", r, err)
	}
}

// TestTotalIsOfExpressions: what can't be total isn't declared so, and a policy can't say it of what it doesn't own. It may take it away.
func TestTotalIsOfExpressions(t *testing.T) {
	for what, change := range map[string]func(*Interface, *Method){
		"of no expression": func(i *Interface, _ *Method) { i.Expr = false }, "one that sends": func(_ *Interface, m *Method) { m.Sends = true }, "of records": func(_ *Interface, m *Method) { m.Row = true },
		"nested": func(_ *Interface, m *Method) { m.Nested = closed(value.TypeInt) }, "with a callback": func(_ *Interface, m *Method) {
			m.Params = []Param{{Name: "f", Want: closed(value.TypeText), Lambda: closed(value.TypeText)}}
		},
		"with an effect": func(_ *Interface, m *Method) { m.Sends, m.Effect = true, InUnit },
	} {
		i := totalCatalog()["Text"]
		mustBe(t, "as it is", i.Validate())
		change(i, i.Methods["lower"])
		if err := i.Validate(); err == nil {
			t.Errorf("%s: total", what)
		}
	}
	d := Description{Type: &Type{Name: "Text"}, Interfaces: []*Interface{totalCatalog()["Text"]}}
	want := d.Clone()
	want.Interfaces[0].Methods["cut"].Total = true
	if _, _, err := d.meet(want); err == nil || !strings.Contains(err.Error(), "Text.cut: the policy set Total") {
		t.Error(err)
	}
	want = d.Clone()
	want.Interfaces[0].Methods["lower"].Total = false
	if met, _, err := d.meet(want); err != nil || met.Interfaces[0].Methods["lower"].Total || !met.Interfaces[0].Methods["concat"].Total {
		t.Errorf("%v %v", met, err)
	}
}

// TestCalculated: of what comes with something that a program calculates from labelled values, a declassifier tells nothing: by
// concat a program would ask one question of ten secrets.
func TestCalculated(t *testing.T) {
	a, plain := &Node{Op: OpField, Type: labelled(columnOf("Text", value.TypeText), value.NewLabel("a")), size: 1}, &Node{Op: OpField, Type: columnOf("Text", value.TypeText), size: 1}
	for what, x := range map[string]struct {
		recv, arg *Node
		want      bool
	}{"of what is labelled": {a, plain, true}, "with what is labelled": {plain, a, true}, "of what is not": {plain, plain, false}} {
		c := &Checker{Catalog: totalCatalog(), Bounds: Bounds{Nodes: 4000, Depth: 200, LiteralBytes: 256 << 10}}
		if _, err := c.MakeCall(x.recv, "concat", []*Node{x.arg}); err != nil || c.Calculates != x.want {
			t.Errorf("%s: %t %v", what, c.Calculates, err)
		}
	}
}

// TestBigIntegersComeBack: the text that an integer beyond 2^53 was shown as is the integer again.
func TestBigIntegersComeBack(t *testing.T) {
	for _, i := range []int64{scalar.SafeInteger + 1, -scalar.SafeInteger - 1, math.MaxInt64, math.MinInt64} {
		if x, ok := admit(&Type{Name: value.TypeInt}, value.Text(strconv.FormatInt(i, 10)), 0, nil); !ok || x.Int() != i {
			t.Errorf("%d came back as %v, %t", i, x, ok)
		}
	}
}

func typeVar(n string) *Term                        { return &Term{Var: n} }
func closed(n string) *Term                         { return &Term{Con: &Type{Name: n}} }
func applied(n string, args map[string]*Term) *Term { return &Term{App: n, Args: args} }
func columnOf(n, of string) *Type {
	return &Type{Name: n, Args: map[string]*Type{"of": {Name: of}}}
}

func interfaceOf(name string, is []string, expr bool, ms ...*Method) *Interface {
	i := &Interface{Name: name, Is: is, Expr: expr, Fields: map[string]*Property{}, Methods: map[string]*Method{}}
	for _, m := range ms {
		i.Methods[m.Name] = m
		i.Order = append(i.Order, m.Name)
	}
	return i
}

func mustBe(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}
