package message

// This file makes the description of an object that a policy narrows. Interfaces that change get new names.

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Narrowing is an object's description as a policy narrowed it.
type Narrowing struct {
	Description
	full   Catalog // the interfaces of the object itself
	rename renamer
	gone   map[string]bool // the interfaces that the policy deleted
}

// Narrow lets f change a copy of the description d, and compares the result with d. refuse may reject the result.
func Narrow(d Description, f func(*Description) error, refuse func(met Description) error) (*Narrowing, error) {
	n := &Narrowing{full: Catalog{}, gone: map[string]bool{}}
	if err := n.full.Merge(d); err != nil {
		return nil, fmt.Errorf("exo: Wrap: %w", err)
	}
	want := d.Clone()
	if err := f(&want); err != nil {
		return nil, err
	}
	met, changed, err := d.meet(want)
	if err != nil {
		return nil, fmt.Errorf("exo: a policy of %s may only narrow its description: %w", d.Type.Name, err)
	}
	if err := refuse(met); err != nil {
		return nil, err
	}
	for _, i := range d.Interfaces {
		if met.Interface(i.Name) == nil {
			n.gone[i.Name] = true
		}
	}
	n.rename = met.rename(changed)
	n.Description = Description{Type: n.rename.typ(d.Type), Doc: met.Doc}
	for _, i := range met.Interfaces {
		if n.rename.to[i.Name] != "" {
			i = n.rename.iface(i)
		}
		n.Interfaces = append(n.Interfaces, i)
	}
	return n, nil
}

// Of narrows d, the description of the wrapped object or of an object that it returned. A returned
// object describes itself anew. If that description has members that the policy never saw, Of refuses
// the object, since the policy did not narrow these members.
func (n *Narrowing) Of(d Description) (Description, error) {
	if d.Type == nil || n.full[d.Type.Name] == nil {
		return Description{}, fmt.Errorf("exo: a wrapped object returned an object of type %s, which its Description does not list: add that interface to Description.Interfaces", d.Type)
	}
	for _, i := range d.Interfaces {
		if !SameInterface(i, n.full[i.Name]) {
			return Description{}, fmt.Errorf("exo: the interface %s has changed since exo.Wrap got the object: Describe must always return the same", i.Name)
		}
	}
	for name := range names(func(r renamer) { r.typ(d.Type) }) {
		if n.gone[name] { // refused here, since the gate's catalogue may have the full interface under this name
			return Description{}, fmt.Errorf("exo: a wrapped object returned a %s, which its policy removed: keep that interface in Narrow, or also remove the method that returned it", name)
		}
	}
	return Description{Type: n.rename.typ(d.Type), Interfaces: n.Interfaces, Doc: d.Doc}, nil
}

// rename gives a new name to each changed interface, and to each that refers to one in any number of steps.
// It also renames each kind that admits a changed one: otherwise a program could pass the changed one in
// place of the full form.
func (d Description) rename(changed map[string]bool) renamer {
	r := renamer{to: map[string]string{}}
	if len(changed) == 0 {
		return r
	}
	all := maps.Clone(changed)
	leads := map[string]map[string]bool{}
	for _, i := range d.Interfaces {
		leads[i.Name] = i.mentions()
	}
	for n := 0; n != len(all); {
		n = len(all)
		for _, i := range d.Interfaces {
			for m := range leads[i.Name] {
				if all[m] {
					all[i.Name] = true
				}
			}
			for _, k := range i.Is {
				if all[i.Name] && leads[k] != nil {
					all[k] = true
				}
			}
		}
	}
	for n := range all {
		r.to[n] = n + "_" + d.suffix(n, leads, all)
	}
	return r
}

// suffix returns a digest of a narrowed interface and of all interfaces that it refers to. It
// depends on nothing else of the object. So two objects that share kinds and are narrowed alike
// still share them, and their queries can be joined to each other.
func (d Description) suffix(name string, leads map[string]map[string]bool, narrowed map[string]bool) string {
	reach := map[string]bool{name: true}
	for n := 0; n != len(reach); {
		n = len(reach)
		for from := range maps.Clone(reach) {
			for to := range leads[from] {
				if narrowed[to] {
					reach[to] = true
				}
			}
		}
	}
	h := sha256.New()
	for _, n := range slices.Sorted(maps.Keys(reach)) {
		digest(h, reflect.ValueOf(*d.Interface(n)))
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:4])
}

// digest writes all of v, with its labels, in one unique form. It reads the fields by reflection,
// so that it can't miss one that is added to Interface later. Two different interfaces with one
// digest would get one name.
func digest(h hash.Hash, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			io.WriteString(h, "nil;")
			return
		}
		digest(h, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fmt.Fprintf(h, "%s:", v.Type().Field(i).Name)
			digest(h, v.Field(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		fmt.Fprintf(h, "%d{", len(keys))
		for _, k := range keys {
			digest(h, k)
			digest(h, v.MapIndex(k))
		}
	case reflect.Slice:
		fmt.Fprintf(h, "%d[", v.Len())
		for i := range v.Len() {
			digest(h, v.Index(i))
		}
	default:
		fmt.Fprintf(h, "%#v;", v)
	}
}
