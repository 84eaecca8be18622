package compile

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/decl"
	"github.com/exoagent/exoagent/exosql/internal/plan"
	"github.com/exoagent/exoagent/exosql/internal/scope"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// occur adds one occurrence of a table to a from, with the table's scope: every
// occurrence satisfies its table's scope and the link it was reached by. Tables
// enter a query here; by followQuery, which calls scope itself since a semi-join
// stands for the link; and by relation, whose steps are the scope.
func (f *from) occur(g *scope.Grant, fc *decl.Facet, t *decl.Table, by *decl.Link, parent *occurrence) (*occurrence, error) {
	if err := f.c.step(); err != nil {
		return nil, err
	}
	var on func(*occurrence) []sqlast.Expr
	if by != nil {
		on = func(row *occurrence) []sqlast.Expr { return f.linked(by, parent, row) }
	}
	row, err := f.table(g, fc, t, on)
	if err != nil {
		return nil, err
	}
	return row, f.scope(row, by, parent)
}

// linked is the condition that child is reached from parent by l.
func (f *from) linked(l *decl.Link, parent, child *occurrence) []sqlast.Expr {
	var out []sqlast.Expr
	for _, p := range l.Pairs {
		x, y := f.pair(colExpr{child, p.To}, colExpr{parent, p.From})
		out = append(out, call(sqlast.Eq, compared(x, f), compared(y, f)))
	}
	return out
}

// scope adds the condition that row is within its grant's scope for its table.
func (f *from) scope(row *occurrence, by *decl.Link, parent *occurrence) error {
	s := row.grant.Scopes[row.table]
	if s == nil {
		return noScopeFor(row.table)
	}
	if r := row.grant.Rel; r != nil && r.Table == row.table {
		// What a program was granted is a part of what the grant reaches: no way
		// round through links leads to the rest of it.
		if err := f.within(r, row); err != nil {
			return err
		}
	}
	switch s.Kind {
	case decl.ScopeStart:
		if r := row.grant.Rel; r == nil || r.Table != row.table {
			return &exo.Error{Kind: exo.Internal, Err: fmt.Errorf("exosql: table %s is in scope by no relation", row.table.Name)}
		}
	case decl.ScopeRoot:
		if r := row.grant.Rel; r != nil && r.Table == row.table && !r.Followed() && !r.Limited() {
			return nil // r has said it already: it begins with the grant's predicate
		}
		f.require(f.predicate(s.Pred, row, row.grant.Origin))
	case decl.ScopeRows:
		f.require(f.predicate(s.Pred, row, row.grant.Origin))
	case decl.ScopeVia:
		if r := row.grant.Rel; r != nil && r.Table == row.table && !r.Limited() && r.LastLink() == s.Link {
			return nil // implied by within, which ends in this very link from rows in scope
		}
		if by == s.Link && parent != nil && parent.grant == row.grant {
			// Implied: parent is an occurrence, so it is in scope, and row was reached
			// from it by the very link that the scope demands. Held by
			// TestImpliedScope and by the random queries of TestRandomPrograms.
			return nil
		}
		cond, err := f.semi(row, s.Link.Pairs, func(sub *from) (*occurrence, error) {
			return sub.occur(row.grant, nil, s.Link.From, nil, nil)
		})
		if err != nil {
			return err
		}
		f.require(cond)
	case decl.ScopeShared:
	default:
		return &exo.Error{Kind: exo.Internal, Err: fmt.Errorf("exosql: table %s has a scope of no known kind", row.table.Name)}
	}
	return nil
}

func noKey(t *decl.Table) error {
	return &exo.Error{Kind: exo.Denied, Err: fmt.Errorf("exosql: table %s has no key: declare it with NewKey, so that a limit has one answer", t.Name)}
}

func noScopeFor(t *decl.Table) error {
	return &exo.Error{Kind: exo.Denied, Err: fmt.Errorf("exosql: table %s has no scope in this grant: declare it at Grant, with ScopeVia or ScopeRows", t.Name)}
}

// within adds the condition that row belongs to the relation r of its table.
func (f *from) within(r *decl.Relation, row *occurrence) error {
	if err := f.c.step(); err != nil {
		return err
	}
	if r.Limited() {
		// The rows that a limit leaves are known by running it.
		sub := f.c.newFrom(f)
		q, other, err := sub.relation(r, row.grant)
		if err == nil {
			err = sub.settle(q)
		}
		if err != nil {
			return err
		}
		var keys []decl.Pair
		for _, k := range row.table.Keys {
			keys = append(keys, decl.Pair{From: k, To: k})
		}
		f.require(f.matched(row, keys, sub, other))
		return nil
	}
	for s := r; s != nil; s = s.Prev {
		switch s.Kind {
		case decl.StepGrant, decl.StepWhere:
			f.require(f.predicate(s.Pred, row, row.grant.Origin))
		case decl.StepFollow:
			if err := f.followed(s, row); err != nil {
				return err
			}
			return nil // what came before is of the other table
		}
	}
	return nil
}

// follow is the condition that row is reached by the step's link from a row of
// the relation before it.
func (f *from) follow(s *decl.Relation, row *occurrence) (sqlast.Expr, error) {
	return f.semi(row, s.Link.Pairs, func(sub *from) (*occurrence, error) {
		q, other, err := sub.relation(s.Prev, row.grant)
		if err == nil {
			err = sub.settle(q)
		}
		return other, err
	})
}

// followed adds the condition that row is reached by the step's link, and within
// the scope that the chain gives its table where that says more.
func (f *from) followed(s *decl.Relation, row *occurrence) error {
	cond, err := f.follow(s, row)
	if err != nil {
		return err
	}
	f.require(cond)
	base := row.grant.Base()
	d := base.Scopes[row.table]
	if d == nil {
		return noScopeFor(row.table)
	}
	if d.Kind == decl.ScopeVia && d.Link == s.Link {
		return nil
	}
	b := *row
	b.grant = base
	f.at[&b] = f.at[row]
	return f.scope(&b, nil, nil)
}

// relation builds a whole relation in f: its table once, and every step.
func (f *from) relation(r *decl.Relation, g *scope.Grant) (*query, *occurrence, error) {
	var chain []*decl.Relation
	for s := r; s != nil; s = s.Prev {
		chain = append(chain, s)
		if s.Kind == decl.StepGrant || s.Kind == decl.StepFollow {
			break
		}
	}
	q := &query{context: append([]*occurrence(nil), f.rows...)}
	row, err := f.table(g, nil, r.Table, nil)
	if err != nil {
		return nil, nil, err
	}
	q.base = row
	for i := len(chain) - 1; i >= 0; i-- {
		s := chain[i]
		if err := f.c.step(); err != nil {
			return nil, nil, err
		}
		switch s.Kind {
		case decl.StepGrant:
			f.require(f.predicate(s.Pred, row, g.Origin))
		case decl.StepWhere:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			f.require(f.predicate(s.Pred, row, g.Origin))
		case decl.StepFollow:
			if err := f.followed(s, row); err != nil {
				return nil, nil, err
			}
		case decl.StepOrder:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			for _, o := range s.Order {
				q.order = append(q.order, orderTerm{sortExpr{colExpr{row, o.Col}}, o.Desc})
			}
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
