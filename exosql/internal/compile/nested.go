package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// maxLists bounds how deep lists of rows may be nested.
const maxLists = 4

// nest writes the list of rows for one cell, and returns the description of these rows.
func (f *from) nest(e *nested, name string, lists int) (sqlast.Expr, *plan.Rows) {
	x, rows, err := f.nestedRows(e, name, lists)
	if err != nil {
		f.c.Fail(err)
		return sqlast.Null, nil
	}
	return x, rows
}

func (f *from) nestedRows(e *nested, name string, lists int) (sqlast.Expr, *plan.Rows, error) {
	if !f.c.mayAsk() {
		return nil, nil, f.c.Failed
	}
	if lists > maxLists {
		return nil, nil, fail.Errorf(fail.Limit, name, "lists of rows are nested more than %d levels deep: select fewer levels", maxLists)
	}
	sub := f.c.inside(e.n, &f.From)
	q, err := sub.query(e.n.Recv, e.env)
	if err != nil {
		return nil, nil, err
	}
	out := q.shown()
	rows, sel, p := &plan.Rows{One: e.n.Type.Args["one"] != nil, Bare: out.bare}, &sqlast.Select{}, &plan.Plan{}
	sorted, err := sub.settleFirst(q, out, !rows.One)
	switch {
	case err != nil:
		return nil, nil, err
	case rows.One && !sorted:
		sub.limitOne(sel, q)
	case rows.One:
		sel.Limit = []sqlast.Expr{sqlast.One}
	default:
		if !sorted {
			sel.OrderBy = sub.orders(q, true)
		}
		sel.Limit, sel.Offset = q.limits, q.offsets
		if !q.pending() { // engines keep the order of a derived table only if it has a LIMIT or OFFSET
			sel.Offset = []sqlast.Expr{sqlast.Zero}
		}
	}
	rows.Shape = sub.outputs(sel, p, out, lists)
	if rows.Cells = p.Cells; len(rows.Cells) > sqlast.MaxCells {
		return nil, nil, fail.Errorf(fail.Limit, name, "rows within a row show %d columns at most: write .select(…) with the columns that you need", sqlast.MaxCells)
	}
	sub.sources.Of(sel).Where = sub.where
	alias := f.c.alias()
	f.c.derived = append(f.c.derived, alias)
	x := sqlast.Nested{Sub: sel, Alias: alias, One: rows.One}
	for _, c := range rows.Cells {
		x.Sizes = append(x.Sizes, sizeOfCell(c))
	}
	return x, rows, nil
}

// settleFirst makes the order and limits of q act before lists of rows are built. Otherwise an engine would
// build lists for every row that it sorts, up to 1 MiB each, before limits count them (TestNestedSorts).
// PostgreSQL does so only without a limit. The OFFSET keeps engines from merging the derived table, so the
// rows keep their order.
func (f *from) settleFirst(q *query, out *projection, sorts bool) (sorted bool, err error) {
	if !out.nests() || !q.pending() && !sorts || f.c.Dialect == sqlast.Postgres && len(q.limits) > 0 {
		return false, nil
	}
	if !q.pending() {
		q.offsets = []sqlast.Expr{sqlast.Zero}
	}
	return true, f.settle(q)
}

// sizeOfCell returns the way in which the bytes of a cell are counted.
func sizeOfCell(c plan.Cell) sqlast.Size {
	switch c.Kind {
	case value.TypeNull, value.TypeInt, value.TypeFloat, value.TypeBool, value.TypeTime, value.TypeDate, value.TypeInterval, value.TypeUUID:
		if c.Exact { // a decimal may have any number of digits
			return sqlast.AsText
		}
		return sqlast.Fixed
	case value.TypeBytes:
		return sqlast.Bytes
	case value.TypeRows:
		return sqlast.Stored
	}
	return sqlast.AsText
}

// nests reports whether a projection shows lists of rows.
func (p *projection) nests() bool {
	return slices.ContainsFunc(p.items, func(it projected) bool { return it.rows != nil || it.sub != nil && it.sub.nests() })
}
