package writing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// This file refuses writes to tables in which the database compares by an equality wider than exact.

// unlikePadding refuses a foreign key between char(n) and another type of text: 'acme' in the char(n) column equals both 'acme' and 'acme ' in the
// other. Two columns of char(n) are allowed, since in them such texts are one text.
func (c *rules) unlikePadding(child *schema.Table, column string, parent *schema.Table, references, by string, refuse refusing) {
	a, b := c.FindColumn(child.Columns, column), c.FindColumn(parent.Columns, references)
	padded := func(x *schema.Column) bool {
		return check.PlainType(x) == "character" || check.PlainType(x) == "bpchar"
	}
	if c.Live.Engine != schema.Postgres || a == nil || b == nil || padded(a) == padded(b) {
		return
	}
	of, x := child, a
	if padded(b) {
		of, x = parent, b
	}
	refuse.because(check.LooseEquality, fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE text; or no right to write the table (reads are safe, since they compare the column exactly)", check.InFull(of), sqlname.Plain(x.Name)),
		"can't be written: %s.%s is %s, which ignores spaces at the end, and is %s with a column that does not", of.Name.Name, x.Name, x.Type, by)
}

// widely refuses a write if the database finds its rows by an equality wider than exact. Such a write could change, delete or confirm another
// tenant's row, or write a row that the database treats as another tenant's.
func (c *rules) widely(t *schema.Table, w Write, refuse refusing) {
	seen := map[string]bool{}
	no := func(of *schema.Table, column string, text bool, by string) {
		why, fix := c.WideWhy(of, column, text)
		if at := c.Called(of) + "." + column; why != "" && !seen[at] {
			seen[at] = true
			refuse.because(check.LooseEquality, fix+"; or no right to write the table (reads are safe, since they compare the column exactly)", "can't be written: %s %s, and this column is %s", at, why, by)
		}
	}
	declared := func(col *decl.Column, by string) {
		if of := c.Live.Table(schema.Name{Name: col.Table.Name}); of != nil {
			no(of, col.Name, col.Kind == value.TypeText, by)
		}
	}
	for _, col := range w.Scope {
		declared(col, "part of the scope")
	}
	for _, col := range w.Table.Keys {
		declared(col, "part of the key")
	}
	written := slices.Concat(w.Rights.Insert, w.Rights.Update, w.Filled)
	for _, l := range slices.Concat(w.Leading, w.Into, w.By, w.Through, w.Links) {
		by := fmt.Sprintf("compared by the link %s.%s", l.From.Name, l.Name)
		if slices.Contains(w.Links, l) && !slices.ContainsFunc(l.Pairs, func(p decl.Pair) bool { return slices.Contains(written, p.From) }) {
			continue // no write changes a column of this link, so its equality does not matter
		}
		for _, p := range l.Pairs {
			declared(p.From, by)
			declared(p.To, by)
		}
	}
	judged := func(child *schema.Table, fk schema.ForeignKey) {
		by := fmt.Sprintf("compared by the foreign key %s(%s)", child.Name.Name, strings.Join(fk.Columns, ", "))
		for _, col := range fk.Columns {
			no(child, col, false, by)
		}
		if parent := c.Live.Table(fk.Table); parent != nil {
			for i, col := range references(fk, parent) {
				no(parent, col, false, by)
				if i < len(fk.Columns) {
					c.unlikePadding(child, fk.Columns[i], parent, col, by, refuse)
				}
			}
		}
	}
	given := append(w.given(), decl.Names(w.Rights.Update)...)
	for _, of := range c.Parts(t) {
		for _, fk := range of.ForeignKeys {
			if shares(c.Live, fk.Columns, given) {
				judged(of, fk)
			}
		}
	}
	if !w.Rights.Delete && len(w.Rights.Update) == 0 {
		return
	}
	reached := c.Parts(t)
	for i := 0; i < len(reached); i++ { // the loop appends to reached: a cascade goes on from the rows that it deletes
		by := reached[i]
		for _, child := range c.Live.Tables {
			for _, fk := range child.ForeignKeys {
				if fk.Table != by.Name || !w.Rights.Delete && !shares(c.Live, references(fk, by), decl.Names(w.Rights.Update)) {
					continue
				}
				judged(child, fk)
				if carries(fk.OnDelete) && !slices.Contains(reached, child) {
					reached = append(reached, child)
				}
			}
		}
	}
}
