package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// combined is two random queries that show values of the same kinds.
type combined struct{ arms [2]armOf }

type armOf struct {
	q     *Node
	ns    []string
	bind  int
	shows []*Node
}

func (g *generator) combined() combined {
	for {
		var c combined
		var in [2][]callback
		for i := range c.arms {
			g.joins, g.asks = 2, g.n(3)
			q, ns := g.query(nil, 0)
			b := callback{g.bind(), ns}
			c.arms[i], in[i] = armOf{q: q, ns: aliasesOf(ns), bind: b.bind}, []callback{b}
		}
		if chained(c.arms[0].q, "select") || chained(c.arms[1].q, "select") {
			continue
		}
		for range 1 + g.n(2) {
			a := g.ofKind(in[0], func(k Kind) bool { return k <= Decimal || k == Day || k == UUID }, 2)
			if a == nil {
				continue
			}
			if b := g.ofKind(in[1], func(k Kind) bool { return k == a.kind() }, 2); b != nil {
				c.arms[0].shows, c.arms[1].shows = append(c.arms[0].shows, a), append(c.arms[1].shows, b)
			}
		}
		if len(c.arms[0].shows) > 0 {
			return c
		}
	}
}

var setNames = []string{"union", "unionAll", "concat", "intersect", "except"}

func (c *combined) program(s *Schema, spelling uint64) string {
	p := &speller{s: s, refs: map[int]func(string) string{}, shared: map[*Node]int{}, named: map[*Node]string{}, r: rand.New(rand.NewPCG(spelling, 9))}
	var arms, by []string
	for _, a := range c.arms {
		q := p.query(a.q)
		arms = append(arms, q+".select("+p.callback(a.bind, a.ns, a.shows, func() string {
			var vs []string
			for i, x := range a.shows {
				vs = append(vs, fmt.Sprintf("v%d: %s", i, p.expr(x)))
			}
			return "{ " + strings.Join(vs, ", ") + " }"
		})+")")
	}
	for i := range c.arms[0].shows {
		by = append(by, fmt.Sprintf("r.v%d", i))
	}
	var out []string
	for _, set := range setNames {
		out = append(out, fmt.Sprintf("await a.%s(b).orderBy(r => [%s])", set, strings.Join(by, ", ")), fmt.Sprintf("await a.%s(b).where(r => r.v0 !== null).count()", set))
	}
	return strings.Join(p.lets, "\n") + "\nconst a = " + arms[0] + ";\nconst b = " + arms[1] + ";\nreturn [" + strings.Join(out, ", ") + "];"
}

// want is what the program must give.
func (c *combined) want(x *slow) string {
	compare := func(a, b []Value) int {
		for i := range a {
			if c := order(a[i], b[i]); c != 0 {
				return c
			}
		}
		return 0
	}
	var arms [2][][]Value
	for i, a := range c.arms {
		rs := x.eval(a.q)
		x.settle(rs)
		for _, t := range rs.tuples {
			x.call(&Node{Bind: a.bind, NS: a.ns}, t)
			var row []Value
			for _, n := range a.shows {
				row = append(row, x.value(n))
			}
			arms[i] = append(arms[i], row)
		}
	}
	has := func(rows [][]Value, r []Value) bool {
		return slices.ContainsFunc(rows, func(o []Value) bool { return compare(o, r) == 0 })
	}
	var out []string
	for _, set := range setNames {
		var rows [][]Value
		for i, arm := range arms {
			for _, r := range arm {
				switch set {
				case "union":
					if has(rows, r) {
						continue
					}
				case "intersect", "except":
					if i > 0 || has(rows, r) || has(arms[1], r) != (set == "intersect") {
						continue
					}
				}
				rows = append(rows, r)
			}
		}
		slices.SortStableFunc(rows, compare)
		var texts []string
		some := 0
		for _, r := range rows {
			var cells []string
			for i, v := range r {
				cells = append(cells, fmt.Sprintf(`"v%d":%s`, i, v.json()))
			}
			texts = append(texts, "{"+strings.Join(cells, ",")+"}")
			if !r[0].Null {
				some++
			}
		}
		out = append(out, "["+strings.Join(texts, ",")+"]", strconv.Itoa(some))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// TestRandomSets compares two random queries together with the slow evaluator.
func TestRandomSets(t *testing.T) {
	compareRandom(t, 5, 2000, 4, drawSets)
}

// drawSets draws two random queries together.
func drawSets(gen *generator, s *Schema, x *slow) drawn {
	g := gen.combined()
	want := g.want(x)
	return drawn{program: g.program(s, uint64(gen.n(1<<20))), slow: x, want: want, some: strings.Contains(want, `"v0":`)}
}
