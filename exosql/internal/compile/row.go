package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// This file says where the columns of a row are at the moment in which an expression is written: an expression holds a row and a column,
// and never a name.

// occurrence is one row variable of a query: one table, in one place.
type occurrence struct {
	grant *scope.Grant // which grant's scopes apply to it
	facet *decl.Facet  // what a program sees of it; nil for hidden ones
	table *decl.Table
	form  func(*decl.Column) decl.Form // how the database holds its columns; nil: it is no row of a table
	fixed []scope.Fixed                // by its scope
	entry scope.Entry
	gates []string // see fence.Table
	alias string   // of the table itself, wherever its columns are now

	parent *occurrence // that it was joined to by a link, or nil
	by     *decl.Link
	with   *occurrence // that it was joined to by a condition, or nil: see joinedBy
	pairs  []decl.Pair // of that condition

	optional bool // joined so that it may be missing: all its columns may be null

	made calculated // it is no row of a table, but a group of rows, or the window of each row

	sought *plan.Source // the text that its query was searched for last

	selected expr // it is no row at all, but what select showed under a name

	depth     *decl.Column // of a row of a tree: see tree.go
	depthName string       // and what programs call it
}

// calculated are the outputs of a derived table that expressions over its rows calculate.
type calculated interface {
	Source() *From                // the rows
	Output(col *decl.Column) expr // nil: there is none
}

// From is what expressions see of a FROM clause that is being built: its rows, and where each is now.
type From struct {
	c      *state
	outer  *From // the enclosing one, for EXISTS and IN
	rows   []*occurrence
	at     map[*occurrence]place
	valued []Column // columns that are not null in any row, by a condition of the program
}

// place says where a row's columns are: in a table, or among the outputs of a
// derived table, to which they are added when first used.
type place struct {
	alias   string
	derived *derived
}

type derived struct {
	inner *From
	sel   *sqlast.Select
	outs  map[outKey]string
}

type outKey struct {
	row *occurrence
	col *decl.Column
}

// col is the expression that reads a row's column, wherever the row is now.
func (f *From) col(row *occurrence, col *decl.Column) sqlast.Expr {
	f.c.touch(row, col)
	f.c.charge = max(f.c.charge, col.Charge())
	p, ok := f.at[row]
	if !ok {
		if f.outer == nil {
			return nil // sqlast refuses nil: a row that is nowhere is an error, not a name
		}
		return f.outer.col(row, col)
	}
	if p.derived == nil {
		return sqlast.Column{Alias: p.alias, Name: col.Name}
	}
	return sqlast.Column{Alias: p.alias, Name: p.derived.expose(row, col)}
}

func (d *derived) expose(row *occurrence, col *decl.Column) string {
	k := outKey{row, col}
	name, ok := d.outs[k]
	if !ok {
		var x sqlast.Expr
		if row.made == nil || row.made.Source() != d.inner {
			x = d.inner.col(row, col)
		} else if made := row.made.Output(col); made != nil {
			x = made.SQL(d.inner)
		}
		o := d.out(k, x, len(d.outs))
		d.sel.Columns = append(d.sel.Columns, o)
		name = o.As
	}
	return name
}

// out is output n of a derived table.
func (d *derived) out(k outKey, x sqlast.Expr, n int) sqlast.Output {
	d.outs[k] = fmt.Sprintf("c%d", n)
	return sqlast.Output{Expr: x, As: d.outs[k]}
}

// touch notes a row if a condition on the column has to be guarded: the row's table is, or a
// link compares the column with one of a table that is. Engines carry what a program says
// of one end over to the other: that some row has the value would be told by time.
func (c *state) touch(row *occurrence, col *decl.Column) {
	if len(c.Guards) == 0 || c.satisfying || c.linking || slices.Contains(c.touched, row) {
		return
	}
	if c.guarded(row) || slices.Contains(c.compared, col) {
		c.touched = append(c.touched, row)
	}
}

func (c *state) guarded(row *occurrence) bool { return slices.Contains(c.Guards, row.alias) }

// scanned reports whether a guarded table is not searched for its scope, which holds most of it.
func (c *state) scanned(row *occurrence) bool { return slices.Contains(c.Scans, row.alias) }

// fixedOf is what a scope fixes, where a search for it finds the rows in scope and no others. By an equality that is wider than exact
// it finds others too, on which no expression of a program may be tried.
func (c *state) fixedOf(e scope.Entry) ([]scope.Fixed, bool) {
	fixed, ok := e.Fixed()
	for _, x := range fixed {
		ok = ok && !c.wider(x.Col)
	}
	return fixed, ok
}

// fixes reports whether the scope of a row gives a column one value.
func (c *state) fixes(row *occurrence, col *decl.Column) bool {
	for _, f := range row.fixed {
		// By name: SQLite knows no case, and one column by several names.
		if strings.EqualFold(f.Col.Name, col.Name) || slices.Contains([]string{"rowid", "oid", "_rowid_"}, strings.ToLower(col.Name)) {
			return true
		}
	}
	return false
}

// unindexed keeps SQLite from searching a column of a scope by anything but the scope's
// own value: its plan says that it searches for one value, and not for which. A
// program that compares the tenant's column with another tenant's number would have that
// searched for. PostgreSQL's plan names the placeholder. Nor may SQLite read a guarded
// table in the order of what a program sorts by: its plan does not say that it does. A
// table that is to be read as a whole is not searched for its scope.
func (f *From) unindexed(x sqlast.Expr, row *occurrence, col *decl.Column) sqlast.Expr {
	if !f.c.Open || f.c.dialect != sqlast.SQLite || x == nil || f.c.satisfying && (f.c.guarding || !f.c.scanned(row)) {
		return x
	}
	if f.c.satisfying || f.c.fixes(row, col) || f.c.sorting && f.c.guarded(row) {
		return call(sqlast.Unindexed, x)
	}
	return x
}

// cell is an output of a group, in whatever from the group is now.
type cell struct {
	row *occurrence
	col *decl.Column
	of  Type

	list string // of a list, the kind of its items

	by   *decl.Column // of a key that shows one text of several: the output by which they are equal
	like decl.Form    // that equality
}

// An engine moves a condition on a key to the rows that are grouped, where no guard stands before it.
func (e cell) SQL(f *From) sqlast.Expr {
	if f.c.conditions > 0 && len(f.c.Guards) > 0 {
		f.c.unguarded = true
	}
	return f.col(e.row, e.col)
}

func (e cell) Type() Type { return e.of }

// newFrom is one without rows.
func newFrom(c *state, outer *From) From {
	return From{c: c, outer: outer, at: map[*occurrence]place{}}
}

// sees reports whether the columns of a row can be read here.
func (f *From) sees(row *occurrence) bool {
	for ; f != nil; f = f.outer {
		if _, ok := f.at[row]; ok {
			return true
		}
	}
	return false
}
