package compile

// This file remarks that an aggregate over joined rows takes a row more often than once, and that one over the rows that a link leads to
// takes each once. The number is what the query says, and seldom what was meant.

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// repeated remarks on the aggregate n of rows of q that a join has repeated, or, where it counts, that a left join has made of nothing;
// and of rows to which several may lead.
func (f *from) repeated(q *query, n *message.Node) {
	adds := n.Name == language.Sum || n.Name == language.Avg || n.Name == language.Median
	if adds && q.merged != nil && len(q.ns) == 1 {
		f.c.notice(fmt.Sprintf("%s takes each %s once, however many lead to it; for one of each %s leave out .%s(), and write %[1]s(x => x.%[4]s().…)", n.Name, q.ns[0].name, q.merged[0], q.merged[1]))
	}
	if len(q.ns) < 2 || q.once || q.chosen || slices.ContainsFunc(q.ns, func(x named) bool { return x.row.facet == nil || x.row.depth != nil }) {
		return
	}
	if len(n.Args) == 0 {
		if i := slices.IndexFunc(q.ns, func(x named) bool { return x.row.optional }); i >= 0 && n.Name == language.Count {
			x := q.ns[i]
			f.c.notice(fmt.Sprintf("count() counts rows of the left join, so one for each %s without a %s, too; those with one are where(({ %[2]s }) => %[2]s.%[3]s !== null).count()", q.ns[0].name, x.name, x.row.facet.Cols[0].Guest))
		}
		return
	}
	if !adds {
		return
	}
	known := map[*occurrence]bool{}
	first := -1
	q.reads(n.Args[0].Args[0], func(row *occurrence, _ string) error {
		if i := slices.IndexFunc(q.ns, func(x named) bool { return x.row == row }); i >= 0 {
			known[row] = true
			if first < 0 {
				first = i
			}
		}
		return nil
	}, n.Args[0].Recv)
	for range q.ns { // each time one more is known at least, or none will be
		for _, x := range q.ns {
			for row := x.row; row != nil; row = row.parent {
				follows(row, known)
			}
		}
	}
	for _, x := range q.ns {
		if first < 0 || known[x.row] {
			continue
		}
		a, way := q.ns[first], "begin with the query of "+q.ns[first].name+", without the join"
		for _, l := range a.row.facet.Links {
			if l.L.To == x.row.table && !l.L.One {
				way = fmt.Sprintf("leave the join out: a condition on %s is where(x => x.%s().some(y => …)) on the query of %s", x.name, l.L.Name, a.name)
				break
			}
		}
		f.c.notice(fmt.Sprintf("%s takes each %s as often as the join gives it a %s; to take each once, %s", n.Name, a.name, x.name, way))
		return
	}
}

// follows adds the row once what it was joined to is known, and that once the row is, where one leads to one of the other.
func follows(row *occurrence, known map[*occurrence]bool) {
	to := func(p decl.Pair) *decl.Column { return p.To }
	from := func(p decl.Pair) *decl.Column { return p.From }
	switch p, w := row.parent, row.with; {
	case p != nil:
		turned := row.facet != nil && slices.ContainsFunc(row.facet.Links, func(l decl.LinkMember) bool { return l.L.One && l.L.Inverse(row.by) })
		known[row] = known[row] || known[p] && (row.by.One || isKey(row.table, row.by.Pairs, to))
		known[p] = known[p] || known[row] && (!row.by.One || turned || isKey(p.table, row.by.Pairs, from))
	case w != nil:
		known[row] = known[row] || known[w] && isKey(row.table, row.pairs, to)
		known[w] = known[w] || known[row] && isKey(w.table, row.pairs, from)
	}
}

// joinedBy notes by which columns a condition joins rows of one query to those of another.
func joinedBy(of, to *query, on expr) {
	row := to.base
	if row == nil || row.parent != nil {
		return
	}
	for _, c := range conjuncts(on) {
		op, ok := c.(Operation)
		if !ok || op.op != sqlast.Eq && op.op != sqlast.Is {
			continue
		}
		a, isA := keyColumn(op.args[0])
		b, isB := keyColumn(op.args[1])
		if a.row == row {
			a, b = b, a
		}
		if isA && isB && b.row == row && (row.with == nil || row.with == a.row) && slices.ContainsFunc(of.ns, func(x named) bool { return x.row == a.row }) {
			row.with, row.pairs = a.row, append(row.pairs, decl.Pair{From: a.col, To: b.col})
		}
	}
}

func (c *compiler) notice(text string) {
	if !slices.Contains(c.notices, text) {
		c.notices = append(c.notices, text)
	}
}
