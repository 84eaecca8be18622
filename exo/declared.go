package exo

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"sync"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/lru"
)

// declared is shared by gates whose grants have the same names and the same declarations: a host makes a tool for each of its users, and the
// messages that a tool allows do not depend on the user. It has only the declarations and what is calculated from them. It has no principal,
// value or label of a run, and does not know whether an object was revoked. Only its field derived changes.
type declared struct {
	described    []message.Description // copies of the descriptions, except for frozen ones
	catalog      message.Catalog
	granted      []message.GrantedName
	labels       value.Label       // all labels that the granted objects can put on a run
	effect       string            // a method that changes something; "" if there is none
	declassifier string            // a method that declassifies; "" if there is none
	leaves       bool              // values can leave a run through a method, not only through the result
	stored       map[string]string // for the interface of each granted object, a method that changes a unit of work
	digest       func() value.Digest
	packed       func() []byte

	mu      sync.Mutex
	derived map[any]func() any
}

// allDeclared keeps declarations for later gates, by the names and docs of the grants. One entry may take an eighth of the bytes: the
// declarations of 2,000 tables do. If they did not fit, such a host would make them anew for each user.
var allDeclared = struct {
	sync.Mutex
	all lru.Set[string, []*declared] // the declarations under one key, the latest first
}{all: lru.Set[string, []*declared]{Bytes: 512 << 20}}

const (
	alike      = 4  // how many declarations are kept under one key
	maxDerived = 12 // how many results of Derive one declared keeps
)

// declaredOf finds the declarations of these grants, or makes them.
func declaredOf(names []string, described []message.Description) (*declared, error) {
	var key []byte
	for i, name := range names {
		key = append(binary.AppendUvarint(key, uint64(len(name))), name...)
		key = append(binary.AppendUvarint(key, uint64(len(described[i].Doc))), described[i].Doc...)
	}
	k := string(key)
	allDeclared.Lock()
	kept, _ := allDeclared.all.Get(k)
	allDeclared.Unlock()
	for _, s := range kept {
		if s.is(described) {
			return s, nil
		}
	}
	s, err := newDeclared(names, described)
	if err != nil {
		return nil, err
	}
	now := append([]*declared{s}, kept[:min(len(kept), alike-1)]...)
	size := len(k)
	for i, s := range now {
		if size += s.size(); i > 0 && !allDeclared.all.Fits(size) { // drop the older declarations that no longer fit
			size -= s.size()
			now = now[:i]
			break
		}
	}
	allDeclared.Lock()
	defer allDeclared.Unlock()
	if allDeclared.all.Fits(size) {
		allDeclared.all.Remove(k)
		allDeclared.all.Add(k, now, size)
	}
	return s, nil
}

// is reports whether s was made from these descriptions, or from equal ones.
func (s *declared) is(described []message.Description) bool {
	pairs, ok := s.pairs(described)
	if !ok {
		return false
	}
	for p := range pairs {
		if !message.SameInterface(p[0], p[1]) {
			return false
		}
	}
	return true
}

// pairs returns the interfaces that have to be equal, each pair once. The facets of one file share one interface for each table: otherwise a
// file that is opened again would compare each of n tables n times. ok is false if something else differs.
func (s *declared) pairs(described []message.Description) (pairs map[[2]*message.Interface]bool, ok bool) {
	pairs = map[[2]*message.Interface]bool{}
	for i, d := range described {
		own := &s.described[i]
		if d.Type != own.Type && !reflect.DeepEqual(d.Type, own.Type) || len(d.Interfaces) != len(own.Interfaces) {
			return nil, false
		}
		if d.Frozen && own.Frozen && len(d.Interfaces) > 0 && &d.Interfaces[0] == &own.Interfaces[0] {
			continue
		}
		for k, x := range d.Interfaces {
			pairs[[2]*message.Interface{x, own.Interfaces[k]}] = true
		}
	}
	return pairs, true
}

// newDeclared checks the descriptions of the granted objects, which are in the order of names.
func newDeclared(names []string, described []message.Description) (*declared, error) {
	s := &declared{derived: map[any]func() any{}}
	m := message.NewMerger()
	for i, name := range names {
		d, err := m.Add(described[i])
		if err != nil {
			return nil, fmt.Errorf("exo: grant %s: %w", name, err)
		}
		s.described = append(s.described, d)
		s.granted = append(s.granted, message.GrantedName{Name: name, ID: uint32(i), Type: d.Type, Doc: d.Doc})
	}
	s.catalog = m.All
	s.labels, s.effect = s.catalog.Labels(), s.catalog.FirstEffect()
	s.declassifier, s.leaves, s.stored = s.catalog.FirstDeclassifier(), s.catalog.Leaves(), map[string]string{}
	for _, g := range s.granted {
		for _, m := range s.catalog[g.Type.Name].Methods {
			if m.Effect == message.InUnit {
				s.stored[g.Type.Name] = m.Name
			}
		}
	}
	admitted := s.catalog.Admitted()
	if err := value.NewLabel(append(s.labels.Tags(), admitted.Tags()...)...).Check(); err != nil {
		return nil, err
	}
	if err := s.labels.CheckAdmitted(admitted); err != nil {
		return nil, err
	}
	s.digest = sync.OnceValue(func() value.Digest { return coding.DigestGrants(s.catalog, s.granted) })
	s.packed = sync.OnceValue(func() []byte { return coding.PackGrants(s.catalog, s.granted) })
	return s, nil
}

// size estimates the bytes of s, with everything that may be derived from it.
func (s *declared) size() int {
	n := 8 << 10
	seen := map[*message.Method]bool{} // all queries share some methods, which count once
	for _, i := range s.catalog {
		n += 1<<10 + 600*len(i.Fields) + len(i.Doc)
		for _, m := range i.Methods {
			if n += 100; !seen[m] {
				seen[m] = true
				n += 500
			}
		}
	}
	return n
}

// Derive returns the result of make, which may use only the catalogue and the granted names of a gate. All gates for which both are equal
// share one call of make. Everything else that the result depends on must be in key, whose type is the caller's own. The result is
// shared, so no caller may change it.
func (g *Gate) Derive(key any, make func() any) any {
	s := g.declared
	s.mu.Lock()
	once := s.derived[key]
	if once == nil {
		if len(s.derived) >= maxDerived {
			for k := range s.derived { // remove any one: a caller that uses more than maxDerived keys derives some of them again
				delete(s.derived, k)
				break
			}
		}
		once = sync.OnceValue(make)
		s.derived[key] = once
	}
	s.mu.Unlock()
	return once()
}
