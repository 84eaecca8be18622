package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// genCalls draws the calls of a program: mostly changes, and reads between them. fails says that it ends with an error of its own.
func genCalls(d *draws, c *Case) (calls []Call, fails bool) {
	g := &generator{draws: d, s: &c.Schema, data: c.Data, grants: c.Grants, refused: c.looked}
	m := newWriteModel(c, c.Grants, false)
	for range 1 + d.n(4) {
		call := g.call()
		for tries := []int{0, 4, 12, 24}[d.n(4)]; tries > 0 && (call.Do == "read" || !m.does(&call)); tries-- {
			call = g.call()
		}
		m.do(&call, nil)
		calls = append(calls, call)
	}
	return calls, d.oneIn(12)
}

// does reports whether a call would change something.
func (m *writeModel) does(c *Call) bool {
	if _, facet := m.c.Schema.ends(m.grants, c.Q); m.c.looked[facet] {
		return false
	}
	before := m.data
	_, why := m.do(c, nil)
	done := len(why) == 0 && !slices.EqualFunc(before, m.data, func(a, b [][]Value) bool { return slices.EqualFunc(a, b, sameRow) })
	m.data, m.wrong = before, ""
	return done
}

func sameRow(a, b []Value) bool {
	return slices.EqualFunc(a, b, func(v, w Value) bool { return v.json() == w.json() })
}

func (g *generator) call() Call {
	c := Call{Catch: g.n(3) > 0}
	g.joins, g.asks = 2, g.n(4)
	for range 8 {
		q, m := g.target()
		f := g.s.Facets[m.facet]
		if g.refused[m.facet] && g.n(20) > 0 {
			continue
		}
		switch pick(g.draws, []string{"update", "update", "update", "delete", "insert", "insert", "insertMany", "read"}) {
		case "read":
			q, ns := g.query(nil, 0)
			c.Do, c.Q, c.Send = "read", q, pick(g.draws, []string{"execute", "count", "first"})
			_ = ns
			return c
		case "delete":
			if f.Rights.Delete {
				c.Do, c.Q = "delete", g.unchanged(q, m)
				c.All = !said(c.Q)
				return c
			}
		case "update":
			if len(f.Rights.Update) > 0 {
				c.Do, c.Q = "update", g.unchanged(q, m)
				c.All = !said(c.Q)
				g.values(&c, m)
				return c
			}
		case "insert":
			if len(f.Rights.Insert) > 0 {
				c.Do, c.Q = "insert", g.into(q)
				c.Rows = [][]Set{g.row(m)}
				return c
			}
		case "insertMany":
			if len(f.Rights.Insert) > 0 {
				c.Do, c.Q = "insertMany", g.into(q)
				first := g.row(m)
				for range 1 + g.n(3) {
					r := g.row(m)
					if g.n(2) == 0 { // the same columns
						r = nil
						for _, s := range first {
							r = append(r, Set{Slot: s.Slot, Val: g.given(m, s.Slot)})
						}
					}
					c.Rows = append(c.Rows, r)
				}
				return c
			}
		}
	}
	q, _ := g.query(nil, 0)
	return Call{Do: "read", Q: q, Send: "execute", Catch: c.Catch}
}

// said reports whether a query says which rows are meant.
func said(q *Node) bool {
	for ; q.Op != "grant"; q = q.Args[0] {
		if q.Op == "where" || q.Op == "limit" {
			return true
		}
	}
	return false
}

// into is where rows are inserted: a table, or a link of what is before it.
func (g *generator) into(q *Node) *Node {
	for q.Op != "grant" && q.Op != "follow" {
		q = q.Args[0]
	}
	return q
}

// target draws rows that can be changed: of a grant or behind its links, with conditions.
func (g *generator) target() (*Node, member) {
	i := g.n(len(g.grants))
	f := g.grants[i].Facet
	q, m := &Node{Op: "grant", N: i}, member{aliases[g.s.Facets[f].Alias], i, f}
	conditions := func() {
		for range g.n(3) {
			b := callback{g.bind(), []member{m}}
			x := g.cond([]callback{b}, 1)
			if g.n(3) > 0 { // one row, mostly
				rows := g.data[g.s.Facets[m.facet].Table]
				if slot := pick(g.draws, g.s.Facets[m.facet].Cols); slots[slot].kind.comparable() {
					if v := pick(g.draws, rows)[slot]; !v.Null {
						x = &Node{Op: "eq", Args: []*Node{{Op: "col", Bind: b.bind, Name: m.alias, Slot: slot}, literal(v)}}
					}
				}
			}
			q = &Node{Op: "where", Args: []*Node{q, x}, Bind: b.bind, NS: aliasesOf(b.ns)}
		}
	}
	conditions()
	for g.n(2) == 1 {
		via := g.via(m)
		if via == nil {
			break
		}
		q = &Node{Op: "follow", Args: []*Node{q}, N: via.Link}
		m = member{aliases[g.s.Facets[via.Facet].Alias], m.grant, via.Facet}
		conditions()
	}
	if g.oneIn(5) {
		q = g.orderBy(q, []member{m}, nil)
		q = &Node{Op: "limit", Args: []*Node{q}, N: 1 + g.n(3)}
	}
	return q, m
}

// unchanged asks at times that the rows of q are as one was before the program.
func (g *generator) unchanged(q *Node, m member) *Node {
	if !g.oneIn(5) {
		return q
	}
	row, bind := pick(g.draws, g.data[g.s.Facets[m.facet].Table]), g.bind()
	var all *Node
	for _, slot := range g.s.Facets[m.facet].Cols {
		if !slots[slot].kind.comparable() || g.n(2) == 0 && all != nil {
			continue
		}
		x := &Node{Op: "isNull", Args: []*Node{{Op: "col", Bind: bind, Name: m.alias, Slot: slot}}}
		if v := row[slot]; !v.Null {
			x = &Node{Op: "eq", Args: []*Node{x.Args[0], literal(v)}}
		}
		if all != nil {
			x = &Node{Op: "and", Args: []*Node{all, x}}
		}
		all = x
	}
	if all == nil {
		return q
	}
	return &Node{Op: "where", Args: []*Node{q, all}, Bind: bind, NS: []string{m.alias}, Found: true}
}

// row draws a new row.
func (g *generator) row(m member) (out []Set) {
	f := g.s.Facets[m.facet]
	for _, col := range f.Rights.Insert {
		if slots[col].null && g.n(3) > 0 && !slots[col].kind.whole() || g.oneIn(6) || col == slotTenant && g.n(3) > 0 && !has(g.s.Tables[f.Table].Keys, col) {
			continue
		}
		out = append(out, Set{Slot: col, Val: g.given(m, col)})
	}
	return out
}

// given draws a value for a column: of a key often one that some row has, in scope or not.
func (g *generator) given(m member, col int) Value {
	k := slots[col].kind
	if slots[col].null && g.oneIn(6) {
		return Value{Null: true, Kind: k}
	}
	if col == slotNote {
		return Value{Kind: Text, S: fmt.Sprintf("w%d", g.n(1000))}
	}
	if has([]int{slotM0, slotM1, slotN1, slotNick}, col) && g.n(4) > 0 {
		for _, l := range g.s.Links {
			for _, p := range l.Pairs {
				if l.From == g.s.Facets[m.facet].Table && p[0] == col {
					return literal(pick(g.draws, g.data[l.To])[p[1]]).Val
				}
				if l.To == g.s.Facets[m.facet].Table && p[1] == col {
					return literal(pick(g.draws, g.data[l.From])[p[0]]).Val
				}
			}
		}
	}
	if has(g.s.Tables[g.s.Facets[m.facet].Table].Keys, col) && k == Int && col == slotID {
		return Value{Kind: Int, I: int64(g.n(40))}
	}
	v := genValue(g.draws, k)
	switch {
	case v.big():
		return Value{Kind: Int, I: 3}
	case k == JSON && v.S == "null": // which is written as NULL
		return Value{Null: true, Kind: k}
	}
	for i := range v.L {
		if v.L[i].big() {
			v.L[i].I = 3
		}
	}
	return literal(v).Val
}

// whole says that values of a kind are written whole, and never calculated.
func (k Kind) whole() bool { return k == JSON || k == Tags || k == Nums }

// values draws what an update sets: plain values, or those of a callback, of which some are calculated.
func (g *generator) values(c *Call, m member) {
	f := g.s.Facets[m.facet]
	if g.n(2) == 1 {
		c.Bind, c.NS = g.bind(), []string{m.alias}
	}
	b := callback{c.Bind, []member{m}}
	for _, col := range f.Rights.Update {
		if len(c.Set) > 0 && g.n(3) > 0 && !slots[col].kind.whole() { // which few tables have
			continue
		}
		s := Set{Slot: col}
		if k := slots[col].kind; c.Bind != 0 && g.n(2) == 1 && !k.whole() && !has(g.s.Tables[f.Table].Unique, col) {
			s.X = g.calculated(b, k)
		}
		if s.X == nil {
			s.Val = g.given(m, col)
		}
		c.Set = append(c.Set, s)
	}
}

// calculated draws an expression of a kind, of the columns of the row.
func (g *generator) calculated(b callback, k Kind) *Node {
	in := []callback{b}
	var x *Node
	for _, c := range g.s.Facets[b.ns[0].facet].Cols {
		if slots[c].kind == k && (x == nil || g.n(2) == 1) {
			x = &Node{Op: "col", Bind: b.bind, Name: b.ns[0].alias, Slot: c}
		}
	}
	if x == nil {
		return nil
	}
	one := &Node{Op: "lit", Val: Value{Kind: Int, I: int64(1 + g.n(3))}}
	switch n := g.n(4); {
	case n == 0:
		return x
	case k == Int:
		return &Node{Op: pick(g.draws, []string{"add", "sub", "mul"}), Args: []*Node{x, one}, K: Int}
	case k == Text && n == 1:
		return &Node{Op: pick(g.draws, []string{"upper", "lower"}), Args: []*Node{x}, K: Text}
	case k == Text:
		return &Node{Op: "concat", Args: []*Node{x, {Op: "lit", Val: Value{Kind: Text, S: pick(g.draws, texts)}}}, K: Text}
	case k == Bool:
		return g.cond(in, 1)
	case k == Decimal:
		return &Node{Op: pick(g.draws, []string{"add", "sub"}), Args: []*Node{x, one}, K: Decimal}
	case k == UUID, k == Day:
		return &Node{Op: "coalesce", Args: []*Node{x, literal(genValue(g.draws, k))}, K: k}
	}
	return x
}

// spellCalls writes the program of some calls.
func spellCalls(s *Schema, calls []Call, fails bool, spelling uint64) string {
	p := &speller{s: s, refs: map[int]func(string) string{}, shared: map[*Node]int{}, named: map[*Node]string{}}
	if spelling != 0 {
		p.r = rand.New(rand.NewPCG(spelling, 7))
	}
	var b strings.Builder
	b.WriteString("const out = [];\n")
	for _, c := range calls {
		e := p.call(&c)
		if c.Catch {
			fmt.Fprintf(&b, "try { out.push({ ok: await %s }); } catch (e) { out.push({ error: String(e.message) }); }\n", e)
		} else {
			fmt.Fprintf(&b, "out.push({ ok: await %s });\n", e)
		}
	}
	if fails {
		b.WriteString("throw new Error(\"no\");")
	} else {
		b.WriteString("return out;")
	}
	return b.String()
}

func (p *speller) call(c *Call) string {
	q := p.query(c.Q)
	switch {
	case c.Do == "read":
		return q + "." + c.Send + "()"
	case c.All:
		q += ".all()"
	}
	switch c.Do {
	case "delete":
		return q + ".delete()"
	case "update":
		if c.Bind == 0 {
			return q + ".update(" + p.object(c.Set) + ")"
		}
		var body []*Node
		for _, s := range c.Set {
			if s.X != nil {
				body = append(body, s.X)
			}
		}
		return q + ".update(" + p.callback(c.Bind, c.NS, body, func() string { return p.object(c.Set) }) + ")"
	case "insert":
		return q + ".insert(" + p.object(c.Rows[0]) + ")"
	}
	var rows []string
	for _, r := range c.Rows {
		rows = append(rows, p.object(r))
	}
	return q + ".insertMany([" + strings.Join(rows, ", ") + "])"
}

func (p *speller) object(set []Set) string {
	var fs []string
	for _, s := range set {
		v := ""
		if s.X != nil {
			v = p.expr(s.X)
		} else {
			v = p.given(s.Val)
		}
		fs = append(fs, slots[s.Slot].guest+": "+v)
	}
	if len(fs) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(slices.Clone(fs), ", ") + " }"
}

// given is a value that is written: of JSON and arrays it is plain data.
func (p *speller) given(v Value) string {
	switch {
	case v.Null || !v.Kind.whole():
		return p.literal(v, false)
	case v.Kind == JSON:
		return v.S
	}
	var items []string
	for _, x := range v.L {
		items = append(items, p.literal(x, false))
	}
	return "[" + strings.Join(items, ", ") + "]"
}
