package exo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

func shapeOf(t *testing.T, x message.Expr) *message.Checked {
	t.Helper()
	c, err := checker().Check(x)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What a plan may depend on is in the shape; what is only bound is not.
func TestShape(t *testing.T) {
	where := func(col, method string, x value.Value) message.Expr {
		return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, col), lit(x), call(3, method, 4), lam(1, 5), call(0, "where", 6), call(7, "execute"))
	}
	in := func(is ...int64) message.Expr {
		var vs []value.Value
		for _, i := range is {
			vs = append(vs, value.Int(i))
		}
		return where("id", "in", value.List(vs...))
	}
	as := func(s string) message.Expr { return msg(ref(todosID), txt(s), call(0, "as", 1), call(2, "execute")) }
	sample := func(x value.Value) message.Expr {
		return msg(ref(todosID), lit(x), call(0, "sample", 1), call(2, "execute"))
	}
	sel := func(names ...string) message.Expr {
		return msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), fld(2, "id"), fld(2, "title"), record(names, 3, 4), lam(1, 5), call(0, "select", 6), call(7, "execute"))
	}
	put := func(x value.Value) message.Expr { return msg(ref(mailID), lit(x), call(0, "put", 1)) }
	rec := func(n string, x value.Value) value.Value { return value.RecordValue(value.Field{Name: n, Value: x}) }
	for _, c := range []struct {
		what string
		a, b message.Expr
		same bool
	}{
		{"a number", where("id", "eq", value.Int(1)), where("id", "eq", value.Int(2)), true},
		{"a number and a column", where("id", "eq", value.Int(1)), where("title", "eq", value.Text("1")), false},
		{"another column of one type", where("title", "eq", value.Text("a")), where("diary", "eq", value.Text("a")), false},
		{"an operator and the method's own name", where("title", "eq", value.Text("a")), where("title", "=", value.Text("a")), false}, // the object may tell them apart
		{"a number written as text", where("id", "eq", value.Int(9007199254740993)), where("id", "eq", value.Text("9007199254740993")), true},
		{"lists of one class", in(1, 2, 3), in(4, 5, 6, 7), true},
		{"lists of two classes", in(1, 2), in(1, 2, 3), false},
		{"an empty list", in(1), in(), false},
		{"an alias", as("a"), as("b"), false},
		{"a static number", sample(value.Int(1)), sample(value.Int(2)), false},
		{"a static number again", sample(value.Int(2)), sample(value.Float(2)), true},
		{"names of the result", sel("a", "b"), sel("b", "a"), false},
		{"names that run together", sel("ab", "c"), sel("a", "bc"), false},
		{"names with the encoding's signs", sel("a:b", "c"), sel("a", "b:c"), false},
		{"names that look like the encoding", sel("a1:b", "c"), sel("a", "1:bc"), false},
		{"another object", msg(ref(todosID), call(0, "count")), msg(ref(usersID), call(0, "count")), true}, // Refs differ: the object that evaluates tells them apart
		{"another method", msg(ref(todosID), call(0, "count")), msg(ref(todosID), call(0, "execute")), false},
		{"null", put(value.Null()), put(value.Int(0)), false},
		{"a float", put(value.Float(0.5)), put(value.Int(0)), false},
		{"names in a literal", put(rec("a", value.Int(1))), put(rec("b", value.Int(1))), false},
		{"kinds in a literal", put(rec("a", value.Int(1))), put(rec("a", value.Null())), false},
		{"values in a literal", put(rec("a", value.Int(1))), put(rec("a", value.Int(2))), true},
		{"names in a list of records", put(value.List(rec("a", value.Int(1)))), put(value.List(rec("b", value.Int(1)))), false},
		{"values in a list of records", put(value.List(rec("a", value.Int(1)))), put(value.List(rec("a", value.Int(2)))), true},
		{"nulls in a list", put(value.List(value.Int(1), value.Null())), put(value.List(value.Int(1), value.Int(2))), false},
		{"records and what follows", put(value.List(rec("a", value.Int(1)), value.Int(2))), put(rec("a", value.List(value.Int(1), value.Int(2)))), false},
	} {
		a, b := shapeOf(t, c.a), shapeOf(t, c.b)
		if (a.Shape == b.Shape) != c.same {
			t.Errorf("%s: same shape %t, want %t: %q %q", c.what, !c.same, c.same, a.Shape, b.Shape)
		}
	}
	// The same shape with other arguments: what differs is in Args.
	a, b := shapeOf(t, where("id", "eq", value.Int(1))), shapeOf(t, where("id", "eq", value.Int(2)))
	if len(a.Args) != 1 || a.Args[0].Int() != 1 || b.Args[0].Int() != 2 {
		t.Error(a.Args, b.Args)
	}
	// A static literal is no argument.
	if a := shapeOf(t, as("a")); len(a.Args) != 0 {
		t.Error(a.Args)
	}
	// Objects are numbered in order of use, each once.
	if a := shapeOf(t, msg(ref(usersID), ref(todosID), ref(usersID), txt("u"), call(2, "as", 3), call(0, "join", 1), call(5, "join", 4), call(6, "count"))); !slices.Equal(a.Refs, []uint32{usersID, todosID}) {
		t.Error(a.Refs)
	}
}

// skeleton writes what two messages must have in common to be one but for
// their literals. It is the specification of Shape, without its encoding.
func skeleton(n *message.Node, at map[*message.Node]int) string {
	if n == nil {
		return "-"
	}
	if i, ok := at[n]; ok {
		return fmt.Sprint("same as ", i)
	}
	at[n] = len(at)
	switch n.Op {
	case message.OpLit:
		return "literal " + literalSkeleton(n.Lit)
	case message.OpRef:
		return fmt.Sprint("object ", n.Slot)
	case message.OpParam:
		return fmt.Sprintf("(param %s %q %d)", skeleton(n.Recv, at), n.Name, n.Arg)
	}
	parts := []string{skeleton(n.Recv, at)}
	for i, a := range n.Args {
		if n.Op == message.OpCall && n.Method().Params[i].Static {
			parts = append(parts, fmt.Sprintf("static %d %q", a.Lit.Kind(), a.Lit))
			continue
		}
		parts = append(parts, skeleton(a, at))
	}
	return fmt.Sprintf("(%d %q %q %s)", n.Op, n.Name, n.Names, strings.Join(parts, " "))
}

func literalSkeleton(v value.Value) string {
	s := fmt.Sprint("kind ", v.Kind())
	switch v.Kind() {
	case value.KindList:
		kinds, nested := map[value.Kind]bool{}, ""
		for i := range v.Len() {
			kinds[v.At(i).Kind()] = true
			nested += literalSkeleton(v.At(i)) + ","
		}
		s += fmt.Sprint(" class ", scalar.ListClass(v.Len()), kinds)
		if kinds[value.KindList] || kinds[value.KindRecord] {
			s += "[" + nested + "]"
		}
	case value.KindRecord:
		for n, f := range v.Fields() {
			s += fmt.Sprintf(" {%q: %s}", n, literalSkeleton(f))
		}
	}
	return s
}

// plan is a message without its literals' values.
type plan []step

type step struct {
	op, col, name string
	n             int
	share         bool // use the last literal again
}

func drawPlan(t *rapid.T) plan {
	col := rapid.SampledFrom([]string{"id", "title", "done", "diary"})
	var p plan
	for range rapid.IntRange(0, 3).Draw(t, "steps") {
		p = append(p, step{
			op:  rapid.SampledFrom([]string{"where", "in", "limit", "as", "sample", "select", "orderBy"}).Draw(t, "op"),
			col: col.Draw(t, "col"), name: rapid.SampledFrom([]string{"a", "b", "ab", "a1", "todo"}).Draw(t, "name"),
			n: rapid.IntRange(1, 3).Draw(t, "n"), share: rapid.Bool().Draw(t, "share"),
		})
	}
	return append(p, step{op: rapid.SampledFrom([]string{"execute", "count", "remove"}).Draw(t, "send")})
}

// build makes the message as a recorder does; its literals come from seed.
func (p plan) build(t *rapid.T, seed int64) *message.Node {
	c := checker()
	must := func(n *message.Node, err error) *message.Node {
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	val := func(col string) value.Value {
		seed++
		switch col {
		case "id":
			return value.Int(seed)
		case "done":
			return value.Bool(seed%2 == 0)
		}
		return value.Text(fmt.Sprint("text ", seed))
	}
	last := map[string]*message.Node{}
	literal := func(key string, v value.Value, share bool) *message.Node {
		if last[key] == nil || !share {
			last[key] = must(c.MakeLit(v))
		}
		return last[key]
	}
	alias := "todo"
	q := must(c.MakeRef(todosID))
	with := func(method string, body func(row *message.Node) *message.Node) {
		prm := must(c.MakeParam(q, method, 0, nil))
		q = must(c.MakeCall(q, method, []*message.Node{must(c.MakeLambda(prm, body(must(c.MakeField(prm, alias)))))}))
	}
	for _, s := range p {
		switch s.op {
		case "where":
			with("where", func(row *message.Node) *message.Node {
				return must(c.MakeCall(must(c.MakeField(row, s.col)), "eq", []*message.Node{literal(s.col, val(s.col), s.share)}))
			})
		case "in":
			var vs []value.Value
			for range s.n {
				vs = append(vs, val(s.col))
			}
			with("where", func(row *message.Node) *message.Node {
				return must(c.MakeCall(must(c.MakeField(row, s.col)), "in", []*message.Node{must(c.MakeLit(value.List(vs...)))}))
			})
		case "limit":
			q = must(c.MakeCall(q, "limit", []*message.Node{literal("id", val("id"), s.share)}))
		case "as":
			q, alias = must(c.MakeCall(q, "as", []*message.Node{must(c.MakeLit(value.Text(s.name)))})), s.name
		case "sample":
			q = must(c.MakeCall(q, "sample", []*message.Node{must(c.MakeLit(value.Int(int64(s.n))))}))
		case "select":
			with("select", func(row *message.Node) *message.Node {
				return must(c.MakeRecord([]string{s.name, "x"}, []*message.Node{must(c.MakeField(row, s.col)), row}))
			})
		case "orderBy":
			with("orderBy", func(row *message.Node) *message.Node {
				return must(c.MakeList([]*message.Node{must(c.MakeField(row, s.col)), must(c.MakeCall(must(c.MakeField(row, s.col)), "desc", nil))}))
			})
		default:
			q = must(c.MakeCall(q, s.op, nil))
		}
	}
	return q
}

// Two messages have one shape exactly if they are one but for their literals.
func TestShapeIsSkeleton(t *testing.T) {
	same := 0
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawPlan(t), drawPlan(t)
		if rapid.Bool().Draw(t, "close") { // a neighbour that differs in one thing at most
			q = slices.Clone(p)
			s := &q[rapid.IntRange(0, len(q)-1).Draw(t, "step")]
			d := drawPlan(t)[0]
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				s.col = "title"
			case 1:
				s.name = "ab"
			case 2:
				s.n = 2
			case 3:
				s.share = !s.share
			case 4:
				if len(q) > 1 && s != &q[len(q)-1] && d.col != "" {
					*s = d
				}
			}
		}
		check := func(n *message.Node) (*message.Checked, string) {
			x, err := checker().Check(n.Expr())
			if err != nil {
				t.Fatal(err)
			}
			return x, skeleton(x.Root, map[*message.Node]int{})
		}
		a, sa := check(p.build(t, 0))
		a2, _ := check(p.build(t, 1001))
		b, sb := check(q.build(t, 0))
		if a.Shape != a2.Shape || len(a.Args) != len(a2.Args) {
			t.Fatalf("other literals, another shape: %q %q", a.Shape, a2.Shape)
		}
		if len(a.Args) > 0 && slices.EqualFunc(a.Args, a2.Args, value.Equal) {
			t.Fatalf("other literals, the same arguments: %v", a.Args)
		}
		if (a.Shape == b.Shape) != (sa == sb) {
			t.Fatalf("%q\n%q\n%s\n%s", a.Shape, b.Shape, sa, sb)
		}
		if sa == sb {
			same++
		}
	})
	if same == 0 {
		t.Error("no two messages were alike: the test is blind on one eye")
	}
}

// The same for literals alone, whose names and kinds an attacker chooses freely.
func TestShapeOfLiterals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyData(t, 0)
		b := anyData(t, 0)
		check := func(v value.Value) (*message.Checked, error) {
			return checker().Check(msg(ref(mailID), lit(v), call(0, "put", 1)))
		}
		x, err1 := check(a)
		y, err2 := check(b)
		if err1 != nil || err2 != nil {
			t.Skip("refused")
		}
		if (x.Shape == y.Shape) != (literalSkeleton(a) == literalSkeleton(b)) {
			t.Fatalf("%v and %v: %q and %q", a, b, x.Shape, y.Shape)
		}
	})
}

// anyData draws plain data.
func anyData(t *rapid.T, depth int) value.Value {
	switch rapid.IntRange(0, 7-2*min(1, depth/4)).Draw(t, "kind") {
	case 0:
		return value.Null()
	case 1:
		return value.Bool(rapid.Bool().Draw(t, "b"))
	case 2:
		return value.Int(rapid.Int64Range(-scalar.SafeInteger, scalar.SafeInteger).Draw(t, "i"))
	case 3:
		return value.Float(rapid.Float64Range(-1e300, 1e300).Draw(t, "f"))
	case 4:
		return value.Text(rapid.StringMatching(`[a-zä€😀" ]{0,9}`).Draw(t, "s"))
	case 5:
		return value.Time(time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "t")))
	case 6:
		vs := []value.Value{}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			vs = append(vs, anyData(t, depth+1))
		}
		return value.List(vs...)
	}
	var fs []value.Field
	for _, n := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 0, 4, rapid.ID[string]).Draw(t, "names") {
		fs = append(fs, value.Field{Name: n, Value: anyData(t, depth+1)})
	}
	return value.RecordValue(fs...)
}
