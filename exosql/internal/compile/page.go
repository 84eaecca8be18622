package compile

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// A page is the first rows of a query that come after a given one in its order, and none is skipped by number: so rows that
// come or go before it move no other, and an index that serves the order gives a late page as fast as the first.
//
// The order is made total by the keys of the rows, so the values that a row is sorted by say where it is. That a row comes after
// it is a condition like those of a program, and stands where these stand: behind a fence, in a guard, or in a
// plan that was judged open (TestPageReads).

// Position has one of these for each value of a cursor. A statement depends on it. nil is no cursor: the first page.
type Position []byte

const (
	AtNull  = 'n'
	AtValue = 'v'
	AtCell  = 'c' // a cell of SQLite that no value is, see plan.CellOf
)

// page makes q a page.
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
			return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: a cursor of %d values for an order of %d", len(f.c.after), len(terms))}
		}
		f.demand(f.behind(terms, 0))
	}
	q.order, size.OneMore = terms, true
	q.limits = append(q.limits, f.c.arg(size))
	return nil
}

// noPage is noKey with what is read in pages of such a table: different values, and not distinct rows, which have no key either.
func noPage(r *occurrence) error {
	err := noKey(r.table)
	if r.facet == nil {
		return err
	}
	for _, c := range r.facet.Cols {
		if c.Label.Empty() && (c.Kind == value.TypeText || c.Kind == value.TypeInt || c.Kind == value.TypeUUID) {
			e := *err
			e.Msg += fmt.Sprintf(". Different values can be read in pages: .groupBy(%s => %[1]s.%s).page(50)", r.facet.Alias, c.Guest)
			return &e
		}
	}
	return err
}

// total is the order of q, and the keys of its rows in the direction of its last term.
func (f *from) total(q *query) ([]orderTerm, error) {
	var terms []orderTerm
	add := func(o orderTerm) {
		if !slices.ContainsFunc(terms, func(t orderTerm) bool { return same(t.x(), o.x()) }) { // a second time it tells nothing
			terms = append(terms, o)
		}
	}
	for _, o := range q.order {
		if !pageable[o.x().typ().kind] {
			return nil, fail.Errorf(fail.Invalid, "page", "can't go on in an order by null alone, by JSON or by a list; order by another expression")
		}
		add(o)
	}
	desc := len(q.order) > 0 && q.order[len(q.order)-1].desc
	for _, r := range f.rows {
		if f.determined(r) || r.window != nil {
			continue
		}
		if r.group != nil {
			if r.group.repeats {
				return nil, fail.Errorf(fail.Invalid, "page", "of unionAll or concat, rows can be equal, and none of them comes after the other; write .union(…), which has equal rows once")
			}
			for i, k := range r.group.keys {
				add(orderTerm{expr: sortExpr{x: tying(k)}, desc: desc, kind: r.group.kinds[i]})
			}
			continue
		}
		if len(r.table.Keys) == 0 {
			return nil, noPage(r)
		}
		for _, k := range r.table.Keys {
			if k.Kind == value.TypeTime && !k.Iso() && !f.c.heldAs(k).Exact(k.Kind) {
				return nil, &fail.Error{Kind: fail.Denied, Msg: "has rows whose key is a time, which a cursor holds to the millisecond: they can't be read in pages", Err: fmt.Errorf("exosql: the key %s.%s may hold finer times; %s says that it does not", r.table.Name, k.Name, r.table.Reader.ISO())}
			}
			add(orderTerm{expr: sortExpr{x: f.keyOrder(colExpr{r, k})}, desc: desc})
		}
	}
	return terms, nil
}

// pageable are the kinds of values that a cursor holds exactly.
var pageable = map[string]bool{
	value.TypeInt: true, value.TypeFloat: true, value.TypeDecimal: true, value.TypeText: true, value.TypeBool: true, value.TypeTime: true,
	value.TypeDate: true, value.TypeInterval: true, value.TypeUUID: true, value.TypeBytes: true,
}

// x is what a term sorts by.
func (o orderTerm) x() expr { return o.expr.(sortExpr).x }

// cursorCell is how a value that rows are sorted by crosses, so that it is compared as it is sorted when it comes back.
func (o orderTerm) cursorCell() plan.Cell {
	of := o.x().typ()
	c := plan.Cell{Kind: of.kind, Null: true, Exact: of.exact, Misfits: true, Name: "the order of a page"}
	switch {
	case of.number() && of.decimal():
		c.Kind = value.TypeDecimal // of as many digits as it has, whatever it is shown as
	case of.number() && o.kind != "":
		c.Kind = o.kind
	}
	return c
}

// ends adds to the cells of a row those that a cursor is made of.
func (f *from) ends(sel *sqlast.Select, p *plan.Plan, q *query) {
	for _, o := range q.order {
		cell := o.cursorCell()
		cell.Desc = o.desc
		var x sqlast.Expr
		if cell.Raw = f.placed(o); !cell.Raw {
			x = shown(o.x(), f)
		} else if x = o.expr.sql(f); f.c.dialect == sqlast.Postgres && x != nil {
			x, cell.Kind = call(sqlast.CastedText, x), value.TypeText
		}
		p.Cells = append(p.Cells, cell)
		sel.Columns = append(sel.Columns, sqlast.Output{Expr: x, As: fmt.Sprintf("c%d", len(sel.Columns))})
	}
	p.After = len(q.order)
}

// placed reports whether a cursor holds what the database sorts by as it is, and not as a value of its kind. What is shown as null, or as
// the same as another cell, is a place in the order all the same: no row is lost, and none comes twice. On PostgreSQL that is needed only
// of columns without a guard. Such a place is a text, of the type of what it is compared with.
func (f *from) placed(o orderTerm) bool {
	c, ok := o.x().(colExpr)
	return f.c.dialect == sqlast.SQLite || ok && postgresFits[c.col.Kind] != sqlast.NoOp && (o.expr.(sortExpr).stored || !f.c.guards(c))
}

// behind is the condition that a row comes after the cursor's by the terms from i on. NULL comes before everything else.
//
// The first column stands alone in a condition where that is possible, and no OR is written: an index then begins at the
// cursor, where engines read several, or none, for an OR.
func (f *from) behind(terms []orderTerm, i int) expr {
	o, last := terms[i], i == len(terms)-1
	x, v := f.operands(terms, i)
	truth := exprType{kind: value.TypeBool}
	is := func(op sqlast.Op, args ...expr) expr { return opExpr{op, args, truth} }
	choose := func(cond, then, otherwise expr) expr { return is(sqlast.Case, cond, then, otherwise) }
	yes, no := constExpr(sqlast.True), constExpr(sqlast.False)
	rest := func() expr {
		if last {
			return no
		}
		return f.behind(terms, i+1)
	}
	switch {
	case f.c.after[i] == AtNull && o.desc: // nothing comes after NULL
		return is(sqlast.And, is(sqlast.IsNull, x), rest())
	case f.c.after[i] == AtNull:
		return choose(is(sqlast.IsNotNull, x), yes, rest())
	case o.desc && !f.neverNull(o.expr): // what is NULL comes after all else
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

// operands are what is sorted by, and value i of the cursor, as they are compared.
func (f *from) operands(terms []orderTerm, i int) (x, v expr) {
	o := terms[i]
	at := argExpr{src: plan.Source{Origin: plan.FromCursor, Index: i, Item: -1}, kind: value.TypeText}
	switch {
	case f.placed(o) && f.c.after[i] == AtCell:
		return o.expr, opExpr{sqlast.CellOf, []expr{at}, o.x().typ()}
	case f.placed(o):
		return o.expr, at
	}
	if at.kind = o.cursorCell().Kind; casts[at.kind] != sqlast.NoCast {
		at.src.Kind = at.kind
	}
	both := []expr{o.x(), at}
	if o.x().typ().kind == value.TypeText {
		both = f.inOrder(both)
	} else {
		both = f.keyed(both)
	}
	return both[0], both[1]
}

// alignedFrom reports whether the terms from i on are of one direction, and one comparison of them says what comes after. Where a
// pair that decides has a NULL it is unknown: right upwards, where NULL comes before all else.
func (f *from) alignedFrom(terms []orderTerm, i int) bool {
	for k, o := range terms[i:] {
		c, column := plainText(o.x()).(colExpr)
		if f.c.after[i+k] == AtNull || o.desc != terms[i].desc || o.desc && !f.neverNull(o.expr) || column && c.col.Kind == value.TypeTime && !c.col.Iso() { // see postgresRange
			return false
		}
	}
	return true
}

// beyond is the condition of such terms as one comparison.
func (f *from) beyond(terms []orderTerm, i int) expr {
	b := beyondExpr{desc: terms[i].desc}
	for k := range terms[i:] {
		x, v := f.operands(terms, i+k)
		b.left, b.right = append(b.left, x), append(b.right, v)
	}
	return b
}

// beyondExpr is that values come after others, by the first that differ.
type beyondExpr struct {
	left, right []expr
	desc        bool
}

func (beyondExpr) typ() exprType { return exprType{kind: value.TypeBool} }

func (e beyondExpr) sql(f *from) sqlast.Expr {
	defer func(needed bool) { f.c.needed = needed }(f.c.needed)
	f.c.needed = false // of the operands
	b := sqlast.Beyond{Desc: e.desc}
	for i := range e.left {
		b.Left, b.Right = append(b.Left, compared(e.left[i], f)), append(b.Right, compared(e.right[i], f))
	}
	return b
}
