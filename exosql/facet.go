package exosql

import (
	"fmt"
	"strings"
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// Facet is what a program may see of a table: the columns listed, and the links
// listed with the facet of what they lead to. What is not listed does not exist
// for it. Build facets in a function, Add links to them (both ways is normal),
// and hand out Of; from then on they are frozen.
type Facet[T any] struct{ f *facet }

type facet struct {
	mu     sync.Mutex
	frozen bool
	err    error
	table  *table
	alias  string
	cols   []*column
	links  []linkMember
	iface  string // the name of the row's interface
	freeze sync.Once
	reach  []*facet // every facet that can be reached, itself first
}

type linkMember struct {
	l  *link
	to *facet
}

// Member is a column of T, or a link from T with the facet of its target; see Via.
type Member[T any] interface{ addTo(f *facet, _ *T) }

func (c *Column[T, V]) addTo(f *facet, _ *T) { f.addColumn(c.core()) }

type via[A any] struct {
	l *link
	f *facet
}

func (m via[A]) addTo(f *facet, _ *A) { f.addLink(m.l, m.f) }

// Via makes a link part of a facet; programs follow it to f.
func Via[A, B any](l Link[A, B], f *Facet[B]) Member[A] { return via[A]{l.l, f.f} }

// NewFacet begins a facet. alias is what programs call one row of it.
func NewFacet[T any](t *Table[T], alias constant, members ...Member[T]) *Facet[T] {
	a := string(alias)
	if exo.ReservedName(a) {
		panic(fmt.Sprintf("exosql: %q can't be the alias of a facet", a))
	}
	f := &Facet[T]{&facet{table: t.t, alias: a, iface: strings.ToUpper(a[:1]) + a[1:]}}
	if f.f.iface == exo.TypeRow {
		f.f.iface += "Row"
	}
	for _, i := range sharedInterfaces() {
		if i.Name == f.f.iface || i.Name == f.f.iface+queryInterface {
			f.f.iface += "Row" // the alias `text` would name its row like the column interface Text
		}
	}
	return f.Add(members...)
}

// Add adds columns and links. It panics on a frozen facet and on names that
// clash: both are errors in the declaration.
func (f *Facet[T]) Add(members ...Member[T]) *Facet[T] {
	f.f.mu.Lock()
	defer f.f.mu.Unlock()
	if f.f.frozen {
		panic(fmt.Sprintf("exosql: facet %s is in use and can't be changed", f.f.alias))
	}
	for _, m := range members {
		m.addTo(f.f, nil)
	}
	return f
}

func (f *facet) taken(name string) bool {
	for _, c := range f.cols {
		if c.guest == name {
			return true
		}
	}
	for _, l := range f.links {
		if l.l.name == name {
			return true
		}
	}
	return false
}

func (f *facet) addColumn(c *column) {
	if c == nil || c.guest == "" {
		panic(fmt.Sprintf("exosql: facet %s: a column has no name that programs can use; give it one with Named", f.alias))
	}
	if f.taken(c.guest) {
		panic(fmt.Sprintf("exosql: facet %s has two members named %q", f.alias, c.guest))
	}
	f.cols = append(f.cols, c)
}

func (f *facet) addLink(l *link, to *facet) {
	if l == nil || to == nil {
		panic(fmt.Sprintf("exosql: facet %s: Via of nothing", f.alias))
	}
	if f.taken(l.name) {
		panic(fmt.Sprintf("exosql: facet %s has two members named %q", f.alias, l.name))
	}
	f.links = append(f.links, linkMember{l, to})
}

func (f *facet) column(name string) *column {
	for _, c := range f.cols {
		if c.guest == name {
			return c
		}
	}
	return nil
}

func (f *facet) link(name string) *linkMember {
	for i := range f.links {
		if f.links[i].l.name == name {
			return &f.links[i]
		}
	}
	return nil
}

// close collects every facet that can be reached and freezes them all.
func (f *facet) close() ([]*facet, error) {
	f.freeze.Do(func() {
		seen := map[*facet]bool{}
		byAlias := map[string]*facet{}
		var visit func(*facet)
		visit = func(g *facet) {
			if seen[g] {
				return
			}
			seen[g] = true
			f.reach = append(f.reach, g)
			g.mu.Lock()
			g.frozen = true
			links := g.links
			g.mu.Unlock()
			if h := byAlias[g.alias]; h != nil && f.err == nil {
				f.err = fmt.Errorf("exosql: two facets have the alias %q", g.alias)
			}
			byAlias[g.alias] = g
			if len(g.table.keys) == 0 && f.err == nil {
				f.err = fmt.Errorf("exosql: table %s has no key: declare it with NewKey, so that orders are total", g.table.name)
			}
			for _, k := range g.table.keys {
				if !k.label.Public() && f.err == nil {
					// Keys break ties: with limit and offset their order shows, without a label.
					f.err = fmt.Errorf("exosql: the key %s.%s is labelled: the order of keys shows in every limit; use another key", g.table.name, k.name)
				}
			}
			if len(g.cols) == 0 && f.err == nil {
				f.err = fmt.Errorf("exosql: facet %s shows no column", g.alias)
			}
			for _, l := range links {
				visit(l.to)
			}
		}
		visit(f)
	})
	return f.reach, f.err
}

// queryType is the type of an unrestricted query of the facet's rows.
func (f *facet) queryType() *exo.Type {
	row := &exo.Type{Name: f.iface}
	return &exo.Type{Name: f.iface + queryInterface, Args: map[string]*exo.Type{
		"ns": {Name: exo.TypeRecord, Fields: []exo.TypeField{{Name: f.alias, Type: row}}}, "row": row,
	}}
}

// interfaces makes the two interfaces of a facet: its row, and its query, which
// has the links as well so that they can be walked without a join.
func (f *facet) interfaces() []*exo.Interface {
	row := &exo.Interface{Name: f.iface, Doc: "one " + f.alias, Is: []string{exo.TypeRow}, Fields: map[string]*exo.Member{}, Methods: map[string]*exo.Method{}}
	q := &exo.Interface{Name: f.iface + queryInterface, Doc: "a query of " + f.alias, Is: []string{queryInterface}, Await: "execute", Methods: map[string]*exo.Method{}}
	for _, c := range f.cols {
		row.Fields[c.guest] = &exo.Member{Type: c.exprType(), Doc: c.doc, Label: c.label}
		row.Order = append(row.Order, c.guest)
	}
	for _, l := range f.links {
		m := &exo.Method{Name: l.l.name, Doc: l.l.doc, Result: &exo.Term{Con: l.to.queryType()}}
		if l.l.one {
			m.Truth = existsMethod
		}
		for _, p := range l.l.pairs {
			// Following compares the keys: what a row shows then depends on them.
			m.Label = m.Label.Join(p.from.label).Join(p.to.label)
		}
		if l.l.one && m.Doc == "" {
			m.Doc = "at most one"
		}
		row.Methods[m.Name], q.Methods[m.Name] = m, m
		row.Order = append(row.Order, m.Name)
		q.Order = append(q.Order, m.Name)
	}
	for _, m := range sharedMethods() {
		q.Methods[m.Name] = m
		q.Order = append(q.Order, m.Name)
	}
	return []*exo.Interface{row, q}
}
