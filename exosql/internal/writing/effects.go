package writing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// This file finds what the database does beyond the rows that a write names: triggers, rules and cascades. rules.go asks it.

// effects refuses what a write would set off beyond the rows that it names, unless
// it is known: triggers and rules run code that no scope binds, and a cascade changes
// rows of other tables, whoever's they are. What the write's own rights can't set off is no reason (TestEffectsOfRights).
func (c *rules) effects(t *schema.Table, w Write, refuse refusing) {
	own := c.Parts(t)
	for _, a := range c.allCarried(w.alters(t, own), c.Parts) {
		by, through := a.table, ""
		carried := !slices.Contains(own, by)
		if carried {
			through = " through cascades"
		}
		// The name of another table is part of the trigger's: who permits a trigger of the one does not know that of the other.
		named := func(name string) string {
			if carried && c.Live.Engine == schema.Postgres { // SQLite has one of a name
				return c.Called(by) + "." + name
			}
			return name
		}
		for _, tr := range by.Triggers {
			if !tr.Disabled && c.fires(tr, a) {
				refuse.unless(decl.Permission{Kind: decl.PermitTrigger, On: named(tr.Name)}, check.HiddenEffect, c.dropTrigger(tr.Name, by), ", if it may act", "a write sets off%s the trigger %s of %s (%s)", through, tr.Name, c.Called(by), when(tr))
			}
		}
		for _, r := range by.Rules {
			if r.Event == "" || c.fires(schema.Trigger{Events: []string{r.Event}}, a) {
				refuse.unless(decl.Permission{Kind: decl.PermitRule, On: named(r.Name)}, check.HiddenEffect, fmt.Sprintf("DROP RULE %s ON %s", sqlname.Plain(r.Name), check.InFull(by)), ", if it may act", "a write is rewritten%s by the rule %s of %s", through, r.Name, c.Called(by))
			}
		}
		for _, child := range c.Live.Tables {
			for _, fk := range child.ForeignKeys {
				refers := references(fk, by)
				if fk.Table != by.Name || !(a.deletes() && carries(fk.OnDelete)) && !(carries(fk.OnUpdate) && c.anyOf(by, refers, columns{c.Live, a.cols}.has)) {
					continue
				}
				p := decl.Permission{Kind: decl.PermitCascade, On: c.Called(child), Of: strings.Join(fk.Columns, ", ")}
				refuse.unless(p, check.HiddenEffect, fmt.Sprintf("FOREIGN KEY (%s) REFERENCES %s (%s) without actions", sqlname.List(fk.Columns), check.InFull(by), sqlname.List(refers)), ", if it may act",
					"a write is carried on%s by the foreign key %s(%s) (ON DELETE %s, ON UPDATE %s)", through, p.On, p.Of, fk.OnDelete, fk.OnUpdate)
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
func (c *rules) fires(tr schema.Trigger, a altered) bool {
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

func (c *rules) dropTrigger(name string, t *schema.Table) string {
	if c.Live.Engine == schema.SQLite {
		return "DROP TRIGGER " + sqlname.Plain(name)
	}
	return fmt.Sprintf("DROP TRIGGER %s ON %s", sqlname.Plain(name), check.InFull(t))
}
