package compile

import (
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/exosql/internal/plan"
)

// isSearch reports whether a node searches a query. (A link named search has no argument.)
func isSearch(n *message.Node) bool {
	return n.Op == message.OpCall && n.Name == language.Search && len(n.Args) == 1
}

// doSearch keeps the rows that match a text, the best match first.
func (f *from) doSearch(q *query, n *message.Node) error {
	if err := f.settle(q); err != nil {
		return err
	}
	if q.base.Searched() == nil {
		return expr.ErrNode(n)
	}
	text := f.textOf(n.Args[0])
	f.demand(f.Searching(q.base, text, false)) // the search is behind a fence, so no rank of a row out of scope is compared
	q.base.Sought = &text
	q.order = append(q.order, orderTerm{expr: expr.SortBy(f.Searching(q.base, text, true)), desc: true, kind: value.TypeInt, last: true})
	return nil
}

func (f *from) textOf(n *message.Node) plan.Source {
	return plan.Source{Origin: plan.FromMessage, Index: n.Slot, Item: -1}
}

// searchOf interprets a search of a row's texts in a callback.
func (f *from) searchOf(row *expr.Row, n *message.Node) (expr.Expr, error) {
	if len(n.Args) > 0 {
		return f.Searching(row, f.textOf(n.Args[0]), n.Name == language.Rank), nil
	}
	if row.Sought == nil {
		return nil, fail.Errorf(fail.Invalid, n.Name, "the text to search for is missing: write .%s('words'), or .%s('words') on the query before", n.Name, language.Search)
	}
	return f.Searching(row, *row.Sought, true), nil
}

// sortedBy adds terms to the order of a query. The program's own order comes first, even if it is given
// after the search. The rank of a search sorts only rows that are equal in that order.
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

// ranked reports whether the last term of the order is the rank of a search.
func (q *query) ranked() bool { return len(q.order) > 0 && q.order[len(q.order)-1].last }
