package compile

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// owners adds to a row, behind what is shown, the columns that say whose its values are. They are of the row that the value stands in:
// by one that is joined to it a program would choose whose it is (TestReadersOfRows). A column alone has them: what is made of it, and
// what stands in rows within rows, is nobody's in particular.
func (f *from) owners(sel *sqlast.Select, p *plan.Plan, out *projection) {
	if !f.c.replying {
		return
	}
	o := owners{f: f, sel: sel, p: p, places: map[ownerKey]int{}}
	first := len(p.Cells)
	o.shown(out)
	o.at = 0
	o.of(out)
	p.Owners = len(p.Cells) - first
}

type owners struct {
	f      *from
	sel    *sqlast.Select
	p      *plan.Plan
	at     int // of the next cell that is shown
	places map[ownerKey]int
}

// ownerKey is a column of a row, or of the one row that a link leads to.
type ownerKey struct {
	row  *occurrence
	link *message.Node
	col  *decl.Column
}

// shown notes which columns a row shows already.
func (o *owners) shown(out *projection) {
	for _, it := range out.items {
		if it.sub != nil {
			o.shown(it.sub)
			continue
		}
		if e, ok := it.expr.(Column); ok {
			o.places[ownerKey{row: e.row, col: e.col}] = o.at
		}
		o.at++
	}
}

func (o *owners) of(out *projection) {
	for _, it := range out.items {
		if it.sub != nil {
			o.of(it.sub)
			continue
		}
		cell := o.at
		o.at++
		switch e := it.expr.(type) {
		case Column:
			if e.row.made == nil && e.row.selected == nil {
				o.add(cell, e.col, func(c *decl.Column) (ownerKey, expr) { return ownerKey{row: e.row, col: c}, columnOf(e.row, c) })
			}
		case subquery:
			o.add(cell, o.f.c.Column(&o.f.From, e), func(c *decl.Column) (ownerKey, expr) {
				other := *e.n
				other.Name = c.Guest
				return ownerKey{link: e.n.Recv, col: c}, subquery{n: &other, env: e.env, of: Type{kind: c.Kind}}
			})
		}
	}
}

// add says whose a cell is that shows a column.
func (o *owners) add(cell int, col *decl.Column, of func(*decl.Column) (ownerKey, expr)) {
	if col == nil || col.Readers == nil {
		return
	}
	by := &plan.Owner{Kind: col.Readers.Kind, Tags: col.Readers.About(col.Label)}
	for _, c := range col.Readers.Cols {
		key, x := of(c)
		at, there := o.places[key]
		if !there {
			at = len(o.p.Cells)
			o.places[key] = at
			o.p.Cells = append(o.p.Cells, plan.Cell{Kind: c.Kind, Null: true, Name: c.Table.Name + "." + c.Name})
			o.sel.Columns = append(o.sel.Columns, sqlast.Output{Expr: shown(x, &o.f.From), As: fmt.Sprintf("c%d", len(o.sel.Columns))})
		}
		by.Cells = append(by.Cells, at)
	}
	o.p.Cells[cell].Owner = by
}

// Column is the column that a subquery is of, of the one row that a link leads to; nil: it is something else.
func (c *compiler) Column(f *From, e subquery) *decl.Column {
	if e.n.Op != message.OpField {
		return nil
	}
	trial, at := c.trial(f)
	q, err := trial.inside(e.n, at).query(e.n.Recv, e.env)
	if err != nil || q.base.facet == nil {
		return nil
	}
	return q.base.facet.Column(e.n.Name)
}
