package proof

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// grouping is a random query with what it is grouped by and what its groups show.
type grouping struct {
	q     *Node
	ns    []string
	bind  int
	keys  []*Node
	value *Node
	cond  *Node

	moving int // of how many rows the frames are that move
}

func (g *generator) grouping() *grouping {
	for {
		g.joins, g.asks = 3, g.n(4)
		q, ns := g.query(nil, 0)
		if chained(q, "select") || chained(q, "distinct") { // refused: TestEval
			continue
		}
		b := callback{g.bind(), ns}
		in := []callback{b}
		out := &grouping{q: q, ns: aliasesOf(ns), bind: b.bind, cond: g.cond(in, 1)}
		for range 1 + g.n(2) {
			if k := g.ofKind(in, func(k Kind) bool { return k <= Decimal || k == Day || k == UUID }, 2); k != nil {
				out.keys = append(out.keys, k)
			}
		}
		out.value = g.ofKind(in, Kind.numeric, 2)
		if g.oneIn(3) || out.value == nil {
			out.value = g.ofKind(in, func(k Kind) bool { return k <= Decimal && k != Bool || k == Day }, 1)
		}
		if len(out.keys) > 0 && out.value != nil {
			return out
		}
	}
}

// chained reports whether a call is in the chain of a query, outside callbacks.
func chained(n *Node, op string) bool {
	for ; ; n = n.Args[0] {
		if n.Op == op {
			return true
		}
		if len(n.Args) == 0 {
			return false
		}
	}
}

// aggregates are those that a value of a kind has, in the order in which they are asked for.
func aggregates(k Kind) []string {
	if k.numeric() {
		return []string{"sum", "avg", "median", "min", "max", "countDistinct"}
	}
	return []string{"min", "max", "countDistinct"}
}

// program asks for each aggregate of all rows, and of the groups.
func (g *grouping) program(s *Schema, spelling uint64) string {
	p := &speller{s: s, refs: map[int]func(string) string{}, shared: map[*Node]int{}, named: map[*Node]string{}, r: rand.New(rand.NewPCG(spelling, 9))}
	q := p.query(g.q)
	of := func(n *Node) string {
		return p.callback(g.bind, g.ns, []*Node{n}, func() string { return p.expr(n) })
	}
	by := p.callback(g.bind, g.ns, g.keys, func() string {
		var ks []string
		for i, k := range g.keys {
			ks = append(ks, fmt.Sprintf("k%d: %s", i, p.expr(k)))
		}
		return "{ " + strings.Join(ks, ", ") + " }"
	})
	lists := "{ ...g, l: g.collect(" + of(g.value) + "), l2: g.where(" + of(g.cond) + ").collect(" + of(g.value) + ") }"
	show := "...g, n: g.count(), m: g.where(" + of(g.cond) + ").count()"
	var out []string
	for _, a := range aggregates(g.value.kind()) {
		out = append(out, "await q."+a+"("+of(g.value)+")")
		show += fmt.Sprintf(", %s: g.%s(%s), %s2: g.where(%s).%s(%s)", a, a, of(g.value), a, of(g.cond), a, of(g.value))
	}
	out = append(out, "await g.select(g => ({ "+show+" }))", "await g.where(g => g.count() > 1).count()", "await q.countBy("+by+")", "await g.select(g => ("+lists+"))", "(await g.orderBy(g => g.count().desc()).limit(2)).length",
		"await q.select("+p.callback(g.bind, g.ns, []*Node{g.value}, func() string { return "{ w: " + p.expr(g.value) + " }" })+").max(r => r.w)",
		"await g.select(g => ({ s: g.count(), h: g.where("+of(g.cond)+").count(), x: g.max("+of(g.value)+") })).groupBy(r => r.h).select(k => ({ h: k.h, n: k.count(), s: k.sum(r => r.s), x: k.max(r => r.x) }))")
	return strings.Join(p.lets, "\n") + "\nconst q = " + q + ";\nconst g = q.groupBy(" + by + ");\nreturn [" + strings.Join(out, ", ") + "];"
}

// aggregate is an aggregate of values, by the book.
func aggregate(name string, kind Kind, vs []Value) Value {
	vs = slices.DeleteFunc(slices.Clone(vs), func(v Value) bool { return v.Null })
	sort.SliceStable(vs, func(i, j int) bool { return order(vs[i], vs[j]) < 0 })
	switch {
	case name == "countDistinct":
		n := int64(0)
		for i := range vs {
			if i == 0 || order(vs[i-1], vs[i]) != 0 {
				n++
			}
		}
		return Value{Kind: Int, I: n}
	case len(vs) == 0:
		return Value{Null: true}
	case name == "min":
		return vs[0]
	case name == "max":
		return vs[len(vs)-1]
	}
	if name == "median" {
		mid := new(big.Rat).Add(vs[(len(vs)-1)/2].exact(), vs[len(vs)/2].exact())
		return Value{Kind: wider(kind, Float), R: mid.Mul(mid, big.NewRat(1, 2))}
	}
	sum := new(big.Rat)
	for _, v := range vs {
		sum.Add(sum, v.exact())
	}
	if name == "sum" {
		return Value{Kind: kind, R: sum}
	}
	return Value{Kind: wider(kind, Float), R: toZero(sum.Quo(sum, big.NewRat(int64(len(vs)), 1)), 20)}
}

// list is what collect gives. A row with a list in it is made for the program, so its numbers are those of JavaScript.
func list(vs []Value) string {
	out := []string{}
	for _, v := range vs {
		if !v.Null {
			out = append(out, alone(v))
		}
	}
	return "[" + strings.Join(out, ",") + "]"
}

// alone is a value that a program has by itself and not in a row: a number of JavaScript, whose
// engine takes 2^53 for a whole number, and those beyond for floats.
func alone(v Value) string {
	text := v.json()
	if f, err := strconv.ParseFloat(text, 64); v.Kind == Float && err == nil && math.Abs(f) == 1<<53 {
		return strconv.Quote(text)
	}
	return text
}

// groupOfGroups are the groups with as many rows for which a condition holds.
type groupOfGroups struct {
	n, sum int
	max    []Value
}

// want is what the program must give.
func (g *grouping) want(x *slow) string {
	type row struct {
		keys  []Value
		value Value
		holds bool
	}
	rs := x.eval(g.q)
	x.settle(rs)
	sort.SliceStable(rs.tuples, func(i, j int) bool { return x.before(rs, rs.tuples[i], rs.tuples[j]) })
	var rows []row
	for _, t := range rs.tuples {
		x.call(&Node{Bind: g.bind, NS: g.ns}, t)
		r := row{value: x.value(g.value), holds: x.cond(g.cond) == yes}
		for _, k := range g.keys {
			r.keys = append(r.keys, x.value(k))
		}
		rows = append(rows, r)
	}
	before := func(a, b row) int {
		for i := range a.keys {
			if c := order(a.keys[i], b.keys[i]); c != 0 {
				return c
			}
		}
		return 0
	}
	values := func(rows []row, all bool) (vs []Value) {
		for _, r := range rows {
			if all || r.holds {
				vs = append(vs, r.value)
			}
		}
		return vs
	}
	kind := g.value.kind()
	var out []string
	for _, a := range aggregates(kind) {
		out = append(out, alone(aggregate(a, kind, values(rows, true))))
	}
	slices.SortStableFunc(rows, before)
	var groups, counts, lists []string
	all, many := 0, 0
	of := map[int]*groupOfGroups{}
	greatest := alone(aggregate("max", kind, values(rows, true)))
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && before(rows[0], rows[n]) == 0 {
			n++
		}
		some := rows[:n]
		rows = rows[n:]
		all++
		if n > 1 {
			many++
		}
		text, keys := "", ""
		for i, k := range some[0].keys {
			text += fmt.Sprintf(`"k%d":%s,`, i, k.json())
			keys += fmt.Sprintf(`"k%d":%s,`, i, alone(k))
		}
		lists = append(lists, fmt.Sprintf(`{%s"l":%s,"l2":%s}`, keys, list(values(some, true)), list(values(some, false))))
		counts = append(counts, fmt.Sprintf(`{%s"count":%d}`, text, n))
		text += fmt.Sprintf(`"n":%d,"m":%d`, n, len(values(some, false)))
		for _, a := range aggregates(kind) {
			text += fmt.Sprintf(`,"%s":%s,"%s2":%s`, a, aggregate(a, kind, values(some, true)).json(), a, aggregate(a, kind, values(some, false)).json())
		}
		groups = append(groups, "{"+text+"}")
		h := len(values(some, false))
		if of[h] == nil {
			of[h] = &groupOfGroups{}
		}
		of[h].n, of[h].sum = of[h].n+1, of[h].sum+n
		of[h].max = append(of[h].max, aggregate("max", kind, values(some, true)))
	}
	var again []string
	for _, h := range slices.Sorted(maps.Keys(of)) {
		again = append(again, fmt.Sprintf(`{"h":%d,"n":%d,"s":%d,"x":%s}`, h, of[h].n, of[h].sum, aggregate("max", kind, of[h].max).json()))
	}
	return "[" + strings.Join(append(out, "["+strings.Join(groups, ",")+"]", strconv.Itoa(many), "["+strings.Join(counts, ",")+"]", "["+strings.Join(lists, ",")+"]", strconv.Itoa(min(all, 2)), greatest, "["+strings.Join(again, ",")+"]"), ",") + "]"
}

// TestRandomGroups compares aggregates and groups of random queries with the slow evaluator.
func TestRandomGroups(t *testing.T) {
	compareRandom(t, 3, 3000, 4, drawGroups)
}

// drawGroups draws aggregates and groups of a random query.
func drawGroups(gen *generator, s *Schema, x *slow) drawn {
	g := gen.grouping()
	want := g.want(x)
	return drawn{program: g.program(s, uint64(gen.n(1<<20))), slow: x, want: want, some: strings.Contains(want, `"n":`)}
}
