package decl

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/language"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Facet is what a program may see of a table: columns, and links with the facets of their targets.
type Facet struct {
	mu     sync.Mutex
	frozen bool
	err    error
	Table  *Table
	Alias  string
	Cols   []*Column
	Links  []LinkMember
	Rights Rights  // what programs may change
	Search *Search // nil: its rows can't be searched
	iface  string  // the name of the row's interface
	freeze sync.Once
	reach  []*Facet // every facet that can be reached, itself first
	desc   func() exo.Description

	prepared  map[string]any             // by the structure of grants: see Kept
	described map[string]exo.Description // by what rows reveal: see Describe
}

// LinkMember is a link that a facet shows.
type LinkMember struct {
	L  *Link
	To *Facet
}

// NewFacet begins a facet of a table.
func NewFacet(t *Table, alias string) (*Facet, error) {
	if scalar.ReservedName(alias) {
		return nil, fmt.Errorf("exosql: %q can't be the alias of a facet", alias)
	}
	if scalar.Keyword(alias) { // the tool's own examples name rows by it: `class => class.name` does not parse
		return nil, fmt.Errorf("exosql: %q can't be the alias of a facet: it is a word of the language, and programs name a row by it; name it otherwise, as %q", alias, alias+"Row")
	}
	f := &Facet{Table: t, Alias: alias, iface: strings.ToUpper(alias[:1]) + alias[1:]}
	if f.iface == exo.TypeRow {
		f.iface += "Row"
	}
	for _, i := range language.SharedInterfaces() {
		if i.Name == f.iface || i.Name == f.iface+language.QueryInterface {
			f.iface += "Row" // the alias `text` would name its row like the column interface Text
		}
	}
	return f, nil
}

// Change runs add, which adds members, while nobody else does.
func (f *Facet) Change(add func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.frozen {
		return fmt.Errorf("exosql: facet %s is in use and can't be changed", f.Alias)
	}
	return add()
}

// Members are what the facet shows so far.
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
	return false
}

// AddColumn shows a column.
func (f *Facet) AddColumn(c *Column) error {
	if c == nil || c.Guest == "" {
		return fmt.Errorf("exosql: facet %s: a column has no name that programs can use; give it one with Named", f.Alias)
	}
	if c.Table != f.Table { // two tables of one row type: it would be read of the wrong one, without its label
		return fmt.Errorf("exosql: facet %s is of table %s, and column %s of table %s", f.Alias, f.Table.Name, c.Name, c.Table.Name)
	}
	if f.taken(c.Guest) {
		return fmt.Errorf("exosql: facet %s has two members named %q", f.Alias, c.Guest)
	}
	f.Cols = append(f.Cols, c)
	return nil
}

// AddLink shows a link, which programs follow to another facet.
func (f *Facet) AddLink(l *Link, to *Facet) error {
	if l == nil || to == nil {
		return fmt.Errorf("exosql: facet %s: Via of nothing", f.Alias)
	}
	if l.From != f.Table || l.To != to.Table {
		return fmt.Errorf("exosql: the link %s leads from table %s to %s, and was put into facet %s of %s with facet %s of %s", l.Name, l.From.Name, l.To.Name, f.Alias, f.Table.Name, to.Alias, to.Table.Name)
	}
	if f.taken(l.Name) {
		return fmt.Errorf("exosql: facet %s has two members named %q", f.Alias, l.Name)
	}
	f.Links = append(f.Links, LinkMember{l, to})
	return nil
}

// Column finds a column by its name in programs.
func (f *Facet) Column(name string) *Column {
	for _, c := range f.Cols {
		if c.Guest == name {
			return c
		}
	}
	return nil
}

// Link finds a link by its name.
func (f *Facet) Link(name string) *LinkMember {
	for i := range f.Links {
		if f.Links[i].L.Name == name {
			return &f.Links[i]
		}
	}
	return nil
}

// Close collects every facet that can be reached and freezes them all.
func (f *Facet) Close() ([]*Facet, error) {
	f.freeze.Do(func() {
		seen := map[*Facet]bool{}
		byAlias := map[string]*Facet{}
		var visit func(*Facet)
		visit = func(g *Facet) {
			if seen[g] {
				return
			}
			seen[g] = true
			f.reach = append(f.reach, g)
			g.mu.Lock()
			g.frozen = true
			links := g.Links
			g.mu.Unlock()
			if h := byAlias[g.Alias]; h != nil && f.err == nil {
				f.err = fmt.Errorf("exosql: two facets have the alias %q", g.Alias)
			}
			byAlias[g.Alias] = g
			if len(g.Table.Keys) == 0 && !g.Table.Keyless && f.err == nil {
				f.err = fmt.Errorf("exosql: table %s has no key: declare it with NewKey, so that orders are total; Table.Keyless if nothing makes its rows unique", g.Table.Name)
			}
			for _, k := range g.Table.Keys {
				if !k.Label.Secrecy().Public() && f.err == nil {
					// Keys break ties: with limit and offset their order shows, without a label.
					f.err = fmt.Errorf("exosql: the key %s.%s is labelled: the order of keys shows in every limit; use another key", g.Table.Name, k.Name)
				}
			}
			for _, err := range []error{g.searchable(), g.readable()} {
				if err != nil && f.err == nil {
					f.err = err
				}
			}
			if len(g.Cols) == 0 && f.err == nil {
				f.err = fmt.Errorf("exosql: facet %s shows no column", g.Alias)
			}
			for _, l := range links {
				visit(l.To)
			}
		}
		visit(f)
		f.desc = sync.OnceValue(func() exo.Description { return f.describe(nil) })
	})
	return f.reach, f.err
}

// Rows is what rows reveal by being in the scope of a grant, by their table: see exosql/internal/scope.Grant.Reveals.
type Rows map[*Table][]Revealed

// label is the label of whoever asks anything of a table: of its rows' existence, and of what they reveal by being in scope.
func (r Rows) label(t *Table) exo.Label {
	l := t.Label
	for _, x := range r[t] {
		l = l.Join(x.Label)
	}
	return l
}

// Describe is the catalogue of all that can be reached, where rows reveal that. It is made of declarations, which are
// frozen, so all objects of the facet whose grants have one structure have one: it must not be changed.
func (f *Facet) Describe(rows Rows) (exo.Description, error) {
	if _, err := f.Close(); err != nil {
		return exo.Description{}, err
	}
	var key []byte
	for _, g := range f.reach {
		for _, x := range rows[g.Table] {
			key = fmt.Appendf(key, "%d %q %v;", g.Table.ID, x.Name, x.Label)
		}
	}
	if key == nil {
		return f.desc(), nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.described[string(key)]
	if !ok {
		if d = f.describe(rows); len(f.described) < maxKept {
			if f.described == nil {
				f.described = map[string]exo.Description{}
			}
			f.described[string(key)] = d
		}
	}
	return d, nil
}

func (f *Facet) describe(rows Rows) exo.Description {
	d := exo.Description{Type: f.queryType(), Interfaces: slices.Clone(language.SharedInterfaces()), Frozen: true}
	for _, g := range f.reach {
		d.Interfaces = append(d.Interfaces, g.interfaces(rows)...)
	}
	d.Interfaces = slices.Clip(d.Interfaces)
	return d
}

// maxKept is how many structures of grants a facet keeps: a host has a few, and one that
// makes each grant of another structure pays for it.
const maxKept = 16

// Kept is what was kept for grants of this structure, or nil.
func (f *Facet) Kept(structure []byte) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.prepared[string(structure)]
}

// Keep keeps what was made of grants of this structure. It must have no value of them.
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

// queryType is the type of an unrestricted query of the facet's rows.
func (f *Facet) queryType() *exo.Type {
	row := &exo.Type{Name: f.iface}
	return &exo.Type{Name: f.iface + language.QueryInterface, Args: map[string]*exo.Type{
		"ns": {Name: exo.TypeRecord, Fields: []exo.TypeField{{Name: f.Alias, Type: row}}}, "row": row,
	}}
}

// interfaces makes the two interfaces of a facet: its row, and its query, which
// has the links as well so that they can be walked without a join.
func (f *Facet) interfaces(rows Rows) []*exo.Interface {
	row := &exo.Interface{Name: f.iface, Doc: "one " + f.Alias, Is: []string{exo.TypeRow}, Words: language.RowWords(), Fields: map[string]*exo.Property{}, Methods: map[string]*exo.Method{}}
	q := &exo.Interface{Name: f.iface + language.QueryInterface, Doc: "a query of " + f.Alias, Is: []string{language.QueryInterface}, Await: "execute", Words: language.QueryWords(), Label: rows.label(f.Table), Methods: map[string]*exo.Method{}}
	for _, x := range rows[f.Table] {
		for _, tag := range x.Label.Tags() {
			if q.LabelBy == nil {
				q.LabelBy = map[string][]string{}
			}
			q.LabelBy[tag] = append(q.LabelBy[tag], strings.TrimPrefix(x.Name, "tells "))
		}
	}
	for _, c := range f.Cols {
		row.Fields[c.Guest] = &exo.Property{Type: c.exprType(), Doc: c.Doc, Label: c.Label}
		row.Order = append(row.Order, c.Guest)
	}
	for _, l := range f.Links {
		m := &exo.Method{Name: l.L.Name, Doc: l.L.Doc, Result: &exo.Term{Con: l.To.queryType()}}
		if l.L.One {
			m.Truth = language.ExistsMethod
		}
		for _, p := range l.L.Pairs {
			// Following compares the keys: what a row shows then depends on them.
			m.Label = m.Label.Join(p.From.Label).Join(p.To.Label)
		}
		if l.L.One && m.Doc == "" {
			m.Doc = "at most one"
		}
		row.Methods[m.Name], q.Methods[m.Name] = m, m
		row.Order = append(row.Order, m.Name)
		q.Order = append(q.Order, m.Name)
	}
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
	return []*exo.Interface{row, q}
}
