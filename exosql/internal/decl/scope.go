package decl

import (
	"fmt"
	"sync"

	"github.com/exoagent/exoagent/exo/value"
)

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

// Revealed is something labelled that rows of a table reveal by being in scope. Name is as AllowRevealing has it: "visits.notes" for the
// rows of a link, "scope(status)" for a column.
type Revealed struct {
	Name  string
	Label value.Label
}

// Rows is what rows reveal by being in the scope of a grant, by their table: see exosql/internal/scope.Grant.Reveals.
type Rows map[*Table][]Revealed

// label is the label of whoever asks anything of a table: of its rows' existence, and of what they reveal by being in scope.
func (r Rows) label(t *Table) value.Label {
	l := t.Label
	for _, x := range r[t] {
		l = l.Join(x.Label)
	}
	return l
}

// Same reports whether rows of each table reveal the same.
func (r Rows) Same(o Rows) bool {
	within := func(a, b Rows) bool {
		for t := range a {
			if string(a.key(nil, t)) != string(b.key(nil, t)) {
				return false
			}
		}
		return true
	}
	return within(r, o) && within(o, r)
}

// key adds to a key what the rows of a table reveal.
func (r Rows) key(key []byte, t *Table) []byte {
	for _, x := range r[t] {
		key = fmt.Appendf(key, "%d %q %v;", t.ID, x.Name, x.Label)
	}
	return key
}

// Own reports whether the table is in scope by the grant, not by a link.
func (s *Scope) Own() bool { return s != nil && (s.Kind == ScopeRoot || s.Kind == ScopeStart) }

// ScopeSet is the scopes of several tables, that many grants share: they point to one set, and what is found of it is found once. It is
// immutable but for what it has found.
type ScopeSet struct {
	all     []*Scope
	of      map[*Table]*Scope
	mu      sync.Mutex
	checked map[*group]bool

	labelled func() bool
}

// NewScopeSet makes a set of scopes, one for each table.
func NewScopeSet(all []*Scope) (*ScopeSet, error) {
	s := &ScopeSet{all: all, of: make(map[*Table]*Scope, len(all)), checked: map[*group]bool{}}
	for _, x := range all {
		if s.of[x.Table] != nil {
			return nil, fmt.Errorf("exosql: two scopes for table %s", x.Table.Name)
		}
		s.of[x.Table] = x
	}
	s.labelled = sync.OnceValue(func() bool {
		found := false
		for _, x := range all { // a label that comes later would be missed: all are frozen
			x.Table.Freeze()
			found = found || x.Table.Labelled()
			if x.Link != nil {
				x.Link.From.Freeze()
				found = found || x.Link.From.Labelled()
			}
		}
		return found
	})
	return s, nil
}

// All are the scopes, in the order in which they were given.
func (s *ScopeSet) All() []*Scope { return s.all }

// Labelled reports whether a table that has a scope in the set, or by which one is in scope, has a label.
func (s *ScopeSet) Labelled() bool { return s.labelled() }

// Of is the scope of a table, or nil.
func (s *ScopeSet) Of(t *Table) *Scope { return s.of[t] }

// Has reports whether each of these tables has a scope.
func (s *ScopeSet) Has(tables ...*Table) bool {
	for _, t := range tables {
		if s.of[t] == nil {
			return false
		}
	}
	return true
}

// Check runs check, unless it was run before, and found nothing, for a grant of this set and of a facet that reaches the same. What it
// finds has to be the same for all such grants: that holds where every table that they reach has a scope in the set.
func (s *ScopeSet) Check(f *Facet, check func() error) error {
	g := f.group()
	s.mu.Lock()
	done := s.checked[g]
	s.mu.Unlock()
	if done {
		return nil
	}
	if err := check(); err != nil {
		return err
	}
	for _, x := range g.reach {
		if !s.Has(x.Table) {
			return nil
		}
	}
	s.mu.Lock()
	s.checked[g] = true
	s.mu.Unlock()
	return nil
}
