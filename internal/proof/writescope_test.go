package proof

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
)

// condition is one condition of a scope, as the rules of grants say them for a table.
type condition struct {
	kind  string // holds, linked, followed, among
	pred  *Pred
	link  int
	first bool // of followed: the relation before it is the grant itself
	in    map[int]scopeRule
	v     *view
}

// conditions are those of a table; by is the link that it is reached by within the grant, or -1.
func (m *writeModel) conditions(v *view, t, by int) (must []condition) {
	g, s := v.g, &m.c.Schema
	granted := t == v.start
	limited, followed, last := false, false, -1
	for i := len(g.Steps) - 1; i >= 0; i-- {
		switch st := g.Steps[i]; st.Kind {
		case "limit", "offset":
			limited = limited || !followed
		case "follow":
			if !followed {
				last = st.Link
			}
			followed = true
		}
	}
	holds := func(p *Pred) condition { return condition{kind: "holds", pred: p, v: v} }
	if granted && limited {
		must = append(must, condition{kind: "among", v: v})
	} else if granted {
		i := len(g.Steps) - 1
		for ; i >= 0 && g.Steps[i].Kind != "follow"; i-- {
			if g.Steps[i].Kind == "where" {
				must = append(must, holds(g.Steps[i].Pred))
			}
		}
		if i < 0 {
			must = append(must, holds(g.Pred))
		} else {
			must = append(must, condition{kind: "followed", link: g.Steps[i].Link, first: i == 0, v: v})
			if r := v.chain[t]; r.kind != "via" || r.link != g.Steps[i].Link {
				must = append(must, m.ruled(v, r, v.chain)...)
			}
		}
	}
	r := v.rules[t]
	if r.kind == "root" && granted && !followed && !limited || r.kind == "via" && (granted && !limited && last == r.link || by == r.link) {
		return must
	}
	_ = s
	return append(must, m.ruled(v, r, v.rules)...)
}

func (m *writeModel) ruled(v *view, r scopeRule, in map[int]scopeRule) []condition {
	switch r.kind {
	case "root", "rows":
		return []condition{{kind: "holds", pred: r.pred, v: v}}
	case "via":
		return []condition{{kind: "linked", link: r.link, in: in, v: v}}
	}
	return nil
}

// fixed is a column of which the scope gives the values.
type fixed struct {
	col  int
	vals []Value
	via  *condition
}

func fixes(p *Pred, had []fixed) ([]fixed, bool) {
	if p.Op == "and" {
		for _, s := range p.Subs {
			var ok bool
			if had, ok = fixes(s, had); !ok {
				return nil, false
			}
		}
		return had, true
	}
	if p.Op != "eq" && p.Op != "in" || len(p.Vals) == 0 {
		return nil, false
	}
	return fixing(had, fixed{col: p.Slot, vals: p.Vals})
}

func fixing(had []fixed, x fixed) ([]fixed, bool) {
	for i, f := range had {
		if f.col == x.col {
			if x.via != nil {
				had[i].via = x.via
			}
			return had, &f.vals[0] == &x.vals[0] && len(f.vals) == len(x.vals) && (f.via == nil || x.via == nil)
		}
	}
	return append(had, x), true
}

// parts are the columns that conditions fix, and the others.
func (m *writeModel) parts(must []condition) (out []fixed, rest []condition) {
	for _, c := range must {
		had := slices.Clone(out)
		ok := false
		if c.kind == "holds" {
			had, ok = fixes(c.pred, had)
		} else if x, carried := m.carried(c); carried {
			had, ok = fixing(had, x)
		}
		if !ok {
			rest = append(rest, c)
			continue
		}
		out = had
	}
	return out, rest
}

// carried is the key of the one row at the start of a link.
func (m *writeModel) carried(c condition) (fixed, bool) {
	if c.kind == "among" {
		return fixed{}, false
	}
	l := m.c.Schema.Links[c.link]
	if len(l.Pairs) != 1 {
		return fixed{}, false
	}
	var there []condition
	switch {
	case c.kind == "linked" && sameRules(c.in, c.v.chain) && !sameRules(c.v.chain, c.v.rules):
		there = m.ruled(c.v, c.v.chain[l.From], c.v.chain)
	case c.kind == "linked":
		there = m.conditions(c.v, l.From, -1)
	case c.first:
		there = []condition{{kind: "holds", pred: c.v.g.Pred, v: c.v}}
	}
	var all []fixed
	for _, t := range there {
		ok := t.kind == "holds"
		if ok {
			all, ok = fixes(t.pred, all)
		}
		if !ok {
			return fixed{}, false
		}
	}
	for _, f := range all {
		if f.col == l.Pairs[0][0] && len(f.vals) == 1 {
			return fixed{l.Pairs[0][1], f.vals, &c}, true
		}
	}
	return fixed{}, false
}

func sameRules(a, b map[int]scopeRule) bool { return fmt.Sprintf("%p", a) == fmt.Sprintf("%p", b) }

// reach is why the keys of some rows do not lead to rows in scope. back: the link leads to the rows.
func (m *writeModel) reach(x *slow, v *view, link int, rows [][]Set, back bool) (why []refusal) {
	l := m.c.Schema.Links[link]
	to, pairs := l.To, l.Pairs
	if back {
		to, pairs = l.From, inverted(l.Pairs)
	}
	var tuples [][]Value
	different := map[string]bool{}
	for _, r := range rows {
		var tuple []Value
		text, nowhere, absent := "", false, false
		for _, p := range pairs {
			i := slices.IndexFunc(r, func(s Set) bool { return s.Slot == p[0] })
			switch {
			case i < 0 && back:
				return []refusal{{fail.Invalid, "a part of the key is not given"}}
			case i < 0:
				absent = true
			case r[i].X != nil, r[i].Val.Null && back:
				return []refusal{{fail.Invalid, "a key that is calculated, or null"}}
			case r[i].Val.Null:
				nowhere = true
			default:
				tuple = append(tuple, r[i].Val)
				text += r[i].Val.json() + "|"
			}
		}
		if nowhere {
			tuple = nil
		}
		if tuple != nil && absent {
			return []refusal{{fail.Invalid, "a part of the key is not given"}}
		}
		if tuple != nil {
			tuples, different[text] = append(tuples, tuple), true
		}
	}
	found := 0
	for i, row := range m.data[to] {
		if slices.ContainsFunc(tuples, func(tuple []Value) bool {
			for j, p := range pairs {
				if row[p[1]].Null || order(row[p[1]], tuple[j]) != 0 {
					return false
				}
			}
			return true
		}) && x.inScope(v, to, i) {
			found++
		}
	}
	if found != len(different) {
		return []refusal{{fail.Invalid, "a key leads nowhere"}}
	}
	return nil
}

// points checks the facet's links to one row of which an update gives a column.
func (m *writeModel) points(x *slow, v *view, facet int, given, standing []Set) (why []refusal) {
	for _, via := range m.c.Schema.Facets[facet].Links {
		l := m.c.Schema.Links[via.Link]
		if l.One && slices.ContainsFunc(l.Pairs, func(p [2]int) bool {
			return slices.ContainsFunc(given, func(s Set) bool { return s.Slot == p[0] && (s.X != nil || !s.Val.Null) })
		}) {
			why = append(why, m.reach(x, v, via.Link, [][]Set{standing}, false)...)
		}
	}
	return why
}

// names are the columns that a condition speaks of.
func (p *Pred) names() (out []int) {
	if p.Op != "all" && len(p.Subs) == 0 {
		out = append(out, p.Slot)
	}
	for _, s := range p.Subs {
		out = append(out, s.names()...)
	}
	return out
}

// decides refuses what would change which rows others are in scope by: columns that conditions and limits of the grant
// look at, and rows of a relation that a limit cuts.
func (m *writeModel) decides(x *slow, v *view, facet int, c *Call) (why []refusal) {
	table := m.c.Schema.Facets[facet].Table
	cols, limited := m.deciding(v, table)
	if c.Do == "delete" && limited {
		return []refusal{{fail.Denied, "a limit"}}
	}
	if slices.ContainsFunc(c.Set, func(set Set) bool { return has(cols, set.Slot) }) {
		why = append(why, refusal{fail.Denied, "a column of the scope"})
	}
	return append(why, m.leads(x, v, facet, [][]Set{c.Set}, true)...)
}

// deciding are the columns of a table by which a grant tells rows in scope, and whether rows are counted there, or where they lead to.
func (m *writeModel) deciding(v *view, table int) (cols []int, limited bool) {
	s := &m.c.Schema
	last := -1 // the last step that counts rows
	for i, st := range v.g.Steps {
		if st.Kind == "limit" || st.Kind == "offset" {
			last = i
		}
	}
	t := v.g.Root
	cols = append(cols, v.g.Pred.namesOf(t, table)...)
	limited = t == table && last >= 0
	for i, st := range v.g.Steps {
		switch {
		case st.Kind == "follow":
			if t == table && (last > i || m.byGranted(v, table)) {
				cols = append(cols, s.Links[st.Link].ours()...)
			}
			if t = s.Links[st.Link].To; t == table {
				cols = append(cols, s.Links[st.Link].theirs()...)
				limited = limited || last > i
			}
			continue
		case t != table:
			continue
		case st.Kind == "where":
			cols = append(cols, st.Pred.names()...)
		}
		for _, b := range st.By {
			cols = append(cols, b.Slot)
		}
	}
	for _, l := range m.leading(v, table) {
		if last >= 0 {
			cols, limited = append(cols, s.Links[l].ours()...), true
		}
	}
	for _, in := range []map[int]scopeRule{v.rules, v.chain} {
		r := in[table]
		if r.pred != nil {
			cols = append(cols, r.pred.names()...)
		}
		if own := v.rules[table]; r.kind == "via" && r.link != own.link {
			cols = append(cols, s.Links[r.link].theirs()...)
		}
	}
	return cols, limited
}

func (l Link) ours() (out []int) {
	for _, p := range l.Pairs {
		out = append(out, p[0])
	}
	return out
}

func (l Link) theirs() (out []int) {
	for _, p := range l.Pairs {
		out = append(out, p[1])
	}
	return out
}

// leading are the links from a table by which other rows are in scope.
func (m *writeModel) leading(v *view, table int) (links []int) {
	s := &m.c.Schema
	for _, in := range []map[int]scopeRule{v.rules, v.chain} {
		for _, r := range in {
			if r.kind == "via" && s.Links[r.link].From == table && !has(links, r.link) {
				links = append(links, r.link)
			}
		}
	}
	t := v.g.Root
	for _, st := range v.g.Steps {
		if st.Kind == "follow" {
			if t == table && !has(links, st.Link) {
				links = append(links, st.Link)
			}
			t = s.Links[st.Link].To
		}
	}
	return links
}

// byGranted reports whether rows of a table are in scope because they were granted, or by links from such rows.
func (m *writeModel) byGranted(v *view, table int) bool {
	s := &m.c.Schema
	granted := v.g.Root
	for _, st := range v.g.Steps {
		if st.Kind == "follow" {
			granted = s.Links[st.Link].To
		}
	}
	for range len(s.Tables) + 1 {
		r := v.rules[table]
		if table == granted {
			return true
		} else if r.kind != "via" {
			return false
		}
		table = s.Links[r.link].From
	}
	return true
}

// leads checks the links by which other rows are in scope where they begin at rows that are written.
func (m *writeModel) leads(x *slow, v *view, facet int, rows [][]Set, update bool) (why []refusal) {
	for _, link := range m.leading(v, m.c.Schema.Facets[facet].Table) {
		why = append(why, m.lead(x, v, link, rows, update)...)
	}
	return why
}

func (m *writeModel) lead(x *slow, v *view, link int, rows [][]Set, update bool) []refusal {
	s := &m.c.Schema
	l := s.Links[link]
	ours, theirs := l.ours(), l.theirs()
	if !slices.ContainsFunc(rows, func(r []Set) bool {
		return slices.ContainsFunc(r, func(set Set) bool { return has(ours, set.Slot) && (set.X != nil || !set.Val.Null) })
	}) {
		return nil
	}
	if !slices.ContainsFunc(s.Tables[l.To].Keys, func(k int) bool { return !has(theirs, k) }) {
		return m.reach(x, v, link, rows, false)
	} else if update {
		return []refusal{{fail.Denied, "a column that leads to others"}}
	}
	return nil
}

// besides holds a write against the other grants: by a row that one lets a program write, another may tell which rows are in scope.
func (m *writeModel) besides(x *slow, v *view, facet int, c *Call, rows [][]Set) (why []refusal) {
	s := &m.c.Schema
	table := s.Facets[facet].Table
	for _, w := range x.grants {
		links := m.leading(w, table)
		cols, limited := m.deciding(w, table)
		if w == v || len(links) == 0 && !limited {
			continue
		}
		skips := slices.ContainsFunc(w.g.Steps, func(st Step) bool { return st.Kind == "offset" })
		if limited && (c.Do == "delete" || skips && c.Do != "update") {
			why = append(why, refusal{fail.Denied, "a limit of another grant"})
		}
		if c.Do == "update" && slices.ContainsFunc(c.Set, func(set Set) bool { return has(cols, set.Slot) }) {
			why = append(why, refusal{fail.Denied, "a column of another grant's scope"})
		}
		for _, link := range links {
			seen := slices.ContainsFunc(s.Facets[facet].Links, func(via Via) bool { return via.Link == link && s.Links[link].One })
			if !seen && !has(m.leading(v, table), link) {
				why = append(why, m.lead(x, w, link, rows, c.Do == "update")...)
			}
		}
	}
	return why
}

// namesOf are the columns of a condition on a table, if it is the one that is asked about.
func (p *Pred) namesOf(table, asked int) []int {
	if table != asked {
		return nil
	}
	return p.names()
}
