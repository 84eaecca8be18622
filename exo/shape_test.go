package exo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/exoagent/exoagent/internal/scalar"
)

func shapeOf(t *testing.T, x Expr) *Checked {
	t.Helper()
	c, err := checker().Check(x)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What a plan may depend on is in the shape; what is only bound is not.
func TestShape(t *testing.T) {
	where := func(col, method string, x Value) Expr {
		return msg(ref(todosID), param(0, "where", 0), fld(1, "todo"), fld(2, col), lit(x), call(3, method, 4), lam(1, 5), call(0, "where", 6), call(7, "execute"))
	}
	in := func(is ...int64) Expr {
		var vs []Value
		for _, i := range is {
			vs = append(vs, Int(i))
		}
		return where("id", "in", List(vs...))
	}
	as := func(s string) Expr { return msg(ref(todosID), txt(s), call(0, "as", 1), call(2, "execute")) }
	sample := func(x Value) Expr { return msg(ref(todosID), lit(x), call(0, "sample", 1), call(2, "execute")) }
	sel := func(names ...string) Expr {
		return msg(ref(todosID), param(0, "select", 0), fld(1, "todo"), fld(2, "id"), fld(2, "title"), record(names, 3, 4), lam(1, 5), call(0, "select", 6), call(7, "execute"))
	}
	put := func(x Value) Expr { return msg(ref(mailID), lit(x), call(0, "put", 1)) }
	rec := func(n string, x Value) Value { return RecordValue(Field{n, x}) }
	for _, c := range []struct {
		what string
		a, b Expr
		same bool
	}{
		{"a number", where("id", "eq", Int(1)), where("id", "eq", Int(2)), true},
		{"a number and a column", where("id", "eq", Int(1)), where("title", "eq", Text("1")), false},
		{"another column of one type", where("title", "eq", Text("a")), where("diary", "eq", Text("a")), false},
		{"another name of one method", where("title", "eq", Text("a")), where("title", "=", Text("a")), true},
		{"a number written as text", where("id", "eq", Int(9007199254740993)), where("id", "eq", Text("9007199254740993")), true},
		{"lists of one class", in(1, 2, 3), in(4, 5, 6, 7), true},
		{"lists of two classes", in(1, 2), in(1, 2, 3), false},
		{"an empty list", in(1), in(), false},
		{"an alias", as("a"), as("b"), false},
		{"a static number", sample(Int(1)), sample(Int(2)), false},
		{"a static number again", sample(Int(2)), sample(Float(2)), true},
		{"names of the result", sel("a", "b"), sel("b", "a"), false},
		{"names that run together", sel("ab", "c"), sel("a", "bc"), false},
		{"names with the encoding's signs", sel("a:b", "c"), sel("a", "b:c"), false},
		{"names that look like the encoding", sel("a1:b", "c"), sel("a", "1:bc"), false},
		{"another object", msg(ref(todosID), call(0, "count")), msg(ref(usersID), call(0, "count")), true}, // Refs differ: the object that evaluates tells them apart
		{"another method", msg(ref(todosID), call(0, "count")), msg(ref(todosID), call(0, "execute")), false},
		{"null", put(Null()), put(Int(0)), false},
		{"a float", put(Float(0.5)), put(Int(0)), false},
		{"names in a literal", put(rec("a", Int(1))), put(rec("b", Int(1))), false},
		{"kinds in a literal", put(rec("a", Int(1))), put(rec("a", Null())), false},
		{"values in a literal", put(rec("a", Int(1))), put(rec("a", Int(2))), true},
		{"names in a list of records", put(List(rec("a", Int(1)))), put(List(rec("b", Int(1)))), false},
		{"values in a list of records", put(List(rec("a", Int(1)))), put(List(rec("a", Int(2)))), true},
		{"nulls in a list", put(List(Int(1), Null())), put(List(Int(1), Int(2))), false},
		{"records and what follows", put(List(rec("a", Int(1)), Int(2))), put(rec("a", List(Int(1), Int(2)))), false},
	} {
		a, b := shapeOf(t, c.a), shapeOf(t, c.b)
		if (a.Shape == b.Shape) != c.same {
			t.Errorf("%s: same shape %t, want %t: %q %q", c.what, !c.same, c.same, a.Shape, b.Shape)
		}
	}
	// The same shape with other arguments: what differs is in Args.
	a, b := shapeOf(t, where("id", "eq", Int(1))), shapeOf(t, where("id", "eq", Int(2)))
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
func skeleton(n *Node, at map[*Node]int) string {
	if n == nil {
		return "-"
	}
	if i, ok := at[n]; ok {
		return fmt.Sprint("same as ", i)
	}
	at[n] = len(at)
	switch n.Op {
	case OpLit:
		return "literal " + literalSkeleton(n.Lit)
	case OpRef:
		return fmt.Sprint("object ", n.Slot)
	case OpParam:
		return fmt.Sprintf("(param %s %q %d)", skeleton(n.Recv, at), n.Name, n.Arg)
	}
	parts := []string{skeleton(n.Recv, at)}
	for i, a := range n.Args {
		if n.Op == OpCall && n.Method().Params[i].Static {
			parts = append(parts, fmt.Sprintf("static %d %q", a.Lit.Kind(), a.Lit))
			continue
		}
		parts = append(parts, skeleton(a, at))
	}
	return fmt.Sprintf("(%d %q %q %s)", n.Op, n.Name, n.Names, strings.Join(parts, " "))
}

func literalSkeleton(v Value) string {
	s := fmt.Sprint("kind ", v.Kind())
	switch v.Kind() {
	case kindList:
		kinds, nested := map[valueKind]bool{}, ""
		for i := range v.Len() {
			kinds[v.At(i).Kind()] = true
			nested += literalSkeleton(v.At(i)) + ","
		}
		s += fmt.Sprint(" class ", scalar.ListClass(v.Len()), kinds)
		if kinds[kindList] || kinds[kindRecord] {
			s += "[" + nested + "]"
		}
	case kindRecord:
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
func (p plan) build(t *rapid.T, seed int64) *Node {
	c := checker()
	must := func(n *Node, err error) *Node {
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	value := func(col string) Value {
		seed++
		switch col {
		case "id":
			return Int(seed)
		case "done":
			return Bool(seed%2 == 0)
		}
		return Text(fmt.Sprint("text ", seed))
	}
	last := map[string]*Node{}
	literal := func(key string, v Value, share bool) *Node {
		if last[key] == nil || !share {
			last[key] = must(c.MakeLit(v))
		}
		return last[key]
	}
	alias := "todo"
	q := must(c.MakeRef(todosID))
	with := func(method string, body func(row *Node) *Node) {
		prm := must(c.MakeParam(q, method, 0, nil))
		q = must(c.MakeCall(q, method, []*Node{must(c.MakeLambda(prm, body(must(c.MakeField(prm, alias)))))}))
	}
	for _, s := range p {
		switch s.op {
		case "where":
			with("where", func(row *Node) *Node {
				return must(c.MakeCall(must(c.MakeField(row, s.col)), "eq", []*Node{literal(s.col, value(s.col), s.share)}))
			})
		case "in":
			var vs []Value
			for range s.n {
				vs = append(vs, value(s.col))
			}
			with("where", func(row *Node) *Node {
				return must(c.MakeCall(must(c.MakeField(row, s.col)), "in", []*Node{must(c.MakeLit(List(vs...)))}))
			})
		case "limit":
			q = must(c.MakeCall(q, "limit", []*Node{literal("id", value("id"), s.share)}))
		case "as":
			q, alias = must(c.MakeCall(q, "as", []*Node{must(c.MakeLit(Text(s.name)))})), s.name
		case "sample":
			q = must(c.MakeCall(q, "sample", []*Node{must(c.MakeLit(Int(int64(s.n))))}))
		case "select":
			with("select", func(row *Node) *Node {
				return must(c.MakeRecord([]string{s.name, "x"}, []*Node{must(c.MakeField(row, s.col)), row}))
			})
		case "orderBy":
			with("orderBy", func(row *Node) *Node {
				return must(c.MakeList([]*Node{must(c.MakeField(row, s.col)), must(c.MakeCall(must(c.MakeField(row, s.col)), "desc", nil))}))
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
		check := func(n *Node) (*Checked, string) {
			x, err := checker().Check(n.Expr())
			if err != nil {
				t.Fatal(err)
			}
			return x, skeleton(x.Root, map[*Node]int{})
		}
		a, sa := check(p.build(t, 0))
		a2, _ := check(p.build(t, 1001))
		b, sb := check(q.build(t, 0))
		if a.Shape != a2.Shape || len(a.Args) != len(a2.Args) {
			t.Fatalf("other literals, another shape: %q %q", a.Shape, a2.Shape)
		}
		if len(a.Args) > 0 && slices.EqualFunc(a.Args, a2.Args, Equal) {
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
		check := func(v Value) (*Checked, error) { return checker().Check(msg(ref(mailID), lit(v), call(0, "put", 1))) }
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
func anyData(t *rapid.T, depth int) Value {
	switch rapid.IntRange(0, 7-2*min(1, depth/4)).Draw(t, "kind") {
	case 0:
		return Null()
	case 1:
		return Bool(rapid.Bool().Draw(t, "b"))
	case 2:
		return Int(rapid.Int64Range(-scalar.SafeInteger, scalar.SafeInteger).Draw(t, "i"))
	case 3:
		return Float(rapid.Float64Range(-1e300, 1e300).Draw(t, "f"))
	case 4:
		return Text(rapid.StringMatching(`[a-zä€😀" ]{0,9}`).Draw(t, "s"))
	case 5:
		return Time(time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "t")))
	case 6:
		vs := []Value{}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			vs = append(vs, anyData(t, depth+1))
		}
		return List(vs...)
	}
	var fs []Field
	for _, n := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 0, 4, rapid.ID[string]).Draw(t, "names") {
		fs = append(fs, Field{n, anyData(t, depth+1)})
	}
	return RecordValue(fs...)
}
