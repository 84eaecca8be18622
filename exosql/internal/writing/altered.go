package writing

import (
	"slices"

	"github.com/exoagent/exoagent/schema"
)

// This file finds what a write alters: the columns and rows of its table, and all that the database carries along. effects.go and labels.go
// ask it what that sets off and what it reveals.

// columns are names of columns of one table.
type columns struct {
	Live  *schema.Database
	names []string
}

func (c columns) has(name string) bool { return shares(c.Live, c.names, []string{name}) }

// beside reports whether what reads columns reads one of c, and another one that is changed. What reads one column alone looks at
// the new value when it is changed, and at nothing that was there.
func (c columns) beside(changed columns, reads func(col func(string) bool) bool) bool {
	return slices.ContainsFunc(c.names, func(secret string) bool {
		is := columns{c.Live, []string{secret}}.has
		return reads(is) && reads(func(name string) bool { return changed.has(name) && !is(name) })
	})
}

// altered is a table of which rows are written, or carried along with those that are: by ON DELETE and ON UPDATE of foreign keys.
type altered struct {
	table  *schema.Table
	cols   []string // that are changed
	insert bool
	delete bool
	moves  bool // rows of it may go to another partition: see moving
}

// deletes reports whether the database acts as it does for rows that are deleted.
func (a altered) deletes() bool { return a.delete || a.moves }

// moving is a, with whether the change may bring rows to another partition, where they are deleted from the one and inserted into
// the other, with all that this sets off. A trigger before the change may give them another key, whatever is changed.
func (c *rules) moving(a altered) altered {
	parts, changed := c.Parts(a.table), columns{c.Live, a.cols}
	a.moves = len(parts) > 1 && len(a.cols) > 0 && slices.ContainsFunc(parts, func(x *schema.Table) bool {
		return x.PartitionBy != "" && c.reads(x, []schema.Part{{Expr: x.PartitionBy}}, changed.has) ||
			slices.ContainsFunc(x.Triggers, func(tr schema.Trigger) bool { return tr.Timing != "AFTER" })
	})
	return a
}

// alters returns what a write does with the rows of t, and of those tables that have rows in common with it.
func (w Write) alters(t *schema.Table, own []*schema.Table) (all []altered) {
	updated := names(w.Rights.Update)
	if len(updated) > 0 || len(w.Rights.Insert) > 0 {
		updated = append(updated, names(w.Filled)...)
	}
	deletes := w.Rights.Delete || slices.Contains(t.OnConflict, "REPLACE") // which deletes the row that has the value
	for _, x := range own {
		all = append(all, altered{table: x, cols: updated, insert: len(w.Rights.Insert) > 0, delete: deletes})
	}
	return all
}

// allCarried returns what is altered, and all tables whose rows go or change with it, at any depth. with returns a table and those that
// have rows in common with it.
func (c *rules) allCarried(all []altered, with func(*schema.Table) []*schema.Table) []altered {
	for i := 0; i < len(all); i++ { // it grows
		all[i] = c.moving(all[i])
		for _, more := range c.carried(all[i], with) {
			if !slices.ContainsFunc(all, func(a altered) bool {
				return a.table == more.table && a.delete == more.delete && slices.Equal(a.cols, more.cols)
			}) {
				all = append(all, more)
			}
		}
	}
	return all
}

// carried are the tables whose rows the database deletes or changes with those of another.
func (c *rules) carried(a altered, with func(*schema.Table) []*schema.Table) (out []altered) {
	for _, child := range c.Live.Tables {
		for _, fk := range child.ForeignKeys {
			if fk.Table != a.table.Name {
				continue
			}
			deleted := a.deletes() && fk.OnDelete == schema.Cascade
			changed := a.deletes() && !deleted && carries(fk.OnDelete) || c.anyOf(a.table, references(fk, a.table), columns{c.Live, a.cols}.has) && carries(fk.OnUpdate)
			for _, x := range with(child) {
				if deleted {
					out = append(out, altered{table: x, delete: true})
				}
				if changed {
					out = append(out, altered{table: x, cols: fk.Columns})
				}
			}
		}
	}
	return out
}

// references are the columns of a table that a foreign key to it refers to: SQLite names none where it is the primary key.
func references(fk schema.ForeignKey, to *schema.Table) []string {
	if len(fk.References) == 0 && to.PrimaryKey != nil {
		return to.PrimaryKey.Columns
	}
	return fk.References
}

// anyOf reports whether one of a table's columns is, or is calculated of, one of some others.
func (c *rules) anyOf(t *schema.Table, cols []string, of func(string) bool) bool {
	return c.reads(t, keyParts(&schema.Key{Columns: cols}), of)
}

// dependsOn reports whether a part of an index is, or may depend on, one of some columns.
func (c *rules) dependsOn(t *schema.Table, p schema.Part, col func(string) bool) bool {
	if p.Column == "" {
		return t.Reads(p.Expr, col)
	}
	i := slices.IndexFunc(t.Columns, func(x schema.Column) bool { return c.Live.Engine.Is(x.Name, p.Column) })
	return col(p.Column) || i >= 0 && t.Calculates(&t.Columns[i], col)
}

// reads reports whether a part of an index depends on one of some columns.
func (c *rules) reads(t *schema.Table, parts []schema.Part, col func(string) bool) bool {
	return slices.ContainsFunc(parts, func(p schema.Part) bool { return c.dependsOn(t, p, col) })
}

func carries(a schema.Action) bool {
	return a == schema.Cascade || a == schema.SetNull || a == schema.SetDefault
}
