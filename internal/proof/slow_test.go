package proof

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// slow evaluates queries by nested loops over the tables in memory.
type slow struct {
	s      *Schema
	data   Data
	grants []*view
	bound  map[int][]entry // what the tables of each callback stand for now
}

// view is a grant over the data: which rows of each table it reaches.
type view struct {
	g      *Grant
	rules  map[int]scopeRule
	chain  map[int]scopeRule // of what the host followed
	start  int
	member []int // rows of the relation handed out
	memo   map[int][]int8
}

// entry is one table of a query, standing on one row.
type entry struct {
	alias                    string
	grant, facet, table, row int
}

// tuple is one row of a query: a row of each of its tables, and what it is sorted by.
type tuple struct {
	rows []entry
	keys []Value
	rank []Value // behind the keys, the greatest first
}

// rowset is what a query is at one point. Limits and offsets that follow each
// other act together, when something else follows them.
type rowset struct {
	tuples  []tuple
	desc    []bool
	limits  []int
	offsets []int
	show    *Node // the select that chose what rows show
}

func newSlow(s *Schema, data Data, grants []Grant) *slow {
	x := &slow{s: s, data: data, bound: map[int][]entry{}}
	for i := range grants {
		g := &grants[i]
		v := &view{g: g, start: g.start(s), memo: map[int][]int8{}}
		v.rules, v.chain, _ = g.rules(s)
		v.member = x.related(v, len(g.Steps))
		x.grants = append(x.grants, v)
	}
	return x
}

// linked: all pairs of keys are equal, and NULL equals nothing.
func (x *slow) linked(l Link, from, to int) bool {
	for _, p := range l.Pairs {
		a, b := x.data[l.From][from][p[0]], x.data[l.To][to][p[1]]
		if a.Null || b.Null || order(a, b) != 0 {
			return false
		}
	}
	return true
}

// cell is a column of a row; of a row that a left join found none for, it is null.
func (x *slow) cell(e entry, slot int) Value {
	if e.row < 0 {
		return Value{Null: true, Kind: slots[slot].kind}
	}
	return x.data[e.table][e.row][slot]
}

// inScope: the table's scope holds, and where the table is that of the relation
// handed out, the row is one of the relation's.
func (x *slow) inScope(v *view, table, row int) bool {
	m := v.memo[table]
	if m == nil {
		m = make([]int8, len(x.data[table]))
		v.memo[table] = m
	}
	if m[row] == 0 {
		m[row] = 1
		if (table != v.start || slices.Contains(v.member, row)) && x.scoped(v, v.rules[table], table, row, x.inScope) {
			m[row] = 2
		}
	}
	return m[row] == 2
}

func (x *slow) scoped(v *view, r scopeRule, table, row int, parent func(*view, int, int) bool) bool {
	switch r.kind {
	case "root", "rows":
		return x.holds(r.pred, x.data[table][row]) == yes
	case "via":
		l := x.s.Links[r.link]
		for p := range x.data[l.From] {
			if x.linked(l, p, row) && parent(v, l.From, p) {
				return true
			}
		}
		return false
	case "start", "shared":
		return true
	}
	return false
}

// granted is scope without the facets: what applies to the relations that the
// host builds on the way.
func (x *slow) granted(v *view, table, row int) bool {
	return x.scoped(v, v.chain[table], table, row, x.granted)
}

// related are the rows of the relation after the first n steps.
func (x *slow) related(v *view, n int) []int {
	q := x.relation(v, n)
	x.settle(q)
	var rows []int
	for _, t := range q.tuples {
		rows = append(rows, t.rows[0].row)
	}
	return rows
}

// relation is the host's relation after the first n steps.
func (x *slow) relation(v *view, n int) *rowset {
	table, from := v.g.Root, 0
	for i, st := range v.g.Steps[:n] {
		if st.Kind == "follow" {
			table, from = x.s.Links[st.Link].To, i+1
		}
	}
	var rows []int
	if from == 0 {
		for r, vals := range x.data[table] {
			if x.holds(v.g.Pred, vals) == yes {
				rows = append(rows, r)
			}
		}
	} else {
		l := x.s.Links[v.g.Steps[from-1].Link]
		parents := x.related(v, from-1)
		for r := range x.data[table] {
			reached := slices.ContainsFunc(parents, func(p int) bool { return x.linked(l, p, r) })
			if reached && x.granted(v, table, r) {
				rows = append(rows, r)
			}
		}
	}
	q := &rowset{}
	for _, r := range rows {
		q.tuples = append(q.tuples, tuple{rows: []entry{{table: table, row: r}}})
	}
	for _, st := range v.g.Steps[from:n] {
		switch st.Kind {
		case "limit":
			q.limits = append(q.limits, st.N)
			continue
		case "offset":
			if len(q.limits) > 0 { // of the rows that the limit left: the host's methods only narrow
				x.settle(q)
			}
			q.offsets = append(q.offsets, st.N)
			continue
		}
		x.settle(q)
		switch st.Kind {
		case "where":
			q.tuples = slices.DeleteFunc(q.tuples, func(t tuple) bool { return x.holds(st.Pred, x.data[table][t.rows[0].row]) != yes })
		case "order":
			for _, b := range st.By {
				q.desc = append(q.desc, b.Desc)
				for i := range q.tuples {
					q.tuples[i].keys = append(q.tuples[i].keys, x.data[table][q.tuples[i].rows[0].row][b.Slot])
				}
			}
		}
	}
	return q
}

// truth is of three values.
type truth int8

const (
	no truth = iota
	unknown
	yes
)

func is(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (x *slow) holds(p *Pred, row []Value) truth {
	switch p.Op {
	case "all":
		return yes
	case "and":
		return min(x.holds(p.Subs[0], row), x.holds(p.Subs[1], row))
	case "or":
		return max(x.holds(p.Subs[0], row), x.holds(p.Subs[1], row))
	case "not":
		return yes - x.holds(p.Subs[0], row)
	}
	return apply(p.Op, append([]Value{row[p.Slot]}, p.Vals...))
}

// before is the order of a query: its terms, then the keys of its tables as they came, in the
// direction of the last term.
func (x *slow) before(q *rowset, a, b tuple) bool {
	for i := range q.desc {
		if c := order(a.keys[i], b.keys[i]); c != 0 {
			return c < 0 != q.desc[i]
		}
	}
	for i := range a.rank {
		if c := order(a.rank[i], b.rank[i]); c != 0 {
			return c > 0
		}
	}
	for i := range a.rows {
		t := a.rows[i].table
		for _, k := range x.s.Tables[t].Keys {
			if c := order(x.cell(a.rows[i], k), x.cell(b.rows[i], k)); c != 0 {
				return c < 0 != (len(a.rank) > 0 || len(q.desc) > 0 && q.desc[len(q.desc)-1])
			}
		}
	}
	return false
}

// settle makes the limits and offsets act.
func (x *slow) settle(q *rowset) {
	if len(q.limits)+len(q.offsets) == 0 {
		return
	}
	sort.SliceStable(q.tuples, func(i, j int) bool { return x.before(q, q.tuples[i], q.tuples[j]) })
	skip := 0
	for _, n := range q.offsets {
		skip += n
	}
	q.tuples = q.tuples[min(skip, len(q.tuples)):]
	for _, n := range q.limits {
		q.tuples = q.tuples[:min(n, len(q.tuples))]
	}
	q.limits, q.offsets = nil, nil
}

// descending are the directions of a query's order, known without its rows.
func (x *slow) descending(n *Node) []bool {
	switch n.Op {
	case "walk", "follow":
		return nil
	case "grant":
		var out []bool
		for _, st := range x.grants[n.N].g.Steps {
			switch st.Kind {
			case "follow":
				out = nil
			case "order":
				for _, b := range st.By {
					out = append(out, b.Desc)
				}
			}
		}
		return out
	}
	out := x.descending(n.Args[0])
	switch n.Op {
	case "orderBy":
		for _, t := range n.Args[1:] {
			out = append(out, t.Op == "desc")
		}
	case "join", "leftJoin":
		out = append(out, x.descending(n.Args[1])...)
	}
	return out
}

// missing is what the terms of a query's order give where none of its rows is there:
// they are read as nulls, of which coalesce makes a value. miss are these rows.
func (x *slow) missing(n *Node, miss tuple) []Value {
	if n.Op != "orderBy" && n.Op != "where" && n.Op != "as" && n.Op != "limit" && n.Op != "offset" && n.Op != "select" && n.Op != "distinct" && n.Op != "search" {
		return slices.Repeat([]Value{{Null: true}}, len(x.descending(n))) // columns, and what joins order by
	}
	out := x.missing(n.Args[0], miss)
	if n.Op == "orderBy" {
		x.call(n, miss)
		for _, term := range n.Args[1:] {
			if term.Op == "asc" || term.Op == "desc" {
				term = term.Args[0]
			}
			out = append(out, x.value(term))
		}
	}
	return out
}

// call binds a callback's tables to a row of its query. The names are those
// that the tables had then: as may have given others since.
func (x *slow) call(n *Node, t tuple) {
	rows := slices.Clone(t.rows[:len(n.NS)])
	for i := range rows {
		rows[i].alias = n.NS[i]
	}
	x.bound[n.Bind] = rows
}

func (x *slow) table(n *Node) entry {
	for _, e := range x.bound[n.Bind] {
		if e.alias == n.Name {
			return e
		}
	}
	panic("proof: no table " + n.Name)
}

func (x *slow) eval(n *Node) *rowset {
	switch n.Op {
	case "grant":
		return x.handed(n.N)
	case "walk":
		p := x.table(n)
		return x.reached(n.N, []entry{p}, p)
	}
	q := x.eval(n.Args[0])
	switch n.Op {
	case "limit":
		q.limits = append(q.limits, n.N)
		return q
	case "offset":
		q.offsets = append(q.offsets, n.N)
		return q
	case "select":
		q.show = n
		return q
	case "as":
		for i := range q.tuples {
			e := q.tuples[i].rows[0]
			e.alias = n.Name
			q.tuples[i].rows = []entry{e}
		}
		return q
	}
	x.settle(q)
	switch n.Op {
	case "follow":
		if len(q.tuples) == 0 {
			return &rowset{}
		}
		var parents []entry
		for _, t := range q.tuples {
			parents = append(parents, t.rows[0])
		}
		return x.reached(n.N, parents, parents[0])
	case "search":
		var kept []tuple
		for _, t := range q.tuples {
			if x.matches(t.rows[0], n.Names) {
				t.rank = append(slices.Clone(t.rank), x.rank(t.rows[0], n.Names))
				kept = append(kept, t)
			}
		}
		q.tuples = kept
	case "where":
		var kept []tuple
		for _, t := range q.tuples {
			x.call(n, t)
			if x.cond(n.Args[1]) == yes {
				kept = append(kept, t)
			}
		}
		q.tuples = kept
	case "orderBy":
		for i, t := range q.tuples {
			x.call(n, t)
			keys := slices.Clone(t.keys)
			for _, term := range n.Args[1:] {
				if term.Op == "asc" || term.Op == "desc" {
					term = term.Args[0]
				}
				keys = append(keys, x.value(term))
			}
			q.tuples[i].keys = keys
		}
		q.desc = x.descending(n)
	case "distinct":
		x.distinct(q)
	case "join", "leftJoin":
		var out []tuple
		for _, a := range q.tuples {
			before := len(out)
			if n.Bind != 0 {
				x.call(n, a)
			}
			q2 := x.eval(n.Args[1])
			x.settle(q2)
			for _, b := range q2.tuples {
				t := tuple{append(slices.Clone(a.rows), b.rows...), append(slices.Clone(a.keys), b.keys...), append(slices.Clone(a.rank), b.rank...)}
				if len(n.Args) > 2 {
					x.bound[n.On] = t.rows
					if x.cond(n.Args[2]) != yes {
						continue
					}
				}
				out = append(out, t)
			}
			if n.Op == "leftJoin" && len(out) == before {
				t := tuple{slices.Clone(a.rows), slices.Clone(a.keys), slices.Clone(a.rank)}
				for _, m := range n.Miss {
					t.rows = append(t.rows, entry{m.Alias, m.Grant, m.Facet, x.s.Facets[m.Facet].Table, -1})
				}
				t.keys = append(t.keys, x.missing(n.Args[1], tuple{rows: t.rows[len(a.rows):]})...)
				t.rank = append(t.rank, slices.Repeat([]Value{{Kind: Int}}, searches(n.Args[1]))...) // no word is found in it
				out = append(out, t)
			}
		}
		q.tuples, q.desc = out, x.descending(n)
	}
	return q
}

// handed are the rows of a granted relation.
func (x *slow) handed(i int) *rowset {
	v := x.grants[i]
	f := x.s.Facets[v.g.Facet]
	q := &rowset{desc: x.descending(&Node{Op: "grant", N: i})}
	for r := range x.data[v.start] {
		if !x.inScope(v, v.start, r) {
			continue
		}
		t := tuple{rows: []entry{{aliases[f.Alias], i, v.g.Facet, v.start, r}}}
		for _, st := range v.g.Steps {
			switch st.Kind {
			case "follow":
				t.keys = nil
			case "order":
				for _, b := range st.By {
					t.keys = append(t.keys, x.data[v.start][r][b.Slot])
				}
			}
		}
		q.tuples = append(q.tuples, t)
	}
	return q
}

// reached are the rows in scope that a link leads to from one of the parents, each once.
func (x *slow) reached(link int, parents []entry, p entry) *rowset {
	l := x.s.Links[link]
	facet := -1
	for _, v := range x.s.Facets[p.facet].Links {
		if v.Link == link {
			facet = v.Facet
		}
	}
	q := &rowset{}
	for r := range x.data[l.To] {
		if x.inScope(x.grants[p.grant], l.To, r) && slices.ContainsFunc(parents, func(e entry) bool { return e.row >= 0 && x.linked(l, e.row, r) }) {
			q.tuples = append(q.tuples, tuple{rows: []entry{{aliases[x.s.Facets[facet].Alias], p.grant, facet, l.To, r}}})
		}
	}
	return q
}

// answer is what a sent query must return: rows of which some orders are right,
// or one value.
type answer struct {
	rows  []string  // JSON
	keys  [][]Value // what each row is sorted by
	exact bool      // the order is total
	one   bool      // rows[0] is the answer itself
}

func (x *slow) answer(q Query) answer {
	r := x.eval(q.Q)
	if q.Send == "first" {
		r.limits = append(r.limits, 1)
	}
	out := answer{exact: len(r.limits)+len(r.offsets)+searches(q.Q) > 0}
	x.settle(r)
	sort.SliceStable(r.tuples, func(i, j int) bool { return x.before(r, r.tuples[i], r.tuples[j]) })
	if q.Send == "count" {
		return answer{rows: []string{strconv.Itoa(len(r.tuples))}, one: true, exact: true}
	}
	for _, t := range r.tuples {
		var b strings.Builder
		x.shown(&b, r, t)
		out.rows, out.keys = append(out.rows, b.String()), append(out.keys, t.keys)
	}
	if q.Send == "first" {
		out.one = true
		if len(out.rows) == 0 {
			out.rows = []string{"null"}
		}
	}
	return out
}

// typed is what the host reads of a grant's relation itself: the canaries of its rows.
func (x *slow) typed(v *view, first bool) answer {
	q := x.relation(v, len(v.g.Steps))
	if first {
		q.limits = append(q.limits, 1)
	}
	out := answer{exact: len(q.limits)+len(q.offsets) > 0}
	x.settle(q)
	sort.SliceStable(q.tuples, func(i, j int) bool { return x.before(q, q.tuples[i], q.tuples[j]) })
	for _, t := range q.tuples {
		out.rows, out.keys = append(out.rows, canary(v.start, t.rows[0].row)), append(out.keys, t.keys)
	}
	return out
}

// some reports whether there is any row in the answer.
func (a answer) some() bool {
	return len(a.rows) > 0 && !(a.one && (a.rows[0] == "null" || a.rows[0] == "0"))
}

func (x *slow) shown(b *strings.Builder, q *rowset, t tuple) {
	if q.show == nil {
		x.whole(b, t.rows[0])
		return
	}
	x.call(q.show, t)
	x.print(b, q.show.Args[1])
}

// distinct keeps the first of the rows that show the same.
func (x *slow) distinct(q *rowset) {
	sort.SliceStable(q.tuples, func(i, j int) bool { return x.before(q, q.tuples[i], q.tuples[j]) })
	var kept []tuple
	var seen [][]Value
	for _, t := range q.tuples {
		var vs []Value
		if q.show == nil {
			vs = x.values(vs, &Node{Op: "whole"}, t.rows[0])
		} else {
			x.call(q.show, t)
			vs = x.values(vs, q.show.Args[1], entry{})
		}
		if !slices.ContainsFunc(seen, func(old []Value) bool { return same(old, vs) }) {
			seen, kept = append(seen, vs), append(kept, t)
		}
	}
	q.tuples = kept
}

// values are what a selection shows, in a row.
func (x *slow) values(vs []Value, n *Node, e entry) []Value {
	switch n.Op {
	case "whole":
		for _, c := range x.s.Facets[e.facet].Cols {
			vs = append(vs, x.cell(e, c))
		}
	case "row":
		return x.values(vs, &Node{Op: "whole"}, x.table(n))
	case "ns":
		for _, e := range x.bound[n.Bind] {
			vs = x.values(vs, &Node{Op: "whole"}, e)
		}
	case "record":
		for _, a := range n.Args {
			vs = x.values(vs, a, e)
		}
	default:
		vs = append(vs, x.value(n))
	}
	return vs
}

// print writes what one row shows.
func (x *slow) print(b *strings.Builder, n *Node) {
	switch n.Op {
	case "row":
		x.whole(b, x.table(n))
	case "ns":
		es := x.bound[n.Bind]
		if len(es) == 1 {
			x.whole(b, es[0])
			return
		}
		for i, e := range es {
			fmt.Fprintf(b, "%c%q:", "{,"[min(i, 1)], e.alias)
			x.whole(b, e)
		}
		b.WriteByte('}')
	case "nested":
		x.nested(b, n)
	case "record":
		for i, a := range n.Args {
			fmt.Fprintf(b, "%c%q:", "{,"[min(i, 1)], n.Names[i])
			x.print(b, a)
		}
		b.WriteByte('}')
	default:
		b.WriteString(x.value(n).json())
	}
}

func (x *slow) whole(b *strings.Builder, e entry) {
	for i, c := range x.s.Facets[e.facet].Cols {
		fmt.Fprintf(b, "%c%q:%s", "{,"[min(i, 1)], slots[c].guest, x.cell(e, c).json())
	}
	b.WriteByte('}')
}

// differs says how what a query returned is not what it must be; "" if it is.
// got are the rows as JSON in their order.
func (a answer) differs(got []string) string {
	if len(got) != len(a.rows) {
		return fmt.Sprintf("%d rows, want %d", len(got), len(a.rows))
	}
	for i := 0; i < len(got); {
		j := i + 1
		for !a.exact && j < len(got) && same(a.keys[i], a.keys[j]) {
			j++
		}
		if !slices.Equal(sortedQuoted(got[i:j]), sortedQuoted(a.rows[i:j])) {
			return fmt.Sprintf("rows %d to %d differ", i, j-1)
		}
		i = j
	}
	return ""
}

// quoted quotes whole numbers of 16 digits and more: a float that a program has
// held in its hands becomes an integer, which beyond 2^53 is shown as text; one that
// went straight through does not.
func quoted(row string) string { return longNumber.ReplaceAllString(row, `:"$1"$2`) }

// sortedQuoted are rows that are quoted and then sorted: the other way round one row would stand in two places.
func sortedQuoted(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = quoted(r)
	}
	slices.Sort(out)
	return out
}

var longNumber = regexp.MustCompile(`:(-?[0-9]{16,})([,}])`)

func same(a, b []Value) bool {
	for i := range a {
		if order(a[i], b[i]) != 0 {
			return false
		}
	}
	return true
}
