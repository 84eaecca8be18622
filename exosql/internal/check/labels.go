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

// tells finds the rules by which a write tells of labelled columns.
func (c *Checker) tells(t *schema.Table, w Write) (out []told) {
	is := func(names []string, name string) bool { return shares(c.live, names, []string{name}) }
	secretOf := func(table string) func(string) bool {
		var cols []string
		for _, col := range w.Labelled {
			if c.live.Engine.Is(col.Table.Name, table) {
				cols = append(cols, col.Name)
			}
		}
		return func(name string) bool { return is(cols, name) }
	}
	secret := secretOf(w.Table.Name)
	updated := names(w.Rights.Update)
	if len(updated) > 0 || len(w.Rights.Insert) > 0 {
		updated = append(updated, names(w.Filled)...)
	}
	written := func(name string) bool { return is(updated, name) }
	of := func(p schema.Part, col func(string) bool) bool { return c.dependsOn(t, p, col) }
	indexed := slices.ContainsFunc(c.indexes(t), func(parts []schema.Part) bool {
		return slices.ContainsFunc(parts, func(p schema.Part) bool { return of(p, secret) })
	})
	for _, u := range c.uniques(t) {
		has := func(col func(string) bool) bool {
			return slices.ContainsFunc(u.parts, func(p schema.Part) bool { return of(p, col) }) || u.where != "" && t.Reads(u.where, col)
		}
		changes := len(w.Rights.Update) > 0 && has(written)
		switch {
		case has(secret) && (changes || len(w.Rights.Insert) > 0 && !u.fresh(c.live, t, w.given())):
			out = append(out, told{u.name(), "that a value is taken would tell of it"})
		case indexed && changes: // row by row
			out = append(out, told{u.name(), "rows are changed in the order of an index, which a value that is taken would tell"})
		}
	}
	for _, k := range t.Checks {
		if len(updated) > 0 && t.Reads(k.Expr, secret) && t.Reads(k.Expr, written) {
			out = append(out, told{"check(" + k.Expr + ")", "a value that breaks it would tell of the other"})
		}
	}
	for _, fk := range c.foreignKeys(t) {
		if slices.ContainsFunc(fk.Columns, secret) && slices.ContainsFunc(fk.Columns, written) {
			out = append(out, told{"foreign key(" + strings.Join(fk.Columns, ", ") + ")", "a value that leads nowhere would tell of the other"})
		}
	}
	for _, child := range c.live.Tables {
		for _, fk := range child.ForeignKeys {
			if fk.Table == t.Name && slices.ContainsFunc(fk.Columns, secretOf(child.Name.Name)) && (w.Rights.Delete || slices.ContainsFunc(fk.References, written)) {
				out = append(out, told{child.Name.Name + "(" + strings.Join(fk.Columns, ", ") + ")", "a row that can't be deleted or changed would tell that it is referred to"})
			}
		}
	}
	return out
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
func (c *Checker) indexes(t *schema.Table) (out [][]schema.Part) {
	for _, of := range c.parts(t) {
		for _, x := range of.Indexes {
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
	for _, u := range c.uniques(t) {
		out = append(out, u.parts)
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
