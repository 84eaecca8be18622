package compile

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// A page is the first rows of a query after a given row in its order. No row is skipped by number. So rows that are added or
// deleted before the page do not move its rows. An index that serves the order finds a late page as fast as the first.
//
// The keys of the rows make the order total, so the values that a row is sorted by are its position. The condition that a
// row comes after that position is treated like a program's condition. It is behind a fence, in a guard, or in a plan
// that reads only rows in scope (see package fence; TestPageReads).

// page makes q a page of size rows.
func (f *from) page(q *query, size plan.Source) error {
	if err := f.settle(q); err != nil {
		return err
	}
	terms, err := f.total(q)
	if err != nil {
		return err
	}
	terms = f.asIndexed(terms)
	if f.c.after != nil {
		if len(f.c.after) != len(terms) {
			return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: no page was read, since the cursor has %d values, but the order has %d terms: this is a fault of exosql, please report it", len(f.c.after), len(terms))}
		}
		f.demand(f.behind(terms, 0))
	}
	q.order, size.OneMore = terms, true
	q.limits = append(q.limits, f.c.Arg(size))
	return nil
}

// noPage returns the error for pages of a table without a key. It suggests groups by a value, which can be read in pages; distinct rows can't.
func noPage(r *expr.Row) error {
	err := noKey(r.Table)
	if r.Facet == nil {
		return err
	}
	for _, c := range r.Facet.Cols {
		if c.Label.Empty() && (c.Kind == value.TypeText || c.Kind == value.TypeInt || c.Kind == value.TypeUUID) {
			e := *err
			e.Msg += fmt.Sprintf(". Different values can be read in pages: .groupBy(%s => %[1]s.%s).page(50)", r.Facet.Alias, c.Guest)
			return &e
		}
	}
	return err
}

// total returns the order of q, followed by the keys of its rows in the direction of its last term.
func (f *from) total(q *query) ([]orderTerm, error) {
	var terms []orderTerm
	add := func(o orderTerm) {
		if !slices.ContainsFunc(terms, func(t orderTerm) bool { return expr.Same(t.x(), o.x()) }) { // a term that is sorted by already adds nothing
			terms = append(terms, o)
		}
	}
	for _, o := range q.order {
		if !pageable[o.x().Type().Kind] {
			return nil, fail.Errorf(fail.Invalid, "page", "pages can't follow an order by null alone, by JSON or by a list: order by another expression")
		}
		add(o)
	}
	desc := len(q.order) > 0 && q.order[len(q.order)-1].desc
	for _, r := range f.Rows {
		if f.determined(r) || windowOf(r) != nil {
			continue
		}
		if g := groupOf(r); g != nil {
			if g.repeats {
				return nil, fail.Errorf(fail.Invalid, "page", "unionAll and concat can give equal rows, between which no page can begin: write .union(…), which gives equal rows once")
			}
			for i, k := range g.keys {
				add(orderTerm{expr: expr.SortBy(expr.Tying(k)), desc: desc, kind: g.kinds[i]})
			}
			continue
		}
		if len(r.Table.Keys) == 0 {
			return nil, noPage(r)
		}
		for _, k := range r.Table.Keys {
			if k.Kind == value.TypeTime && !k.Iso() && !f.c.HeldAs(k).Exact(k.Kind) {
				return nil, &fail.Error{Kind: fail.Denied, Msg: "can't be read in pages: the key is a time, and a cursor keeps only its milliseconds. Use orderBy and limit", Err: fmt.Errorf("exosql: the key %s.%s may contain times finer than a millisecond; %s declares that it does not", r.Table.Name, k.Name, r.Table.Reader.ISO())}
			}
			add(orderTerm{expr: expr.SortBy(f.KeyOrder(expr.ColumnOf(r, k))), desc: desc})
		}
	}
	return terms, nil
}

// cursorCell describes how a cursor reads a value of the order, so that it is compared later in the form in which it was sorted.
func (o orderTerm) cursorCell() plan.Cell {
	of := o.x().Type()
	c := plan.Cell{Kind: of.Kind, Null: true, Exact: of.Exact, Misfits: true, Name: "the order of a page"}
	switch {
	case of.Number() && of.Decimal():
		c.Kind = value.TypeDecimal // the cursor keeps all digits, even if the program gets a rounded number
	case of.Number() && o.kind != "":
		c.Kind = o.kind
	}
	return c
}

// ends adds the cells that the cursor at the end of a page is made from.
func (f *from) ends(sel *sqlast.Select, p *plan.Plan, q *query) {
	for _, o := range q.order {
		cell := o.cursorCell()
		cell.Desc = o.desc
		var x sqlast.Expr
		if cell.Raw = f.placed(o); !cell.Raw {
			x = expr.Shown(o.x(), &f.From)
		} else if x = o.expr.SQL(&f.From); f.c.Dialect == sqlast.Postgres && x != nil {
			x, cell.Kind = expr.Call(sqlast.CastedText, x), value.TypeText
		}
		p.Cells = append(p.Cells, cell)
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: x, As: fmt.Sprintf("c%d", len(sel.Columns))})
	}
	p.After = len(q.order)
}

// placed reports whether a cursor keeps the stored cell, not the value that a program gets. A program may get several cells as null, or as one value,
// though their places in the order differ. A cursor with the program's values would lose or repeat rows. On PostgreSQL only columns without a guard have such
// cells. The cursor keeps the cell as text, and compares it in the column's type.
func (f *from) placed(o orderTerm) bool {
	c, ok := o.x().(expr.Column)
	return f.c.Dialect == sqlast.SQLite || ok && expr.MayMisfit(c.Col.Kind) && (o.expr.(expr.SortKey).Stored || !f.c.Misfits(c))
}

// behind is the condition that a row comes after the cursor's row by the terms from i on. NULL comes before everything else.
//
// If possible, the first column is compared in a condition of its own, without an OR, so that an index search begins at the
// cursor. For an OR, engines read several ranges of an index, or use none.
func (f *from) behind(terms []orderTerm, i int) expr.Expr {
	o, last := terms[i], i == len(terms)-1
	x, v := f.operands(terms, i)
	truth := expr.Type{Kind: value.TypeBool}
	is := func(op sqlast.Op, args ...expr.Expr) expr.Expr { return expr.Apply(op, args, truth) }
	choose := func(cond, then, otherwise expr.Expr) expr.Expr { return is(sqlast.Case, cond, then, otherwise) }
	yes, no := expr.Const(sqlast.True), expr.Const(sqlast.False)
	rest := func() expr.Expr {
		if last {
			return no
		}
		return f.behind(terms, i+1)
	}
	switch {
	case f.c.after[i] == AtNull && o.desc: // in descending order NULL is last, so nothing comes after it
		return is(sqlast.And, is(sqlast.IsNull, x), rest())
	case f.c.after[i] == AtNull:
		return choose(is(sqlast.IsNotNull, x), yes, rest())
	case o.desc && !f.NeverNull(o.expr): // in descending order, rows with NULL come after the cursor too
		return choose(is(sqlast.Gt, x, v), no, choose(is(sqlast.Eq, x, v), rest(), yes))
	}
	if !last && f.alignedFrom(terms, i) {
		return f.beyond(terms, i)
	}
	to, at := sqlast.Gt, sqlast.Ge
	if o.desc {
		to, at = sqlast.Lt, sqlast.Le
	}
	if last {
		return is(to, x, v)
	}
	return is(sqlast.And, is(at, x, v), choose(is(to, x, v), yes, rest()))
}

// operands returns the two sides of a comparison with the cursor: the expression of term i, and value i of the cursor.
func (f *from) operands(terms []orderTerm, i int) (x, v expr.Expr) {
	o := terms[i]
	at := expr.Argument{Src: plan.Source{Origin: plan.FromCursor, Index: i, Item: -1}, Kind: value.TypeText}
	switch {
	case f.placed(o) && f.c.after[i] == AtCell:
		return o.expr, expr.Apply(sqlast.CellOf, []expr.Expr{at}, o.x().Type())
	case f.placed(o):
		return o.expr, at
	}
	if at.Kind = o.cursorCell().Kind; expr.Casts[at.Kind] != sqlast.NoCast {
		at.Src.Kind = at.Kind
	}
	both := []expr.Expr{o.x(), at}
	if o.x().Type().Kind == value.TypeText {
		both = f.InOrder(both)
	} else {
		both = f.Keyed(both)
	}
	return both[0], both[1]
}

// alignedFrom reports whether the terms from i on have one direction, so that one row comparison finds the rows after the cursor. A
// NULL leaves a row out; that is right in ascending order, in which NULL comes first.
func (f *from) alignedFrom(terms []orderTerm, i int) bool {
	for k, o := range terms[i:] {
		c, column := expr.PlainText(o.x()).(expr.Column)
		if f.c.after[i+k] == AtNull || o.desc != terms[i].desc || o.desc && !f.NeverNull(o.expr) || column && c.Col.Kind == value.TypeTime && !c.Col.Iso() { // times can't be in a row comparison: see postgresRange
			return false
		}
	}
	return true
}

// beyond writes the condition that a row comes after the cursor as one row comparison, for terms in one direction.
func (f *from) beyond(terms []orderTerm, i int) expr.Expr {
	b := expr.Beyond{Desc: terms[i].desc}
	for k := range terms[i:] {
		x, v := f.operands(terms, i+k)
		b.Left, b.Right = append(b.Left, x), append(b.Right, v)
	}
	return b
}

// marked notes which cells show a column that the result is sorted by as stored, and adds such columns that are
// not shown. If such a cell is a misfit (see misfit.go in package expr), its row is misplaced, and the query
// runs again with guards.
func (f *from) marked(sel *sqlast.Select, p *plan.Plan, out *projection, terms []orderTerm) {
	for _, o := range terms {
		c, _ := expr.PlainText(o.x()).(expr.Column)
		if !o.expr.(expr.SortKey).Stored || !f.c.Misfits(c) {
			continue
		}
		at := 0
		if i := out.find(c, &at); i >= 0 && c.Col.Label.Empty() {
			p.Cells[i].Again = true
			continue
		}
		p.Cells = append(p.Cells, plan.Cell{Kind: c.Col.Kind, Of: c.Col.Elem, Null: true, Misfits: true, Again: true, Name: c.Col.Table.Name + "." + c.Col.Name})
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: expr.Shown(c, &f.From), As: fmt.Sprintf("c%d", len(sel.Columns))})
		p.After++
	}
}

// upwards notes that a result is in ascending stored order with a limit. Misfits are null and belong first, but the database may
// sort them last, beyond the limit. So Engine.Probe reads the very last row to see whether it is a misfit.
func (f *from) upwards(sel *sqlast.Select, p *plan.Plan, q *query) {
	if len(q.order) == 0 || len(q.limits) == 0 || q.order[0].desc || f.c.msg == nil {
		return
	}
	c, _ := expr.PlainText(q.order[0].x()).(expr.Column)
	if p.Upwards = q.order[0].expr.(expr.SortKey).Stored && f.c.Misfits(c); p.Upwards && f.c.Engine.Probe {
		q.order, sel.Limit, sel.Offset, p.Probe = []orderTerm{{expr: q.order[0].expr, desc: true}}, []sqlast.Expr{sqlast.One}, nil, true
	}
}

// find returns the number of the cell that shows a column, or -1 if no cell shows it. Cells are counted from the number at.
func (out *projection) find(c expr.Column, at *int) int {
	for _, it := range out.items {
		if it.sub == nil && it.expr == c {
			return *at
		} else if it.sub == nil {
			*at++
		} else if i := it.sub.find(c, at); i >= 0 {
			return i
		}
	}
	return -1
}
