package exo

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/wire"
)

// totalCatalog has an expression with a method that is total, beside those that read.
func totalCatalog() Catalog {
	text := &Term{Wide: []*Term{con(TypeText)}, To: map[string]string{TypeText: "Text"}}
	return Catalog{
		"Text": {Name: "Text", Expr: true, Fields: map[string]*Property{"length": {Type: column("Text", TypeText)}}, Methods: map[string]*Method{
			"lower":  {Name: "lower", Total: true, Result: text},
			"concat": {Name: "concat", Total: true, Params: []Param{{Name: "the text", Want: con(TypeText)}}, Result: text},
			"cut":    {Name: "cut", Result: text},
		}},
	}
}

// TestTotals: what a total method gives shows what its receiver and its arguments show, and nothing of them is read; whatever else is done
// with it reads it.
func TestTotals(t *testing.T) {
	c := &Checker{Catalog: totalCatalog(), Bounds: Limits{}.OrDefault().Message()}
	a, b := &Node{Op: OpField, Type: labelled(column("Text", TypeText), NewLabel("a")), size: 1}, &Node{Op: OpField, Type: labelled(column("Text", TypeText), NewLabel("b", Untrusted)), size: 1}
	call := func(recv *Node, name string, args ...*Node) *Node {
		t.Helper()
		n, err := c.MakeCall(recv, name, args)
		wantOK(t, name, err)
		return n
	}
	length, err := c.MakeField(call(a, "lower"), "length")
	wantOK(t, "length", err)
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
		if shows := c.Catalog.shows(x.n.Type).String(); x.n.label.String() != x.reads || shows != x.shows {
			t.Errorf("%s: reads %v and shows %s, want %s and %s", what, x.n.label, shows, x.reads, x.shows)
		}
	}
	r, err := c.MakeRecord([]string{"x", "y"}, []*Node{call(a, "lower"), call(b, "concat", b)})
	if err != nil || !r.label.Empty() || c.Catalog.shows(r.Type).String() != "{a,b,untrusted}" {
		t.Errorf("a selection: %v %v", r, err)
	}
}

// TestTotalIsOfExpressions: what can't be total isn't declared so, and a policy can't say it of what it doesn't own. It may take it away.
func TestTotalIsOfExpressions(t *testing.T) {
	for what, change := range map[string]func(*Interface, *Method){
		"of no expression": func(i *Interface, _ *Method) { i.Expr = false }, "one that sends": func(_ *Interface, m *Method) { m.Sends = true }, "of records": func(_ *Interface, m *Method) { m.Row = true },
		"nested": func(_ *Interface, m *Method) { m.Nested = con(TypeInt) }, "with a callback": func(_ *Interface, m *Method) {
			m.Params = []Param{{Name: "f", Want: con(TypeText), Lambda: con(TypeText)}}
		},
		"with an effect": func(_ *Interface, m *Method) { m.Sends, m.Effect = true, InUnit },
	} {
		i := totalCatalog()["Text"]
		wantOK(t, "as it is", i.validate())
		change(i, i.Methods["lower"])
		if err := i.validate(); err == nil {
			t.Errorf("%s: total", what)
		}
	}
	d := Description{Type: &Type{Name: "Text"}, Interfaces: []*Interface{totalCatalog()["Text"]}}
	want := d.clone()
	want.Interfaces[0].Methods["cut"].Total = true
	if _, _, err := d.meet(want); err == nil || !strings.Contains(err.Error(), "Text.cut: it is total now") {
		t.Error(err)
	}
	want = d.clone()
	want.Interfaces[0].Methods["lower"].Total = false
	if met, _, err := d.meet(want); err != nil || met.Interfaces[0].Methods["lower"].Total || !met.Interfaces[0].Methods["concat"].Total {
		t.Errorf("%v %v", met, err)
	}
}

// TestTotalCrosses: a worker's catalogue says what is total, and the digest of what was granted goes by it.
func TestTotalCrosses(t *testing.T) {
	cat := totalCatalog()
	e := Encoder{}
	WriteGrants(&e, nil, cat)
	d := Decoder{Reader: wire.NewReader(string(e.B))}
	_, got := ReadGrants(&d)
	if d.Err() != nil || !got["Text"].Methods["lower"].Total || got["Text"].Methods["cut"].Total || got["Text"].Methods["lower"].Effect != NoEffect || got["Text"].Methods["lower"].Nested != nil {
		t.Fatalf("%v %v", got, d.Err())
	}
	before := digestGrants(cat, nil)
	cat["Text"].Methods["lower"].Total = false
	if digestGrants(cat, nil) == before {
		t.Error("the digest does not tell")
	}
}

// TestCalculated: of what comes with something that a program calculates from labelled values, a declassifier tells nothing: by
// concat a program would ask one question of ten secrets.
func TestCalculated(t *testing.T) {
	a, plain := &Node{Op: OpField, Type: labelled(column("Text", TypeText), NewLabel("a")), size: 1}, &Node{Op: OpField, Type: column("Text", TypeText), size: 1}
	for what, x := range map[string]struct {
		recv, arg *Node
		want      bool
	}{"of what is labelled": {a, plain, true}, "with what is labelled": {plain, a, true}, "of what is not": {plain, plain, false}} {
		c := &Checker{Catalog: totalCatalog(), Bounds: Limits{}.OrDefault().Message()}
		if _, err := c.MakeCall(x.recv, "concat", []*Node{x.arg}); err != nil || c.calculates != x.want {
			t.Errorf("%s: %t %v", what, c.calculates, err)
		}
	}
	s := &Session{contents: []content{{plain: Text("a")}, {plain: Text("b")}, {plain: Text("c")}}, calculated: [][2]uint64{{1, 2}}}
	for i, want := range []bool{false, true, false} {
		if v := (Value{kind: kindSealed, bits: uint64(i)}); s.holdsRecipe(v) != want || s.holdsRecipe(List(v)) != want || s.holdsRecipe(RecordValue(Field{"x", v})) != want {
			t.Errorf("cell %d: not %t", i, want)
		}
	}
}
