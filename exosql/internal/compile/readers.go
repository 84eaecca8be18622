package compile

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// owners adds cells with the columns that name the readers of sealed values, after the answer's cells. They are read
// from the row that has the value: through another row the program could choose the readers (TestReadersOfRows). Only
// plain columns have readers: calculated values and lists of rows have none.
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
	at     int // at is the number of the next cell of the answer
	places map[ownerKey]int
}

// ownerKey identifies a column of a row, or of the one row that a link leads to.
type ownerKey struct {
	row  *expr.Row
	link *message.Node
	col  *decl.Column
}

// shown notes the columns that the answer shows already, so that they are not added again.
func (o *owners) shown(out *projection) {
	for _, it := range out.items {
		if it.sub != nil {
			o.shown(it.sub)
			continue
		}
		if e, ok := it.expr.(expr.Column); ok {
			o.places[ownerKey{row: e.Row, col: e.Col}] = o.at
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
		case expr.Column:
			if e.Row.Made == nil && e.Row.Selected == nil {
				o.add(cell, e.Col, func(c *decl.Column) (ownerKey, expr.Expr) {
					return ownerKey{row: e.Row, col: c}, expr.ColumnOf(e.Row, c)
				})
			}
		case expr.Subquery:
			o.add(cell, o.f.c.Column(&o.f.From, e), func(c *decl.Column) (ownerKey, expr.Expr) {
				other := *e.N
				other.Name = c.Guest
				return ownerKey{link: e.N.Recv, col: c}, expr.Subquery{N: &other, Env: e.Env, Of: expr.Type{Kind: c.Kind}}
			})
		}
	}
}

// add notes who may read a cell that shows a column, and adds the columns that name these readers.
func (o *owners) add(cell int, col *decl.Column, of func(*decl.Column) (ownerKey, expr.Expr)) {
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
			o.sel.Columns = append(o.sel.Columns, sqlast.Output{Expr: expr.Shown(x, &o.f.From), As: fmt.Sprintf("c%d", len(o.sel.Columns))})
		}
		by.Cells = append(by.Cells, at)
	}
	o.p.Cells[cell].Owner = by
}

// Column returns the column that a subquery reads from the one row that a link leads to, or nil if the subquery does something else.
func (c *compiler) Column(f *expr.From, e expr.Subquery) *decl.Column {
	if e.N.Op != message.OpField {
		return nil
	}
	trial, at := c.trial(f)
	q, err := trial.inside(e.N, at).query(e.N.Recv, e.Env)
	if err != nil || q.base.Facet == nil {
		return nil
	}
	return q.base.Facet.Column(e.N.Name)
}
