package proof

// An among is whether the value Args[0] is among those that the callback Bind gives of the rows of the query Args[1]: Args[2]. Name
// is in or notIn. The query may use the tables of the callbacks around it.

// among draws one, or nil where no two values of one kind are found.
func (g *generator) among(in []callback) *Node {
	if g.asks == 0 || len(in) > 4 {
		return nil
	}
	x := g.ofKind(in, Kind.comparable, 1)
	if x == nil {
		return nil
	}
	g.asks--
	q, m := g.base(in)
	if m.alias == "" {
		return nil
	}
	ns := []member{m}
	if g.oneIn(2) {
		b := callback{g.bind(), ns}
		q = &Node{Op: "where", Args: []*Node{q, g.cond(append(in[:len(in):len(in)], b), 1)}, Bind: b.bind, NS: aliasesOf(ns)}
	}
	if g.oneIn(3) {
		q = &Node{Op: "limit", Args: []*Node{g.orderBy(q, ns, in)}, N: 1 + g.n(3)}
	}
	c := callback{g.bind(), ns}
	y := g.ofKind([]callback{c}, func(k Kind) bool { return k == x.kind() || k.numeric() && x.kind().numeric() }, 1)
	if y == nil {
		return nil
	}
	return &Node{Op: "among", Name: pick(g.draws, []string{"in", "notIn"}), Args: []*Node{x, q, y}, Bind: c.bind, NS: aliasesOf(ns)}
}

// among: null is no member, and where the value is null notIn is unknown, and in unless there is no member.
func (x *slow) among(n *Node) truth {
	v, rs := x.value(n.Args[0]), x.eval(n.Args[1])
	x.settle(rs)
	members, found := 0, false
	for _, t := range rs.tuples {
		x.call(n, t)
		if y := x.value(n.Args[2]); !y.Null {
			members++
			found = found || apply("eq", []Value{v, y}) == yes
		}
	}
	switch {
	case n.Name == "notIn" && v.Null:
		return unknown
	case n.Name == "notIn":
		return is(!found)
	case v.Null && members > 0:
		return unknown
	}
	return is(found)
}

func (p *speller) among(n *Node) string {
	x, q := p.expr(n.Args[0]), p.query(n.Args[1])
	show := p.callback(n.Bind, n.NS, n.Args[2:], func() string {
		if y := p.expr(n.Args[2]); p.n(2) == 1 {
			return "{ v: " + y + " }"
		} else {
			return y
		}
	})
	return x + "." + n.Name + "(" + q + ".select(" + show + "))"
}
