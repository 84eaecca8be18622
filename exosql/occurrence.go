package exosql

import (
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/internal/sqlast"
)

// occur adds one occurrence of a table to a from, with the table's scope: every
// occurrence satisfies its table's scope and the link it was reached by. Tables
// enter a query here; by followQuery, which calls scope itself since a semi-join
// stands for the link; and by relation, whose steps are the scope.
func (f *from) occur(g *guestGrant, fc *facet, t *table, by *link, parent *occurrence) (*occurrence, error) {
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
func (f *from) linked(l *link, parent, child *occurrence) []sqlast.Expr {
	var out []sqlast.Expr
	for _, p := range l.pairs {
		x, y := f.pair(colExpr{child, p.to}, colExpr{parent, p.from})
		out = append(out, call(sqlast.Eq, compared(x, f), compared(y, f)))
	}
	return out
}

// scope adds the condition that row is within its grant's scope for its table.
func (f *from) scope(row *occurrence, by *link, parent *occurrence) error {
	s := row.grant.scopes[row.table]
	if s == nil {
		return noScopeFor(row.table)
	}
	if r := row.grant.rel; r != nil && r.table == row.table {
		// What a program was granted is a part of what the grant reaches: no way
		// round through links leads to the rest of it.
		if err := f.within(r, row); err != nil {
			return err
		}
	}
	switch s.kind {
	case scopeStart:
		if r := row.grant.rel; r == nil || r.table != row.table {
			return &exo.Error{Kind: exo.Internal, Err: fmt.Errorf("exosql: table %s is in scope by no relation", row.table.name)}
		}
	case scopeRoot:
		if r := row.grant.rel; r != nil && r.table == row.table && !r.followed() && !r.limited() {
			return nil // r has said it already: it begins with the grant's predicate
		}
		f.require(f.predicate(s.pred, row, row.grant.origin))
	case scopeRows:
		f.require(f.predicate(s.pred, row, row.grant.origin))
	case scopeVia:
		if r := row.grant.rel; r != nil && r.table == row.table && !r.limited() && r.lastLink() == s.link {
			return nil // implied by within, which ends in this very link from rows in scope
		}
		if by == s.link && parent != nil && parent.grant == row.grant {
			// Implied: parent is an occurrence, so it is in scope, and row was reached
			// from it by the very link that the scope demands. Held by
			// TestImpliedScope and by the random queries of TestRandomPrograms.
			return nil
		}
		cond, err := f.semi(row, s.link.pairs, func(sub *from) (*occurrence, error) {
			return sub.occur(row.grant, nil, s.link.from, nil, nil)
		})
		if err != nil {
			return err
		}
		f.require(cond)
	case scopeShared:
	default:
		return &exo.Error{Kind: exo.Internal, Err: fmt.Errorf("exosql: table %s has a scope of no known kind", row.table.name)}
	}
	return nil
}

func noKey(t *table) error {
	return &exo.Error{Kind: exo.Denied, Err: fmt.Errorf("exosql: table %s has no key: declare it with NewKey, so that a limit has one answer", t.name)}
}

func noScopeFor(t *table) error {
	return &exo.Error{Kind: exo.Denied, Err: fmt.Errorf("exosql: table %s has no scope in this grant: declare it at Grant, with ScopeVia or ScopeRows", t.name)}
}

// within adds the condition that row belongs to the relation r of its table.
func (f *from) within(r *relation, row *occurrence) error {
	if err := f.c.step(); err != nil {
		return err
	}
	if r.limited() {
		// The rows that a limit leaves are known by running it.
		sub := f.c.newFrom(f)
		q, other, err := sub.relation(r, row.grant)
		if err == nil {
			err = sub.settle(q)
		}
		if err != nil {
			return err
		}
		var keys []pair
		for _, k := range row.table.keys {
			keys = append(keys, pair{k, k})
		}
		f.require(f.matched(row, keys, sub, other))
		return nil
	}
	for s := r; s != nil; s = s.prev {
		switch s.kind {
		case stepGrant, stepWhere:
			f.require(f.predicate(s.pred, row, row.grant.origin))
		case stepFollow:
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
func (f *from) follow(s *relation, row *occurrence) (sqlast.Expr, error) {
	return f.semi(row, s.link.pairs, func(sub *from) (*occurrence, error) {
		q, other, err := sub.relation(s.prev, row.grant)
		if err == nil {
			err = sub.settle(q)
		}
		return other, err
	})
}

// followed adds the condition that row is reached by the step's link, and within
// the scope that the chain gives its table where that says more.
func (f *from) followed(s *relation, row *occurrence) error {
	cond, err := f.follow(s, row)
	if err != nil {
		return err
	}
	f.require(cond)
	base := row.grant.base()
	d := base.scopes[row.table]
	if d == nil {
		return noScopeFor(row.table)
	}
	if d.kind == scopeVia && d.link == s.link {
		return nil
	}
	b := *row
	b.grant = base
	f.at[&b] = f.at[row]
	return f.scope(&b, nil, nil)
}

// relation builds a whole relation in f: its table once, and every step.
func (f *from) relation(r *relation, g *guestGrant) (*query, *occurrence, error) {
	var chain []*relation
	for s := r; s != nil; s = s.prev {
		chain = append(chain, s)
		if s.kind == stepGrant || s.kind == stepFollow {
			break
		}
	}
	q := &query{context: append([]*occurrence(nil), f.rows...)}
	row, err := f.table(g, nil, r.table, nil)
	if err != nil {
		return nil, nil, err
	}
	q.base = row
	for i := len(chain) - 1; i >= 0; i-- {
		s := chain[i]
		if err := f.c.step(); err != nil {
			return nil, nil, err
		}
		switch s.kind {
		case stepGrant:
			f.require(f.predicate(s.pred, row, g.origin))
		case stepWhere:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			f.require(f.predicate(s.pred, row, g.origin))
		case stepFollow:
			if err := f.followed(s, row); err != nil {
				return nil, nil, err
			}
		case stepOrder:
			if err := f.settle(q); err != nil {
				return nil, nil, err
			}
			for _, o := range s.order {
				q.order = append(q.order, orderTerm{sortExpr{colExpr{row, o.col}}, o.desc})
			}
		case stepLimit:
			if len(r.table.keys) == 0 {
				return nil, nil, noKey(r.table)
			}
			q.limits = append(q.limits, f.c.arg(argSource{origin: g.origin, index: s.slot, item: -1, count: true}))
		case stepOffset:
			if len(r.table.keys) == 0 {
				return nil, nil, noKey(r.table)
			}
			if len(q.limits) > 0 { // Offset skips some of the rows that Limit left: methods only narrow
				if err := f.settle(q); err != nil {
					return nil, nil, err
				}
			}
			q.offsets = append(q.offsets, f.c.arg(argSource{origin: g.origin, index: s.slot, item: -1, count: true}))
		}
	}
	return q, row, nil
}

// followed reports whether a link was followed since the grant.
func (r *relation) followed() bool {
	for s := r; s != nil; s = s.prev {
		if s.kind == stepFollow {
			return true
		}
	}
	return false
}

// lastLink is the link of the last Follow, or nil.
func (r *relation) lastLink() *link {
	for s := r; s != nil; s = s.prev {
		if s.kind == stepFollow {
			return s.link
		}
	}
	return nil
}

// limited reports whether a limit or offset acts in the chain on its own table.
func (r *relation) limited() bool {
	for s := r; s != nil; s = s.prev {
		if s.kind == stepLimit || s.kind == stepOffset {
			return true
		}
		if s.kind == stepFollow {
			return false
		}
	}
	return false
}
