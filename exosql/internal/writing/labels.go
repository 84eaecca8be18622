package writing

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// A write that a rule of the database refuses reveals rows that were there. If such a rule depends on a labelled column,
// a program that writes learns values that it may not read, and its run has no label for it: giving a value is not
// reading one. So a table with such a rule can't be written, unless its host says by AllowRevealing that programs may
// learn it.

// learns refuses a write by which programs would learn of a labelled column.
func (r refusing) learns(x change, rule, why string) {
	if !r.labelled() { // nothing is secret; a definition that can't be parsed would count as reading a labelled column
		return
	}
	if !slices.Contains(r.kin, x.table) {
		rule = r.c.Called(x.table) + "." + rule
	}
	r.unless(decl.Permission{Kind: decl.PermitRevealing, On: rule}, check.HiddenEffect, "a table without that rule, or a write of other columns", ", if programs may learn labelled values that way",
		"programs may write to it, and %s depends on labelled values: %s", rule, why)
}

// labelled reports whether there is something labelled that a write may not reveal.
func (r refusing) labelled() bool { return !r.w.Trusted && len(r.w.Labelled)+len(r.w.LabelledRows) > 0 }

// secretOf returns the labelled columns of a table, labelled in any declaration of it or of a table with common rows. The columns of a
// view are not known by name: if one is labelled on a view, all count as labelled that are not declared without a label.
func (c *rules) secretOf(t *schema.Table, w Write) columns {
	cols := columns{Live: c.Live}
	for _, x := range c.Kin(t) {
		for _, col := range w.Labelled {
			if c.IsOf(col.Table, x) {
				cols.names = append(cols.names, col.Name)
			}
			if c.Live.View(schema.Name{Name: col.Table.Name}) != nil && c.Shows(col.Table, x) {
				for _, y := range x.Columns {
					if of := c.Same(w.Table, y.Name); of == nil || !c.IsOf(w.Table, x) {
						cols.names = append(cols.names, y.Name)
					}
				}
			}
		}
	}
	return cols
}

// goesByClock reports whether a condition may hold for a row now, and not later.
func goesByClock(expr string) bool {
	lower := strings.ToLower(expr)
	return slices.ContainsFunc([]string{"now()", "current_", "localtime", "_timestamp()", "timeofday()", "random"}, func(s string) bool { return strings.Contains(lower, s) })
}

// referred refuses a write by which a foreign key of another table reveals something labelled.
func (r refusing) referred(x change, d dependant, changed bool) {
	if !r.labelled() {
		return
	}
	rows, own := r.c.rowsLabel(d.child, r.w), r.w.Table.Label.Secrecy()
	chosen := own.Join(r.w.Rights.Admits) // what a program may have read that chose the row
	if !x.deletes() {
		for _, c := range r.w.Rights.Update {
			chosen = chosen.Join(c.Admits)
		}
	}
	switch {
	case r.c.anyOf(d.child, d.key.Columns, r.c.secretOf(d.child, r.w).has) || !rows.FlowsTo(own):
		r.learns(x, d.name, "the error for a row that can't be deleted or changed would reveal that another one refers to it")
	case !chosen.Secrecy().FlowsTo(rows) && (x.deletes() && carries(d.key.OnDelete) || changed && carries(d.key.OnUpdate)):
		r.learns(x, d.name, "rows that are changed along with it would reveal the labelled row to their readers")
	}
}

// rowsLabel is the label of the existence of a table's rows, from any declaration of it, of a table with common rows, or of a view of it.
func (c *rules) rowsLabel(t *schema.Table, w Write) (l value.Label) {
	for _, o := range w.LabelledRows {
		if c.Shows(o, t) || slices.ContainsFunc(c.Kin(t), func(x *schema.Table) bool { return c.IsOf(o, x) }) {
			l = l.Join(o.Label.Secrecy())
		}
	}
	return l
}

// fixedSize reports whether all values of a part of an index take the same place.
func fixedSize(t *schema.Table, p schema.Part) bool {
	i := slices.IndexFunc(t.Columns, func(x schema.Column) bool { return x.Name == p.Column })
	return i >= 0 && slices.Contains([]schema.Kind{schema.Bool, schema.Int, schema.Float, schema.Time, schema.Date, schema.Interval, schema.UUID}, t.Columns[i].Kind)
}
