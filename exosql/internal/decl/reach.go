package decl

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// What a facet reaches, and the freezing of it all. Facets that lead to each other reach the same: they are one group, and what is made
// of all that they reach is made once for the group. With a catalogue for each of its facets, N tables would cost N².

// group is facets each of which leads to all others. It is immutable, and so is all that it leads to.
type group struct {
	reach      []*Facet // every facet that can be reached from them, themselves among them, by alias
	aliases    []string // of reach
	err        error    // what is wrong with the first of them
	writes     bool     // one of them lets programs change rows
	interfaces func() []*message.Interface

	once   sync.Once
	shared any // see Shared

	mu        sync.Mutex
	described map[string][]*message.Interface // by what rows reveal: see Describe
}

// Shared returns what make makes of all that the facet reaches: once for all facets that reach the same. It must have no value of a
// grant.
func (f *Facet) Shared(make func(reach []*Facet) any) (any, error) {
	g := f.group()
	if g.err != nil {
		return nil, g.err
	}
	g.once.Do(func() { g.shared = make(g.reach) })
	return g.shared, nil
}

// closing is held while groups are made, so that two goroutines never divide the same facets.
var closing sync.Mutex

// Close returns every facet that can be reached, by alias, and freezes them all. The slice is the same for all facets of a group and
// must not be changed.
func (f *Facet) Close() ([]*Facet, error) {
	g := f.group()
	return g.reach, g.err
}

// Aliases are those of all facets that can be reached. The slice is the same for all facets of a group, too.
func (f *Facet) Aliases() ([]string, error) {
	g := f.group()
	return g.aliases, g.err
}

// Walk returns every facet that can be reached, the facet itself first, in the order of its links.
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

// closer divides facets into groups: the strongly connected components, as Tarjan finds them. A group is made after all groups that it
// leads to.
type closer struct {
	at, low map[*Facet]int // the order in which facets were found; the first that each leads back to
	open    []*Facet       // found, and in no group yet
}

func (c *closer) visit(f *Facet) {
	f.mu.Lock()
	f.frozen = true
	f.mu.Unlock()
	f.Table.Freeze() // its labels are in the interfaces
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
			for _, x := range l.To.closed.Load().reach { // of another group, which is made
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
			g.err = fmt.Errorf("exosql: two facets have the alias %q", x.Alias)
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

// wrong is what keeps a frozen facet from being granted, by itself.
func (f *Facet) wrong() error {
	if len(f.Table.Keys) == 0 && !f.Table.Keyless {
		return fmt.Errorf("exosql: table %s has no key: declare %s, so that rows with equal values have a fixed order; %s, if nothing makes its rows unique", f.Table.Name, f.Table.Reader.Key("its columns"), f.Table.Reader.NoKey())
	}
	for _, k := range f.Table.Keys {
		if !k.Label.Empty() {
			// Keys break ties: with limit and offset their order shows, without a label.
			return fmt.Errorf("exosql: the key %s.%s is labelled: the order of keys shows in every limit; use another key", f.Table.Name, k.Name)
		}
	}
	if err := cmp.Or(f.searchable(), f.measurable(), f.readable()); err != nil {
		return err
	}
	if len(f.Cols) == 0 {
		return fmt.Errorf("exosql: facet %s shows no column", f.Alias)
	}
	return nil
}

// Describe is the catalogue of all that can be reached, where rows reveal that. It is made of declarations, which are
// frozen, so all objects of the facet, and of those that it leads to and that lead to it, have one: it must not be changed.
func (f *Facet) Describe(rows Rows) (message.Description, error) {
	g := f.group()
	if g.err != nil {
		return message.Description{}, g.err
	}
	return message.Description{Type: f.own.query(), Interfaces: g.revealing(rows), Frozen: true}, nil
}

// revealing are the interfaces of the group where rows reveal that.
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

// revealing are the interfaces of the facet alone, which are other ones only where its own rows reveal something.
func (f *Facet) revealing(rows Rows) []*message.Interface {
	key := rows.key(nil, f.Table)
	for _, l := range f.Links { // a column that leads to a table has the label of its rows
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
