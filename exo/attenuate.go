package exo

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
)

// Only returns an object that has no methods but those named, and whose results
// have no others either: the same is done to every interface of its kind that
// can be reached from it, to methods of others that lead to one of these (the
// links of rows), and to the objects that its methods return. Naming a method
// that none of them has is an error, so that a misspelt restriction is found.
// Fields stay.
func Only(o Object, methods ...string) Object {
	a := &only{inner: o, methods: methods}
	a.restricted = sync.OnceValues(a.restrict)
	return a
}

type only struct {
	inner      Object
	methods    []string
	restricted func() (*restriction, error)
}

// restriction is what Only makes of an object's description.
type restriction struct {
	Description
	full   Catalog
	rename renamer
}

func (o *only) unwrap() (Object, <-chan struct{}, error) { return o.inner, nil, nil }

func (o *only) rewrap(result Object) Object { return &ledTo{inner: result, by: o} }

func (o *only) Eval(ctx context.Context, m *Message) (Value, error) { return Value{}, errNotPeeled }

var errNotPeeled = errors.New("exo: a wrapper answers through a Session only")

func (o *only) Describe() (Description, error) {
	r, err := o.restricted()
	if err != nil {
		return Description{}, err
	}
	return r.Description, nil
}

// ledTo is an object that a message to a restricted one returned.
type ledTo struct {
	inner Object
	by    *only
}

func (o *ledTo) unwrap() (Object, <-chan struct{}, error) { return o.inner, nil, nil }

func (o *ledTo) rewrap(result Object) Object { return &ledTo{inner: result, by: o.by} }

func (o *ledTo) Eval(ctx context.Context, m *Message) (Value, error) { return Value{}, errNotPeeled }

func (o *ledTo) Describe() (Description, error) {
	d, err := o.inner.Describe()
	if err != nil {
		return Description{}, err
	}
	r, err := o.by.restricted()
	if err != nil {
		return Description{}, err
	}
	for _, i := range d.Interfaces {
		if !sameInterface(i, r.full[i.Name]) {
			return Description{}, fmt.Errorf("exo: an object that Only led to has another idea of interface %s", i.Name)
		}
	}
	return Description{Type: r.rename.typ(d.Type), Interfaces: r.Interfaces, Doc: d.Doc}, nil
}

func (o *only) restrict() (*restriction, error) {
	if o.inner == nil {
		return nil, errors.New("exo: Only of a nil object")
	}
	d, err := o.inner.Describe()
	if err != nil {
		return nil, err
	}
	cat := Catalog{}
	if err := cat.merge(d); err != nil {
		return nil, fmt.Errorf("exo: Only: %w", err)
	}
	root := cat[d.Type.Name]
	family := map[string]bool{root.Name: true}
	for _, i := range d.Interfaces {
		for _, k := range append(slices.Clone(root.Is), root.Name) {
			if i.is(k) || slices.Contains(root.Is, i.Name) {
				family[i.Name] = true
			}
		}
	}
	keep := map[string]bool{}
	for _, n := range o.methods {
		found := false
		for _, i := range d.Interfaces {
			if m := i.Methods[n]; m != nil && (family[i.Name] || mentions(m, family)) {
				keep[m.Name], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("exo: Only: %s has no method %q; it has %v", root.Name, n, root.Names())
		}
	}
	// Every interface of its kind gets a name of its own, so that one session can
	// hold both forms side by side; and so does every interface that leads to such
	// a one by any number of steps, or it would lead to the full form.
	h := fnv.New32a()
	for _, n := range slices.Sorted(maps.Keys(keep)) {
		h.Write([]byte(n + ","))
	}
	suffix := fmt.Sprintf("_%x", h.Sum32())
	leads := maps.Clone(family)
	for n := 0; n != len(leads); {
		n = len(leads)
		for _, i := range d.Interfaces {
			if !leads[i.Name] && mentionsAny(i, leads) {
				leads[i.Name] = true
			}
		}
	}
	r := renamer{to: map[string]string{}}
	for n := range leads {
		r.to[n] = n + suffix
	}
	out := &restriction{Description: Description{Type: r.typ(d.Type), Doc: d.Doc}, full: cat, rename: r}
	for _, i := range d.Interfaces {
		if leads[i.Name] {
			i = r.restrict(i, func(m *Method) bool { return keep[m.Name] || !family[i.Name] && !mentions(m, family) })
		}
		out.Interfaces = append(out.Interfaces, i)
	}
	return out, nil
}

// restrict is i under its new name, without the methods that are not kept.
func (r renamer) restrict(i *Interface, keep func(*Method) bool) *Interface {
	n := *i
	n.Name = r.name(i.Name)
	n.Is = nil
	for _, k := range i.Is {
		n.Is = append(n.Is, r.name(k))
	}
	n.Fields = map[string]*Member{}
	for k, m := range i.Fields {
		c := *m
		c.Type = r.typ(m.Type)
		n.Fields[k] = &c
	}
	n.Methods = map[string]*Method{}
	done := map[*Method]*Method{}
	for k, m := range i.Methods {
		if !keep(m) {
			continue
		}
		if done[m] == nil {
			done[m] = r.method(m)
		}
		n.Methods[k] = done[m]
	}
	n.Order = slices.DeleteFunc(slices.Clone(i.Order), func(s string) bool { return n.Fields[s] == nil && n.Methods[s] == nil })
	if n.Methods[n.Await] == nil {
		n.Await = ""
	}
	if n.Methods[n.Call] == nil {
		n.Call = ""
	}
	return &n
}

// mentions reports whether a method takes or gives something of the family.
func mentions(m *Method, family map[string]bool) bool {
	seen := false
	renamer{visit: func(n string) { seen = seen || family[n] }}.method(m)
	return seen
}

func mentionsAny(i *Interface, family map[string]bool) bool {
	seen := false
	r := renamer{visit: func(n string) { seen = seen || family[n] }}
	for _, m := range i.Methods {
		r.method(m)
	}
	for _, f := range i.Fields {
		r.typ(f.Type)
	}
	for _, k := range i.Is {
		r.name(k)
	}
	return seen
}

// renamer rewrites the interface names in types and terms.
type renamer struct {
	to    map[string]string
	visit func(name string) // if set, told of every name
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
	c.Name = r.name(t.Name)
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
	c.Con, c.Of = r.typ(t.Con), r.term(t.Of)
	if t.App != "" {
		c.App = r.name(t.App)
	}
	c.Ext, c.Wide = nil, nil
	for _, x := range t.Ext {
		c.Ext = append(c.Ext, r.term(x))
	}
	for _, x := range t.Wide {
		c.Wide = append(c.Wide, r.term(x))
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
	c.Result = r.term(m.Result)
	return &c
}
