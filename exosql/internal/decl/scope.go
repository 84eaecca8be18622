package decl

import (
	"fmt"
	"sync"

	"github.com/exoagent/exoagent/exo/value"
)

// Scope decides which rows of one table a grant reaches, whatever links lead there.
type Scope struct {
	Kind  ScopeKind
	Table *Table
	Pred  *Pred
	Link  *Link
}

// ScopeKind is the kind of a scope. The zero kind admits no row.
type ScopeKind uint8

const (
	noScope     ScopeKind = iota
	ScopeRoot             // the rows that the predicate given to Grant matches
	ScopeStart            // only the rows of the granted relation
	ScopeRows             // the rows that a predicate matches, usually one on a tenant column
	ScopeVia              // the rows that a link reaches from rows in scope
	ScopeShared           // every row, for everyone
)

// Revealed is a label that rows of a table reveal by being in scope. Name is its form in
// AllowRevealing: "visits.notes" for the rows of a link, "scope(status)" for a column.
type Revealed struct {
	Name  string
	Label value.Label
}

// Rows has, for each table, what its rows reveal by being in the scope of a grant: see exosql/internal/scope.Grant.Reveals.
type Rows map[*Table][]Revealed

// label returns the label of every query of a table. It covers the existence of rows, and what rows reveal by being in scope.
func (r Rows) label(t *Table) value.Label {
	l := t.Label
	for _, x := range r[t] {
		l = l.Join(x.Label)
	}
	return l
}

// Same reports whether the rows of each table reveal the same in r and o.
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

// key appends what a table's rows reveal to the key of a plan or of a catalogue.
func (r Rows) key(key []byte, t *Table) []byte {
	for _, x := range r[t] {
		key = fmt.Appendf(key, "%d %q %v;", t.ID, x.Name, x.Label)
	}
	return key
}

// Own reports whether the table's rows are in scope by the grant itself, without a link.
func (s *Scope) Own() bool { return s != nil && (s.Kind == ScopeRoot || s.Kind == ScopeStart) }

// ScopeSet has the scopes of several tables. Many grants share one set, so that it is checked once.
// It is immutable, apart from the results of checks.
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
			return nil, fmt.Errorf("exosql: there are two scopes for table %s: leave one out", x.Table.Name)
		}
		s.of[x.Table] = x
	}
	s.labelled = sync.OnceValue(func() bool {
		found := false
		for _, x := range all { // all tables are frozen, so that no label can be added later
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

// All returns the scopes in the order in which they were given.
func (s *ScopeSet) All() []*Scope { return s.all }

// Labelled reports whether a table with a scope in the set has a label, or a table whose rows put such a table's rows in scope.
func (s *ScopeSet) Labelled() bool { return s.labelled() }

// Of returns the scope of a table, or nil if the set has none.
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

// Check calls the function check, unless it succeeded earlier for a grant of this set and a facet that reaches the same facets. The
// result must be the same for all such grants. That is so if every table that they reach has a scope in the set.
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
