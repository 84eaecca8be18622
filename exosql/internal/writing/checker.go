package writing

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// This file extends a Checker to writes. With it exosql.Check reports, before any program runs, the writes that rules.go would refuse.

// Moved reports columns that decide in one declaration who may read a value, and that programs may change through another declaration. Such a
// program could make its user the reader. Within one declaration it can't: see decl.Facet.
func (c *Checker) Moved() {
	for _, w := range c.writes {
		for _, t := range c.Tables() {
			if t == w.Table || w.Trusted || !c.Live.Engine.Is(t.Name, w.Table.Name) && !c.ShareRows(t, w.Table) {
				continue
			}
			for _, col := range t.Cols {
				if col.Readers == nil {
					continue
				}
				for _, by := range col.Readers.Cols {
					if x := c.Same(w.Table, by.Name); x != nil && slices.Contains(w.Rights.Update, x) {
						c.Add(check.Finding{Kind: check.LabelMismatch, Table: t.Name, Column: by.Name,
							Problem: fmt.Sprintf("programs may change this column through the declaration of %s, and it decides who may read %s", w.Table.Name, col.Name),
							Fix:     "one declaration for both, or no right to change this column"})
					}
				}
			}
		}
	}
}

// Checker is a check.Checker that checks writes too.
type Checker struct {
	*rules
	writes   []Write
	declared map[*decl.Table][]Write // declared has the writes to a table by facets, and by Go code of the host
}

// NewChecker makes a Checker of reads and writes.
func NewChecker() *Checker {
	c := &Checker{rules: &rules{Checker: check.NewChecker()}, declared: map[*decl.Table][]Write{}}
	c.Writes = c
	return c
}

// Declare notes a declared write, and Table checks what that write starts. The write's scope is unknown until a grant gives one.
func (c *Checker) Declare(w Write) {
	c.Written(w.Table)
	c.declared[w.Table] = append(c.declared[w.Table], w)
}

// Write notes what a grant lets programs change, and in which scope. Equal writes of several grants are noted once.
func (c *Checker) Write(w Write) {
	if slices.ContainsFunc(c.writes, func(o Write) bool { return o.Facet == w.Facet && reflect.DeepEqual(o, w) }) {
		return
	}
	c.Written(w.Table)
	c.writes = append(c.writes, w)
}

// Declared implements check.Writes.
func (c *Checker) Declared(f *decl.Facet) {
	c.Declare(Write{Table: f.Table, Facet: f, Rights: f.Rights, Filled: f.Table.Fills})
}

// Table implements check.Writes: it checks the writes to t that no grant gives.
func (c *Checker) Table(t *decl.Table, live *schema.Table) {
	for _, w := range c.declared[t] {
		if w.Facet == nil || !slices.ContainsFunc(c.writes, func(o Write) bool { return o.Facet == w.Facet }) { // a facet in a grant is checked by writable, with its scope
			refusing{c: c.rules, w: w, t: live}.changes(func(k kind) bool { return k == fires || k == rewrites || k == referred })
		}
	}
	if !slices.ContainsFunc(c.writes, func(w Write) bool { return w.Table == t }) { // a table in a grant is checked by writable, with its scope
		c.Spanning(t, live)
	}
}

// Writable implements check.Writes: it checks the writes that grants give.
func (c *Checker) Writable() {
	for _, w := range c.writes {
		c.writable(w)
	}
	c.insertable()
	c.denied()
	c.unfit()
}

// unfit reports permissions of facets that match nothing in the database, so that no rule asks for them. Otherwise a wrong name, or a rule that
// was dropped, would count as a decision of the host. Permissions to reveal a link or scope(column) are left out: once given, no rule asks for
// them.
func (c *Checker) unfit() {
	all := map[*decl.Facet]*rules{}
	var order []*decl.Facet
	for _, w := range c.writes {
		if w.Facet == nil || len(w.Rights.Permits) == 0 {
			continue
		}
		if all[w.Facet] == nil {
			order, all[w.Facet] = append(order, w.Facet), rulesOf(c.Live)
		}
		w.Rights = decl.Rights{Insert: w.Table.Cols, Update: w.Table.Cols, Delete: true}
		all[w.Facet].writable(w)
		w.Rights = w.Facet.Rights
		all[w.Facet].writable(w)
	}
	for _, f := range order {
		for _, p := range f.Rights.Permits {
			byScope := p.Kind == decl.PermitRevealing && (!strings.Contains(p.On, "(") || strings.HasPrefix(p.On, "scope("))
			if !byScope && !decl.Permits(all[f].asked, p) {
				c.Add(check.Finding{Kind: check.UnfitPermission, Table: f.Table.Name, Facet: f.Alias,
					Problem: fmt.Sprintf("%s matches nothing in the database", f.Table.Reader.PermitName(p.Go(), p.String())), Fix: "the name as the database spells it, or no such permission"})
			}
		}
	}
}
