package writing

// This file finds facets through which no row can be inserted: a column needs a value, and nobody gives it one. Each insert would fail in
// the database, with an error that can't name a column which the program does not see.

import (
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// insertable reports the columns that keep rows from being inserted through a facet, in whichever way programs get to it: into the table
// itself, or through a link. Writable does not ask for it, since the facet's other rights work.
func (c *Checker) insertable() {
	var order []*decl.Facet
	missing := map[*decl.Facet][]*schema.Column{}
	for _, w := range c.writes {
		t := c.TableOf(schema.Name{Name: w.Table.Name})
		if w.Facet == nil || len(w.Rights.Insert) == 0 || !w.Inserts || t == nil {
			continue
		}
		none := c.needed(t, w)
		if had, ok := missing[w.Facet]; !ok {
			order = append(order, w.Facet)
			missing[w.Facet] = none
		} else if len(none) < len(had) {
			missing[w.Facet] = none
		}
	}
	for _, f := range order {
		for _, col := range missing[f] {
			r := f.Table.Reader
			c.Add(check.Finding{Kind: check.NeededColumn, Table: f.Table.Name, Column: col.Name, Facet: f.Alias,
				Problem: "programs may insert rows through the facet " + f.Alias + ", and no row can be inserted: this column needs a value, and neither the program, nor the scope, nor a default of the database gives it one",
				Fix:     r.Inserted(col.Name) + "; or a default in the database; or " + r.Filled(col.Name) + "; or " + r.NoInsert() + " there"})
		}
	}
}

// needed are the columns that have to have a value in a row that is inserted by w, and get none. A trigger or a rule of PostgreSQL may
// give them one.
func (c *rules) needed(t *schema.Table, w Write) (out []*schema.Column) {
	if c.Live.Engine == schema.Postgres {
		for _, of := range c.Parts(t) {
			if len(of.Rules) > 0 || slices.ContainsFunc(of.Triggers, func(tr schema.Trigger) bool {
				return !tr.Disabled && tr.Timing != "AFTER" && c.fires(tr, altered{table: of, insert: true})
			}) {
				return nil
			}
		}
	}
	given := slices.Concat(names(w.Rights.Insert), names(w.Fixed), names(w.Filled))
	for _, l := range w.Through {
		given = append(given, names(l.Ends())...)
	}
	var leads []string // to a row in scope, which there has to be
	for _, l := range w.Into {
		leads = append(leads, names(l.Ends())...)
	}
	for i := range t.Columns {
		col := &t.Columns[i]
		needed := col.NotNull || c.notNullDomain(col) || shares(c.Live, leads, []string{col.Name})
		if needed && col.Generated == schema.NotGenerated && !fillsIn(c.Live, col) && !shares(c.Live, given, []string{col.Name}) {
			out = append(out, col)
		}
	}
	return out
}

func (c *rules) notNullDomain(col *schema.Column) bool {
	return col.Domain != nil && slices.ContainsFunc(c.Live.Domains, func(d *schema.Domain) bool { return d.Name == *col.Domain && d.NotNull })
}
