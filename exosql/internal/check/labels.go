package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/schema"
)

// A write that a rule of the database refuses tells a program of the rows that were there. Where such a rule is about a
// labelled column, too, a program that only writes beside it learns of values that it may not read, and its run has no
// label for it: none of what it named is labelled. So a table with such a rule can't be written, unless its host
// says by AllowEffects that programs may learn it.

// told is a rule that joins a labelled column to what is written.
type told struct{ rule, why string }

// name is the rule as AllowEffects has it.
func (x told) name() string { return "tells " + x.rule }

// columns are names of columns of one table.
type columns struct {
	live  *schema.Database
	names []string
}

func (c columns) has(name string) bool { return shares(c.live, c.names, []string{name}) }

// beside reports whether what reads columns reads one of c, and another one that is changed. What reads one column alone looks at
// the new value when it is changed, and at nothing that was there.
func (c columns) beside(changed columns, reads func(col func(string) bool) bool) bool {
	return slices.ContainsFunc(c.names, func(secret string) bool {
		is := columns{c.live, []string{secret}}.has
		return reads(is) && reads(func(name string) bool { return changed.has(name) && !is(name) })
	})
}

// altered is a table of which rows are written, or carried along with those that are: by ON DELETE and ON UPDATE of foreign keys.
type altered struct {
	table  *schema.Table
	cols   []string // that are changed
	insert bool
	delete bool
}

// tells finds the rules by which a write tells of labelled columns.
func (c *Checker) tells(t *schema.Table, w Write) (out []told) {
	updated := names(w.Rights.Update)
	if len(updated) > 0 || len(w.Rights.Insert) > 0 {
		updated = append(updated, names(w.Filled)...)
	}
	deletes := w.Rights.Delete || slices.Contains(t.OnConflict, "REPLACE") // which deletes the row that has the value
	own := c.kin(t)
	var all []altered
	for _, x := range own {
		all = append(all, altered{x, updated, len(w.Rights.Insert) > 0, deletes})
	}
	for i := 0; i < len(all); i++ { // it grows
		for _, x := range c.tellsOf(all[i], w) {
			if !slices.Contains(own, all[i].table) {
				x.rule = all[i].table.Name.Name + "." + x.rule
			}
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
		for _, more := range c.carried(all[i]) {
			if !slices.ContainsFunc(all, func(a altered) bool {
				return a.table == more.table && a.delete == more.delete && slices.Equal(a.cols, more.cols)
			}) {
				all = append(all, more)
			}
		}
	}
	return out
}

// carried are the tables whose rows the database deletes or changes with those of another.
func (c *Checker) carried(a altered) (out []altered) {
	for _, child := range c.live.Tables {
		for _, fk := range child.ForeignKeys {
			if fk.Table != a.table.Name {
				continue
			}
			deleted := a.delete && fk.OnDelete == schema.Cascade
			changed := a.delete && (fk.OnDelete == schema.SetNull || fk.OnDelete == schema.SetDefault) ||
				c.anyOf(a.table, fk.References, columns{c.live, a.cols}.has) && (fk.OnUpdate == schema.Cascade || fk.OnUpdate == schema.SetNull || fk.OnUpdate == schema.SetDefault)
			for _, x := range c.kin(child) {
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

// tellsOf are the rules about rows of one table.
func (c *Checker) tellsOf(a altered, w Write) (out []told) {
	t := a.table
	secretOf := func(table *schema.Table) (cols columns) {
		for _, x := range c.kin(table) {
			for _, col := range w.Labelled {
				if c.live.Engine.Is(col.Table.Name, x.Name.Name) {
					cols.names = append(cols.names, col.Name)
				}
			}
		}
		cols.live = c.live
		return cols
	}
	secrets, changed := secretOf(t), columns{c.live, a.cols}
	secret, written := secrets.has, changed.has
	of := func(p schema.Part, col func(string) bool) bool { return c.dependsOn(t, p, col) }
	indexed := slices.ContainsFunc(c.indexes(t), func(parts []schema.Part) bool {
		return slices.ContainsFunc(parts, func(p schema.Part) bool { return of(p, secret) })
	})
	for _, u := range c.uniques(t) {
		has := func(col func(string) bool) bool {
			return slices.ContainsFunc(u.parts, func(p schema.Part) bool { return of(p, col) }) || u.where != "" && t.Reads(u.where, col)
		}
		changes := len(a.cols) > 0 && has(written)
		switch {
		case has(secret) && (changes || a.insert && !u.fresh(c.live, t, w.given())):
			out = append(out, told{u.name(), "that a value is taken would tell of it"})
		case indexed && changes: // row by row
			out = append(out, told{u.name(), "rows are changed in the order of an index, which a value that is taken would tell"})
		}
	}
	out = append(out, c.made(t, secrets, changed)...)
	for _, k := range t.Checks {
		if secrets.beside(changed, func(col func(string) bool) bool { return t.Reads(k.Expr, col) }) {
			out = append(out, told{"check(" + k.Expr + ")", "a value that breaks it would tell of the other"})
		}
	}
	rules := []string{t.PartitionBy} // as a check: no partition may have a place for the row
	for _, p := range t.Policies {
		if t.RowSecurity && p.Command != "SELECT" {
			rules = append(rules, p.Using, p.Check)
		}
	}
	for _, r := range rules {
		if r != "" && secrets.beside(changed, func(col func(string) bool) bool { return t.Reads(r, col) }) {
			out = append(out, told{"check(" + r + ")", "a row that breaks it would tell of the other"})
		}
	}
	for _, fk := range c.foreignKeys(t) {
		if secrets.beside(changed, func(col func(string) bool) bool { return c.anyOf(t, fk.Columns, col) }) {
			out = append(out, told{"foreign key(" + strings.Join(fk.Columns, ", ") + ")", "a value that leads nowhere would tell of the other"})
		}
	}
	for _, child := range c.live.Tables {
		for _, fk := range child.ForeignKeys {
			if fk.Table == t.Name && c.anyOf(child, fk.Columns, secretOf(child).has) && (a.delete || c.anyOf(t, fk.References, written)) {
				out = append(out, told{child.Name.Name + "(" + strings.Join(fk.Columns, ", ") + ")", "a row that can't be deleted or changed would tell that it is referred to"})
			}
		}
	}
	return out
}

// made are what is calculated of a row when it is written, an entry of an index or a generated column, of what is written and what is
// labelled: by a division by zero it fails, and in PostgreSQL by the length of both together.
func (c *Checker) made(t *schema.Table, secrets, changed columns) (out []told) {
	for _, x := range c.entries(t) {
		entry := func(col func(string) bool) bool {
			return slices.ContainsFunc(x, func(p schema.Part) bool { return c.dependsOn(t, p, col) })
		}
		// Of a partial index its condition decides whether an entry is calculated.
		calculated := secrets.beside(changed, entry) && slices.ContainsFunc(x, func(p schema.Part) bool { return p.Column == "" })
		long := slices.ContainsFunc(x, func(p schema.Part) bool { return c.dependsOn(t, p, changed.has) && !fixedSize(t, p) })
		if calculated || long && c.live.Engine == schema.Postgres && secrets.beside(changed, entry) {
			out = append(out, told{"index" + unique{parts: x}.said(), "an entry of it that can't be made would tell of it"})
		}
	}
	for i := range t.Columns {
		if g := &t.Columns[i]; secrets.beside(changed, func(col func(string) bool) bool { return t.Calculates(g, col) }) {
			out = append(out, told{"generated(" + g.Name + ")", "a value that can't be calculated would tell of it"})
		}
	}
	return out
}

// fixedSize reports whether all values of a part of an index take the same place.
func fixedSize(t *schema.Table, p schema.Part) bool {
	i := slices.IndexFunc(t.Columns, func(x schema.Column) bool { return x.Name == p.Column })
	return i >= 0 && slices.Contains([]schema.Kind{schema.Bool, schema.Int, schema.Float, schema.Time, schema.Date, schema.Interval, schema.UUID}, t.Columns[i].Kind)
}

// kin are a table, those whose partition or heir it is, and its partitions and heirs: a row of one is, or may be, a row of the others.
func (c *Checker) kin(t *schema.Table) []*schema.Table {
	related := func(part, whole *schema.Table) bool {
		return partOf(part, whole) || slices.Contains(part.Inherits, whole.Name)
	}
	seen := []*schema.Table{t}
	for i := 0; i < len(seen); i++ { // it grows
		for _, o := range c.live.Tables {
			if (related(seen[i], o) || related(o, seen[i])) && !slices.Contains(seen, o) {
				seen = append(seen, o)
			}
		}
	}
	return seen
}

// anyOf reports whether one of a table's columns is, or is calculated of, one of some others.
func (c *Checker) anyOf(t *schema.Table, cols []string, of func(string) bool) bool {
	return slices.ContainsFunc(cols, func(name string) bool { return c.dependsOn(t, schema.Part{Column: name}, of) })
}

// dependsOn reports whether a part of an index is, or may depend on, one of some columns.
func (c *Checker) dependsOn(t *schema.Table, p schema.Part, col func(string) bool) bool {
	if p.Column == "" {
		return t.Reads(p.Expr, col)
	}
	i := slices.IndexFunc(t.Columns, func(x schema.Column) bool { return c.live.Engine.Is(x.Name, p.Column) })
	return col(p.Column) || i >= 0 && t.Calculates(&t.Columns[i], col)
}

// indexes are the parts of all indexes of a table, of those that it is a part of, and of its parts.
func (c *Checker) indexes(t *schema.Table) [][]schema.Part {
	out := c.entries(t)
	for _, u := range c.uniques(t) {
		out = append(out, u.parts)
	}
	return out
}

// entries are those of indexes of which tells does not say it all: unique ones that carry no other columns along.
func (c *Checker) entries(t *schema.Table) (out [][]schema.Part) {
	for _, of := range c.parts(t) {
		for _, x := range of.Indexes {
			if x.Unique && len(x.Include) == 0 {
				continue
			}
			parts := slices.Clone(x.Parts)
			if x.Where != "" {
				parts = append(parts, schema.Part{Expr: x.Where})
			}
			for _, n := range x.Include {
				parts = append(parts, schema.Part{Column: n})
			}
			out = append(out, parts)
		}
	}
	return out
}

// labelled refuses a write by which a program would learn of labelled columns.
func (c *Checker) labelled(t *schema.Table, w Write, refuse func(kind, fix, problem string, args ...any)) {
	if w.Trusted || len(w.Labelled) == 0 {
		return
	}
	for _, x := range c.tells(t, w) {
		if !slices.Contains(w.Rights.Effects, x.name()) {
			refuse(HiddenEffect, fmt.Sprintf("a table without that rule, or a write of other columns, or AllowEffects(%q) on the facet, if programs may learn of what is labelled", x.name()),
				"programs may write to it, and %s is about a labelled column: %s", x.rule, x.why)
		}
	}
}
