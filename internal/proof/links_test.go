package proof

import (
	"sort"
	"strings"
)

// An ask is what a callback asks of the rows of a link: Name is one (the column Slot of the one row), exists, some,
// every, none, count or an aggregate; Args[0] are the linked rows, a query that begins at a row of the callback, and Args[1]
// is what the callback Bind says of each.

// ask draws one, or nil where there is no link to ask.
func (g *generator) ask(in []callback) *Node {
	if g.asks == 0 || len(in) > 4 {
		return nil
	}
	g.asks--
	b := pick(g.draws, in)
	m := pick(g.draws, b.ns)
	via := g.via(m)
	if via == nil {
		return nil
	}
	q := &Node{Op: "walk", Bind: b.bind, Name: m.alias, N: via.Link}
	to := member{aliases[g.s.Facets[via.Facet].Alias], m.grant, via.Facet}
	one := g.s.Links[via.Link].One
	granted := g.oneIn(5)
	if granted { // of a granted object, whatever the row is; its first row can't be had in a callback
		i := g.n(len(g.grants))
		q, to, one = &Node{Op: "grant", N: i}, member{aliases[g.s.Facets[g.grants[i].Facet].Alias], i, g.grants[i].Facet}, false
	}
	if g.oneIn(3) {
		if next := g.via(to); next != nil {
			q = &Node{Op: "follow", Args: []*Node{q}, N: next.Link}
			to, one = member{aliases[g.s.Facets[next.Facet].Alias], m.grant, next.Facet}, one && g.s.Links[next.Link].One
		}
	}
	if !one && !granted && g.oneIn(3) {
		q, one = g.first(q, to, in), true
	}
	if one && (g.n(4) > 0 || q.Name == "first") {
		return &Node{Op: "ask", Name: "one", Args: []*Node{q}, Slot: pick(g.draws, g.s.Facets[to.facet].Cols)}
	}
	ns := []member{to}
	if g.oneIn(3) {
		w := callback{g.bind(), ns}
		q = &Node{Op: "where", Args: []*Node{q, g.cond(append(in[:len(in):len(in)], w), 1)}, Bind: w.bind, NS: aliasesOf(ns)}
	}
	if g.oneIn(4) {
		q = g.orderBy(q, ns, in)
		q = &Node{Op: "limit", Args: []*Node{q}, N: 1 + g.n(3)}
	}
	c := callback{g.bind(), ns}
	n := &Node{Op: "ask", Args: []*Node{q}, Bind: c.bind, NS: aliasesOf(ns), K: Bool}
	switch n.Name = pick(g.draws, strings.Fields("exists some every none count count of of of")); n.Name {
	case "exists":
	case "count":
		n.K = Int
	case "of":
		x := g.ofKind([]callback{c}, func(k Kind) bool { return k.numeric() || k == Day || k == Text || k == Time }, 2)
		if x == nil || !x.uses(c.bind) { // of other rows' values alone it is refused
			n.Name, n.K = "count", Int
			break
		}
		n.Name, n.K = pick(g.draws, aggregates(x.kind())), x.kind()
		switch n.Name {
		case "avg", "median":
			n.K = wider(n.K, Float)
		case "countDistinct":
			n.K = Int
		}
		n.Args = append(n.Args, x)
	default:
		n.Args = append(n.Args, g.cond(append(in[:len(in):len(in)], c), 1))
	}
	return n
}

// first is the first row of a query, mostly of an order.
func (g *generator) first(q *Node, of member, in []callback) *Node {
	if g.n(3) > 0 {
		q = g.orderBy(q, []member{of}, in)
	}
	return &Node{Op: "limit", Args: []*Node{q}, N: 1, Name: "first"}
}

// nested draws what a selection shows of the rows of a link: Name is one, for the row of a link to at most one, first, for
// the first of many, or many. Args[0] are the rows. It is nil where there is no link to show.
func (g *generator) nested(in []callback) *Node {
	if g.asks == 0 || len(in) > 3 {
		return nil
	}
	g.asks--
	b := pick(g.draws, in)
	m := pick(g.draws, b.ns)
	via := g.via(m)
	if via == nil {
		return nil
	}
	out := &Node{Op: "nested", Name: "many"}
	q := &Node{Op: "walk", Bind: b.bind, Name: m.alias, N: via.Link}
	to := member{aliases[g.s.Facets[via.Facet].Alias], m.grant, via.Facet}
	if g.s.Links[via.Link].One {
		out.Name = "one"
	}
	ns := []member{to}
	if g.oneIn(3) {
		w := callback{g.bind(), ns}
		q = &Node{Op: "where", Args: []*Node{q, g.cond(append(in[:len(in):len(in)], w), 1)}, Bind: w.bind, NS: aliasesOf(ns)}
	}
	switch {
	case out.Name == "many" && g.oneIn(3):
		q, out.Name = g.first(q, to, in), "first"
	case g.oneIn(2):
		q = g.orderBy(q, ns, in)
		if g.oneIn(2) {
			q = &Node{Op: "limit", Args: []*Node{q}, N: g.n(4)}
		}
	}
	if g.n(3) > 0 {
		c := callback{g.bind(), ns}
		q = &Node{Op: "select", Args: []*Node{q, g.selection(append(in[:len(in):len(in)], c), c, 1)}, Bind: c.bind, NS: aliasesOf(ns)}
	}
	out.Args = []*Node{q}
	return out
}

// nested writes the rows that a row shows.
func (x *slow) nested(b *strings.Builder, n *Node) {
	rs := x.eval(n.Args[0])
	x.settle(rs)
	sort.SliceStable(rs.tuples, func(i, j int) bool { return x.before(rs, rs.tuples[i], rs.tuples[j]) })
	if n.Name != "many" {
		if len(rs.tuples) == 0 {
			b.WriteString("null")
			return
		}
		x.shown(b, rs, rs.tuples[0])
		return
	}
	b.WriteByte('[')
	for i, t := range rs.tuples {
		if i > 0 {
			b.WriteByte(',')
		}
		x.shown(b, rs, t)
	}
	b.WriteByte(']')
}

// asked is what an ask gives, by the rows that the link leads to in scope.
func (x *slow) asked(n *Node) Value {
	rs := x.eval(n.Args[0])
	x.settle(rs)
	sort.SliceStable(rs.tuples, func(i, j int) bool { return x.before(rs, rs.tuples[i], rs.tuples[j]) })
	if n.Name == "one" {
		if len(rs.tuples) == 0 {
			return Value{Null: true, Kind: n.kind()}
		}
		return x.cell(rs.tuples[0].rows[0], n.Slot)
	}
	holds, vs := 0, []Value{}
	for _, t := range rs.tuples {
		if len(n.Args) < 2 {
			continue
		}
		x.call(n, t)
		if n.K == Bool {
			if x.cond(n.Args[1]) == yes {
				holds++
			}
			continue
		}
		vs = append(vs, x.value(n.Args[1]))
	}
	truth := func(b bool) Value { return Value{Kind: Bool, B: b} }
	switch n.Name {
	case "exists":
		return truth(len(rs.tuples) > 0)
	case "some":
		return truth(holds > 0)
	case "every":
		return truth(holds == len(rs.tuples))
	case "none":
		return truth(holds == 0)
	case "count":
		return Value{Kind: Int, I: int64(len(rs.tuples))}
	}
	return aggregate(n.Name, n.Args[1].kind(), vs)
}

// ask writes one.
func (p *speller) ask(n *Node) string {
	q := p.query(n.Args[0])
	switch {
	case n.Name == "one":
		return q + p.dot(slots[n.Slot].guest)
	case n.Name == "exists" && p.n(2) == 1 && p.one(n.Args[0]):
		return "(" + q + " !== null)"
	case len(n.Args) < 2:
		return q + "." + n.Name + "()"
	}
	return q + "." + n.Name + "(" + p.callback(n.Bind, n.NS, n.Args[1:], func() string { return p.expr(n.Args[1]) }) + ")"
}

// one reports whether a query is links to at most one row and nothing else.
func (p *speller) one(n *Node) bool {
	for ; n.Op == "follow"; n = n.Args[0] {
		if !p.s.Links[n.N].One {
			return false
		}
	}
	return n.Op == "walk" && p.s.Links[n.N].One
}
