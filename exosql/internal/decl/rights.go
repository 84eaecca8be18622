package decl

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exosql/internal/language"
)

// Rights are what a program may change through a facet. The zero Rights are none.
type Rights struct {
	Insert  []*Column // the columns that a new row may be given; none: no row may be inserted
	Update  []*Column
	Delete  bool
	Effects []string // that a write may have besides: see exosql.Facet.AllowEffects
}

// Any reports whether anything may be changed.
func (r Rights) Any() bool { return len(r.Insert)+len(r.Update) > 0 || r.Delete }

// Allow adds rights.
func (f *Facet) Allow(r Rights) error {
	for _, cols := range [][]*Column{r.Insert, r.Update} {
		for _, c := range cols {
			if c == nil {
				return fmt.Errorf("exosql: facet %s: a Column that was not declared may not be written", f.Alias)
			}
			if !slices.Contains(f.Cols, c) {
				return fmt.Errorf("exosql: facet %s does not show the column %s, so programs can't write it: add it to the facet first", f.Alias, c.Name)
			}
		}
	}
	for _, c := range r.Update {
		if c.Key {
			return fmt.Errorf("exosql: facet %s: the key %s can't be changed: rows are found by it", f.Alias, c.Name)
		}
	}
	f.Rights.Insert = append(f.Rights.Insert, r.Insert...)
	f.Rights.Update = append(f.Rights.Update, r.Update...)
	f.Rights.Delete = f.Rights.Delete || r.Delete
	f.Rights.Effects = append(f.Rights.Effects, r.Effects...)
	return nil
}

// Writes reports whether anything can be changed through a facet or those that it leads to.
func (f *Facet) Writes() bool {
	reach, _ := f.Close()
	return slices.ContainsFunc(reach, func(g *Facet) bool { return g.Rights.Any() })
}

// writeMethods are the methods of the facet's queries that change something.
func (f *Facet) writeMethods() (out []*exo.Method) {
	r := f.Rights
	if len(r.Insert) > 0 {
		row := record(r.Insert, func(c *Column) bool { return true })
		out = append(out, f.labelled(r.Insert, language.InsertMethod(row)), f.labelled(r.Insert, language.InsertManyMethod(row)))
	}
	if len(r.Update) > 0 {
		out = append(out, f.labelled(r.Update, language.UpdateMethod(record(r.Update, func(*Column) bool { return true }))))
	}
	if r.Delete {
		out = append(out, language.DeleteMethod())
	}
	if len(r.Update) > 0 || r.Delete {
		out = append(out, language.AllMethod(), language.IfUnchangedMethod())
	}
	return out
}

// labelled is a write of these columns: that a rule of the database refuses it tells of the values that are there, and that a link
// from one of them leads nowhere, of those that it leads to.
func (f *Facet) labelled(cols []*Column, m *exo.Method) *exo.Method {
	for _, c := range cols {
		m.Label = m.Label.Join(c.Label.Secrecy())
	}
	for _, l := range f.Links {
		if slices.ContainsFunc(l.L.Pairs, func(p Pair) bool { return slices.Contains(cols, p.From) }) {
			for _, p := range l.L.Pairs {
				m.Label = m.Label.Join(p.To.Label.Secrecy())
			}
		}
	}
	return m
}

// record is the type of a plain object of columns.
func record(cols []*Column, opt func(*Column) bool) *exo.Type {
	t := &exo.Type{Name: exo.TypeRecord}
	for _, c := range cols {
		t.Fields = append(t.Fields, exo.TypeField{Name: c.Guest, Opt: opt(c), Trusted: c.Trust, Doc: c.Doc, Type: c.storedType()})
	}
	return t
}

// storedType is the type of what a column may be given.
func (c *Column) storedType() *exo.Type {
	t := &exo.Type{Name: c.Kind, Null: c.Null, Enum: c.Enum}
	if c.Kind == exo.TypeList {
		t.Args = map[string]*exo.Type{"of": {Name: c.Elem, Null: c.Nulls}}
	}
	return t
}
