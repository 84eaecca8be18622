package decl

import "github.com/exoagent/exoagent/exo"

// Scope says which rows of one table a grant reaches, however they are reached.
type Scope struct {
	Kind  ScopeKind
	Table *Table
	Pred  *Pred
	Link  *Link
}

// ScopeKind says how a scope narrows. The zero kind is none: it lets nothing in.
type ScopeKind uint8

const (
	noScope     ScopeKind = iota
	ScopeRoot             // the predicate given to Grant
	ScopeStart            // only the relation that was handed out
	ScopeRows             // a predicate, usually on a tenant column
	ScopeVia              // the rows that a link reaches from rows in scope
	ScopeShared           // every row, for everybody
)

// Revealed is something labelled that rows of a table reveal by being in scope, under the name by which AllowEffects allows that:
// "tells visits.notes" for the rows of a link, "tells scope(status)" for a column.
type Revealed struct {
	Name  string
	Label exo.Label
}

// Own reports whether the table is in scope by the grant, not by a link.
func (s *Scope) Own() bool { return s != nil && (s.Kind == ScopeRoot || s.Kind == ScopeStart) }
