package writing

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// If a rule of the database refuses a write, the error reveals something about existing rows. If the rule depends on a labelled column, a
// program could learn labelled values by writing. Its run would not get their label, since a write reads nothing. So programs can't write a
// table with such a rule, unless the host permits it by AllowRevealing.

// learns refuses a write that could reveal values of a labelled column.
func (r refusing) learns(x change, rule, why string) {
	if !r.labelled() { // without secrets nothing is revealed; a definition that can't be parsed would count as reading a labelled column
		return
	}
	if !slices.Contains(r.kin, x.table) {
		rule = r.c.Called(x.table) + "." + rule
	}
	r.unless(decl.Permission{Kind: decl.PermitRevealing, On: rule}, check.HiddenEffect, "a table without that rule, or a right to write other columns only", ", if programs may learn labelled values that way",
		"programs may write the table, and %s depends on labelled values: %s", rule, why)
}

// labelled reports whether labelled columns or rows exist that the write may not reveal.
func (r refusing) labelled() bool { return !r.w.Trusted && len(r.w.Labelled)+len(r.w.LabelledRows) > 0 }

// secretOf returns the labelled columns of a table, by any declaration of it or of a table with common rows. A view's columns have no known place in
// the table. So if a view of the table has a labelled column, each column that w's declaration leaves out counts as labelled.
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

// goesByClock reports whether a condition may be true for a row now and false later, since it reads the clock or is random.
func goesByClock(expr string) bool {
	lower := strings.ToLower(expr)
	return slices.ContainsFunc([]string{"now()", "current_", "localtime", "_timestamp()", "timeofday()", "random"}, func(s string) bool { return strings.Contains(lower, s) })
}

// referred refuses a write if the foreign key of another table could reveal labelled data.
func (r refusing) referred(x change, d dependant, changed bool) {
	if !r.labelled() {
		return
	}
	rows, own := r.c.rowsLabel(d.child, r.w), r.w.Table.Label.Secrecy()
	chosen := own.Join(r.w.Rights.Admits) // the program may have chosen the row by data with these labels
	if !x.deletes() {
		for _, c := range r.w.Rights.Update {
			chosen = chosen.Join(c.Admits)
		}
	}
	switch {
	case r.c.anyOf(d.child, d.key.Columns, r.c.secretOf(d.child, r.w).has) || !rows.FlowsTo(own):
		r.learns(x, d.name, "the error for a row that can't be deleted or changed would reveal that another row refers to it")
	case !chosen.Secrecy().FlowsTo(rows) && (x.deletes() && carries(d.key.OnDelete) || changed && carries(d.key.OnUpdate)):
		r.learns(x, d.name, "the database also changes the rows that refer to a written row, and their readers would learn of the labelled one")
	}
}

// rowsLabel returns the label on the existence of a table's rows, from all declarations of it, of its views, and of tables with common rows.
func (c *rules) rowsLabel(t *schema.Table, w Write) (l value.Label) {
	for _, o := range w.LabelledRows {
		if c.Shows(o, t) || slices.ContainsFunc(c.Kin(t), func(x *schema.Table) bool { return c.IsOf(o, x) }) {
			l = l.Join(o.Label.Secrecy())
		}
	}
	return l
}

// fixedSize reports whether all values of an index's part have the same size.
func fixedSize(t *schema.Table, p schema.Part) bool {
	i := slices.IndexFunc(t.Columns, func(x schema.Column) bool { return x.Name == p.Column })
	return i >= 0 && slices.Contains([]schema.Kind{schema.Bool, schema.Int, schema.Float, schema.Time, schema.Date, schema.Interval, schema.UUID}, t.Columns[i].Kind)
}
