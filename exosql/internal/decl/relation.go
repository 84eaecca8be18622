package decl

import (
	"github.com/exoagent/exoagent/exo/fail"
)

// Relation is a grant, or one step after another relation.
type Relation struct {
	Err    error
	Table  *Table
	Prev   *Relation // the relation that this step narrows
	Kind   StepKind
	Pred   *Pred     // StepGrant, StepWhere
	Scopes []*Scope  // StepGrant; nil for a zero Scope
	Set    *ScopeSet // StepGrant, instead of Scopes; it also has the scope of Table, of which Pred is a copy
	Link   *Link     // StepFollow: Prev is of another table
	Order  []Ordering
	N      int64 // StepLimit, StepOffset
	Search *Search
	Text   string // StepSearch
	Slot   int    // of a shaper's copy: the argument that has N or Text
}

// Ordering is one term of an order.
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

// ErrZeroRelation is the error of every query of a zero Relation.
var ErrZeroRelation = &fail.Error{Kind: fail.Denied, Msg: "this relation was never granted"}

// Grant returns the first step of the chain.
func (r *Relation) Grant() *Relation {
	for r.Prev != nil {
		r = r.Prev
	}
	return r
}

// Declared returns the scopes of other tables that were given to the grant at the beginning of the chain.
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
func (r *Relation) Followed() bool {
	for s := r; s != nil; s = s.Prev {
		if s.Kind == StepFollow {
			return true
		}
	}
	return false
}

// LastLink returns the link of the last Follow, or nil.
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
