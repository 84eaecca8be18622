package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/search"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// searchExpr is whether the texts of a row have what a text looks for, or how well they match it; see package search. It is a condition
// of the program like any other: no index serves it, and it stands behind the fence, in a guard, or
// in a plan that was judged open, so no row out of scope is cut into words (TestSearchFence).
type searchExpr struct {
	row  *occurrence
	by   *decl.Search
	text plan.Source
	rank bool
}

func (e searchExpr) typ() exprType {
	if e.rank {
		return exprType{kind: value.TypeInt}
	}
	return exprType{kind: value.TypeBool}
}

func (e searchExpr) sql(f *from) sqlast.Expr {
	if f.c.emitted += len(e.by.Cols); f.c.emitted > maxEmitted {
		return sqlast.Null // finish refuses the whole
	}
	a := argExpr{src: e.text, kind: value.TypeText}
	var x sqlast.Searched
	switch {
	case f.c.dialect == sqlast.SQLite:
		a = a.as(plan.ArgSearch)
	case e.rank:
		a = a.as(plan.ArgRank)
	default:
		x.Needle = a.as(plan.ArgSought).sql(f).(sqlast.Arg)
		a = a.as(plan.ArgMatch)
	}
	x.Query, x.Rank = a.sql(f).(sqlast.Arg), e.rank
	for _, c := range e.by.Cols {
		x.Texts = append(x.Texts, textExpr{colExpr{e.row, c}}.sql(f))
	}
	return x
}

// searching makes the expression of a text that is searched for in a row. An engine folds each text and cuts it into words, and
// nothing stops it within a row: see handle.
func (f *from) searching(row *occurrence, text plan.Source, rank bool) searchExpr {
	n := len(row.searched().Cols) * 4 * search.MaxText
	f.c.handled += 3 * n
	f.c.held += 3 * n
	return searchExpr{row, row.searched(), text, rank}
}

// searched is what can be searched in a row, or nil.
func (o *occurrence) searched() *decl.Search {
	if o.facet == nil {
		return nil
	}
	return o.facet.Search
}

// isSearch reports whether a node searches a query; a link has no argument.
func isSearch(n *message.Node) bool {
	return n.Op == message.OpCall && n.Name == language.Search && len(n.Args) == 1
}

// doSearch keeps the rows that match a text, best first.
func (f *from) doSearch(q *query, n *message.Node) error {
	if err := f.settle(q); err != nil {
		return err
	}
	if q.base.searched() == nil {
		return ErrNode(n)
	}
	text := f.textOf(n.Args[0])
	f.demand(f.searching(q.base, text, false)) // behind a fence, so no rank of a row out of scope is compared
	q.base.sought = &text
	q.order = append(q.order, orderTerm{expr: sortExpr{x: f.searching(q.base, text, true)}, desc: true, kind: value.TypeInt, last: true})
	return nil
}

func (f *from) textOf(n *message.Node) plan.Source {
	return plan.Source{Origin: plan.FromMessage, Index: n.Slot, Item: -1}
}

// searchOf interprets what a callback asks of the texts of a row.
func (f *from) searchOf(row *occurrence, n *message.Node) (expr, error) {
	if len(n.Args) > 0 {
		return f.searching(row, f.textOf(n.Args[0]), n.Name == language.Rank), nil
	}
	if row.sought == nil {
		return nil, fail.Errorf(fail.Invalid, n.Name, "of which text? write .%s('words'), or .%s('words') on the query before", n.Name, language.Search)
	}
	return f.searching(row, *row.sought, true), nil
}

// sortedBy adds terms to the order of a query. What a search sorts by comes last: an order that the program gives, before it or
// after it, is what it means, and the rank tells equal rows apart.
func (q *query) sortedBy(terms ...orderTerm) {
	q.order = append(slices.Clip(q.order), terms...)
	slices.SortStableFunc(q.order, func(a, b orderTerm) int {
		switch {
		case a.last == b.last:
			return 0
		case a.last:
			return 1
		}
		return -1
	})
}

// ranked reports whether a search is what sorts the rows, at last.
func (q *query) ranked() bool { return len(q.order) > 0 && q.order[len(q.order)-1].last }
