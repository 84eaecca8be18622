package check

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// This file finds generated columns that reveal a labelled column: substr(email, 1, 1) is a part of the email.

// Unlabelled returns the columns from which the database calculates c, and which have a label that c lacks.
// It looks for them in the list `of`, and follows other generated columns and other declarations of the rows.
func Unlabelled(live *schema.Database, c *decl.Column, of []*decl.Column) []*decl.Column {
	ch := NewChecker()
	ch.Live = live
	return ch.unlabelled(c, of)
}

func (ch *Checker) unlabelled(c *decl.Column, of []*decl.Column) (out []*decl.Column) {
	if !slices.ContainsFunc(of, func(b *decl.Column) bool { return b != c && !b.Label.FlowsTo(c.Label) }) {
		return nil // most columns end here; the search through all tables comes later
	}
	is := ch.Live.Engine.Is
	t := ch.TableOf(schema.Name{Name: c.Table.Name})
	if t == nil || !slices.ContainsFunc(ch.Live.Tables, func(x *schema.Table) bool { // no table calculates a column of this name
		return slices.ContainsFunc(x.Columns, func(y schema.Column) bool { return y.Generated != schema.NotGenerated && is(y.Name, c.Name) })
	}) {
		return nil
	}
	for _, x := range ch.Kin(t) { // a partition may calculate the column from other columns
		i := slices.IndexFunc(x.Columns, func(y schema.Column) bool { return is(y.Name, c.Name) })
		if i < 0 || x.Columns[i].Generated == schema.NotGenerated {
			continue
		}
		for _, b := range of {
			at := ch.TableOf(schema.Name{Name: b.Table.Name})
			if b == c || b.Label.FlowsTo(c.Label) || slices.Contains(out, b) || at == nil || !slices.Contains(ch.Kin(t), at) {
				continue
			}
			if x.Calculates(&x.Columns[i], func(name string) bool { return is(name, b.Name) }) {
				out = append(out, b)
			}
		}
	}
	return out
}

// generated finds generated columns that lack the labels of the columns from which they are calculated.
func (c *Checker) generated() {
	var all []*decl.Column
	for _, t := range c.tables {
		for _, col := range t.Cols {
			if !col.Label.Empty() {
				all = append(all, col)
			}
		}
	}
	for _, t := range c.tables {
		for _, col := range t.Cols {
			for _, of := range c.unlabelled(col, all) {
				c.Add(Finding{Kind: LabelMismatch, Table: t.Name, Column: col.Name, Warning: !c.uses[t].granted,
					Problem: fmt.Sprintf("the database calculates this column from %s, which is %s, but this column is %s: programs could read the labelled values here", of.Name, said(of), said(col)),
					Fix:     t.Reader.Label(of.Label.Tags()) + " on this column, or a declaration without it"})
			}
		}
	}
}
