package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// insert plans an insert of one row, or of many.
func (w *writer) insert() error {
	entry, filled, err := w.target(w.m.Root.Recv)
	if err != nil {
		return err
	}
	fc := w.w.Facet
	if len(fc.Rights.Insert) == 0 {
		return exo.Errorf(exo.Denied, "", "rows can't be inserted")
	}
	rows, err := w.rows(fc)
	if err != nil {
		return err
	}
	fixed, rest := entry.Parts()
	after := false
	for _, x := range fixed {
		if len(x.Slots) != 1 {
			after = true // one of several values: the program says which
			continue
		}
		a := argExpr{src: plan.Source{Origin: x.Origin, Index: x.Slots[0], Item: -1}, kind: scalarOf(x.Pred.Args[0].Kind)}
		filled = append(filled, w.valued(x.Col, a))
		if x.Via != nil {
			if err := w.reach(x.Via.Grant, x.Via.Link.From, x.Via.Link, [][]written{filled}, true); err != nil {
				return err
			}
		}
	}
	for _, c := range rest {
		if c.Kind != scope.Linked {
			after = true
		}
	}
	for i := range rows {
		for _, v := range filled {
			if slices.ContainsFunc(rows[i], func(o written) bool { return o.col == v.col }) {
				return exo.Errorf(exo.Denied, "", "`%s` is filled in; leave it out", v.col.Guest)
			}
		}
		rows[i] = append(rows[i], filled...)
	}
	for _, c := range rest {
		if c.Kind == scope.Linked {
			if err := w.reach(c.Grant, c.Link.From, c.Link, rows, true); err != nil {
				return err
			}
		}
	}
	if err := w.points(w.w.Grant, fc, rows); err != nil {
		return err
	}
	one := w.m.Root.Name == language.Insert
	if after && !one {
		return exo.Errorf(exo.Invalid, "", "insert these rows one by one: whether each may be there can be told only of the row itself")
	}
	if err := w.inserts(entry, rows, one); err != nil {
		return err
	}
	if one {
		w.w.Back, err = w.back(len(w.m.Args) + len(w.w.Given))
	}
	return err
}

// target finds where rows are inserted: into what is granted, or through a link of one row.
// filled is what the link says of a new row.
func (w *writer) target(n *exo.Node) (scope.Entry, []written, error) {
	if n.Op == exo.OpRef {
		g := w.grants[n.Slot]
		w.w.Table, w.w.Facet, w.w.Grant = g.Rel.Table, g.Facet, g
		e, err := g.Enter(g.Rel.Table, nil, nil)
		return e, nil, err
	}
	none := exo.Errorf(exo.Invalid, "", "rows are inserted into a table or through a link, like tasks().%s({ … }), without where, orderBy and their like before it", w.m.Root.Name)
	if n.Op != exo.OpCall || len(n.Args) > 0 {
		return scope.Entry{}, nil, none
	}
	c := w.compiler()
	f := c.newFrom(nil)
	q, err := f.query(n.Recv, names{})
	if err != nil {
		return scope.Entry{}, nil, err
	}
	if q.base == nil || q.base.facet == nil || q.base.facet.Link(n.Name) == nil || len(q.ns) != 1 {
		return scope.Entry{}, nil, none
	}
	l := q.base.facet.Link(n.Name)
	if l.L.One {
		return scope.Entry{}, nil, exo.Errorf(exo.Invalid, "", "%s leads to one row at most: insert into the table itself, or through a link to many", n.Name)
	}
	w.w.Table, w.w.Facet, w.w.Grant = l.L.To, l.To, q.base.grant
	e, err := q.base.grant.Enter(l.L.To, l.L, q.base.grant)
	if err != nil {
		return scope.Entry{}, nil, err
	}
	out, filled := &projection{}, []written(nil)
	for i, p := range l.L.Pairs {
		out.names = append(out.names, fmt.Sprintf("k%d", i))
		out.items = append(out.items, projected{expr: colExpr{q.base, p.From}, kind: p.From.Kind, null: p.From.Null})
	}
	if err := f.settle(q); err != nil {
		return scope.Entry{}, nil, err
	}
	q.limits = append(q.limits, c.arg(plan.Source{Origin: plan.FromConst, Index: 2, Item: -1}))
	if w.w.Parent, err = f.finish(q, plan.RunAll, out); err != nil {
		return scope.Entry{}, nil, err
	}
	w.w.Through = q.base.facet.Alias
	// Behind the values of the rows, whose number is known later: see rows.
	for i, p := range l.L.Pairs {
		filled = append(filled, w.valued(p.To, argExpr{src: plan.Source{Origin: plan.FromParent, Index: i, Item: -1}, kind: p.From.Kind}))
	}
	return e, filled, nil
}

// rows are the values that the program gives.
func (w *writer) rows(fc *decl.Facet) (rows [][]written, err error) {
	arg := w.m.Root.Args[0]
	if arg.Op != exo.OpLit {
		return nil, exo.Errorf(exo.Invalid, "", "a new row is of plain values")
	}
	one := func(item int, v exo.Value) error {
		var row []written
		for n, x := range v.Fields() {
			col := named1(fc.Rights.Insert, n)
			if col == nil {
				return exo.Errorf(exo.Denied, "", "`%s` can't be given", n)
			}
			row = append(row, w.given(col, arg.Slot, item, x))
		}
		rows = append(rows, row)
		return nil
	}
	if w.m.Root.Name == language.Insert {
		return rows, one(-1, arg.Lit)
	}
	if arg.Lit.Len() == 0 {
		return nil, exo.Errorf(exo.Invalid, "", "there are no rows to insert")
	}
	for i := range arg.Lit.Len() {
		if err := one(i, arg.Lit.At(i)); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// inserts makes a statement for each set of columns: a column that a row leaves out has its default.
func (w *writer) inserts(entry scope.Entry, rows [][]written, returning bool) error {
	var sets []string
	by := map[string][][]written{}
	for _, r := range rows {
		key := ""
		for _, v := range r {
			key += v.col.Name + "\x00"
		}
		if by[key] == nil {
			sets = append(sets, key)
		}
		by[key] = append(by[key], r)
	}
	for _, key := range sets {
		c := w.compiler()
		x, err := entry.Write(sqlast.Insert)
		if err != nil {
			return err
		}
		for _, v := range by[key][0] {
			x.Columns = append(x.Columns, v.col.Name)
		}
		if len(x.Columns) == 0 {
			return exo.Errorf(exo.Invalid, "", "a new row needs a value at least")
		}
		for _, r := range by[key] {
			var vals []sqlast.Expr
			for _, v := range r {
				vals = append(vals, w.stored(c, v))
			}
			x.Rows = append(x.Rows, vals)
		}
		var cells []plan.Cell
		if returning {
			for _, k := range w.w.Table.Keys {
				x.Returning = append(x.Returning, k.Name)
				cells = append(cells, plan.Cell{Kind: k.Kind, Name: k.Table.Name + "." + k.Name})
			}
		}
		p, err := w.finished(c, x, cells)
		if err != nil {
			return err
		}
		w.w.Write = append(w.w.Write, p)
	}
	return nil
}

// back reads the row with the key whose values are arguments from on, in scope.
func (w *writer) back(from int) (*plan.Plan, error) {
	if err := hasKey(w.w.Table); err != nil {
		return nil, err
	}
	c := w.compiler()
	f := c.newFrom(nil)
	row, err := f.occur(w.w.Grant, w.w.Facet, w.w.Table, nil, nil)
	if err != nil {
		return nil, err
	}
	for i, k := range w.w.Table.Keys {
		f.demand(f.equals(row, k, argExpr{src: plan.Source{Origin: plan.FromMessage, Index: from + i, Item: -1}, kind: scalarOf(k.Kind)}))
	}
	return f.finish(&query{base: row, ns: []named{{w.w.Facet.Alias, row}}}, plan.RunAll, wholeRow(row))
}

// equals is the condition that a column has a value.
func (f *from) equals(row *occurrence, col *decl.Column, a argExpr) expr {
	op := language.OperatorOn()[language.ColumnInterfaces[col.Kind]]["eq"]
	return f.operate(op, []expr{colExpr{row, col}, a.beside(col.Kind)}, exprType{kind: exo.TypeBool})
}

// points checks each link to at most one row that a written column is part of: what it leads to has
// to be in scope. Programs could otherwise have a row of somebody else's confirmed by its foreign key.
func (w *writer) points(g *scope.Grant, fc *decl.Facet, rows [][]written) error {
	for _, m := range fc.Links {
		if !m.L.One {
			continue
		}
		touched := slices.ContainsFunc(m.L.Pairs, func(p decl.Pair) bool {
			return slices.ContainsFunc(rows, func(r []written) bool {
				return slices.ContainsFunc(r, func(v written) bool {
					return v.col == p.From && v.arg != nil && v.arg.src.Origin == plan.FromMessage || v.col == p.From && v.out != nil
				})
			})
		})
		if !touched {
			continue
		}
		if err := w.reach(g, m.L.To, m.L, rows, false); err != nil {
			return err
		}
	}
	return nil
}

// reach adds the check that rows of t are in scope to which a link's columns lead. With back, the link leads to the
// row that is written, and from t otherwise; then it has to have a value.
func (w *writer) reach(g *scope.Grant, t *decl.Table, l *decl.Link, rows [][]written, back bool) error {
	var ours, theirs []*decl.Column
	for _, p := range l.Pairs {
		if back {
			ours, theirs = append(ours, p.To), append(theirs, p.From)
		} else {
			ours, theirs = append(ours, p.From), append(theirs, p.To)
		}
	}
	var tuples [][]argExpr
	for _, r := range rows {
		tuple, err := tupleOf(ours, r, back)
		if err != nil {
			return err
		}
		if tuple != nil {
			tuples = append(tuples, tuple)
		}
	}
	if len(tuples) == 0 {
		return nil
	}
	var list []string
	for _, c := range ours {
		list = append(list, "`"+c.Guest+"`")
	}
	text := fmt.Sprintf("there is no such row: %s leads nowhere", strings.Join(list, ", "))
	c := w.compiler()
	f := c.newFrom(nil)
	row, err := f.occur(g, nil, t, nil, nil)
	if err != nil {
		return err
	}
	check := Check{Text: text}
	var any []expr
	for _, tuple := range tuples {
		var all []expr
		var srcs []plan.Source
		for i, a := range tuple {
			all = append(all, f.equals(row, theirs[i], a))
			srcs = append(srcs, a.src)
		}
		any = append(any, joined(sqlast.And, all))
		check.Values = append(check.Values, srcs)
	}
	cond := joined(sqlast.Or, any)
	if len(theirs) == 1 && len(tuples) > 1 {
		in := inExpr{x: colExpr{row, theirs[0]}}
		for _, tuple := range tuples {
			in.list = append(in.list, tuple[0].beside(theirs[0].Kind))
		}
		all := f.keyed(append([]expr{in.x}, in.list...))
		cond = inExpr{all[0], all[1:], false}
	}
	f.demand(cond)
	if check.Plan, err = f.finish(&query{base: row}, plan.RunCount, nil); err != nil {
		return err
	}
	w.w.Checks = append(w.w.Checks, check)
	return nil
}

// tupleOf are the values that a row gives a link's columns; nil: one is null, and it leads nowhere.
func tupleOf(cols []*decl.Column, row []written, needed bool) (out []argExpr, err error) {
	for _, col := range cols {
		i := slices.IndexFunc(row, func(v written) bool { return v.col == col })
		switch {
		case i < 0 && needed:
			return nil, exo.Errorf(exo.Invalid, "", "`%s` is needed: it says where the row belongs", col.Guest)
		case i < 0 && len(out) > 0 || i < 0 && len(cols) > 1:
			return nil, exo.Errorf(exo.Invalid, "", "`%s` has to be given as well: a link is of several columns", col.Guest)
		case i < 0:
			return nil, nil
		case row[i].out != nil:
			return nil, exo.Errorf(exo.Invalid, "", "`%s` leads to another row, and can be set to a value only, not to what is calculated", col.Guest)
		case row[i].null && needed:
			return nil, exo.Errorf(exo.Invalid, "", "`%s` can't be null: it says where the row belongs", col.Guest)
		case row[i].null:
			return nil, nil
		}
		out = append(out, *row[i].arg)
	}
	return out, nil
}

func joined(op sqlast.Op, list []expr) expr {
	if len(list) == 1 {
		return list[0]
	}
	return opExpr{op, list, exprType{kind: exo.TypeBool}}
}
