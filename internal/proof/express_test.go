package proof

import (
	"fmt"
	"strings"
)

// kind is what a node gives. A literal that is whole is a whole number, however
// it was meant: JavaScript knows no difference.
func (n *Node) kind() Kind {
	switch {
	case n.Op == "col", n.Op == "ask" && n.Name == "one":
		return slots[n.Slot].kind
	case n.Op == "lit" && n.Val.Kind == Float && n.Val.F == float64(int64(n.Val.F)) && n.Val.F < 1<<53 && n.Val.F > -1<<53:
		return Int
	case n.Op == "lit":
		return n.Val.Kind
	case calculated[n.Op] || n.Op == "case" || n.Op == "ask" || n.Op == "rank":
		return n.K
	}
	return Bool
}

// computed draws an expression over the columns of the callbacks, mostly one that
// calculates.
func (g *generator) computed(in []callback, depth int) *Node {
	x, _ := g.col(in)
	if g.oneIn(16) {
		if y := g.searching(in, "rank", Int); y != nil {
			x = y
		}
	}
	for range 1 + g.n(depth) {
		if y := g.grow(in, x, depth-1); y != nil {
			x = y
		}
	}
	return x
}

// showing selects some computed values: what is only compared hides most mistakes.
func (g *generator) showing(q *Node, ns []member) *Node {
	b := callback{g.bind(), ns}
	n := &Node{Op: "record"}
	for i := range 2 + g.n(5) {
		x := g.computed([]callback{b}, 3)
		if g.oneIn(3) {
			x = g.cond([]callback{b}, 0)
		}
		n.Names, n.Args = append(n.Names, fmt.Sprintf("v%d", i)), append(n.Args, x)
	}
	n.Names, n.Args = append(n.Names, "note"), append(n.Args, &Node{Op: "col", Bind: b.bind, Name: pick(g.draws, ns).alias, Slot: slotNote})
	return &Node{Op: "select", Args: []*Node{q, n}, Bind: b.bind, NS: aliasesOf(ns)}
}

// ofKind draws a column or an expression of some kind, or nil.
func (g *generator) ofKind(in []callback, ok func(Kind) bool, depth int) *Node {
	for range 6 {
		x, _ := g.col(in)
		if depth > 0 && g.n(2) == 1 {
			x = g.computed(in, depth)
		}
		if ok(x.kind()) {
			return x
		}
	}
	return nil
}

func wider(a, b Kind) Kind {
	rank := map[Kind]int{Int: 0, Float: 1, Decimal: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// grow applies an operator to an expression.
func (g *generator) grow(in []callback, x *Node, depth int) *Node {
	k := x.kind()
	var ops []string
	switch {
	case k.numeric():
		ops = strings.Fields("add sub mul div mod rsub rdiv rmod neg abs round roundUp floor ceil toText coalesce nullIf case")
	case k == Text:
		ops = strings.Fields("lower upper trim length slice substring concat concat prepend coalesce nullIf case lower upper")
	case k == Bool:
		ops = strings.Fields("case case toText coalesce nullIf")
	case k == Time:
		ops = strings.Fields("year quarter month getMonth week day weekday hour minute second getTime truncate truncate plus daysSince sub rsub toText coalesce nullIf case")
	case k == Day:
		ops = strings.Fields("year quarter month getMonth week day weekday truncate plus daysSince toText coalesce nullIf case")
	case k == UUID:
		ops = strings.Fields("toText coalesce nullIf case")
	case k == Tags || k == Nums:
		ops = strings.Fields("length")
	case k == JSON:
		return g.reach(x)
	default:
		ops = strings.Fields("coalesce nullIf case")
	}
	n := &Node{Op: pick(g.draws, ops), Args: []*Node{x}, K: k}
	switch n.Op {
	case "length", "year", "quarter", "month", "getMonth", "week", "isoYear", "day", "weekday", "hour", "minute", "second", "getTime":
		n.K = Int
	case "truncate":
		n.K = Day
		n.Args = append(n.Args, &Node{Op: "lit", Val: Value{Kind: Text, S: pick(g.draws, strings.Fields("day week month quarter year"))}})
	case "plus":
		n.K = Day
		many := &Node{Op: "lit", Val: Value{Kind: Int, I: pick(g.draws, []int64{0, 1, -1, 13, -28, 365, 2000, -2000, 8000, 100_000, 5_000_000})}}
		if g.n(3) == 0 {
			if y := g.ofKind(in, func(z Kind) bool { return z == Int }, depth); y != nil {
				many = y
			}
		}
		n.Args = append(n.Args, many, &Node{Op: "lit", Val: Value{Kind: Text, S: pick(g.draws, strings.Fields("day week month quarter year"))}})
	case "daysSince":
		n.K = Int
		n.Args = append(n.Args, g.other(in, k, depth))
	case "toText":
		n.K = Text
	case "round":
		if g.n(2) == 1 {
			n.Args = append(n.Args, small(g.n(4)))
		}
	case "slice", "substring":
		n.Args = append(n.Args, small(g.n(4)))
		if g.n(3) > 0 {
			n.Args = append(n.Args, small(g.n(6)))
		}
	case "concat":
		for range 1 + g.n(3) {
			n.Args = append(n.Args, g.other(in, Text, depth))
		}
	case "prepend":
		n.Args = append(n.Args, g.other(in, Text, depth))
	case "add", "sub", "mul", "mod", "rsub", "rmod", "coalesce":
		n.Args = append(n.Args, g.other(in, k, depth))
		switch {
		case k.numeric():
			n.K = wider(k, n.Args[1].kind())
		case n.Op == "sub" || n.Op == "rsub": // of times
			n.K = Int
		}
	case "div", "rdiv":
		n.Args = append(n.Args, g.other(in, k, depth))
		n.K = wider(wider(k, n.Args[1].kind()), Float)
	case "nullIf":
		n.Args = append(n.Args, g.other(in, k, depth))
	case "case":
		return g.choice(in, x, depth)
	}
	return n
}

func small(i int) *Node { return &Node{Op: "lit", Val: Value{Kind: Int, I: int64(i)}} }

// other is the other operand of an operator: a constant or an expression.
func (g *generator) other(in []callback, k Kind, depth int) *Node {
	if g.n(2) == 1 {
		if y := g.ofKind(in, func(z Kind) bool { return z == k || k.numeric() && z.numeric() }, depth); y != nil {
			return y
		}
	}
	return g.constant(k)
}

// constant is a literal that can stand beside an expression of kind k.
func (g *generator) constant(k Kind) *Node {
	v := genValue(g.draws, k)
	if k.numeric() && g.oneIn(3) {
		if f := genValue(g.draws, Float); k != Float { // a fraction beside a whole number, or beside a decimal
			v = f
		}
	}
	return literal(v)
}

// literal is a constant of a program. 2^53 is not used: beyond the whole numbers
// that JavaScript holds exactly, it is a matter of its spelling whether it is one.
func literal(v Value) *Node {
	if v.Form = 0; v.F == 1<<53 {
		v.F = 0.5
	}
	return &Node{Op: "lit", Val: v}
}

// choice is one of two values; where x is a condition it decides.
func (g *generator) choice(in []callback, x *Node, depth int) *Node {
	c := x
	if x.kind() != Bool {
		c = g.cond(in, 0)
	} else if y := g.ofKind(in, Kind.comparable, depth); y != nil {
		x = y
	}
	k := x.kind()
	n := &Node{Op: "case", Args: []*Node{c, x}, K: k}
	y := &Node{Op: "lit", Val: Value{Null: true}}
	if g.n(4) > 0 {
		if z := g.other(in, k, depth); z.Op != "lit" || k <= Time && !(k == Int && z.Val.big()) {
			y = z
		}
	}
	if !(y.Op == "lit" && y.Val.Null) && k.numeric() {
		n.K = wider(k, y.kind())
	}
	if n.Args = append(n.Args, y); g.n(2) == 1 {
		n.Args[1], n.Args[2] = n.Args[2], n.Args[1]
	}
	return n
}

// big reports whether a whole number has to be written as a text.
func (v Value) big() bool { return v.Kind == Int && (v.I > 1<<53-1 || v.I < -(1<<53-1)) }

// pattern draws a pattern of like that fits some text of the domain now and then.
func (g *generator) pattern() string {
	s := pick(g.draws, texts)
	if g.n(2) == 1 { // as it is, but for what means something
		s = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s)
	} else {
		s = strings.ReplaceAll(s, `\`, `\\`)
	}
	switch g.n(5) {
	case 1:
		return "%" + s
	case 2:
		return s + "%"
	case 3:
		return "%" + s + "%"
	case 4:
		return "_" + s + "%_"
	}
	return s
}

// comparable reports whether distinct can compare what a selection shows.
func (g *generator) comparable(n *Node, ns []member) bool {
	switch n.Op {
	case "row":
		for _, m := range ns {
			if m.alias == n.Name {
				return g.distinguishes(m)
			}
		}
		return false
	case "ns":
		for _, m := range ns {
			if !g.distinguishes(m) {
				return false
			}
		}
		return true
	case "record":
		for _, a := range n.Args {
			if !g.comparable(a, ns) {
				return false
			}
		}
		return true
	case "lit":
		return true
	case "nested":
		return false
	}
	return n.kind().comparable()
}

// distinguishes reports whether whole rows of a table can be compared.
func (g *generator) distinguishes(m member) bool {
	for _, c := range g.s.Facets[m.facet].Cols {
		if !slots[c].kind.comparable() {
			return false
		}
	}
	return true
}

// leftJoin joins a link of a row, with or without conditions, or a query that
// stands on its own; nil where there is none.
func (g *generator) leftJoin(q *Node, ns []member, outer []callback) (*Node, []member) {
	n := &Node{Op: "leftJoin", Args: []*Node{q}}
	var item *Node
	var ns2 []member
	if g.n(4) > 0 {
		b := callback{g.bind(), ns}
		n.Bind, n.NS = b.bind, aliasesOf(ns)
		m := pick(g.draws, ns)
		via := g.via(m)
		if via == nil {
			return nil, nil
		}
		item = &Node{Op: "walk", Bind: b.bind, Name: m.alias, N: via.Link}
		ns2 = []member{{aliases[g.s.Facets[via.Facet].Alias], m.grant, via.Facet}}
		if g.n(2) == 1 {
			in := callback{g.bind(), ns2}
			item = &Node{Op: "where", Args: []*Node{item, g.cond(append(outer[:len(outer):len(outer)], b, in), 1)}, Bind: in.bind, NS: aliasesOf(ns2)}
		}
	} else {
		item, ns2 = g.query(nil, 2)
	}
	if clash(ns, ns2) {
		if len(ns2) > 1 {
			return nil, nil
		}
		item, ns2 = g.as(item, ns2)
	}
	n.Args = append(n.Args, item)
	for _, m := range ns2 {
		n.Miss = append(n.Miss, Missed{m.alias, m.grant, m.facet})
	}
	ns = append(ns[:len(ns):len(ns)], ns2...)
	if n.Bind == 0 || g.oneIn(3) {
		on := callback{g.bind(), ns}
		n.On, n.OnNS = on.bind, aliasesOf(ns)
		n.Args = append(n.Args, g.joining(append(outer[:len(outer):len(outer)], on), ns, ns2))
	}
	return n, ns
}

// reach goes some steps into JSON, and says of which type what is there has to be.
func (g *generator) reach(x *Node) *Node {
	n := &Node{Args: []*Node{x}}
	n.Op = pick(g.draws, []string{"asText", "asNumber", "asBool", "asIncludes", "asHas"})
	n.K = map[string]Kind{"asText": Text, "asNumber": Float}[n.Op]
	switch n.Op {
	case "asIncludes", "asHas": // whether an element is there, which stands before the steps
		n.Args = append(n.Args, &Node{Op: "lit", Val: pick(g.draws, []Value{{Kind: Int, I: 1}, {Kind: Float, F: 2.5}, {Kind: Text, S: "x"}, {Kind: Text, S: "X"}, {Kind: Text, S: ""}, {Kind: Bool, B: true}, {Kind: Bool}})})
		fallthrough
	case "asBool":
		n.K = Bool
	}
	for range g.n(4) {
		key := small(g.n(3))
		if g.n(3) > 0 {
			key = &Node{Op: "lit", Val: Value{Kind: Text, S: pick(g.draws, []string{"a", "b", "0", "x' OR 1=1"})}}
		}
		n.Args = append(n.Args, key)
	}
	return n
}
