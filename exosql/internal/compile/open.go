package compile

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// A query is compiled twice where fences stand in it: with them, and open. The open
// statement is the one that a person would write; indexes serve what a program asks in
// it. It is right for an engine that reads, of each table, the rows in scope and no
// others: then there is no row out of scope that anything could be tried on. Whether it
// does so its own plan says, see plan.Table, and if not the fenced statement runs.

// entered is a table where it stands in the statement.
type entered struct {
	alias string
	entry scope.Entry
	row   *occurrence
}

// withOpen adds the open plan to p, if fences stand in p and the scope of each table is
// one that a search can find.
func withOpen(p *plan.Plan, c *compiler, build func(*compiler) (*plan.Plan, error)) *plan.Plan {
	if c.fences == 0 {
		return p
	}
	for _, e := range c.entered {
		if _, ok := e.entry.Fixed(); !ok {
			return p
		}
	}
	open := &compiler{dialect: c.dialect, msg: c.msg, grants: c.grants, open: true}
	o, err := build(open)
	if err != nil {
		return p
	}
	o.Derived = open.derived
	if o.Tables = open.tablesOf(o); o.Tables != nil {
		p.Open = o
	}
	return p
}

// tablesOf are the tables of an open plan, or nil if one has a scope that no search can find.
func (c *compiler) tablesOf(p *plan.Plan) []plan.Table {
	var out []plan.Table
	for _, e := range c.entered {
		fixed, ok := e.entry.Fixed()
		if !ok {
			return nil
		}
		t := plan.Table{Name: e.entry.Table().Name, Alias: e.alias, Optional: e.row.optional}
		for _, f := range fixed {
			q := plan.Equality{Column: f.Col.Name}
			for i, a := range p.Args {
				if a.Origin == f.Origin && a.Index == f.Slot {
					q.Params = append(q.Params, i+1)
				}
			}
			t.Scope = append(t.Scope, q)
		}
		out = append(out, t)
	}
	return out
}

// fixes reports whether the scope of a row gives a column one value.
func (c *compiler) fixes(row *occurrence, col *decl.Column) bool {
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
// searched for. PostgreSQL's plan names the placeholder.
func (f *from) unindexed(x sqlast.Expr, row *occurrence, col *decl.Column) sqlast.Expr {
	if !f.c.open || f.c.satisfying || f.c.dialect != sqlast.SQLite || x == nil || !f.c.fixes(row, col) {
		return x
	}
	return call(sqlast.Unindexed, x)
}
