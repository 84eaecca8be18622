package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// effects refuses what a write would set off beyond the rows that it names, unless
// it is known: triggers and rules run code that no scope binds, and a cascade changes
// rows of other tables, whoever's they are.
func (c *Checker) effects(t *decl.Table, live *schema.Table) {
	known := c.uses[t].known
	seen := c.parts(live)
	own := len(seen)
	for i := 0; i < len(seen); i++ {
		by := seen[i]
		through := ""
		if i >= own {
			through = " through cascades"
		}
		// Of another table a name is said with it: who knows a trigger of the one does not know that of the other.
		named := func(name string) string {
			if i >= own && c.live.Engine == schema.Postgres { // SQLite has one of a name
				return by.Name.Name + "." + name
			}
			return name
		}
		for _, tr := range by.Triggers {
			if !tr.Disabled && !slices.Contains(known, named(tr.Name)) {
				c.add(Finding{Kind: HiddenEffect, Table: t.Name, Problem: fmt.Sprintf("a write sets off%s the trigger %s of %s (%s %s)", through, tr.Name, by.Name.Name, tr.Timing, strings.Join(tr.Events, " or ")),
					Fix: c.dropTrigger(tr.Name, by) + orAllow(named(tr.Name))})
			}
		}
		for _, r := range by.Rules {
			if !slices.Contains(known, named(r)) {
				c.add(Finding{Kind: HiddenEffect, Table: t.Name, Problem: fmt.Sprintf("a write is rewritten%s by the rule %s of %s", through, r, by.Name.Name),
					Fix: fmt.Sprintf("DROP RULE %s ON %s", sqlname.Plain(r), c.named(by)) + orAllow(named(r))})
			}
		}
		for _, child := range c.live.Tables {
			for _, fk := range child.ForeignKeys {
				if fk.Table != by.Name || !carries(fk.OnDelete) && !carries(fk.OnUpdate) {
					continue
				}
				name := child.Name.Name + "(" + strings.Join(fk.Columns, ", ") + ")"
				if !slices.Contains(known, name) {
					c.add(Finding{Kind: HiddenEffect, Table: t.Name, Problem: fmt.Sprintf("a write is carried on%s by the foreign key %s (ON DELETE %s, ON UPDATE %s)", through, name, fk.OnDelete, fk.OnUpdate),
						Fix: fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s (%s) without actions", sqlname.List(fk.Columns), c.named(by), sqlname.List(fk.References)) + orAllow(name)})
				}
				for _, part := range c.parts(child) {
					if !slices.Contains(seen, part) {
						seen = append(seen, part)
					}
				}
			}
		}
	}
}

// orAllow is the other way: to say that it may act, where each write asks. Written, which only Check is told, is not asked.
func orAllow(name string) string {
	return fmt.Sprintf(", or AllowEffects(%q) on the facet by which programs write, or on the Table for Go code, if it may act; exosql.Written takes the same name", name)
}

func carries(a schema.Action) bool {
	return a == schema.Cascade || a == schema.SetNull || a == schema.SetDefault
}

func (c *Checker) dropTrigger(name string, t *schema.Table) string {
	if c.live.Engine == schema.SQLite {
		return "DROP TRIGGER " + sqlname.Plain(name)
	}
	return fmt.Sprintf("DROP TRIGGER %s ON %s", sqlname.Plain(name), c.named(t))
}

// named is a table as a statement names it, with its schema if it needs one.
func (c *Checker) named(t *schema.Table) string {
	if t.Schema == "" || c.tableOf(schema.Name{Name: t.Name.Name}) == t {
		return sqlname.Plain(t.Name.Name)
	}
	return sqlname.Path(t.Schema, t.Name.Name)
}

// Path is a declared table as a statement names it that a person reads.
func Path(t *decl.Table) string { return sqlname.Path(t.Schema, t.Bare()) }

// isOf reports whether a declaration is of a table of the catalogue, or of one of another schema with the same name where it says no schema.
func (c *Checker) isOf(o *decl.Table, t *schema.Table) bool {
	return c.live.Engine.Is(o.Bare(), t.Name.Name) && (o.Schema == "" || o.Schema == t.Schema)
}

// spanning reports unique keys that tenants share: an insert that fails says that
// somebody has the value. Numbers that the engine gives say no more than how many
// rows there are.
func (c *Checker) spanning(t *decl.Table, live *schema.Table) {
	var tenant []string
	for _, p := range c.uses[t].scopes {
		tenant = append(tenant, columnNames(fixed(p, nil))...)
	}
	for _, k := range live.Keys() {
		if first := live.Column(k[0]); len(k) == 1 && (first == nil || first.Identity != schema.NotIdentity || first.Kind == schema.UUID) {
			continue // numbered, or not to be guessed
		}
		if slices.ContainsFunc(k, func(col string) bool { return c.within([]string{col}, tenant) }) {
			continue
		}
		f := Finding{Kind: SpanningUnique, Table: t.Name, Problem: fmt.Sprintf("the unique key (%s) spans tenants: an insert that it refuses says that somebody has the value", strings.Join(k, ", ")), Warning: true}
		if len(tenant) > 0 {
			f.Fix = fmt.Sprintf("UNIQUE (%s)", sqlname.List(append(slices.Clone(tenant[:1]), k...)))
		}
		c.add(f)
	}
}
