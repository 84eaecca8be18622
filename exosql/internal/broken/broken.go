// Package broken writes the error that a program reads when its write breaks a rule of the database. The error names columns that the program
// sees, the row that it gave, and the column's type. It contains no stored value, no name that the facet does not show, and nothing of other rows.
package broken

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/check"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/engine"
	"github.com/exoagent/exoagent/exosql/internal/writing"
	"github.com/exoagent/exoagent/internal/sqlname"
	"github.com/exoagent/exoagent/schema"
)

// Rule returns the text that a program reads about the broken rule v, the rule's columns if they are known, and the number
// of the row that broke it. Rows are numbered from 0; -1 means that the row is unknown. run is the write, or nil at the end of a transaction.
func Rule(v *engine.Violation, run *writing.Run, live *schema.Database) (text string, columns []string, row int) {
	b := broken{Violation: v, run: run, live: live, row: -1}
	if live != nil {
		b.table = live.Table(schema.Name{Name: v.Table})
	}
	if run != nil && !v.Late && len(run.Given.Rows) > 1 && v.At < len(run.Order) {
		b.row = run.Order[v.At]
	}
	columns = b.columns()
	return b.text(columns), columns, b.row
}

// broken is a broken rule, with the write that broke it.
type broken struct {
	*engine.Violation
	run   *writing.Run // run is nil at the end of a transaction
	live  *schema.Database
	table *schema.Table // table has the rule; nil if unknown
	row   int           // row is the number of the given row; -1 if unknown
}

// columns returns those columns of the table that the rule concerns, if they are known.
func (b *broken) columns() []string {
	if len(b.Columns) > 0 || b.table == nil {
		return b.Columns
	}
	t := b.table
	if b.Constraint == "" {
		return b.onlyKey()
	}
	for _, k := range t.Uniques {
		if k.Name == b.Constraint {
			return k.Columns
		}
	}
	if t.PrimaryKey != nil && t.PrimaryKey.Name == b.Constraint {
		return t.PrimaryKey.Columns
	}
	for _, k := range t.ForeignKeys {
		if k.Name == b.Constraint && b.run != nil && b.run.Kind == writing.Deletes { // a row of the same table may refer to the deleted one
			return k.References
		} else if k.Name == b.Constraint {
			return k.Columns
		}
	}
	var all []string
	for _, p := range b.exclusion().Parts {
		for _, c := range t.Columns {
			if p.Column == c.Name || p.Column == "" && t.Reads(p.Expr, func(name string) bool { return name == c.Name }) {
				all = append(all, c.Name)
			}
		}
	}
	for _, k := range t.Checks {
		expr := strings.Join(strings.Fields(k.Expr), " ")
		if name := strings.Join(strings.Fields(b.Constraint), " "); cmp.Or(k.Name, expr) != name && (k.Name != "" || !strings.HasPrefix(expr, sqlname.Quote(name)+" ")) {
			continue // SQLite removes the quotes from a text that begins with a name, and returns only the name
		}
		for _, c := range t.Columns {
			if t.Reads(k.Expr, func(name string) bool { return name == c.Name }) {
				all = append(all, c.Name)
			}
		}
	}
	if b.Domain != "" {
		for _, c := range t.Columns {
			if c.Domain != nil && c.Domain.Name == b.Domain {
				all = append(all, c.Name)
			}
		}
	}
	return all
}

// exclusion returns PostgreSQL's broken exclusion constraint, or the zero Exclusion.
func (b *broken) exclusion() (x schema.Exclusion) {
	if b.table != nil && b.Constraint != "" {
		for _, x := range b.table.Exclusions {
			if x.Name == b.Constraint {
				return x
			}
		}
	}
	return x
}

// onlyKey returns the columns of the foreign key that an insert broke, if the table has only one,
// since SQLite does not name it. With triggers, the key may belong to another table.
func (b *broken) onlyKey() []string {
	if b.Rule != engine.ForeignKey || b.run == nil || b.run.Kind != writing.Inserts || len(b.table.Triggers) > 0 {
		return nil
	}
	keys := slices.DeleteFunc(slices.Clone(b.table.ForeignKeys), func(k schema.ForeignKey) bool { return b.Late && !k.Deferrable })
	if len(keys) != 1 {
		return nil
	}
	return keys[0].Columns
}

// text returns the text that the program reads.
func (b *broken) text(columns []string) string {
	var names []string
	if b.run != nil && strings.HasSuffix("."+b.run.Table.Name, "."+b.Table) { // otherwise a trigger may have written another table
		for _, c := range columns {
			if g := b.guest(c); g != "" {
				names = append(names, g)
			}
		}
		if b.Rule == engine.BadValue {
			g, text := b.misfit()
			if text != "" {
				return "`" + b.place(b.row) + g + "` " + text
			}
			if len(names) == 0 && g != "" {
				names = []string{g}
			}
		}
	}
	what := "the row"
	if b.run != nil && b.Late { // the end of the transaction has no position in the program's text
		what = "the row of `" + b.run.Facet.Alias + "`"
	} else if b.run != nil && b.row >= 0 {
		what = fmt.Sprintf("the row [%d]", b.row)
	}
	named := len(names) > 0
	if named {
		what = "`" + b.place(b.row) + strings.Join(names, "`, `"+b.place(b.row)) + "`"
	}
	switch b.Rule {
	case engine.NotNull:
		if !named {
			return what + " needs a value in a column that programs can't set, so no program can write it before the host changes that"
		}
		return what + " is needed" + b.filler(columns)
	case engine.Unique:
		if named && b.exclusion().Name != "" {
			return what + " is taken: this row may not overlap another row in these columns"
		}
		if !named {
			return what + " conflicts with an existing row in columns that this program doesn't see"
		}
		return what + " is taken: no two rows may have the same value"
	case engine.ForeignKey:
		switch {
		case b.run != nil && b.run.Kind == writing.Deletes:
			return what + " is referred to by other rows: delete or change those first"
		case b.run != nil && b.run.Kind == writing.Inserts:
			return what + " refers to a row that does not exist: give the key of one that does"
		}
		return what + " is referred to by other rows, or refers to a row that does not exist"
	case engine.CheckRule:
		if len(names) > 1 {
			return what + " break a rule of the database: write other values"
		}
		return what + " breaks a rule of the database: write another value"
	case engine.BadValue:
		if b.Holds != "" && named {
			return b.Holds
		}
		return what + " has a value that the column can't store: write another value"
	}
	return what + " is refused by a trigger of the database: ask the host what the trigger accepts"
}

// filler returns the end of the error if a new row lacks a column that programs can't give but a link fills in. It names that link. Otherwise it is "".
func (b *broken) filler(columns []string) string {
	if slices.ContainsFunc(b.run.Facet.Links, func(l decl.LinkMember) bool { return l.To == nil }) { // Go code of the host has written
		return ""
	}
	reach, err := b.run.Facet.Close()
	if err != nil || len(columns) != 1 || b.run.Kind != writing.Inserts || b.run.Link != nil || slices.Contains(decl.Names(b.run.Facet.Rights.Insert), columns[0]) {
		return ""
	}
	for _, f := range reach {
		for _, l := range f.Links {
			if l.To == b.run.Facet && !l.L.One && slices.Contains(decl.Names(l.L.Ends()), columns[0]) {
				return ", and can't be given: " + f.Alias + "." + l.L.Name + "().insert(…) fills it in, from the one row that the query before the link finds"
			}
		}
	}
	return ""
}

// guest returns the program's name for a column, or "" if the program does not see it.
func (b *broken) guest(column string) string {
	for _, c := range b.run.Facet.Cols {
		if strings.EqualFold(c.Name, column) {
			return c.Guest
		}
	}
	return ""
}

// misfit finds the given value that its column can't store. It returns the column, and the values that
// the column accepts. For a calculated value it finds the column only if no other one is written.
func (b *broken) misfit() (guest, text string) {
	rows := b.run.Given.Rows
	if b.row >= 0 {
		rows = rows[b.row : b.row+1]
	}
	if len(rows) == 1 && b.table != nil {
		for i, name := range b.run.Given.Sets[rows[0].Set] {
			for _, c := range b.run.Facet.Cols {
				if c.Guest != name || i >= len(rows[0].Values) {
					continue
				}
				if live := b.table.Column(c.Name); live != nil {
					if text := check.Misfit(b.live, live, rows[0].Values[i]); text != "" {
						return name, text
					}
				}
			}
		}
	}
	if b.run.Change != nil && len(b.run.Change.Write.Update) == 1 {
		return b.guest(b.run.Change.Write.Update[0]), ""
	}
	if len(rows) == 1 && len(b.run.Given.Sets[rows[0].Set]) == 1 && slices.ContainsFunc(b.run.Facet.Cols, func(c *decl.Column) bool { return c.Guest == b.run.Given.Sets[rows[0].Set][0] }) {
		return b.run.Given.Sets[rows[0].Set][0], ""
	}
	return "", ""
}

func (b *broken) place(row int) string {
	if b.run == nil {
		return ""
	}
	return b.run.Place(row)
}
