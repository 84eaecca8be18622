package writing

// This file finds facets through which every insert fails, because a column needs a value and gets none. The database's error could not name a
// column that the program does not see.

import (
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// insertable reports facets through which every insert fails, into the table itself or through a link, with the columns that lack a value.
// Writable does not check this, since the facet's other rights work.
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
				Problem: "programs may insert rows through the facet " + f.Alias + ", but no insert can succeed: this column needs a value, and gets none from the program, the scope or a default of the database",
				Fix:     r.Inserted(col.Name) + "; or a default in the database; or " + r.Filled(col.Name) + "; or " + r.NoInsert() + " there"})
		}
	}
}

// needed returns the columns that need a value in a row that w inserts, but get none. It returns nil if a trigger or a rule of PostgreSQL may give
// them one.
func (c *rules) needed(t *schema.Table, w Write) (out []*schema.Column) {
	if c.Live.Engine == schema.Postgres && c.triggered(t) {
		return nil
	}
	given := w.inserted()
	var leads []string // leads are columns that must lead to a row in scope
	for _, l := range w.Into {
		leads = append(leads, decl.Names(l.Ends())...)
	}
	for i := range t.Columns {
		if col := &t.Columns[i]; c.needs(t, w.Table, leads, col) && !shares(c.Live, given, []string{col.Name}) {
			out = append(out, col)
		}
	}
	return out
}

// needs reports whether a new row must give a value for column col, since the database gives none. leads are the columns that must lead to a row
// in scope.
func (c *rules) needs(t *schema.Table, declared *decl.Table, leads []string, col *schema.Column) bool {
	return col.Generated == schema.NotGenerated && !fillsIn(c.Live, col) &&
		(col.NotNull || c.notNullDomain(col) || shares(c.Live, leads, []string{col.Name}) || c.nullKey(t, declared, col))
}

// Needs marks the columns of a declared table for which a new row needs a value: descriptions show them as required.
func Needs(live *schema.Database, declared *decl.Table) {
	if t := live.Table(schema.Name{Name: declared.Name}); t != nil {
		rulesOf(live).Needs(declared, t)
	}
}

// Needs implements check.Writes: it notes for each column whether a new row needs a value, and how the column compares.
func (c *rules) Needs(declared *decl.Table, t *schema.Table) {
	triggered := c.Live.Engine == schema.Postgres && c.triggered(t)
	for _, of := range declared.Cols {
		col := c.FindColumn(t.Columns, of.Name)
		of.Needed.Store(col != nil && !triggered && c.needs(t, declared, nil, col))
		of.Equals.Store(new(check.EqualWords(c.Live, of, t, col)))
	}
}

// triggered reports whether a trigger or a rule of the database may give values to a new row's columns. A trigger of SQLite acts only after the
// row exists, which is too late for a NOT NULL column.
func (c *rules) triggered(t *schema.Table) bool {
	return slices.ContainsFunc(c.Parts(t), func(of *schema.Table) bool {
		return len(of.Rules) > 0 || slices.ContainsFunc(of.Triggers, func(tr schema.Trigger) bool {
			return !tr.Disabled && (tr.Timing != "AFTER" || c.Live.Engine == schema.SQLite) && c.fires(tr, altered{table: of, insert: true})
		})
	})
}

// nullKey reports whether the column is part of a key in which the database accepts NULL. No statement would find such a row again. SQLite accepts
// NULL in a PRIMARY KEY that is not the rowid. Both engines accept it in a UNIQUE that a host declares as the key.
func (c *rules) nullKey(t *schema.Table, declared *decl.Table, col *schema.Column) bool {
	if col.NotNull || c.notNullDomain(col) || col.Generated != schema.NotGenerated || c.triggered(t) {
		return false
	}
	key := decl.Names(declared.Keys)
	if c.Live.Engine == schema.SQLite && t.PrimaryKey != nil {
		key = append(key, t.PrimaryKey.Columns...)
	}
	return shares(c.Live, key, []string{col.Name})
}

// NullKey is a column of a key in which the database accepts NULL. No statement would find a row with NULL there again.
type NullKey struct {
	Column string
	Filled bool // Filled: the database gives a value if the row has none
}

// NullKeys returns the NullKey columns of a declared table.
func NullKeys(live *schema.Database, declared *decl.Table) (keys []NullKey) {
	t := live.Table(schema.Name{Name: declared.Name})
	if t == nil {
		return nil
	}
	c := rulesOf(live)
	for i := range t.Columns {
		if col := &t.Columns[i]; c.nullKey(t, declared, col) {
			keys = append(keys, NullKey{col.Name, fillsIn(live, col)})
		}
	}
	return keys
}

func (c *rules) notNullDomain(col *schema.Column) bool {
	return col.Domain != nil && slices.ContainsFunc(c.Live.Domains, func(d *schema.Domain) bool { return d.Name == *col.Domain && d.NotNull })
}
