package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// link checks that an index serves a link. Without an index, each step over the link reads the whole table, with the rows of all tenants.
func (c *Checker) link(l *decl.Link) {
	to := c.TableOf(schema.Name{Name: l.To.Name})
	if to == nil {
		return // the table is missing, which was reported, or it is a view
	}
	var cols []string
	for _, p := range l.Pairs {
		if c.FindColumn(to.Columns, p.To.Name) == nil {
			return // the column is missing, which was reported
		}
		cols = append(cols, p.To.Name)
	}
	if c.byText(l, to) || c.indexed(to, cols) {
		return
	}
	f := Finding{Table: l.To.Name, Link: l.From.Name + "." + l.Name, Problem: fmt.Sprintf("the link %s.%s looks rows up by (%s), which has no index", l.From.Name, l.Name, strings.Join(cols, ", ")),
		Fix: c.createIndex(l.To, cols), Warning: !c.links[l]}
	c.unindexed(f, cols)
}

// unindexed adds one finding about a missing index for all links and scopes that this index would serve.
func (c *Checker) unindexed(f Finding, cols []string) {
	if f.Kind = NoIndex; len(cols) == 1 {
		f.Column = cols[0]
	}
	for i := range c.found {
		if o := &c.found[i]; o.Kind == NoIndex && o.Fix == schema.Printable(f.Fix) {
			o.Warning = o.Warning && f.Warning
			return
		}
	}
	c.Add(f)
}

func (c *Checker) createIndex(t *decl.Table, cols []string) string {
	name := FreeName(c.Live, t.Bare()+"_by_"+strings.Join(cols, "_"))
	return fmt.Sprintf("CREATE INDEX %s ON %s (%s)", sqlname.Plain(name), c.declared(t), sqlname.List(cols))
}

// scope checks that an index serves the predicate of a scope.
func (c *Checker) scope(t *decl.Table, live *schema.Table, p *decl.Pred) {
	need, selective := c.unserved(live, p)
	if !selective || len(need) == 0 {
		return // no index could serve the predicate, which may be AllRows
	}
	c.unindexed(Finding{Table: t.Name, Problem: fmt.Sprintf("the scope is a condition on %s, which has no index", strings.Join(need, ", ")), Fix: c.createIndex(t, need[:1])}, need)
}

// unserved returns the columns on which an index is missing for a predicate. selective reports
// whether an index could serve the predicate at all. One indexed condition of an And is enough; an
// Or needs all of its conditions indexed.
func (c *Checker) unserved(live *schema.Table, p *decl.Pred) (need []string, selective bool) {
	switch {
	case p == nil:
	case p.Op == "and":
		for _, s := range p.Subs {
			n, sel := c.unserved(live, s)
			if sel && len(n) == 0 {
				return nil, true
			}
			need, selective = append(need, n...), selective || sel
		}
	case p.Op == "or":
		for _, s := range p.Subs {
			n, sel := c.unserved(live, s)
			if !sel {
				return nil, false // without an index for s the engine reads the whole table
			}
			need, selective = append(need, n...), true
		}
	case p.Col != nil && p.Op != "ne" && p.Op != "notIn" && p.Op != "isNotNull":
		if c.FindColumn(live.Columns, p.Col.Name) != nil && !c.indexed(live, []string{p.Col.Name}) {
			need = []string{p.Col.Name}
		}
		return need, true
	}
	return need, selective
}

// fixed appends to out the columns that a predicate compares by = or in, in whatever way it is met.
func fixed(p *decl.Pred, out []*decl.Column) []*decl.Column {
	switch {
	case p == nil:
	case p.Op == "eq" || p.Op == "in":
		return append(out, p.Col)
	case p.Op == "and":
		for _, s := range p.Subs {
			out = fixed(s, out)
		}
	}
	return out
}

// indexed reports whether an index or a key begins with these columns, in any order.
func (c *Checker) indexed(t *schema.Table, cols []string) bool {
	begins := func(with []string) bool { return len(with) >= len(cols) && c.Within(with[:len(cols)], cols) }
	for p := t; p != nil; {
		if p.Foreign { // the server that has the rows of a foreign table may have an index, which this catalogue does not show
			return true
		}
		key := func(k schema.Key) bool {
			if k.Parts != nil { // leading leaves out parts with another collation, since they serve no condition
				return begins(c.leading(p, schema.Index{Parts: k.Parts}))
			}
			return begins(k.Columns)
		}
		if p.PrimaryKey != nil && key(*p.PrimaryKey) || slices.ContainsFunc(p.Uniques, key) {
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
		p = c.TableOf(*p.PartitionOf) // a partition has the indexes of the whole table
	}
	return false
}

// leading returns the columns at the start of an index by which a condition with = can use the index. It returns nil if no such condition can.
func (c *Checker) leading(t *schema.Table, x schema.Index) (out []string) {
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
	return nil // gin, gist and brin indexes don't serve =
}

// onlyNulls reports whether a partial index leaves out only rows with NULL in one of cols. A
// condition with = never finds those rows.
func (c *Checker) onlyNulls(where string, cols []string) bool {
	w := strings.NewReplacer("(", " ", ")", " ", `"`, "").Replace(where)
	f := strings.Fields(w)
	return len(f) == 4 && strings.EqualFold(strings.Join(f[1:], " "), "is not null") && c.Within(f[:1], cols)
}
