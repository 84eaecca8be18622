package decl

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Facet is what a program may see of a table: columns, and links with the facets of the tables at their ends.
type Facet struct {
	mu       sync.Mutex
	frozen   bool
	Table    *Table
	Alias    string
	Cols     []*Column
	Links    []LinkMember
	Rights   Rights  // Rights are what programs may change
	Search   *Search // Search is nil if the rows can't be searched
	Measures []*Measure
	iface    string // iface is the name of a row's interface

	closed atomic.Pointer[group] // closed is nil until the facet is frozen
	own    made                  // own has what depends on this facet alone

	prepared  map[string]any                  // prepared has what Keep has stored, by the structure of grants
	described map[string][]*message.Interface // described has the interfaces, by the labels that rows reveal: see revealing
}

// LinkMember is a link that a facet shows.
type LinkMember struct {
	L  *Link
	To *Facet
}

// NewFacet begins a facet of a table.
func NewFacet(t *Table, alias string) (*Facet, error) {
	if scalar.ReservedName(alias) {
		return nil, fmt.Errorf("exosql: %q can't be the alias of a facet: want letters, digits, _ and $, no digit first, and not a word like then or constructor", alias)
	}
	if scalar.Keyword(alias) { // the tool's own examples name rows by the alias, and `class => class.name` does not parse
		return nil, fmt.Errorf("exosql: %q can't be the alias of a facet: it is a word of JavaScript, and programs call rows by the alias: use another, like %q", alias, alias+"Row")
	}
	f := &Facet{Table: t, Alias: alias, iface: strings.ToUpper(alias[:1]) + alias[1:]}
	if f.iface == value.TypeRow {
		f.iface += "Row"
	}
	for _, i := range language.SharedInterfaces() {
		if i.Name == f.iface || i.Name == f.iface+language.QueryInterface {
			f.iface += "Row" // for example, a row of the alias `text` would be called Text, like the interface of a text column
		}
	}
	f.own = made{query: sync.OnceValue(f.QueryType), interfaces: sync.OnceValue(func() []*message.Interface { return f.interfaces(nil) })}
	return f, nil
}

// Change calls the function add, which adds members, while no other goroutine changes the facet.
func (f *Facet) Change(add func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.frozen {
		return fmt.Errorf("exosql: facet %s is in use and can't be changed: add all members before the facet is granted", f.Alias)
	}
	return add()
}

// Members returns the columns and links that the facet shows so far.
func (f *Facet) Members() ([]*Column, []LinkMember) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.Cols), slices.Clone(f.Links)
}

func (f *Facet) taken(name string) bool {
	for _, c := range f.Cols {
		if c.Guest == name {
			return true
		}
	}
	for _, l := range f.Links {
		if l.L.Name == name {
			return true
		}
	}
	return f.Measure(name) != nil
}

// AddColumn makes the facet show a column.
func (f *Facet) AddColumn(c *Column) error {
	if c == nil || c.Guest == "" {
		return fmt.Errorf("exosql: facet %s: a column has no name that programs can use; give it one with %s", f.Alias, f.Table.Reader.As())
	}
	if c.Table != f.Table { // if two tables share a row type, the column would be read from the wrong table, without its label
		return fmt.Errorf("exosql: facet %s is of table %s, and column %s is of table %s: add columns of the facet's table", f.Alias, f.Table.Name, c.Name, c.Table.Name)
	}
	if f.taken(c.Guest) {
		return fmt.Errorf("exosql: facet %s has two members named %q: give one of them another name", f.Alias, c.Guest)
	}
	f.Cols = append(f.Cols, c)
	return nil
}

// AddLink makes the facet show a link, which programs follow to the facet to.
func (f *Facet) AddLink(l *Link, to *Facet) error {
	if l == nil || to == nil {
		return fmt.Errorf("exosql: facet %s: Via needs a link and a facet", f.Alias)
	}
	if l.From != f.Table || l.To != to.Table {
		return fmt.Errorf("exosql: link %s leads from table %s to %s, but was given facet %s of table %s and facet %s of table %s: use facets of the link's tables", l.Name, l.From.Name, l.To.Name, f.Alias, f.Table.Name, to.Alias, to.Table.Name)
	}
	if f.taken(l.Name) {
		return fmt.Errorf("exosql: facet %s has two members named %q: give one of them another name", f.Alias, l.Name)
	}
	f.Links = append(f.Links, LinkMember{l, to})
	return nil
}

// Column returns the column that programs know by this name, or nil if the facet shows none.
func (f *Facet) Column(name string) *Column {
	for _, c := range f.Cols {
		if c.Guest == name {
			return c
		}
	}
	return nil
}

// Link returns the link with this name, or nil if the facet shows none.
func (f *Facet) Link(name string) *LinkMember {
	for i := range f.Links {
		if f.Links[i].L.Name == name {
			return &f.Links[i]
		}
	}
	return nil
}

// maxKept bounds the structures of grants that a facet keeps. A host has a few; if it has more,
// some are prepared again.
const maxKept = 16

// Kept returns what Keep has stored for grants of this structure, or nil if nothing is stored.
func (f *Facet) Kept(structure []byte) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.prepared[string(structure)]
}

// Keep stores what was made for grants of this structure. All of them share made, so it must contain no value of a grant.
func (f *Facet) Keep(structure []byte, made any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.prepared == nil {
		f.prepared = map[string]any{}
	}
	for k := range f.prepared {
		if len(f.prepared) < maxKept {
			break
		}
		delete(f.prepared, k)
	}
	f.prepared[string(structure)] = made
}

// made is what depends on a frozen facet alone, and is made once. So two objects that reach one
// facet have the same interfaces, at the same address. It must not be changed.
type made struct {
	query      func() *message.Type
	interfaces func() []*message.Interface
}

// QueryType returns the type of an unrestricted query of the facet's rows.
func (f *Facet) QueryType() *message.Type {
	row := &message.Type{Name: f.iface}
	return &message.Type{Name: f.iface + language.QueryInterface, Args: map[string]*message.Type{
		"ns": {Name: value.TypeRecord, Fields: []message.TypeField{{Name: f.Alias, Type: row}}}, "row": row,
	}}
}

// interfaces makes the two interfaces of a facet: its row and its query. The query has the facet's
// links too, so that programs can follow them without a join.
func (f *Facet) interfaces(rows Rows) []*message.Interface {
	row := &message.Interface{Name: f.iface, Doc: "one " + f.Alias, Is: []string{value.TypeRow}, Words: language.RowWords(), Fields: map[string]*message.Property{}, Methods: map[string]*message.Method{}}
	q := &message.Interface{Name: f.iface + language.QueryInterface, Doc: "a query of " + f.Alias, Is: []string{language.QueryInterface}, Await: "execute", Words: language.QueryWords(), Label: rows.label(f.Table), Methods: map[string]*message.Method{}}
	for _, x := range rows[f.Table] {
		for _, tag := range x.Label.Tags() {
			if q.LabelBy == nil {
				q.LabelBy = map[string][]string{}
			}
			q.LabelBy[tag] = append(q.LabelBy[tag], x.Name)
		}
	}
	for _, c := range f.Cols {
		row.Fields[c.Guest] = &message.Property{Type: c.exprType(), Doc: c.doc(), Label: c.Label}
		row.Order = append(row.Order, c.Guest)
	}
	for _, l := range f.Links {
		m := &message.Method{Name: l.L.Name, Doc: l.L.Doc, Result: &message.Term{Con: l.To.own.query()}}
		if l.L.One {
			m.Truth = language.ExistsMethod
		}
		for _, p := range l.L.Pairs {
			// Following a link compares its keys, so what a row shows depends on them.
			m.Label = m.Label.Join(p.From.Label).Join(p.To.Label)
		}
		if l.L.One && m.Doc == "" {
			m.Doc = "at most one"
		}
		row.Methods[m.Name], q.Methods[m.Name] = m, m
		row.Order = append(row.Order, m.Name)
		q.Order = append(q.Order, m.Name)
	}
	f.measuring(row, q)
	if m := f.recursive(); m != nil {
		q.Methods[m.Name] = m
		q.Order = append(q.Order, m.Name)
	}
	f.searching(row, q)
	for _, m := range language.SharedMethods() {
		q.Methods[m.Name] = m
		if language.Declared(m) {
			q.Order = append(q.Order, m.Name)
		}
	}
	for _, m := range f.writeMethods(rows) {
		q.Methods[m.Name] = m
		q.Order = append(q.Order, m.Name)
	}
	return []*message.Interface{row, q}
}
