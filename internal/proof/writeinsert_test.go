package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/fail"
)

// insert is an insert of one row, or of many.
func (m *writeModel) insert(x *slow, c *Call) (want answer, table int, v *view, why []refusal) {
	s := &m.c.Schema
	grant, facet := s.ends(m.grants, c.Q)
	v, table = x.grants[grant], s.Facets[facet].Table
	refuse := func(k fail.Kind, text string) { why = append(why, refusal{k, text}) }
	var filled []Set
	by := -1
	if c.Q.Op == "follow" {
		l := s.Links[c.Q.N]
		by = c.Q.N
		if l.One {
			refuse(fail.Invalid, "through a link to one row")
		}
		q := x.eval(c.Q.Args[0])
		x.settle(q)
		if len(q.tuples) != 1 {
			refuse(fail.Invalid, "through none, or several")
		}
		for _, p := range l.Pairs {
			fill := Set{Slot: p[1], Val: Value{Kind: slots[p[1]].kind}} // which is asked of no row
			if len(q.tuples) == 1 {
				if fill.Val = x.cell(q.tuples[0].rows[0], p[0]); fill.Val.Null {
					refuse(fail.Invalid, "through null")
				}
			}
			filled = append(filled, fill)
		}
	}
	out, rest := m.parts(m.conditions(v, table, by))
	one := c.Do == "insert"
	after := false
	for _, f := range out {
		if len(f.vals) != 1 {
			after = true
			continue
		}
		if i := slices.IndexFunc(filled, func(s Set) bool { return s.Slot == f.col }); i >= 0 { // by the link
			if filled[i].Val.json() != f.vals[0].json() {
				refuse(fail.Denied, "the link fills in another value than the scope")
			}
			continue
		}
		filled = append(filled, Set{Slot: f.col, Val: f.vals[0]})
		if f.via != nil {
			why = append(why, m.reach(x, v, f.via.link, [][]Set{filled}, true)...)
		}
	}
	for _, k := range rest {
		after = after || k.kind != "linked"
	}
	rows := make([][]Set, len(c.Rows))
	for i, r := range c.Rows {
		for _, f := range filled {
			if slices.ContainsFunc(r, func(s Set) bool { return s.Slot == f.Slot }) {
				refuse(fail.Denied, "a column that is filled in")
			}
		}
		rows[i] = append(slices.Clone(r), filled...)
		if len(rows[i]) == 0 {
			refuse(fail.Invalid, "no value")
		}
	}
	for _, k := range rest {
		if k.kind == "linked" {
			why = append(why, m.reach(x, v, k.link, rows, true)...)
		}
	}
	through := func(col int) bool { // another link than the one back
		return by >= 0 && slices.ContainsFunc(s.Links[by].Pairs, func(p [2]int) bool { return p[1] == col })
	}
	for _, via := range s.Facets[facet].Links { // those that the program gives or the link fills in, and none that the scope does, are looked at
		l := s.Links[via.Link]
		back := by >= 0 && l.To == s.Links[by].From && sameSet(l.Pairs, inverted(s.Links[by].Pairs))
		var looked [][]Set
		for i, r := range c.Rows {
			if !back && slices.ContainsFunc(l.Pairs, func(p [2]int) bool { return through(p[0]) }) || slices.ContainsFunc(l.Pairs, func(p [2]int) bool {
				return slices.ContainsFunc(r, func(s Set) bool { return s.Slot == p[0] && !s.Val.Null })
			}) {
				looked = append(looked, rows[i])
			}
		}
		if l.One && looked != nil {
			why = append(why, m.reach(x, v, via.Link, looked, false)...)
		}
	}
	why = append(why, m.leads(x, v, facet, rows, false)...)
	why = append(why, m.besides(x, v, facet, c, rows)...)
	if after && !one {
		refuse(fail.Invalid, "one by one")
	}
	if len(why) > 0 {
		return want, table, v, why
	}
	var sets []string
	by2 := map[string][][]Set{}
	for _, r := range rows {
		key := ""
		for _, s := range r {
			key += fmt.Sprint(s.Slot, "|")
		}
		if by2[key] == nil {
			sets = append(sets, key)
		}
		by2[key] = append(by2[key], r)
	}
	tab := &s.Tables[table]
	for _, key := range sets {
		for _, r := range by2[key] {
			row := make([]Value, len(slots))
			for col := range slots {
				row[col] = Value{Null: true, Kind: slots[col].kind}
				if has(tab.Usual, col) {
					row[col] = usual[col]
				}
			}
			given := false
			for _, s := range r {
				val, ok := s.Val.as(slots[s.Slot].kind)
				if !ok {
					why = append(why, refusal{fail.Invalid, "a value that the column can't store"})
				}
				row[s.Slot] = val
				given = given || s.Slot == slotID
			}
			if tab.serial() && !given {
				row[slotID] = Value{Kind: Int, I: m.newID(table)}
			}
			m.data[table] = append(m.data[table], row)
			if rule := s.broken(m.data); rule != "" && rule != "foreign key" { // those are looked at behind all rows
				why = append(why, refusal{fail.Invalid, rule})
				break
			}
		}
		if rule := s.broken(m.data); rule != "" && len(why) == 0 {
			why = append(why, refusal{fail.Invalid, rule})
		}
		if len(why) > 0 {
			return want, table, v, why
		}
	}
	y := m.slow()
	w := y.grants[grant]
	for i := len(m.data[table]) - len(rows); i < len(m.data[table]); i++ {
		if !y.inScope(w, table, i) {
			if one {
				return want, table, v, []refusal{{fail.Denied, "out of scope"}}
			}
			m.wrong = "insertMany inserts a row out of scope"
		}
	}
	if !one {
		return answer{rows: []string{fmt.Sprint(len(rows))}, one: true, exact: true}, table, v, nil
	}
	var b strings.Builder
	y.whole(&b, entry{aliases[s.Facets[facet].Alias], grant, facet, table, len(m.data[table]) - 1})
	return answer{rows: []string{b.String()}, one: true, exact: true}, table, v, nil
}

func sameSet(a, b [][2]int) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(p [2]int) bool { return !slices.Contains(b, p) })
}

func (m *writeModel) newID(table int) int64 {
	if m.next != nil {
		m.next[table]++
		return m.next[table] - 1
	}
	var top int64
	for _, row := range m.data[table] {
		top = max(top, row[slotID].I)
	}
	return top + 1
}
