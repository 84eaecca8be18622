package compile

import (
	"fmt"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// occur adds one occurrence of a table to a from: every occurrence satisfies its table's
// scope and the link it was reached by.
func (f *from) occur(g *scope.Grant, fc *decl.Facet, t *decl.Table, by *decl.Link, parent *occurrence) (*occurrence, error) {
	if err := f.c.step(); err != nil {
		return nil, err
	}
	if by == nil {
		e, err := g.Enter(t, nil, nil)
		if err != nil {
			return nil, err
		}
		return f.enter(e, fc, nil, nil)
	}
	e, err := g.Enter(t, by, parent.grant)
	if err != nil {
		return nil, err
	}
	return f.enter(e, fc, func(row *occurrence) []sqlast.Expr {
		row.parent, row.by = parent, by
		return f.linked(by, parent, row)
	}, nil)
}

// enter adds a table to the sources, with the conditions of its scope, and returns the row
// that stands for it. on gives the conditions by which it is joined, where what it must satisfy besides.
func (f *from) enter(e scope.Entry, fc *decl.Facet, on, where func(*occurrence) []sqlast.Expr) (*occurrence, error) {
	if f.sources.Len() >= maxSources {
		return nil, fail.Errorf(fail.Limit, "", "too many tables in one query: the limit is %d", maxSources)
	}
	alias := f.c.alias()
	row := &occurrence{grant: e.Grant(), facet: fc, table: e.Table(), entry: e, alias: alias, form: f.c.forms()}
	if err := f.sources.Add(e, alias); err != nil {
		return nil, err
	}
	f.c.entered = append(f.c.entered, row)
	row.fixed, _ = f.c.fixedOf(e)
	f.c.tables++
	f.c.columns += len(row.table.Cols)
	f.open = true
	f.rows = append(f.rows, row)
	f.at[row] = place{alias: alias}
	if on != nil {
		if last := f.sources.Len() - 1; last == 0 {
			f.where = append(f.where, on(row)...) // the first source has no ON: it correlates with an outer from
		} else {
			f.sources.Join(last, false, on(row)...)
		}
	}
	if where != nil {
		f.where = append(f.where, where(row)...)
	}
	return row, f.satisfy(row, e.Conditions())
}

// linked is the condition that child is reached from parent by l.
func (f *from) linked(l *decl.Link, parent, child *occurrence) []sqlast.Expr {
	var out []sqlast.Expr
	for _, p := range l.Pairs {
		f.c.linking = true
		for _, by := range f.pairs(colExpr{child, p.To}, colExpr{parent, p.From}) {
			out = append(out, call(sqlast.Eq, compared(by[0], f), compared(by[1], f)))
		}
		f.c.linking = false
		f.c.link(f, child, p.To, f, parent, p.From)
	}
	return out
}

// satisfy adds conditions of a scope on row.
func (f *from) satisfy(row *occurrence, must []scope.Condition) error {
	if f.c.Open {
		scope, err := f.scopeOf(row)
		f.where = append(f.where, scope...)
		f.open = true
		return err
	}
	for _, c := range must {
		switch c.Kind {
		case scope.Holds:
			if c.Pred.Op == "all" {
				continue // of a table without rows out of scope nothing needs a fence, so indexes serve what the program asks
			}
			f.c.satisfying = true
			f.require(f.predicate(c.Pred, row, c.Grant.Origin))
			f.c.satisfying = false
			continue
		case scope.Linked, scope.Followed, scope.Among:
		default:
			return &fail.Error{Kind: fail.Internal, Err: fmt.Errorf("exosql: a condition of no known kind on table %s", row.table.Name)}
		}
		if err := f.c.step(); err != nil {
			return err
		}
		sub := f.c.newFrom(f)
		other, err := sub.reaching(c)
		if err != nil {
			return err
		}
		f.require(f.matched(row, KeysOf(c, row.table), sub, other))
	}
	return nil
}

// reaching adds to f the rows that a condition compares with, and returns the row that stands for them.
func (f *from) reaching(c scope.Condition) (*occurrence, error) {
	if c.Kind == scope.Linked {
		return f.occur(c.Grant, nil, c.Link.From, nil, nil)
	}
	q, other, err := f.relation(c.Rel, c.Grant)
	if err != nil {
		return nil, err
	}
	return other, f.settle(q)
}

// KeysOf are the columns, theirs and ours, by which a condition compares rows.
func KeysOf(c scope.Condition, t *decl.Table) []decl.Pair {
	if c.Kind != scope.Among {
		return c.Link.Pairs
	}
	var keys []decl.Pair
	for _, k := range t.Keys {
		keys = append(keys, decl.Pair{From: k, To: k})
	}
	return keys
}

func noKey(t *decl.Table) *fail.Error {
	return &fail.Error{Kind: fail.Denied, Msg: "needs a key, and the rows of this table have none: they can be filtered, sorted, counted, grouped and limited, and are neither written, nor read in pages, nor limited for each row of another table",
		Err: fmt.Errorf("exosql: table %s has no key: declare %s, so that a limit has one answer", t.Name, t.Reader.Key("its columns"))}
}

// relation builds a whole relation in f: its table once, and every step.
func (f *from) relation(r *decl.Relation, g *scope.Grant) (*query, *occurrence, error) {
	e, steps, err := g.Begin(r)
	if err != nil {
		return nil, nil, err
	}
	q := &query{context: append([]*occurrence(nil), f.rows...)}
	row, err := f.enter(e, nil, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	q.base = row
	for _, s := range steps {
		if err := f.c.step(); err != nil {
			return nil, nil, err
		}
		switch s.Kind {
		case decl.StepWhere:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			f.require(f.predicate(s.Pred, row, g.Origin))
		case decl.StepOrder:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			for _, o := range s.Order {
				q.sortedBy(orderTerm{expr: sortExpr{x: colExpr{row, o.Col}}, desc: o.Desc})
			}
		case decl.StepSearch:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			f.fence() // whoever wrote the text, its cost depends on the row's
			row.facet = &decl.Facet{Search: s.Search}
			text := plan.Source{Origin: g.Origin, Index: s.Slot, Item: -1}
			f.where = append(f.where, f.searching(row, text, false).sql(f))
			q.sortedBy(orderTerm{expr: sortExpr{x: f.searching(row, text, true)}, desc: true, kind: value.TypeInt, last: true})
			row.facet = nil
		case decl.StepLimit:
			if len(r.Table.Keys) == 0 {
				return nil, nil, noKey(r.Table)
			}
			q.limits = append(q.limits, f.c.arg(plan.Source{Origin: g.Origin, Index: s.Slot, Item: -1, Count: true}))
		case decl.StepOffset:
			if len(r.Table.Keys) == 0 {
				return nil, nil, noKey(r.Table)
			}
			if len(q.limits) > 0 { // Offset skips some of the rows that Limit left: methods only narrow
				if err := f.settle(q); err != nil {
					return nil, nil, err
				}
			}
			q.offsets = append(q.offsets, f.c.arg(plan.Source{Origin: g.Origin, Index: s.Slot, Item: -1, Count: true}))
		}
	}
	return q, row, nil
}
