package compile

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sealed"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// An image is a row as its facet shows it, behind its key. Images are read for the host, within the
// scope of the message that writes: they show the host what that program could have read.

// Before is the plan that reads the rows that an update or a delete is about to change, at most limit of
// them. In one transaction it finds the same rows as the statement that changes them: it is the same query,
// and a limit's ties are broken by the key in both.
func Before(d Engine, m *exo.Message, grants []Prepared, limit int) (*plan.Plan, error) {
	c := newCompiler(d, m, grants)
	f := c.newFrom(nil)
	q, err := f.query(m.Root.Recv, names{})
	if err != nil {
		return nil, err
	}
	if err := f.settle(q); err != nil {
		return nil, err
	}
	q.limits = append(q.limits, c.arg(plan.Source{Origin: plan.FromConst, Index: limit, Item: -1}))
	p, err := f.finish(q, plan.RunAll, image(q.base))
	return imaged(p, q.base, m), err
}

// imaged marks the cells that the program may not read: that one holds what its column can't must not keep the row from being
// written, by which the program would learn it.
func imaged(p *plan.Plan, row *occurrence, m *exo.Message) *plan.Plan {
	if p != nil {
		for i, col := range row.facet.Cols {
			if !col.Label.Secrecy().FlowsTo(m.RunLabel()) {
				p.Cells[len(row.table.Keys)+i].Sealed = sealed.Most
			}
		}
	}
	return p
}

// After is the plan that reads rows that a message wrote by n keys: its arguments are their columns, one key
// after the other.
func After(d Engine, m *exo.Message, w *Writing, n int) (*plan.Plan, error) {
	c := compilerOf(d, m, nil)
	f := c.newFrom(nil)
	row, err := f.occur(w.Grant, w.Facet, w.Table, nil, nil)
	if err != nil {
		return nil, err
	}
	var any []expr
	for i := range n {
		var all []expr
		for j, k := range w.Table.Keys {
			src := plan.Source{Origin: plan.FromMessage, Index: i*len(w.Table.Keys) + j, Item: -1}
			all = append(all, f.equals(row, k, argExpr{src: src, kind: valueKind(k.Kind)}))
		}
		any = append(any, joined(sqlast.And, all))
	}
	f.demand(joined(sqlast.Or, any))
	p, err := f.finish(&query{base: row, ns: []named{{w.Facet.Alias, row}}}, plan.RunAll, image(row))
	return imaged(p, row, m), err
}

func image(row *occurrence) *projection {
	p := &projection{}
	add := func(name string, c *decl.Column) {
		p.names = append(p.names, name)
		p.items = append(p.items, projected{expr: colExpr{row, c}, kind: c.Kind, elem: c.Elem, null: c.Null})
	}
	for i, k := range row.table.Keys {
		add(fmt.Sprintf(" %d", i), k) // no name of a column for programs has a space
	}
	for _, c := range row.facet.Cols {
		add(c.Guest, c)
	}
	return p
}
