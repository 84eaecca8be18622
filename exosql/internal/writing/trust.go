package writing

import (
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/schema"
)

// This file finds writes that demand trust by what the database does with them: by a cascade, or by a rule that replaces rows.

// DemandsTrust reports whether a write of these columns of a table, or a deletion, deletes rows that hold one of the trusted columns, or
// changes such a column of other rows that the database carries along. What a program gives to a trusted column itself, and a deletion of
// a row that has one, is judged by the declaration before: see decl.Facet's record and writeMethods.
func DemandsTrust(live *schema.Database, t *decl.Table, update []string, deletes bool, trusted []*decl.Column) bool {
	at := live.Table(schema.Name{Name: t.Name})
	if at == nil || len(trusted) == 0 {
		return false // of what is no table, Writable says more
	}
	c := rulesOf(live)
	own := c.Kin(at)
	var all []altered
	for _, x := range own {
		all = append(all, altered{table: x, cols: update, delete: deletes || slices.Contains(at.OnConflict, "REPLACE")}) // which deletes the row that has the value
	}
	for i, a := range c.allCarried(all, c.Kin) {
		cols := c.secretOf(a.table, Write{Table: t, Labelled: trusted})
		if a.delete && len(cols.names) > 0 || i >= len(own) && slices.ContainsFunc(a.cols, cols.has) {
			return true
		}
	}
	return false
}
