package decl

import "github.com/exoagent/exoagent/exo/fail"

// Relation is one step of a chain of typed calls: a grant, which is the first step, or a step that follows another one.
type Relation struct {
	Err    error
	Table  *Table
	Prev   *Relation // Prev is the relation that this step narrows
	Kind   StepKind
	Pred   *Pred     // Pred is the condition of a StepGrant or a StepWhere
	Scopes []*Scope  // Scopes are the scopes that a StepGrant declares; a zero Scope is nil
	Set    *ScopeSet // Set replaces Scopes in a StepGrant; it also has the scope of Table, from which Pred is copied
	Link   *Link     // Link is the link of a StepFollow; Prev then has another table
	Order  []Ordering
	N      int64 // N is the number of a StepLimit or a StepOffset
	Search *Search
	Text   string // Text is the text of a StepSearch
	Slot   int    // Slot is, in a copy that package shape makes, the index of the argument with N or Text
}

// Ordering is one term of an order: a column and its direction.
type Ordering struct {
	Col  *Column
	Desc bool
}

// StepKind is the kind of a step.
type StepKind uint8

const (
	StepGrant StepKind = iota
	StepWhere
	StepOrder
	StepLimit
	StepOffset
	StepFollow
	StepSearch
)

// ErrZeroRelation is the error of all queries of a zero Relation.
var ErrZeroRelation = &fail.Error{Kind: fail.Denied, Msg: "this relation is zero, so it has no rows: make one with Grant"}

// Grant returns the first step of the chain, which is a grant.
func (r *Relation) Grant() *Relation {
	for r.Prev != nil {
		r = r.Prev
	}
	return r
}

// Declared returns the scopes of other tables that the grant at the chain's start declares.
func (r *Relation) Declared() []*Scope {
	root := r.Grant()
	if root.Set == nil {
		return root.Scopes
	}
	out := make([]*Scope, 0, len(root.Set.all))
	for _, s := range root.Set.all {
		if s.Table != root.Table {
			out = append(out, s)
		}
	}
	return out
}

// Followed reports whether the chain has a Follow.
func (r *Relation) Followed() bool { return r.LastLink() != nil }

// LastLink returns the link of the last Follow, or nil if the chain has none.
func (r *Relation) LastLink() *Link {
	for s := r; s != nil; s = s.Prev {
		if s.Kind == StepFollow {
			return s.Link
		}
	}
	return nil
}

// Limited reports whether the chain has a limit or offset on its own table.
func (r *Relation) Limited() bool {
	for s := r; s != nil; s = s.Prev {
		if s.Kind == StepLimit || s.Kind == StepOffset {
			return true
		}
		if s.Kind == StepFollow {
			return false
		}
	}
	return false
}
