package expr

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
type Row struct {
	Grant *scope.Grant // which grant's scopes apply to it
	Facet *decl.Facet  // what a program sees of it; nil for hidden ones
	Table *decl.Table
	Form  func(*decl.Column) decl.Form // how the database holds its columns; nil: it is no row of a table
	Fixed []scope.Fixed                // by its scope
	Entry scope.Entry
	Gates []string // see fence.Table
	Alias string   // of the table itself, wherever its columns are now

	Parent *Row // that it was joined to by a link, or nil
	By     *decl.Link
	With   *Row        // that it was joined to by a condition, or nil: see joinedBy
	Pairs  []decl.Pair // of that condition

	Optional bool // joined so that it may be missing: all its columns may be null

	Made calculated // it is no row of a table, but a group of rows, or the window of each row

	Sought *plan.Source // the text that its query was searched for last

	Selected Expr // it is no row at all, but what select showed under a name

	Depth     *decl.Column // of a row of a tree: see tree.go
	DepthName string       // and what programs call it
}

// calculated are the outputs of a derived table that expressions over its rows calculate.
type calculated interface {
	Source() *From                // the rows
	Output(col *decl.Column) Expr // nil: there is none
}

// From is what expressions see of a FROM clause that is being built: its rows, and where each is now.
type From struct {
	c      *State
	Outer  *From // the enclosing one, for EXISTS and IN
	Rows   []*Row
	At     map[*Row]Place
	Valued []Column // columns that are not null in any row, by a condition of the program
}

// Place says where a row's columns are: in a table, or among the outputs of a
// derived table, to which they are added when first used.
type Place struct {
	Alias   string
	Derived *Derived
}

type Derived struct {
	Inner *From
	Sel   *sqlast.Select
	Outs  map[OutKey]string
}

type OutKey struct {
	Row *Row
	Col *decl.Column
}

// Col is the expression that reads a row's column, wherever the row is now.
func (f *From) Col(row *Row, col *decl.Column) sqlast.Expr {
	f.c.touch(row, col)
	f.c.Charge = max(f.c.Charge, col.Charge())
	p, ok := f.At[row]
	if !ok {
		if f.Outer == nil {
			return nil // sqlast refuses nil: a row that is nowhere is an error, not a name
		}
		return f.Outer.Col(row, col)
	}
	if p.Derived == nil {
		return sqlast.Column{Alias: p.Alias, Name: col.Name}
	}
	return sqlast.Column{Alias: p.Alias, Name: p.Derived.Expose(row, col)}
}

func (d *Derived) Expose(row *Row, col *decl.Column) string {
	k := OutKey{row, col}
	name, ok := d.Outs[k]
	if !ok {
		var x sqlast.Expr
		if row.Made == nil || row.Made.Source() != d.Inner {
			x = d.Inner.Col(row, col)
		} else if made := row.Made.Output(col); made != nil {
			x = made.SQL(d.Inner)
		}
		o := d.Out(k, x, len(d.Outs))
		d.Sel.Columns = append(d.Sel.Columns, o)
		name = o.As
	}
	return name
}

// Out is output n of a derived table.
func (d *Derived) Out(k OutKey, x sqlast.Expr, n int) sqlast.Output {
	d.Outs[k] = fmt.Sprintf("c%d", n)
	return sqlast.Output{Expr: x, As: d.Outs[k]}
}

// touch notes a row if a condition on the column has to be guarded: the row's table is, or a
// link compares the column with one of a table that is. Engines carry what a program says
// of one end over to the other: that some row has the value would be told by time.
func (c *State) touch(row *Row, col *decl.Column) {
	if len(c.Guards) == 0 || c.Satisfying || c.Linking || slices.Contains(c.Touched, row) {
		return
	}
	if c.Guarded(row) || slices.Contains(c.Compared, col) {
		c.Touched = append(c.Touched, row)
	}
}

func (c *State) Guarded(row *Row) bool { return slices.Contains(c.Guards, row.Alias) }

// Scanned reports whether a guarded table is not searched for its scope, which holds most of it.
func (c *State) Scanned(row *Row) bool { return slices.Contains(c.Scans, row.Alias) }

// FixedOf is what a scope fixes, where a search for it finds the rows in scope and no others. By an equality that is wider than exact
// it finds others too, on which no expression of a program may be tried.
func (c *State) FixedOf(e scope.Entry) ([]scope.Fixed, bool) {
	fixed, ok := e.Fixed()
	for _, x := range fixed {
		ok = ok && !c.Wider(x.Col)
	}
	return fixed, ok
}

// fixes reports whether the scope of a row gives a column one value.
func (c *State) fixes(row *Row, col *decl.Column) bool {
	for _, f := range row.Fixed {
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
func (f *From) unindexed(x sqlast.Expr, row *Row, col *decl.Column) sqlast.Expr {
	if !f.c.Open || f.c.Dialect != sqlast.SQLite || x == nil || f.c.Satisfying && (f.c.Guarding || !f.c.Scanned(row)) {
		return x
	}
	if f.c.Satisfying || f.c.fixes(row, col) || f.c.Sorting && f.c.Guarded(row) {
		return Call(sqlast.Unindexed, x)
	}
	return x
}

// Cell is an output of a group, in whatever from the group is now.
type Cell struct {
	Row *Row
	Col *decl.Column
	Of  Type

	List string // of a list, the kind of its items

	By   *decl.Column // of a key that shows one text of several: the output by which they are equal
	Like decl.Form    // that equality
}

// An engine moves a condition on a key to the rows that are grouped, where no guard stands before it.
func (e Cell) SQL(f *From) sqlast.Expr {
	if f.c.Conditions > 0 && len(f.c.Guards) > 0 {
		f.c.Unguarded = true
	}
	return f.Col(e.Row, e.Col)
}

func (e Cell) Type() Type { return e.Of }

// NewFrom is one without rows.
func NewFrom(c *State, outer *From) From {
	return From{c: c, Outer: outer, At: map[*Row]Place{}}
}

// Sees reports whether the columns of a row can be read here.
func (f *From) Sees(row *Row) bool {
	for ; f != nil; f = f.Outer {
		if _, ok := f.At[row]; ok {
			return true
		}
	}
	return false
}
