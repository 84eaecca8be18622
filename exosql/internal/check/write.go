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
// rows of other tables, whoever's they are. What the write's own rights can't set off is no reason (TestEffectsOfRights).
func (c *Checker) effects(t *schema.Table, w Write, refuse refusing) {
	own := c.Parts(t)
	for _, a := range c.allCarried(w.alters(t, own), c.Parts) {
		by, through := a.table, ""
		carried := !slices.Contains(own, by)
		if carried {
			through = " through cascades"
		}
		// The name of another table is part of the effect's: who allows a trigger of the one does not know that of the other.
		named := func(name string) string {
			if carried && c.Live.Engine == schema.Postgres { // SQLite has one of a name
				return c.Called(by) + "." + name
			}
			return name
		}
		for _, tr := range by.Triggers {
			if !tr.Disabled && c.fires(tr, a) {
				refuse.unless(named(tr.Name), HiddenEffect, c.dropTrigger(tr.Name, by), ", if it may act", "a write sets off%s the trigger %s of %s (%s)", through, tr.Name, c.Called(by), when(tr))
			}
		}
		for _, r := range by.Rules {
			if r.Event == "" || c.fires(schema.Trigger{Events: []string{r.Event}}, a) {
				refuse.unless(named(r.Name), HiddenEffect, fmt.Sprintf("DROP RULE %s ON %s", sqlname.Plain(r.Name), c.Named(by)), ", if it may act", "a write is rewritten%s by the rule %s of %s", through, r.Name, c.Called(by))
			}
		}
		for _, child := range c.Live.Tables {
			for _, fk := range child.ForeignKeys {
				refers := references(fk, by)
				if fk.Table != by.Name || !(a.deletes() && carries(fk.OnDelete)) && !(carries(fk.OnUpdate) && c.anyOf(by, refers, columns{c.Live, a.cols}.has)) {
					continue
				}
				name := c.Called(child) + "(" + strings.Join(fk.Columns, ", ") + ")"
				refuse.unless(name, HiddenEffect, fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s (%s) without actions", sqlname.List(fk.Columns), c.Named(by), sqlname.List(refers)), ", if it may act",
					"a write is carried on%s by the foreign key %s (ON DELETE %s, ON UPDATE %s)", through, name, fk.OnDelete, fk.OnUpdate)
			}
		}
	}
}

// when names the writes at which a trigger acts.
func when(tr schema.Trigger) string {
	if len(tr.Events) == 0 {
		return "its definition can't be read, so it may act on each write"
	}
	return tr.Timing + " " + strings.Join(tr.Events, " or ")
}

// fires reports whether a trigger acts on what is altered. One of which the event is not known does.
func (c *Checker) fires(tr schema.Trigger, a altered) bool {
	return len(tr.Events) == 0 || slices.ContainsFunc(tr.Events, func(event string) bool {
		switch event {
		case "INSERT":
			return a.insert || a.moves
		case "DELETE":
			return a.deletes()
		case "UPDATE":
			return len(a.cols) > 0 && (tr.Columns == nil || c.anyOf(a.table, tr.Columns, columns{c.Live, a.cols}.has))
		}
		return false // no write of ours truncates a table
	})
}

func carries(a schema.Action) bool {
	return a == schema.Cascade || a == schema.SetNull || a == schema.SetDefault
}

func (c *Checker) dropTrigger(name string, t *schema.Table) string {
	if c.Live.Engine == schema.SQLite {
		return "DROP TRIGGER " + sqlname.Plain(name)
	}
	return fmt.Sprintf("DROP TRIGGER %s ON %s", sqlname.Plain(name), c.Named(t))
}

// called is a table in the name of an effect: with its schema, unless it is what the name alone means on the search path. Who allows an effect
// on one table has allowed none on a table of another schema that has, or gets, the same name.
func (c *Checker) Called(t *schema.Table) string {
	quoted := func(s string) string {
		if strings.Contains(s, ".") { // which parts the schema from the table, and the table from its trigger
			return sqlname.Quote(s)
		}
		return s
	}
	if t.Schema == "" || c.TableOf(schema.Name{Name: t.Name.Name}) == t {
		return quoted(t.Name.Name)
	}
	return quoted(t.Schema) + "." + quoted(t.Name.Name)
}

// named is a table as a statement names it, with its schema if it needs one.
func (c *Checker) Named(t *schema.Table) string {
	if t.Schema == "" || c.TableOf(schema.Name{Name: t.Name.Name}) == t {
		return sqlname.Plain(t.Name.Name)
	}
	return sqlname.Path(t.Schema, t.Name.Name)
}

// Path is a declared table as a statement names it that a person reads.
func Path(t *decl.Table) string { return sqlname.Path(t.Schema, t.Bare()) }

// isOf reports whether a declaration is of a table of the catalogue, or of one of another schema with the same name where it says no schema.
func (c *Checker) IsOf(o *decl.Table, t *schema.Table) bool {
	return c.Live.Engine.Is(o.Bare(), t.Name.Name) && (o.Schema == "" || o.Schema == t.Schema)
}

// spanning reports unique keys that tenants share: an insert that fails says that
// somebody has the value. Numbers that the engine gives say no more than how many
// rows there are.
func (c *Checker) Spanning(t *decl.Table, live *schema.Table) {
	var tenant []string
	for _, p := range c.uses[t].scopes {
		tenant = append(tenant, columnNames(fixed(p, nil))...)
	}
	for _, k := range live.Keys() {
		if first := live.Column(k[0]); len(k) == 1 && (first == nil || first.Identity != schema.NotIdentity || first.Kind == schema.UUID) {
			continue // numbered, or not to be guessed
		}
		if slices.ContainsFunc(k, func(col string) bool { return c.Within([]string{col}, tenant) }) {
			continue
		}
		f := Finding{Kind: SpanningUnique, Table: t.Name, Problem: fmt.Sprintf("the unique key (%s) spans tenants: an insert that it refuses says that somebody has the value", strings.Join(k, ", ")), Warning: true}
		if len(tenant) > 0 {
			f.Fix = fmt.Sprintf("UNIQUE (%s)", sqlname.List(append(slices.Clone(tenant[:1]), k...)))
		}
		c.Add(f)
	}
}
