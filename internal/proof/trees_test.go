package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// grown is a tree over a link from a facet to itself: below rows of a random query, and below each of them.
type grown struct {
	q     *Node
	m     member
	link  int
	depth int // 0: as deep as it goes
	cond  *Node
	bind  int
}

// grown draws a tree, or nil where no facet has such a link.
func (g *generator) grown() *grown {
	for range 20 {
		q, m := g.base(nil)
		var links []int
		for _, v := range g.s.Facets[m.facet].Links {
			if v.Facet == m.facet {
				links = append(links, v.Link)
			}
		}
		if len(links) == 0 {
			continue
		}
		if g.oneIn(2) {
			b := callback{g.bind(), []member{m}}
			q = &Node{Op: "where", Args: []*Node{q, g.cond([]callback{b}, 1)}, Bind: b.bind, NS: aliasesOf(b.ns)}
		}
		t := &grown{q: q, m: m, link: pick(g.draws, links), depth: g.n(4), bind: g.bind()}
		t.cond = g.cond([]callback{{t.bind, []member{m}}}, 1)
		return t
	}
	return nil
}

func (t *grown) program(s *Schema, spelling uint64) string {
	p := &speller{s: s, refs: map[int]func(string) string{}, shared: map[*Node]int{}, named: map[*Node]string{}, r: rand.New(rand.NewPCG(spelling, 12))}
	q := p.query(t.q)
	cond := p.callback(t.bind, []string{t.m.alias}, []*Node{t.cond}, func() string { return p.expr(t.cond) })
	tree := "." + linkNames[s.Links[t.link].Name] + "().recursive("
	if t.depth > 0 {
		tree += strconv.Itoa(t.depth)
	}
	tree += ")"
	show := ".orderBy(x => x.note).select(x => ({ note: x.note, d: x.depth }))"
	return strings.Join(p.lets, "\n") + "\nconst q = " + q + ";\nreturn [await q" + tree + show + ", await q" + tree + ".where(" + cond + ")" + show +
		", (await q.select(t => ({ note: t.note, n: t" + tree + ".count(), m: t" + tree + ".max(x => x.depth), all: t" + tree + show + " }))).sort((a, b) => a.note < b.note ? -1 : 1)];"
}

// below are the rows that the link reaches from rows, and from those, through rows in scope; each with its least depth.
func (t *grown) below(x *slow, from []int) map[int]int {
	table, l, v := x.s.Facets[t.m.facet].Table, x.s.Links[t.link], x.grants[t.m.grant]
	found := map[int]int{}
	for d := 1; len(from) > 0 && (t.depth == 0 || d <= t.depth); d++ {
		var next []int
		for r := range x.data[table] {
			if _, seen := found[r]; !seen && x.inScope(v, table, r) && slices.ContainsFunc(from, func(p int) bool { return x.linked(l, p, r) }) {
				found[r] = d
				next = append(next, r)
			}
		}
		from = next
	}
	return found
}

// want is what the program must give, and whether some row is deeper than the link itself reaches.
func (t *grown) want(x *slow) (string, bool) {
	rs := x.eval(t.q)
	x.settle(rs)
	table := x.s.Facets[t.m.facet].Table
	note := func(r int) string { return x.data[table][r][slotNote].S }
	deep := false
	show := func(rows map[int]int, holds func(int) bool) string {
		var out []string
		for r, d := range rows {
			deep = deep || d > 1
			if holds(r) {
				out = append(out, fmt.Sprintf(`{"note":%q,"d":%d}`, note(r), d))
			}
		}
		slices.Sort(out)
		return "[" + strings.Join(out, ",") + "]"
	}
	all := func(int) bool { return true }
	var start []int
	for _, e := range rs.tuples {
		start = append(start, e.rows[0].row)
	}
	tree := t.below(x, start)
	parts := []string{show(tree, all), show(tree, func(r int) bool {
		x.call(&Node{Bind: t.bind, NS: []string{t.m.alias}}, tuple{rows: []entry{{t.m.alias, t.m.grant, t.m.facet, table, r}}})
		v := x.value(t.cond)
		return !v.Null && v.B
	})}
	var each []string
	for _, r := range start {
		rows := t.below(x, []int{r})
		most := "null"
		for _, d := range rows {
			if n, err := strconv.Atoi(most); err != nil || d > n {
				most = strconv.Itoa(d)
			}
		}
		each = append(each, fmt.Sprintf(`{"note":%q,"n":%d,"m":%s,"all":%s}`, note(r), len(rows), most, show(rows, all)))
	}
	slices.Sort(each)
	return "[" + strings.Join(append(parts, "["+strings.Join(each, ",")+"]"), ",") + "]", deep
}

// TestRandomTrees compares trees over random links with the slow evaluator. Many links of a table to itself reach a row from itself
// or in a circle.
func TestRandomTrees(t *testing.T) {
	compareRandom(t, 6, 4000, 60, drawTree)
}

// drawTree draws a tree over a random link.
func drawTree(gen *generator, s *Schema, x *slow) drawn {
	g := gen.grown()
	if g == nil {
		return drawn{program: "return 1", slow: x, want: "1"}
	}
	want, deep := g.want(x)
	return drawn{program: g.program(s, uint64(gen.n(1<<20))), slow: x, want: want, some: deep}
}
