package compile

// This file adds a notice if an aggregate over joined rows uses a row more than once, which is seldom intended.

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/expr"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// repeated adds a notice in three cases: a join repeats rows in the aggregate n; n counts rows without a match
// in a left join; n uses a row once that several rows link to.
func (f *from) repeated(q *query, n *message.Node) {
	adds := n.Name == language.Sum || n.Name == language.Avg || n.Name == language.Median
	if adds && q.merged != nil && len(q.ns) == 1 {
		f.c.notice(fmt.Sprintf("%s uses each %s once, however many rows link to it; to use it once for each %s leave out .%s(), and write %[1]s(x => x.%[4]s().…)", n.Name, q.ns[0].Name, q.merged[0], q.merged[1]))
	}
	if len(q.ns) < 2 || q.once || q.chosen || slices.ContainsFunc(q.ns, func(x expr.Named) bool { return x.Row.Facet == nil || x.Row.Depth != nil }) {
		return
	}
	if len(n.Args) == 0 {
		if i := slices.IndexFunc(q.ns, func(x expr.Named) bool { return x.Row.Optional }); i >= 0 && n.Name == language.Count {
			x := q.ns[i]
			f.c.notice(fmt.Sprintf("count() counts each %s without a %s too, because of the left join; to leave these out write where(({ %[2]s }) => %[2]s.%[3]s !== null).count()", q.ns[0].Name, x.Name, x.Row.Facet.Cols[0].Guest))
		}
		return
	}
	if !adds {
		return
	}
	known := map[*expr.Row]bool{}
	first := -1
	q.reads(n.Args[0].Args[0], func(row *expr.Row, _ string) error {
		if i := slices.IndexFunc(q.ns, func(x expr.Named) bool { return x.Row == row }); i >= 0 {
			known[row] = true
			if first < 0 {
				first = i
			}
		}
		return nil
	}, n.Args[0].Recv)
	if x := q.severalOf(known, false); first >= 0 && x != nil {
		f.c.notice(fmt.Sprintf("%s uses each %s once for every %s that the join adds to it; to use each once, %s", n.Name, q.ns[first].Name, x.Name, expr.OnceEach(q.ns[first], *x)))
	}
}

// severalOf returns a row variable of q that may have several rows for one combination of the rows in the
// map known, or nil if there is none. It adds to the map all rows that the known rows determine.
func (q *query) severalOf(known map[*expr.Row]bool, strict bool) *expr.Named {
	for range q.ns { // a pass that adds no row ends the search
		for _, x := range q.ns {
			for row := x.Row; row != nil; row = row.Parent {
				row.Determines(known, strict)
			}
		}
	}
	for i, x := range q.ns {
		if !known[x.Row] && windowOf(x.Row) == nil {
			return &q.ns[i]
		}
	}
	return nil
}

// aggregate returns the aggregate or measure that n asks for, over the rows of q that meet the
// conditions. A measure is refused if it would use a row more than once.
func (f *from) aggregate(q *query, n *message.Node, x expr.Expr, within []expr.Expr) (expr.Expr, error) {
	if !n.Method().Measure {
		f.repeated(q, n)
		return f.Aggregate(n.Name, x, within)
	}
	if q.base == nil || !grouped(q.base) {
		m, row, err := q.measure(n)
		if err != nil {
			return nil, err
		}
		return f.Measure(m, row, within)
	}
	g := groupOf(q.base)
	m, row, err := g.of.measure(n)
	if err != nil {
		return nil, err
	}
	return f.Total(m, within, func(part *decl.Measure) (expr.Expr, error) {
		x, err := g.inner.Measure(part, row, nil)
		if err != nil {
			return nil, err
		}
		return g.cell(q.base, x), nil
	})
}

// measure returns the measure that n calls on the rows of q, and the row variable of its table.
func (q *query) measure(n *message.Node) (*decl.Measure, *expr.Row, error) {
	for _, a := range q.ns {
		m := a.Row.Facet.Measure(n.Name)
		if m == nil {
			continue
		}
		// Two facets have a measure of this name. A policy may have removed one, and the label may belong to the other, so guessing is unsafe.
		if slices.ContainsFunc(q.ns, func(b expr.Named) bool { return b.Row != a.Row && b.Row.Facet.Measure(n.Name) != nil }) {
			return nil, nil, fail.Errorf(fail.Invalid, n.Name, "is a measure of two of the joined tables: call it on a query of one of them")
		}
		if b := q.severalOf(map[*expr.Row]bool{a.Row: true}, true); b != nil {
			return nil, nil, fail.Errorf(fail.Invalid, n.Name, "is a measure of %s, but the join has each of these rows once for every %s; to use each once, %s", a.Name, b.Name, expr.OnceEach(a, *b))
		}
		if q.distinct {
			return nil, nil, fail.Errorf(fail.Invalid, n.Name, "is a measure, and distinct keeps only one of several equal rows: put %s before select", n.Name)
		}
		return m, a.Row, nil
	}
	return nil, nil, expr.ErrNode(n)
}

func (c *compiler) notice(text string) {
	if !slices.Contains(c.notices, text) {
		c.notices = append(c.notices, text)
	}
}
