package dynamic

import "github.com/exoagent/exoagent/exosql/internal/decl"

// Scope fixes which rows of one table a grant reaches: see exosql.Scope. The zero Scope is an error.
type Scope struct {
	table *Table
	pred  Predicate
	link  *Link
	kind  decl.ScopeKind
}

// ScopeRows limits a table to the rows that p matches.
func ScopeRows(t *Table, p Predicate) Scope { return Scope{table: t, pred: p, kind: decl.ScopeRows} }

// ScopeVia limits the link's target to rows that the link reaches from a row in scope.
func ScopeVia(l *Link) Scope { return Scope{link: l, kind: decl.ScopeVia} }

// ScopeShared lets every grant reach every row of a table.
func ScopeShared(t *Table) Scope { return Scope{table: t, kind: decl.ScopeShared} }

func (s Scope) declared() (*decl.Scope, error) {
	switch s.kind {
	case decl.ScopeVia:
		if s.link.zero() {
			return nil, undeclared("Link", "Table.Link")
		}
		return &decl.Scope{Kind: s.kind, Table: s.link.l.To, Link: s.link.l}, nil
	case decl.ScopeShared, decl.ScopeRows:
		if s.table.zero() {
			return nil, undeclared("Table", "Declarations.Table")
		}
		out := &decl.Scope{Kind: s.kind, Table: s.table.t}
		if s.kind == decl.ScopeShared {
			return out, nil
		}
		var err error
		out.Pred, err = s.pred.on(s.table)
		return out, err
	}
	return nil, undeclared("Scope", "ScopeRows, ScopeVia or ScopeShared")
}
