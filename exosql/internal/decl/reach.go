package decl

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// This file groups the facets that a facet reaches, and freezes them. Facets that lead to each other reach the
// same facets. They are one group, for which a catalogue is made once: one for each of N facets would cost N².

// group is a set of facets that all reach each other. It is immutable, and so is everything that it reaches.
type group struct {
	reach      []*Facet // reach has every facet that can be reached, including the group's own, by alias
	aliases    []string // aliases are the aliases of the facets in reach
	err        error    // err is the first error of a facet in reach
	writes     bool     // writes: a facet in reach lets programs change rows
	interfaces func() []*message.Interface

	once   sync.Once
	shared any // shared is the result that Shared keeps

	mu        sync.Mutex
	described map[string][]*message.Interface // described has the interfaces, by the labels that rows reveal: see Describe
}

// Shared returns the result of the function make for all facets that f reaches. make is called once
// for all facets of a group. The result must contain no value of a grant.
func (f *Facet) Shared(make func(reach []*Facet) any) (any, error) {
	g := f.group()
	if g.err != nil {
		return nil, g.err
	}
	g.once.Do(func() { g.shared = make(g.reach) })
	return g.shared, nil
}

// closing is locked while groups are made, so that two goroutines never group one facet.
var closing sync.Mutex

// Close returns every facet that f reaches, by alias, and freezes them all. All facets of a group
// share the slice, which must not be changed.
func (f *Facet) Close() ([]*Facet, error) {
	g := f.group()
	return g.reach, g.err
}

// Aliases returns the aliases of all facets that f reaches. All facets of a group share the slice, which must not be changed.
func (f *Facet) Aliases() ([]string, error) {
	g := f.group()
	return g.aliases, g.err
}

// Walk returns every facet that f reaches, in the order of links: f itself comes first.
func (f *Facet) Walk() (out []*Facet, err error) {
	g := f.group()
	seen := make(map[*Facet]bool, len(g.reach))
	var visit func(*Facet)
	visit = func(x *Facet) {
		if seen[x] {
			return
		}
		seen[x] = true
		out = append(out, x)
		for _, l := range x.Links {
			visit(l.To)
		}
	}
	visit(f)
	return out, g.err
}

func (f *Facet) group() *group {
	if g := f.closed.Load(); g != nil {
		return g
	}
	closing.Lock()
	defer closing.Unlock()
	if f.closed.Load() == nil {
		c := closer{at: map[*Facet]int{}, low: map[*Facet]int{}}
		c.visit(f)
	}
	return f.closed.Load()
}

// closer divides facets into groups: the strongly connected components, by Tarjan's algorithm. It
// makes a group after all groups that this one leads to.
type closer struct {
	at, low map[*Facet]int // at is the order in which facets were found; low has, for each facet, the earliest facet that it leads back to
	open    []*Facet       // open are the facets that are found but in no group yet
}

func (c *closer) visit(f *Facet) {
	f.mu.Lock()
	f.frozen = true
	f.mu.Unlock()
	f.Table.Freeze() // interfaces contain the table's labels, so the labels must not change
	n := len(c.at)
	c.at[f], c.low[f] = n, n
	c.open = append(c.open, f)
	for _, l := range f.Links {
		if l.To.closed.Load() != nil {
			continue
		}
		if _, found := c.at[l.To]; !found {
			c.visit(l.To)
		}
		c.low[f] = min(c.low[f], c.low[l.To])
	}
	if c.low[f] < n {
		return
	}
	i := len(c.open) - 1
	for c.open[i] != f {
		i--
	}
	members := slices.Clone(c.open[i:])
	c.open = c.open[:i]
	g := newGroup(members)
	for _, m := range members {
		m.closed.Store(g)
	}
}

func newGroup(members []*Facet) *group {
	g := &group{}
	seen := map[*Facet]bool{}
	for _, m := range members {
		seen[m] = true
		g.reach = append(g.reach, m)
	}
	for _, m := range members {
		for _, l := range m.Links {
			if seen[l.To] {
				continue
			}
			for _, x := range l.To.closed.Load().reach { // l.To belongs to another group, which is complete
				if !seen[x] {
					seen[x] = true
					g.reach = append(g.reach, x)
				}
			}
		}
	}
	slices.SortStableFunc(g.reach, func(a, b *Facet) int { return cmp.Compare(a.Alias, b.Alias) })
	for i, x := range g.reach {
		if g.err == nil && i > 0 && g.reach[i-1].Alias == x.Alias {
			g.err = fmt.Errorf("exosql: two facets have the alias %q: give one of them another alias", x.Alias)
		}
		if g.err == nil {
			g.err = x.wrong()
		}
		g.aliases = append(g.aliases, x.Alias)
		g.writes = g.writes || x.Rights.Any()
	}
	g.interfaces = sync.OnceValue(func() []*message.Interface {
		out := slices.Clone(language.SharedInterfaces())
		for _, x := range g.reach {
			out = append(out, x.own.interfaces()...)
		}
		return slices.Clip(out)
	})
	return g
}

// wrong returns an error in a frozen facet that prevents its grant.
func (f *Facet) wrong() error {
	if len(f.Table.Keys) == 0 && !f.Table.Keyless {
		return fmt.Errorf("exosql: table %s has no key: declare %s, so that rows with equal values have a fixed order; %s, if nothing makes its rows unique", f.Table.Name, f.Table.Reader.Key("its columns"), f.Table.Reader.NoKey())
	}
	for _, k := range f.Table.Keys {
		if !k.Label.Empty() {
			// Keys break ties, so a limit or an offset would reveal the order of labelled keys.
			return fmt.Errorf("exosql: the key %s.%s is labelled, and every limit reveals the order of keys; use another key", f.Table.Name, k.Name)
		}
	}
	if err := cmp.Or(f.searchable(), f.measurable(), f.readable()); err != nil {
		return err
	}
	if len(f.Cols) == 0 {
		return fmt.Errorf("exosql: facet %s shows no column: add at least one", f.Alias)
	}
	return nil
}

// Describe returns the catalogue of everything that f reaches, for rows that reveal these labels. It is made from
// frozen declarations. All objects of facets in the same group share it, so it must not be changed.
func (f *Facet) Describe(rows Rows) (message.Description, error) {
	g := f.group()
	if g.err != nil {
		return message.Description{}, g.err
	}
	return message.Description{Type: f.own.query(), Interfaces: g.revealing(rows), Frozen: true}, nil
}

// revealing returns the interfaces of the group for rows that reveal the labels in rows.
func (g *group) revealing(rows Rows) []*message.Interface {
	var key []byte
	for _, x := range g.reach {
		key = rows.key(key, x.Table)
	}
	if key == nil {
		return g.interfaces()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.described[string(key)]
	if out == nil {
		out = slices.Clone(language.SharedInterfaces())
		for _, x := range g.reach {
			out = append(out, x.revealing(rows)...)
		}
		out = slices.Clip(out)
		if g.described == nil {
			g.described = map[string][]*message.Interface{}
		}
		if len(g.described) < maxKept {
			g.described[string(key)] = out
		}
	}
	return out
}

// revealing returns the interfaces of this one facet. They differ from the usual ones only if its own rows reveal something.
func (f *Facet) revealing(rows Rows) []*message.Interface {
	key := rows.key(nil, f.Table)
	for _, l := range f.Links { // the columns at a link's start have the label of the rows at its end
		key = rows.key(key, l.L.To)
	}
	if key == nil {
		return f.own.interfaces()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.described[string(key)]
	if out == nil {
		out = f.interfaces(rows)
		if f.described == nil {
			f.described = map[string][]*message.Interface{}
		}
		if len(f.described) < maxKept {
			f.described[string(key)] = out
		}
	}
	return out
}
