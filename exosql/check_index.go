package exosql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/schema"
)

// link checks that an index serves whoever follows a link: without one each step
// reads the whole table, and with it the rows of everybody.
func (c *checker) link(l *link) {
	to := c.live.Table(schema.Name{Name: l.to.name})
	if to == nil {
		return // reported, or a view
	}
	var cols []string
	for _, p := range l.pairs {
		if c.find(to.Columns, p.to.name) == nil {
			return // reported
		}
		cols = append(cols, p.to.name)
	}
	if c.byText(l, to) || c.indexed(to, cols) {
		return
	}
	f := Finding{Kind: NoIndex, Table: l.to.name, Problem: fmt.Sprintf("the link %s.%s is followed to (%s), which has no index", l.from.name, l.name, strings.Join(cols, ", ")),
		Fix: createIndex(l.to.name, cols), Warning: !c.links[l]}
	if len(cols) == 1 {
		f.Column = cols[0]
	}
	c.add(f)
}

func createIndex(table string, cols []string) string {
	return fmt.Sprintf("CREATE INDEX %s ON %s (%s)", quoteName(table+"_by_"+strings.Join(cols, "_")), quoteName(table), quoteAll(cols))
}

// scope checks that an index serves a predicate.
func (c *checker) scope(t *table, live *schema.Table, p *pred) {
	need, selective := c.unserved(live, p)
	if !selective || len(need) == 0 {
		return // AllRows, or conditions that no index serves anyway
	}
	f := Finding{Kind: NoIndex, Table: t.name, Problem: fmt.Sprintf("the scope is a condition on %s, which has no index", strings.Join(need, ", ")), Fix: createIndex(t.name, need[:1])}
	if len(need) == 1 {
		f.Column = need[0]
	}
	c.add(f)
}

// unserved are the columns of which an index is missing for a predicate to be found
// by one; selective says that an index could serve it at all. One condition of an
// And is enough, an Or needs all of its own.
func (c *checker) unserved(live *schema.Table, p *pred) (need []string, selective bool) {
	switch {
	case p == nil:
	case p.op == "and":
		for _, s := range p.subs {
			n, sel := c.unserved(live, s)
			if sel && len(n) == 0 {
				return nil, true
			}
			need, selective = append(need, n...), selective || sel
		}
	case p.op == "or":
		for _, s := range p.subs {
			n, sel := c.unserved(live, s)
			if !sel {
				return nil, false // the whole table is read in any case
			}
			need, selective = append(need, n...), true
		}
	case p.col != nil && p.op != "ne" && p.op != "notIn" && p.op != "isNotNull":
		if c.find(live.Columns, p.col.name) != nil && !c.indexed(live, []string{p.col.name}) {
			need = []string{p.col.name}
		}
		return need, true
	}
	return need, selective
}

// fixed are the columns that a predicate compares with = or in wherever it holds.
func fixed(p *pred, out []*column) []*column {
	switch {
	case p == nil:
	case p.op == "eq" || p.op == "in":
		return append(out, p.col)
	case p.op == "and":
		for _, s := range p.subs {
			out = fixed(s, out)
		}
	}
	return out
}

// indexed reports whether some index or key begins with these columns, in any order.
func (c *checker) indexed(t *schema.Table, cols []string) bool {
	begins := func(with []string) bool {
		return len(with) >= len(cols) && c.within(with[:len(cols)], cols)
	}
	for p := t; p != nil; {
		if p.PrimaryKey != nil && begins(p.PrimaryKey.Columns) || slices.ContainsFunc(p.Uniques, func(k schema.Key) bool { return begins(k.Columns) }) {
			return true
		}
		for _, x := range p.Indexes {
			if begins(c.leading(p, x)) && !x.Invalid && (x.Where == "" || c.onlyNulls(x.Where, cols)) {
				return true
			}
		}
		if p.PartitionOf == nil {
			return false
		}
		p = c.live.Table(*p.PartitionOf) // what it has, its partitions have
	}
	return false
}

// leading are the columns by which an index finds rows that are equal.
func (c *checker) leading(t *schema.Table, x schema.Index) (out []string) {
	for _, p := range x.Parts {
		if p.Column == "" || p.Collation != "" || p.OpClass != "" && !strings.HasSuffix(p.OpClass, "_pattern_ops") {
			break
		}
		out = append(out, p.Column)
	}
	switch {
	case x.Method == "" || x.Method == "btree":
		return out
	case x.Method == "hash" && len(out) == 1:
		return out
	}
	return nil // gin, gist, brin: not for =
}

// onlyNulls reports whether a partial index leaves out rows of which one of the
// columns is NULL, and no others: nothing that is equal is NULL.
func (c *checker) onlyNulls(where string, cols []string) bool {
	w := strings.NewReplacer("(", " ", ")", " ", `"`, "").Replace(where)
	f := strings.Fields(w)
	return len(f) == 4 && strings.EqualFold(strings.Join(f[1:], " "), "is not null") && c.within(f[:1], cols)
}
