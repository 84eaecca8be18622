package policy

import (
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Only returns an object that has only the named methods. The restriction also applies to interfaces of the
// object's kind that can be reached from it, and to methods that lead to one of them (links of rows). It
// also applies to what methods make of rows (groups), and to returned objects.
// A name that is a method of none of these interfaces is an error, so that a misspelt one is found. Fields stay.
func Only(o exo.Object, methods ...string) exo.Object {
	methods = slices.Clone(methods)
	return exo.Wrap(o, exo.Policy{Narrow: func(d *message.Description) error { return only(d, methods) }})
}

func only(d *message.Description, methods []string) error {
	root := d.Interface(d.Type.Name) // root is not nil: exo.Wrap has checked that it exists
	family := relatives(d, root)
	leads := func(m *message.Method) bool {
		return slices.ContainsFunc(m.Mentions(), func(n string) bool { return family[n] })
	}
	keep := map[string]bool{}
	for _, name := range methods {
		found := false
		for _, i := range d.Interfaces {
			if m := i.Methods[name]; m != nil && (family[i.Name] || leads(m)) {
				keep[m.Name], found = true, true
			}
		}
		if !found {
			return fmt.Errorf("policy: Only: %s has no method %q; it has %v", root.Name, name, root.Names())
		}
	}
	for _, i := range d.Interfaces {
		for name, m := range i.Methods {
			if !keep[m.Name] && (family[i.Name] || leads(m)) {
				delete(i.Methods, name)
			}
		}
	}
	return nil
}

// relatives returns root, the interfaces that root can be used as, and those that can be used as one of these.
func relatives(d *message.Description, root *message.Interface) map[string]bool {
	family := map[string]bool{root.Name: true}
	kinds := append([]string{root.Name}, root.Is...)
	for _, i := range d.Interfaces {
		for _, k := range kinds {
			if i.Name == k || slices.Contains(i.Is, k) {
				family[i.Name] = true
			}
		}
	}
	// A method can make values with additional fields from rows, like groups. Such values have the methods of the rows.
	for _, i := range d.Interfaces {
		for _, m := range i.Methods {
			if family[i.Name] {
				made(m.Result, family)
			}
		}
	}
	return family
}

// made adds to family the interfaces to which a term gives additional fields.
func made(t *message.Term, family map[string]bool) {
	if t == nil {
		return
	}
	if t.Own != nil {
		family[t.App] = true
	}
	made(t.Of, family)
	for _, a := range t.Args {
		made(a, family)
	}
	for _, x := range t.Ext {
		made(x, family)
	}
}
