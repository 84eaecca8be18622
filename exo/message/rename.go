package message

// This file makes complete copies of declarations, with other names for some interfaces. narrow.go uses it to rename.

import (
	"maps"
	"slices"
)

// renamer copies types, terms and interfaces completely, with other names for some interfaces.
type renamer struct {
	to    map[string]string
	visit func(name string) // a function that is called with every name; may be nil
}

func (r renamer) name(n string) string {
	if r.visit != nil {
		r.visit(n)
	}
	if t, ok := r.to[n]; ok {
		return t
	}
	return n
}

func (r renamer) typ(t *Type) *Type {
	if t == nil {
		return nil
	}
	c := *t
	c.Name, c.Enum = r.name(t.Name), slices.Clone(t.Enum)
	if t.Args != nil {
		c.Args = make(map[string]*Type, len(t.Args))
		for k, a := range t.Args {
			c.Args[k] = r.typ(a)
		}
	}
	c.Fields = slices.Clone(t.Fields)
	for i := range c.Fields {
		c.Fields[i].Type = r.typ(c.Fields[i].Type)
	}
	return &c
}

func (r renamer) term(t *Term) *Term {
	if t == nil {
		return nil
	}
	c := *t
	c.Con, c.Of, c.Own = r.typ(t.Con), r.term(t.Of), r.term(t.Own)
	if t.App != "" {
		c.App = r.name(t.App)
	}
	c.Ext, c.Wide = slices.Clone(t.Ext), slices.Clone(t.Wide)
	for i, x := range t.Ext {
		c.Ext[i] = r.term(x)
	}
	for i, x := range t.Wide {
		c.Wide[i] = r.term(x)
	}
	if t.To != nil {
		c.To = make(map[string]string, len(t.To))
		for k, n := range t.To {
			c.To[k] = r.name(n)
		}
	}
	if t.Args != nil {
		c.Args = make(map[string]*Term, len(t.Args))
		for k, a := range t.Args {
			c.Args[k] = r.term(a)
		}
	}
	return &c
}

func (r renamer) method(m *Method) *Method {
	c := *m
	c.Params = slices.Clone(m.Params)
	for i := range c.Params {
		c.Params[i].Want, c.Params[i].Lambda = r.term(c.Params[i].Want), r.term(c.Params[i].Lambda)
	}
	c.Result, c.Nested = r.term(m.Result), r.term(m.Nested)
	return &c
}

// iface copies an interface. Names that share a method in the original share one in the copy.
func (r renamer) iface(i *Interface) *Interface {
	c := *i
	c.Name, c.Is, c.Order, c.Words = r.name(i.Name), slices.Clone(i.Is), slices.Clone(i.Order), slices.Clone(i.Words)
	if i.Many != "" {
		c.Many = r.name(i.Many)
	}
	for n, k := range i.Is {
		c.Is[n] = r.name(k)
	}
	if i.Fields != nil {
		c.Fields = make(map[string]*Property, len(i.Fields))
	}
	for n, m := range i.Fields {
		if c.Fields[n] = nil; m != nil {
			f := *m
			f.Type = r.typ(m.Type)
			c.Fields[n] = &f
		}
	}
	if i.Methods != nil {
		c.Methods = make(map[string]*Method, len(i.Methods))
	}
	done := map[*Method]*Method{}
	for n, m := range i.Methods {
		if done[m] == nil {
			done[m] = r.method(m)
		}
		c.Methods[n] = done[m]
	}
	return &c
}

// names returns the interfaces that a declaration names, except those that need no description. visit copies the declaration with the given renamer.
func names(visit func(renamer)) map[string]bool {
	set := map[string]bool{}
	visit(renamer{visit: func(n string) {
		if n != "" && !undescribed(n) {
			set[n] = true
		}
	}})
	return set
}

// mentions returns the interfaces named in i.Is and i.Many, and those that i's field types and methods name.
func (i *Interface) mentions() map[string]bool {
	return names(func(r renamer) {
		for _, k := range append(slices.Clip(i.Is), i.Many) {
			r.name(k)
		}
		for _, f := range i.Fields {
			if f != nil {
				r.typ(f.Type)
			}
		}
		for _, m := range i.Methods {
			r.method(m)
		}
	})
}

// Mentions lists the interfaces that a method's parameters and its result name, sorted. A policy
// that removes one of them may have to remove the method, too.
func (m *Method) Mentions() []string {
	return slices.Sorted(maps.Keys(names(func(r renamer) { r.method(m) })))
}
