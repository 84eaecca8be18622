package proof

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Grant is one capability: a root table with its predicate, the scopes of
// further tables, what the host did to the relation, and the facet it is seen through.
type Grant struct {
	Root   int
	Pred   *Pred
	Scopes []Scope
	Steps  []Step
	Facet  int
}

// Pred is a condition that the host gives: all, eq, ne, lt, le, gt, ge, in,
// isNull, isNotNull, and, or, not.
type Pred struct {
	Op   string
	Slot int     `json:",omitempty"`
	Vals []Value `json:",omitempty"`
	Subs []*Pred `json:",omitempty"`
}

// Scope is declared for one table: via, rows or shared.
type Scope struct {
	Table int
	Kind  string
	Link  int
	Pred  *Pred
}

// Step narrows the granted relation: where, order, limit, offset, follow.
type Step struct {
	Kind string
	Pred *Pred  `json:",omitempty"`
	By   []Sort `json:",omitempty"`
	N    int    `json:",omitempty"`
	Link int    `json:",omitempty"`
}

// Sort is one term of an order that the host gives.
type Sort struct {
	Slot int
	Desc bool
}

// start is the table of the relation that is handed out.
func (g *Grant) start(s *Schema) int {
	t := g.Root
	for _, x := range g.Steps {
		if x.Kind == "follow" {
			t = s.Links[x.Link].To
		}
	}
	return t
}

// scopeRule is the scope of one table under a grant.
type scopeRule struct {
	kind string // root, start, rows, via, shared
	pred *Pred
	link int
}

// rules are the scopes of all tables that a grant reaches: the root's, those
// declared, the handed-out relation's own table, and for each other one the only
// way that leads there. chain are those of the tables that the host's own follow
// steps went through. ok is false where a scope has to be declared.
func (g *Grant) rules(s *Schema) (rules, chain map[int]scopeRule, ok bool) {
	var links, steps []int
	for _, f := range s.reach(g.Facet) {
		for _, v := range s.Facets[f].Links {
			links = append(links, v.Link)
		}
	}
	for _, st := range g.Steps {
		if st.Kind == "follow" {
			steps = append(steps, st.Link)
		}
	}
	chain, ok2 := g.closed(s, steps, g.Root, nil)
	rules, ok = g.closed(s, links, g.start(s), chain)
	return rules, chain, ok && ok2
}

// closed finds the scope of every table that some links lead to. A way that
// leads back over the keys by which its start was reached is no way.
// What the chain has fixed stays.
func (g *Grant) closed(s *Schema, links []int, start int, fixed map[int]scopeRule) (rules map[int]scopeRule, ok bool) {
	rules = map[int]scopeRule{g.Root: {kind: "root", pred: g.Pred}}
	said := map[int]Scope{}
	for _, sc := range g.Scopes {
		rules[sc.Table] = scopeRule{kind: sc.Kind, pred: sc.Pred, link: sc.Link}
		said[sc.Table] = sc
	}
	for t, r := range fixed {
		if _, known := rules[t]; !known {
			rules[t] = r
		}
	}
	if _, known := rules[start]; !known {
		rules[start] = scopeRule{kind: "start"}
	}
	into := map[int][]int{}
	for _, l := range links {
		if to := s.Links[l].To; !has(into[to], l) {
			into[to] = append(into[to], l)
		}
	}
	for t := range into {
		if _, known := rules[t]; known {
			continue
		}
		var ways []int
		for _, l := range into[t] {
			from := s.Links[l].From
			back := from != t && len(into[from]) > 0
			if k := rules[from].kind; k == "root" || k == "start" {
				back = false // it was not reached from t, whatever leads there
			} else if sc, declared := said[from]; declared {
				back = from != t && sc.Kind == "via" && s.inverse(l, sc.Link)
			} else {
				for _, m := range into[from] {
					back = back && s.inverse(l, m)
				}
			}
			if !back || len(into[t]) == 1 {
				ways = append(ways, l)
			}
		}
		if len(ways) != 1 || s.Links[ways[0]].From == t {
			return nil, false
		}
		rules[t] = scopeRule{kind: "via", link: ways[0]}
	}
	for _, r := range rules { // every via must lead back to a table with a scope of its own
		for n := 0; r.kind == "via"; n++ {
			next, known := rules[s.Links[r.link].From]
			if !known || n > len(rules) {
				return nil, false
			}
			r = next
		}
	}
	return rules, true
}

// reach are the facets that can be reached from one, itself first.
func (s *Schema) reach(facet int) []int {
	out := []int{facet}
	for i := 0; i < len(out); i++ {
		for _, v := range s.Facets[out[i]].Links {
			if !has(out, v.Facet) {
				out = append(out, v.Facet)
			}
		}
	}
	return out
}

func (s *Schema) reaches(facet, link int) bool {
	for _, f := range s.reach(facet) {
		for _, v := range s.Facets[f].Links {
			if v.Link == link {
				return true
			}
		}
	}
	return false
}

func (s *Schema) inverse(l, m int) bool {
	a, b := s.Links[l], s.Links[m]
	if a.From != b.To || a.To != b.From || len(a.Pairs) != len(b.Pairs) {
		return false
	}
	for _, p := range a.Pairs {
		found := false
		for _, q := range b.Pairs {
			found = found || p[0] == q[1] && p[1] == q[0]
		}
		if !found {
			return false
		}
	}
	return true
}

// genGrant draws a grant and declares scopes until the rules are satisfied. Once
// in a while it leaves one out: then the grant must be refused.
func genGrant(d *draws, s *Schema) Grant {
	g := Grant{Root: d.n(len(s.Tables))}
	g.Pred = genTenant(d, s, g.Root)
	var carried []Scope
	if chains := s.chains(); len(chains) > 0 && d.oneIn(2) {
		c := pick(d, chains)
		first, second := s.Links[c[0]], s.Links[c[1]]
		g.Root = first.From
		g.Pred = &Pred{Op: "eq", Slot: first.Pairs[0][0], Vals: []Value{genValue(d, slots[first.Pairs[0][0]].kind)}}
		carried = []Scope{{Table: first.To, Kind: "via", Link: c[0]}, {Table: second.To, Kind: "via", Link: c[1]}}
	}
	t := g.Root
	steps := func() {
		for d.oneIn(3) {
			x := Step{Kind: pick(d, []string{"where", "order", "limit", "limit", "offset", "order"}), N: []int{1, 2, 3, 4, 5, 2, 3, 0}[d.n(8)]}
			switch x.Kind {
			case "where":
				x.Pred = genPred(d, s, t, 2)
			case "order":
				for range 1 + d.n(2) {
					c := pick(d, s.Tables[t].Cols)
					if !slots[c].kind.comparable() {
						c = slotTenant
					}
					x.By = append(x.By, Sort{c, d.n(2) == 1})
				}
			case "offset":
				x.N = d.n(5) / 2
			}
			g.Steps = append(g.Steps, x)
		}
	}
	steps()
	for range d.n(6) / 2 {
		var ls []int
		for i, l := range s.Links {
			if l.From == t {
				ls = append(ls, i)
			}
		}
		if len(ls) == 0 {
			break
		}
		l := pick(d, ls)
		g.Steps = append(g.Steps, Step{Kind: "follow", Link: l})
		t = s.Links[l].To
		steps()
	}
	var fs []int
	for i, f := range s.Facets {
		if f.Table == t {
			fs = append(fs, i)
		}
	}
	g.Facet = pick(d, fs)
	// Declared scopes lean only on the root and on those declared before.
	firm := []int{g.Root}
	for _, sc := range carried {
		g.Scopes, firm = append(g.Scopes, sc), append(firm, sc.Table)
	}
	for i := range s.Tables {
		t := (g.Root + i) % len(s.Tables)
		if !has(firm, t) && d.n(5) > 2 {
			g.Scopes = append(g.Scopes, genScope(d, s, t, firm))
			firm = append(firm, t)
		}
	}
	if d.oneIn(10) {
		return g
	}
	for i := range s.Tables {
		t := (g.Root + i) % len(s.Tables)
		if _, _, ok := g.rules(s); ok {
			break
		}
		if !has(firm, t) {
			g.Scopes = append(g.Scopes, genScope(d, s, t, firm))
			firm = append(firm, t)
		}
	}
	return g
}

func genScope(d *draws, s *Schema, t int, firm []int) Scope {
	sc := Scope{Table: t, Kind: "rows"}
	var ls []int
	for i, l := range s.Links {
		if l.To == t && l.From != t && has(firm, l.From) {
			ls = append(ls, i)
		}
	}
	switch {
	case len(ls) > 0 && d.n(3) > 0:
		sc.Kind, sc.Link = "via", pick(d, ls)
	case d.oneIn(5):
		sc.Kind = "shared"
	default:
		sc.Pred = genTenant(d, s, t)
	}
	return sc
}

// genTenant is mostly a tenant column, as hosts write it.
func genTenant(d *draws, s *Schema, t int) *Pred {
	one := func() Value { return Value{Kind: Int, I: int64(d.n(5) / 2)} }
	switch d.n(8) {
	case 5:
		return &Pred{Op: "in", Slot: slotTenant, Vals: []Value{one(), one()}}
	case 6:
		return genPred(d, s, t, 2)
	case 7:
		return &Pred{Op: "or", Subs: []*Pred{{Op: "eq", Slot: slotTenant, Vals: []Value{one()}}, genPred(d, s, t, 1)}}
	}
	return &Pred{Op: "eq", Slot: slotTenant, Vals: []Value{one()}}
}

func genPred(d *draws, s *Schema, t int, depth int) *Pred {
	if depth > 0 && d.oneIn(3) {
		p := &Pred{Op: pick(d, []string{"and", "or", "not"})}
		p.Subs = append(p.Subs, genPred(d, s, t, depth-1))
		if p.Op != "not" {
			p.Subs = append(p.Subs, genPred(d, s, t, depth-1))
		}
		return p
	}
	c := pick(d, s.Tables[t].Cols)
	for c == slotNote || c == slotSecret {
		c = slotTenant
	}
	k := slots[c].kind
	p := &Pred{Slot: c, Op: pick(d, []string{"eq", "ne", "isNull", "isNotNull", "in", "lt", "le", "gt", "ge", "all"})}
	if !k.comparable() {
		p.Op = pick(d, []string{"isNull", "isNotNull"})
	}
	switch p.Op {
	case "eq", "ne", "lt", "le", "gt", "ge":
		p.Vals = []Value{genValue(d, k)}
	case "in":
		for range d.n(4) {
			p.Vals = append(p.Vals, genValue(d, k))
		}
	}
	return p
}

// predicate is p for exosql.
func (p *Pred) predicate(t *declared) exosql.Predicate[Row] {
	var subs []exosql.Predicate[Row]
	for _, x := range p.Subs {
		subs = append(subs, x.predicate(t))
	}
	switch p.Op {
	case "all":
		return exosql.AllRows[Row]()
	case "and":
		return exosql.And(subs...)
	case "or":
		return exosql.Or(subs...)
	case "not":
		return exosql.Not(subs[0])
	}
	switch slots[p.Slot].kind {
	case Int:
		return compare(p, t.ints[p.Slot], func(v Value) int64 { return v.I })
	case Text:
		return compare(p, t.texts[p.Slot], func(v Value) string { return v.S })
	case Float:
		return compare(p, t.floats[p.Slot], func(v Value) float64 { return v.F })
	case Bool:
		return compare(p, t.bools[p.Slot], func(v Value) bool { return v.B })
	case Time:
		return compare(p, t.times[p.Slot], func(v Value) time.Time { return time.UnixMilli(v.I) })
	case Decimal:
		return compare(p, t.decimals[p.Slot], func(v Value) exosql.Decimal { return exosql.Decimal(v.S) })
	case Day:
		return compare(p, t.day, func(v Value) exosql.Date {
			m := v.moment()
			return exosql.Date{Year: int(m.year), Month: time.Month(m.month), Day: int(m.day)}
		})
	case Span:
		return compare(p, t.span, func(v Value) exosql.Interval { i, _ := scalar.ParseInterval(v.S); return exosql.Interval(i) })
	case UUID:
		return compare(p, t.code, func(v Value) [16]byte {
			b, _ := hex.DecodeString(strings.ReplaceAll(v.S, "-", ""))
			return [16]byte(b)
		})
	case Bytes:
		return compare(p, t.raw, func(v Value) []byte { return v.stored().([]byte) })
	case JSON:
		return compare[exosql.JSON](p, t.doc, nil)
	case Tags:
		return compare[[]*string](p, t.tags, nil)
	}
	return compare[[]*int64](p, t.nums, nil)
}

func compare[V any](p *Pred, c *exosql.Column[Row, V], of func(Value) V) exosql.Predicate[Row] {
	var vs []V
	for _, v := range p.Vals {
		vs = append(vs, of(v))
	}
	switch p.Op {
	case "eq":
		return c.Eq(vs[0])
	case "ne":
		return c.Ne(vs[0])
	case "lt":
		return c.Lt(vs[0])
	case "le":
		return c.Le(vs[0])
	case "gt":
		return c.Gt(vs[0])
	case "ge":
		return c.Ge(vs[0])
	case "in":
		return c.In(vs...)
	case "isNull":
		return c.IsNull()
	case "isNotNull":
		return c.IsNotNull()
	}
	panic(fmt.Sprintf("proof: no predicate %q", p.Op))
}

func (t *declared) order(by Sort) exosql.Order[Row] {
	switch slots[by.Slot].kind {
	case Int:
		return sorted(t.ints[by.Slot], by.Desc)
	case Text:
		return sorted(t.texts[by.Slot], by.Desc)
	case Float:
		return sorted(t.floats[by.Slot], by.Desc)
	case Bool:
		return sorted(t.bools[by.Slot], by.Desc)
	case Time:
		return sorted(t.times[by.Slot], by.Desc)
	case Decimal:
		return sorted(t.decimals[by.Slot], by.Desc)
	case Day:
		return sorted(t.day, by.Desc)
	case Span:
		return sorted(t.span, by.Desc)
	case UUID:
		return sorted(t.code, by.Desc)
	}
	return sorted(t.raw, by.Desc)
}

func sorted[V any](c *exosql.Column[Row, V], desc bool) exosql.Order[Row] {
	if desc {
		return c.Desc()
	}
	return c.Asc()
}

// relation is the grant's relation for exosql.
func (g *Grant) relation(db *exosql.DB, s *Schema, d *declaration) exosql.Relation[Row] {
	var scopes []exosql.Scope
	for _, sc := range g.Scopes {
		t := d.tables[sc.Table]
		switch sc.Kind {
		case "via":
			scopes = append(scopes, exosql.ScopeVia(d.links[sc.Link]))
		case "rows":
			scopes = append(scopes, exosql.ScopeRows(t.table, sc.Pred.predicate(t)))
		default:
			scopes = append(scopes, exosql.ScopeShared(t.table))
		}
	}
	t := d.tables[g.Root]
	r := exosql.Grant(db, t.table, g.Pred.predicate(t), scopes...)
	for _, x := range g.Steps {
		switch x.Kind {
		case "where":
			r = r.Where(x.Pred.predicate(t))
		case "order":
			var by []exosql.Order[Row]
			for _, b := range x.By {
				by = append(by, t.order(b))
			}
			r = r.OrderBy(by...)
		case "limit":
			r = r.Limit(int64(x.N))
		case "offset":
			r = r.Offset(int64(x.N))
		case "follow":
			r = exosql.Follow(r, d.links[x.Link])
			t = d.tables[s.Links[x.Link].To]
		}
	}
	return r
}

// everything is the twin of g: the same facet over all rows of all tables.
func (g *Grant) everything(s *Schema) Grant {
	w := Grant{Root: g.start(s), Pred: &Pred{Op: "all"}, Facet: g.Facet}
	for t := range s.Tables {
		if t != w.Root {
			w.Scopes = append(w.Scopes, Scope{Table: t, Kind: "shared"})
		}
	}
	return w
}
