package message

// This file summarizes a catalogue: its labels, effects and sinks. exo uses the summary when it grants.

import (
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/value"
)

// Labels returns all tags that granted objects can give a run, without joining them: in a join, pii would include pii@member.
func (c Catalog) Labels() value.Label {
	var tags []string
	for _, i := range c {
		tags = append(tags, i.Label.Tags()...)
		for _, f := range i.Fields {
			tags = append(tags, f.Label.Tags()...)
		}
		for _, m := range i.Methods {
			tags = slices.Concat(tags, m.Label.Tags(), m.Reply.Tags(), m.Shows().Tags(), m.takes().Tags())
		}
	}
	return value.NewLabel(tags...)
}

// Admitted returns all tags that a method may let out or write, without joining them.
func (c Catalog) Admitted() value.Label {
	var tags []string
	for _, i := range c {
		for _, m := range i.Methods {
			tags = slices.Concat(tags, m.Admits.Tags(), m.Declassifies.Tags())
			for k := range m.Params {
				if w := m.Params[k].Want; w != nil {
					w.Con.fields(func(f *TypeField) { tags = append(tags, f.Admits.Tags()...) })
				}
			}
		}
	}
	return value.NewLabel(tags...)
}

// Leaves reports whether any method is a sink or has an effect. Otherwise only the result and the console leave a run.
func (c Catalog) Leaves() bool {
	for _, i := range c {
		for _, m := range i.Methods {
			if m.Sink || m.Effect != NoEffect {
				return true
			}
		}
	}
	return false
}

// FirstEffect names a method that changes something. It returns "" if there is none.
func (c Catalog) FirstEffect() string {
	for _, n := range c.Names() {
		for _, name := range slices.Sorted(maps.Keys(c[n].Methods)) {
			if c[n].Methods[name].Effect != NoEffect {
				return n + "." + name
			}
		}
	}
	return ""
}

// Seals joins the labels of all values that programs get sealed.
func (c Catalog) Seals() (l value.Label) {
	for _, i := range c {
		for _, f := range i.Fields {
			l = l.Join(f.Label)
		}
		for _, m := range i.Methods {
			l = l.Join(m.Shows())
		}
	}
	return l
}

// From names the interfaces, fields and methods that have values with a tag.
func (c Catalog) From(tag string) (out []string) {
	has := func(l value.Label) bool { return l.HasExactly(tag) }
	for _, n := range c.Names() {
		if has(c[n].Label) {
			name := n
			if by := c[n].LabelBy[tag]; by != nil {
				name += " by " + strings.Join(by, " and ")
			}
			out = append(out, name)
		}
		for _, f := range slices.Sorted(maps.Keys(c[n].Fields)) {
			if has(c[n].Fields[f].Label) {
				out = append(out, n+"."+f)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(c[n].Methods)) {
			if m := c[n].Methods[name]; has(m.Reply) || has(m.Label) || has(m.Shows()) || has(m.takes()) {
				out = append(out, n+"."+name)
			}
		}
	}
	return out
}

// FirstDeclassifier names a method that declassifies. It returns "" if there is none.
func (c Catalog) FirstDeclassifier() string {
	for _, n := range c.Names() {
		for _, name := range slices.Sorted(maps.Keys(c[n].Methods)) {
			if !c[n].Methods[name].Declassifies.Empty() {
				return n + "." + name
			}
		}
	}
	return ""
}

// partArgs names the type arguments that list the rows in a value: ns of a query or a group, over of a window.
var partArgs = []string{"ns", "over"}

// Method returns what name means on a value of type t: a method of its interface, a measure of the rows in the value, or nil.
// of names the parts with rows that have the measure. If there are several, the name is ambiguous.
func (c Catalog) Method(t *Type, name string) (m *Method, of []string) {
	i := c[t.Name]
	if i == nil || i.Expr || i.Methods[name] != nil || i.Fields[name] != nil {
		if i != nil {
			m = i.Methods[name]
		}
		return m, nil
	}
	for _, f := range c.parts(t) {
		if x := c[c[f.Type.Name].Many].Methods[name]; x != nil && x.Measure {
			m, of = x, append(of, f.Name)
		}
	}
	return m, of
}

// Measures returns the sorted names of all measures of the rows in a value of type t.
func (c Catalog) Measures(t *Type) (names []string) {
	for _, f := range c.parts(t) {
		for name, m := range c[c[f.Type.Name].Many].Methods {
			if m.Measure {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// parts returns the rows in a value of type t, if they have measures. A window of groups contains the rows of the groups.
func (c Catalog) parts(t *Type) (out []TypeField) {
	for _, name := range partArgs {
		if of := t.Args[name]; of != nil {
			for _, f := range of.Fields {
				if i := c[f.Type.Name]; i != nil && c[i.Many] != nil {
					out = append(out, f)
				} else if name != "ns" && f.Type.Args["ns"] != nil {
					out = append(out, c.parts(f.Type)...)
				}
			}
		}
	}
	return out
}

// Names returns the names of the interfaces, sorted, for printing.
func (c Catalog) Names() []string { return slices.Sorted(maps.Keys(c)) }

// GrantedName is one name that a program finds in its scope.
type GrantedName struct {
	Name string
	ID   uint32
	Type *Type
	Doc  string
}
