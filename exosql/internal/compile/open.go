package compile

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/shape"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// A query is compiled twice where fences stand in it: with them, and open. The open
// statement is the one that a person would write; indexes serve what a program asks in
// it. It is right for an engine that reads, of each table, the rows in scope and no
// others: then there is no row out of scope that anything could be tried on. Whether it
// does so its own plan says, see fence.Table, and if not the fenced statement runs.

// withOpen adds the open plan to p, if fences stand in p and the scope of each table is
// one that a search can find.
func withOpen(p *plan.Plan, c *compiler) *plan.Plan {
	if c.fences == 0 {
		return p
	}
	for _, row := range c.entered {
		if _, ok := c.fixedOf(row.entry); !ok {
			return p
		}
	}
	again := func() *compiler {
		again := compilerOf(c.engine, c.msg, c.grants)
		again.after = c.after
		return again
	}
	p.Open = opened(fence.Form{Open: true}, again, reply)
	return p
}

// Guarded is the open plan of a message in a form that guards some tables: see fence.Next. It has no Tables where there is no such plan.
func Guarded(d Engine, m *exo.Message, grants []shape.Prepared, after Position, form fence.Form) *plan.Plan {
	p := opened(form, func() *compiler {
		c := newCompiler(d, m, grants)
		c.after = after
		return c
	}, reply)
	if p == nil {
		return &plan.Plan{}
	}
	return p
}

// reply is the plan of a message that reads.
func reply(c *compiler) (*plan.Plan, error) {
	p, err := planOf(c)
	if err == nil {
		err = c.sealed(p)
	}
	return p, err
}

// opened compiles a statement in an open form, each time with a new compiler, or returns nil. Where tables are guarded it is compiled
// twice: the columns that links compare have to be known when the first condition is written.
func opened(form fence.Form, start func() *compiler, compile func(*compiler) (*plan.Plan, error)) *plan.Plan {
	var compared []*decl.Column
	for {
		c := start()
		c.Form, c.compared = form, compared
		p, err := compile(c)
		if err != nil || p == nil {
			return nil
		}
		if len(form.Guards) > 0 && compared == nil && len(c.linked) > 0 {
			compared = c.linked
			continue
		}
		p.Derived = c.derived
		if p.Tables = c.tablesOf(p); p.Tables == nil || c.unguarded {
			return nil
		}
		return p
	}
}

// tablesOf are the tables of an open plan, or nil if one has a scope that no search can find.
func (c *compiler) tablesOf(p *plan.Plan) []fence.Table {
	var out []fence.Table
	for _, row := range c.entered {
		fixed, ok := c.fixedOf(row.entry)
		if !ok {
			return nil
		}
		t := fence.Table{Name: row.table.Name, Alias: row.alias, Optional: row.optional, Gates: row.gates}
		if t.Guarded = c.guarded(row); t.Guarded {
			t.Links, t.Scanned = c.matches(row.alias), c.scanned(row)
		}
		for _, f := range fixed {
			q := fence.Equality{Column: f.Col.Name, List: len(f.Slots) > 1}
			for i, a := range p.Args {
				if a.Origin == f.Origin && slices.Contains(f.Slots, a.Index) {
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
// searched for. PostgreSQL's plan names the placeholder. Nor may SQLite read a guarded
// table in the order of what a program sorts by: its plan does not say that it does. A
// table that is to be read as a whole is not searched for its scope.
func (f *from) unindexed(x sqlast.Expr, row *occurrence, col *decl.Column) sqlast.Expr {
	if !f.c.Open || f.c.dialect != sqlast.SQLite || x == nil || f.c.satisfying && (f.c.guarding || !f.c.scanned(row)) {
		return x
	}
	if f.c.satisfying || f.c.fixes(row, col) || f.c.sorting && f.c.guarded(row) {
		return call(sqlast.Unindexed, x)
	}
	return x
}
