package expr

// This file decides with which values PostgreSQL plans a statement. Most statements are planned without any value: see package engine. If a scope
// depends on a link, such a plan suits no tenant. It assumes the average of all tenants, and so reads whole tables for a small tenant. Such a
// statement is planned with the values of its scopes, and never with a value of the program.

import (
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// maxHidden bounds the values of a program in such a statement: each is a subquery.
const maxHidden = 32

// Render writes the text and the arguments of a plan. entered are the tables of the statement.
func (c *State) Render(p *plan.Plan, sel *sqlast.Select, entered []*Row) error {
	own := c.own(entered)
	p.Own = len(own) > 0
	text, slots, err := sqlast.RenderHiding(sel, c.Dialect, func(slot int) bool { return p.Own && !own[of(c.Slots[slot])] })
	if err != nil {
		return err
	}
	if p.Text = text; p.Own {
		if p.Typed, _, err = sqlast.Render(sel, c.Dialect); err != nil {
			return err
		}
	}
	for _, s := range slots {
		p.Args = append(p.Args, c.Slots[s])
	}
	return nil
}

// ownValue is a value of a grant.
type ownValue struct {
	origin plan.Origin
	index  int
}

func of(s plan.Source) ownValue { return ownValue{s.Origin, s.Index} }

// own returns the values of grants that the planner may know. Each is the whole scope of a table: its column has the value in all rows in scope,
// and in no others. So the value's statistics give only the number of rows in scope. With a scope of two columns, they would give how many of all
// tenants' rows have the second value.
func (c *State) own(entered []*Row) map[ownValue]bool {
	if c.Dialect != sqlast.Postgres || c.Open || len(c.Slots) > maxHidden {
		return nil
	}
	own, linked := map[ownValue]bool{}, false
	for _, row := range entered {
		fixed, ok := c.FixedOf(row.Entry)
		linked = linked || !ok
		if ok && len(fixed) == 1 && len(fixed[0].Slots) == 1 {
			own[ownValue{fixed[0].Origin, fixed[0].Slots[0]}] = true
		}
	}
	if !linked {
		return nil
	}
	return own
}
