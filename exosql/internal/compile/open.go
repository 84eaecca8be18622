package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/fence"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// A query with fences is compiled twice: with them, and open. The open statement has the form
// that a person would write, in which indexes serve the program's conditions. It is right if
// the engine reads, of each table, only rows in scope: then no condition can be tried on
// others. The engine's own plan shows whether it does, see fence.Table. If not, the fenced
// statement runs.

// opened compiles a statement in an open form, or returns nil if the statement can't have that form. With guarded tables
// it compiles twice, because the columns that links compare must be known when the first condition is written.
func opened(form fence.Form, start func() *compiler, compile func(*compiler) (*plan.Plan, error)) *plan.Plan {
	var compared []*decl.Column
	for {
		c := start()
		c.Form, c.Compared = form, compared
		p, err := compile(c)
		if err != nil || p == nil {
			return nil
		}
		if len(form.Guards) > 0 && compared == nil && len(c.linked) > 0 {
			compared = c.linked
			continue
		}
		p.Derived = c.derived
		if p.Tables = c.tablesOf(p); p.Tables == nil || c.Unguarded {
			return nil
		}
		return p
	}
}

// tablesOf returns the tables of an open plan, or nil if no index search could find the scope of one of them.
func (c *compiler) tablesOf(p *plan.Plan) []fence.Table {
	var out []fence.Table
	for _, row := range c.entered {
		fixed, ok := c.FixedOf(row.Entry)
		if !ok {
			return nil
		}
		t := fence.Table{Name: row.Table.Name, Alias: row.Alias, Optional: row.Optional, Gates: row.Gates}
		if t.Guarded = c.Guarded(row); t.Guarded {
			t.Links, t.Scanned = c.matches(row.Alias), c.Scanned(row)
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
