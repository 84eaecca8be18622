package proof

import (
	"fmt"
	"strings"
)

// Node is one step of a program: of a query, of an expression over rows, or of
// a selection. It says what is meant; how it is spelled is render's business.
//
//	grant      the granted object N
//	walk       the link N of the table Name of the callback Bind
//	follow     the link N of the query Args[0]
//	where      Args[0] with condition Args[1], in the callback Bind
//	join       Args[0] with Args[1], in the callback Bind (0: given plainly), on Args[2], in the callback On
//	select     Args[0] showing Args[1], in the callback Bind
//	orderBy    Args[0] by the terms Args[1:] (asc, desc, or an expression), in the callback Bind
//	leftJoin   the same as join; Miss are the tables of Args[1], which may be missing
//	distinct   Args[0]; what it shows is comparable
//	limit, offset, as
//	search     Args[0] for Names; matches, rank: of the table Name of the callback Bind: see search_test.go
//	col        the column Slot of the table Name of the callback Bind
//	lit        Val
//	eq ... not, in (Args[0] in Args[1:]): conditions
//	add ... toText: what gives a value of kind K
//	among      whether a value is one of a query's: see among_test.go
//	ask        what is asked of the rows of a link: see links_test.go
//	record     Names with Args
//	row        the table Name of the callback Bind
//	ns         every table of the callback Bind
type Node struct {
	Op    string
	Args  []*Node  `json:",omitempty"`
	N     int      `json:",omitempty"`
	Name  string   `json:",omitempty"`
	Bind  int      `json:",omitempty"`
	On    int      `json:",omitempty"`
	NS    []string `json:",omitempty"` // the tables that the callback Bind sees
	OnNS  []string `json:",omitempty"`
	Slot  int      `json:",omitempty"`
	Val   Value    `json:",omitzero"`
	Names []string `json:",omitempty"`
	K     Kind     `json:",omitempty"`
	Miss  []Missed `json:",omitempty"`
	JS    bool     `json:",omitempty"` // of a condition: it is in JavaScript's form, which is false where SQL's word is unknown
	Found bool     `json:",omitempty"` // of where: it is ifUnchanged, and some row has to be found
}

// Missed is a table of a left join.
type Missed struct {
	Alias        string
	Grant, Facet int
}

// Query is a query with the call that sends it: execute, first or count.
type Query struct {
	Send string
	Q    *Node
}

type member struct {
	alias        string
	grant, facet int
}

type callback struct {
	bind int
	ns   []member
}

func aliasesOf(ns []member) []string {
	var out []string
	for _, m := range ns {
		out = append(out, m.alias)
	}
	return out
}

type generator struct {
	*draws
	s      *Schema
	data   Data
	grants []Grant
	binds  int
	joins  int // still allowed
	asks   int // the same
	fresh  int
	only   bool // only the links kept are to be used
	kept   []int
	done   []*Node // queries that depend on no callback, to be used again
	doneNS []member

	refused map[int]bool // facets through which nothing can be written
}

func (g *generator) bind() int { g.binds++; return g.binds }

// genQueries draws the queries of one program.
func genQueries(d *draws, c *Case) []Query {
	var out []Query
	g := &generator{draws: d, s: &c.Schema, data: c.Data, grants: c.Grants, only: c.Only, kept: c.Kept}
	for range 1 + d.n(5)/3 {
		g.joins, g.asks = 3+g.n(5)/4, g.n(6)
		q, ns := g.query(nil, 0)
		if g.n(2) == 1 {
			q = g.showing(q, ns)
		}
		send := []string{"execute", "execute", "execute", "execute", "execute", "first", "count"}[d.n(7)]
		out = append(out, Query{send, q})
	}
	return out
}

// query draws a query that may use the tables of the enclosing callbacks.
func (g *generator) query(outer []callback, depth int) (*Node, []member) {
	q, m := g.base(outer)
	ns := []member{m}
	linkable := true // whether it still is a query of one facet's rows
	if depth > 0 && g.joins > 0 && g.oneIn(4) {
		g.joins--
		q, ns = g.join(q, ns, outer, depth)
		linkable = false
	}
	for range []int{0, 1, 2, 3, 4, 5, 2, 3}[g.n(8-min(depth, 3))] {
		if len(outer) == 0 && len(ns) == 1 && linkable {
			g.done, g.doneNS = append(g.done, q), append(g.doneNS, ns[0])
		}
		switch g.n(21) {
		case 20:
			if linkable && len(g.s.Facets[ns[0].facet].searched()) > 0 {
				q = &Node{Op: "search", Args: []*Node{q}, Names: g.terms()}
			}
		case 19: // in front of nothing, or of what it can't compare, it is refused
			if linkable && g.distinguishes(ns[0]) {
				q = &Node{Op: "distinct", Args: []*Node{q}}
			}
		case 17, 18:
			if g.joins == 0 {
				continue
			}
			g.joins--
			if n, more := g.leftJoin(q, ns, outer); n != nil {
				q, ns, linkable = n, more, false
			}
		case 15, 0, 1, 2:
			b := callback{g.bind(), ns}
			q = &Node{Op: "where", Args: []*Node{q, g.cond(append(outer[:len(outer):len(outer)], b), 2)}, Bind: b.bind, NS: aliasesOf(ns)}
		case 16, 3, 4, 5, 6:
			if g.joins == 0 {
				continue
			}
			g.joins--
			q, ns = g.join(q, ns, outer, depth)
			linkable = false
		case 7, 8:
			q = g.orderBy(q, ns, outer)
		case 9, 10:
			before := g.oneIn(5)
			if before {
				q = g.offset(q)
			}
			q = &Node{Op: "limit", Args: []*Node{q}, N: []int{3, 1, 2, 1, 2, 3, 4, 5, 8, 0}[g.n(10-2*min(depth, 2))]}
			if !before && g.oneIn(3) {
				q = g.offset(q)
			}
		case 11:
			q = g.offset(q)
		case 12:
			b := callback{g.bind(), ns}
			q = &Node{Op: "select", Args: []*Node{q, g.selection(append(outer[:len(outer):len(outer)], b), b, 0)}, Bind: b.bind, NS: aliasesOf(ns)}
			linkable = false
			if g.n(3) > 0 && g.comparable(q.Args[1], ns) {
				q = &Node{Op: "distinct", Args: []*Node{q}}
			}
		case 13:
			if len(ns) == 1 {
				q, ns = g.as(q, ns)
				linkable = false
			}
		case 14:
			if via := g.via(ns[0]); linkable && via != nil {
				q = &Node{Op: "follow", Args: []*Node{q}, N: via.Link}
				ns = []member{{aliases[g.s.Facets[via.Facet].Alias], ns[0].grant, via.Facet}}
			}
		}
	}
	return q, ns
}

func (g *generator) offset(q *Node) *Node {
	return &Node{Op: "offset", Args: []*Node{q}, N: []int{1, 0, 1, 2, 3}[g.n(5)]}
}

func (g *generator) as(q *Node, ns []member) (*Node, []member) {
	g.fresh++
	m := ns[0]
	m.alias = fmt.Sprintf("%s_%d", m.alias, g.fresh+1)
	return &Node{Op: "as", Args: []*Node{q}, Name: m.alias}, []member{m}
}

func (g *generator) via(m member) *Via {
	var ls []Via
	for _, v := range g.s.Facets[m.facet].Links {
		if !g.only || has(g.kept, v.Link) {
			ls = append(ls, v)
		}
	}
	if len(ls) == 0 {
		return nil
	}
	return &ls[g.n(len(ls))]
}

// base is where a query starts: a granted object, or a link of a row.
func (g *generator) base(outer []callback) (*Node, member) {
	if len(outer) > 0 && g.n(4) > 0 {
		b := outer[len(outer)-1]
		if g.oneIn(2) {
			b = pick(g.draws, outer)
		}
		for range 3 {
			m := pick(g.draws, b.ns)
			if via := g.via(m); via != nil {
				return &Node{Op: "walk", Bind: b.bind, Name: m.alias, N: via.Link}, member{aliases[g.s.Facets[via.Facet].Alias], m.grant, via.Facet}
			}
			b = pick(g.draws, outer)
		}
	}
	if len(g.done) > 0 && g.oneIn(8) {
		i := g.n(len(g.done))
		return g.done[i], g.doneNS[i]
	}
	i := g.n(len(g.grants))
	f := g.grants[i].Facet
	q, m := &Node{Op: "grant", N: i}, member{aliases[g.s.Facets[f].Alias], i, f}
	if via := g.via(m); via != nil && g.oneIn(4) {
		return &Node{Op: "follow", Args: []*Node{q}, N: via.Link}, member{aliases[g.s.Facets[via.Facet].Alias], i, via.Facet}
	}
	return q, m
}

func clash(a, b []member) bool {
	for _, x := range a {
		for _, y := range b {
			if x.alias == y.alias {
				return true
			}
		}
	}
	return false
}

func (g *generator) join(q *Node, ns []member, outer []callback, depth int) (*Node, []member) {
	b := callback{g.bind(), ns}
	n := &Node{Op: "join", Args: []*Node{q}, Bind: b.bind, NS: aliasesOf(ns)}
	inside := append(outer[:len(outer):len(outer)], b)
	plain := g.oneIn(7)
	if plain {
		inside, n.Bind, n.NS = outer, 0, nil
	}
	item, ns2 := g.query(inside, depth+1)
	if len(ns2) > 1 && clash(ns, ns2) {
		var m member
		item, m = g.base(inside)
		ns2 = []member{m}
	}
	if clash(ns, ns2) {
		item, ns2 = g.as(item, ns2)
	}
	n.Args = append(n.Args, item)
	ns = append(ns[:len(ns):len(ns)], ns2...)
	if g.oneIn(5) || item.uses(0) { // a query that follows no link needs a condition
		on := callback{g.bind(), ns}
		n.On, n.OnNS = on.bind, aliasesOf(ns)
		n.Args = append(n.Args, g.joining(append(outer[:len(outer):len(outer)], on), ns, ns2))
	}
	return n, ns
}

// uses reports whether the callback's tables are used in n; for 0, whether n depends on no callback outside of it.
func (n *Node) uses(bind int) bool {
	if bind == 0 {
		free := false
		var visit func(n *Node, in []int)
		visit = func(n *Node, in []int) {
			switch n.Op {
			case "walk", "col", "row", "ns", "matches", "rank":
				free = free || !has(in, n.Bind)
			}
			in = append(in[:len(in):len(in)], n.Bind, n.On)
			for _, a := range n.Args {
				visit(a, in)
			}
		}
		visit(n, nil)
		return !free
	}
	switch n.Op {
	case "walk", "col", "row", "ns", "matches", "rank":
		return n.Bind == bind
	}
	for _, a := range n.Args {
		if a.uses(bind) {
			return true
		}
	}
	return false
}

// joining is a join's condition: mostly that a column of one side is that of the other.
func (g *generator) joining(in []callback, ns, ns2 []member) *Node {
	on := in[len(in)-1]
	a, b := pick(g.draws, ns[:len(ns)-len(ns2)]), pick(g.draws, ns2)
	x := g.colOf(on.bind, a)
	for _, c := range g.s.Facets[b.facet].Cols {
		if k := slots[c].kind; k == slots[x.Slot].kind && k.comparable() && !g.oneIn(3) {
			y := &Node{Op: "col", Bind: on.bind, Name: b.alias, Slot: c}
			op := pick(g.draws, []string{"eq", "eq", "le", "is", "ne"})
			if op == "le" && !slots[c].kind.sortable() {
				op = "eq"
			}
			return &Node{Op: op, Args: []*Node{x, y}}
		}
	}
	return g.cond(in, 1)
}

func (g *generator) orderBy(q *Node, ns []member, outer []callback) *Node {
	b := callback{g.bind(), ns}
	n := &Node{Op: "orderBy", Args: []*Node{q}, Bind: b.bind, NS: aliasesOf(ns)}
	for range 1 + g.n(3) {
		var x *Node
		switch in := append(outer[:len(outer):len(outer)], b); {
		case g.oneIn(12):
			x = g.cond(in, 1)
		case g.oneIn(3):
			x = g.computed(in, 2)
		default:
			x = g.colOf(b.bind, pick(g.draws, ns))
		}
		if !x.kind().comparable() {
			x.Slot = slotNote
		}
		switch g.n(4) {
		case 1:
			x = &Node{Op: "asc", Args: []*Node{x}}
		case 2, 3:
			x = &Node{Op: "desc", Args: []*Node{x}}
		}
		n.Args = append(n.Args, x)
	}
	return n
}

func (g *generator) colOf(bind int, m member) *Node {
	return &Node{Op: "col", Bind: bind, Name: m.alias, Slot: pick(g.draws, g.s.Facets[m.facet].Cols)}
}

// col draws a column of the innermost callback, or of one around it.
func (g *generator) col(in []callback) (*Node, member) {
	if g.asks > 0 && g.oneIn(6) {
		if n := g.ask(in); n != nil {
			return n, member{}
		}
	}
	b := in[len(in)-1]
	if len(in) > 1 && g.oneIn(2) {
		b = pick(g.draws, in)
	}
	m := pick(g.draws, b.ns)
	return g.colOf(b.bind, m), m
}

func (g *generator) cond(in []callback, depth int) *Node {
	if depth > 0 && g.n(5) >= 2 {
		switch g.n(8) {
		case 0, 1, 2:
			return &Node{Op: "and", Args: []*Node{g.cond(in, depth-1), g.cond(in, depth-1)}}
		case 3, 4:
			return &Node{Op: "or", Args: []*Node{g.cond(in, depth-1), g.cond(in, depth-1)}}
		case 5, 6:
			return &Node{Op: "not", JS: g.n(2) == 1, Args: []*Node{g.cond(in, depth-1)}}
		}
		x := g.cond(in, depth-1) // a condition is a value like others
		switch g.n(3) {
		case 0:
			return &Node{Op: pick(g.draws, []string{"isNull", "isNotNull"}), Args: []*Node{x}}
		case 1:
			return &Node{Op: pick(g.draws, []string{"eq", "ne", "is", "isNot"}), Args: []*Node{x, g.cond(in, depth-1)}}
		}
		return &Node{Op: pick(g.draws, []string{"eq", "ne", "is", "isNot"}), Args: []*Node{x, {Op: "lit", Val: genValue(g.draws, Bool)}}}
	}
	if g.asks > 0 && g.oneIn(8) {
		if n := g.among(in); n != nil {
			return n
		}
	}
	if g.oneIn(14) {
		if n := g.searching(in, "matches", Bool); n != nil {
			return n
		}
	}
	x, m := g.col(in)
	if g.n(2) == 1 {
		x = g.computed(in, 2)
	}
	k := x.kind()
	if k == Bool && g.n(2) == 0 {
		return x
	}
	n := &Node{Op: pick(g.draws, conditionsOn(k)), Args: []*Node{x}}
	more := 1
	switch n.Op {
	case "isNull", "isNotNull":
		more = 0
	case "in", "notIn":
		more = g.n(5)
	case "between":
		more = 2
	case "has":
		item := genValue(g.draws, map[Kind]Kind{Tags: Text, Nums: Int}[k])
		n.Args, more = append(n.Args, &Node{Op: "lit", Val: item}), 0
	case "like", "notLike", "ilike", "notIlike":
		n.Args, more = append(n.Args, &Node{Op: "lit", Val: Value{Kind: Text, S: g.pattern()}}), 0
	}
	if strings.HasSuffix(n.Op, "With") || n.Op == "includes" && g.n(2) == 1 { // a piece of some text
		n.Args, more = append(n.Args, literal(Value{Kind: Text, S: pick(g.draws, []string{"a", "b", "B", "%", "\\", "0k", "zq", "", "x", "😀", "Σ", "\u0301"})})), 0
	}
	for range more {
		n.Args = append(n.Args, g.operand(in, x, m))
	}
	n.JS = forms[n.Op] != nil && g.n(2) == 1
	return n
}

// conditionsOn are the conditions on a value of a kind.
func conditionsOn(k Kind) []string {
	ops := []string{"isNull", "isNotNull"}
	if k.comparable() {
		ops = append([]string{"eq", "is", "ne", "isNot", "in", "notIn"}, ops...)
	}
	if k.sortable() {
		ops = append(ops, "lt", "le", "gt", "ge", "between")
	}
	switch k {
	case Text:
		ops = append(ops, "includes", "startsWith", "endsWith", "like", "notLike", "ilike", "notIlike")
	case Tags, Nums:
		ops = append(ops, "has", "has", "has")
	}
	return ops
}

// operand is what a column is compared with: a constant, mostly one that is in
// some row of the column whether in scope or not, or another column.
func (g *generator) operand(in []callback, x *Node, m member) *Node {
	k := x.kind()
	if g.n(3) == 2 {
		for range 4 {
			y, _ := g.col(in)
			if g.oneIn(3) {
				y = g.computed(in, 1)
			}
			if z := y.kind(); z == k || k.numeric() && z.numeric() {
				return y
			}
		}
	}
	if x.Op != "col" || k.numeric() && g.oneIn(4) {
		return g.constant(k)
	}
	v := pick(g.draws, g.data[g.s.Facets[m.facet].Table])[x.Slot]
	if v.Null || g.oneIn(3) && x.Slot != slotNote {
		v = genValue(g.draws, k)
	}
	return literal(v)
}

func (g *generator) selection(in []callback, b callback, depth int) *Node {
	if depth == 0 && g.oneIn(6) {
		return &Node{Op: "row", Bind: b.bind, Name: pick(g.draws, b.ns).alias}
	}
	if depth == 0 && g.oneIn(8) {
		return &Node{Op: "ns", Bind: b.bind, NS: aliasesOf(b.ns)}
	}
	n := &Node{Op: "record"}
	for i := range 1 + g.n(4) {
		x := g.colOf(b.bind, pick(g.draws, b.ns))
		if i == 0 && g.n(2) == 0 {
			x.Slot = slotNote // so that what leaks is seen
		}
		name := slots[x.Slot].guest
		switch g.n(11) {
		case 8, 9, 10:
			x, name = g.computed(in, 3), fmt.Sprintf("c%d", i)
		case 3:
			name = fmt.Sprintf("x%d", i)
		case 4:
			x = &Node{Op: "lit", Val: literal(genValue(g.draws, Kind(g.n(5)))).Val}
			if x.Val.big() || g.oneIn(5) {
				x.Val = Value{Null: true}
			}
			name = fmt.Sprintf("k%d", i)
		case 5:
			x, name = g.cond(in, 1), fmt.Sprintf("is%d", i)
		case 6:
			x, name = &Node{Op: "row", Bind: b.bind, Name: pick(g.draws, b.ns).alias}, fmt.Sprintf("whole %d", i)
		case 7:
			if depth < 2 {
				x, name = g.selection(in, b, depth+1), fmt.Sprintf("sub%d", i)
			}
		}
		if g.oneIn(5) {
			if y := g.nested(in); y != nil {
				x, name = y, fmt.Sprintf("rows%d", i)
			}
		}
		for _, used := range n.Names {
			if used == name {
				name = fmt.Sprintf("%s%d", name, i)
			}
		}
		n.Names, n.Args = append(n.Names, name), append(n.Args, x)
	}
	return n
}
