package message

// This file finds the labels of replies in their types: which values are shown, and from which columns.

import (
	"cmp"
	"github.com/exoagent/exoagent/exo/value"
	"maps"
	"slices"
	"strings"
)

// IntegrityShown joins the integrity tags of what a reply of type t shows unsealed, in a run that
// has the label open. Sealed values in the reply don't count, since they are not read.
func (c Catalog) IntegrityShown(t *Type, open value.Label) value.Label {
	if !t.Label.Secrecy().FlowsTo(open) {
		return value.Label{}
	}
	l := t.Label.Integrity()
	switch i := c[t.Name]; {
	case t.Name == value.TypeList:
		if of := t.Args["of"]; of != nil {
			l = l.Join(c.IntegrityShown(of, open))
		}
	case t.Name == value.TypeRecord:
		for _, f := range t.Fields {
			l = l.Join(c.IntegrityShown(labelled(f.Type, f.Label), open))
		}
	case i != nil && !i.Expr:
		for name := range i.Fields {
			l = l.Join(c.IntegrityShown(c.FieldType(t, name), open))
		}
		l = l.Join(c.argsShow(t).Integrity())
	default:
		l = l.Join(c.Shows(t).Integrity())
	}
	return l
}

// FieldType returns the type of a field of a record of type t, with its label; nil if there is no such field.
func (c Catalog) FieldType(t *Type, name string) *Type {
	if i := c[t.Name]; i != nil {
		if p := i.Fields[name]; p != nil {
			return labelled(p.Type, p.Label)
		}
	}
	for k := range t.Fields {
		if f := &t.Fields[k]; f.Name == name {
			return labelled(f.Type, f.Label)
		}
	}
	return nil
}

// labelled returns a copy of t, with l joined to the label of what it shows.
func labelled(t *Type, l value.Label) *Type {
	if l.FlowsTo(t.Label) {
		return t
	}
	c := *t
	c.Label = t.Label.Join(l)
	return &c
}

// ShownType returns the name of the type of the values that an expression of type t shows.
func ShownType(c Catalog, t *Type) string {
	if i := c[t.Name]; i != nil && i.Expr && t.Args["of"] != nil {
		t = t.Args["of"]
	}
	if value.Sealable(t.Name) {
		return t.Name
	}
	return value.TypeData
}

// LabelledColumn is a labelled field that a message shows, with the name that the message gives it.
type LabelledColumn struct {
	Name, As string
	Label    value.Label
}

// maxColumns is the most columns that LabelledIn lists.
const maxColumns = 64

// LabelledIn lists the labelled fields that a message uses, and those of its result.
func (c Catalog) LabelledIn(root *Node) (out []LabelledColumn) {
	seen := map[*Node]bool{}
	add := func(name, as string, l value.Label) {
		if !l.Empty() && len(out) < maxColumns {
			out = append(out, LabelledColumn{name, as, l})
		}
	}
	var use func(n *Node, as string)
	use = func(n *Node, as string) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Op == OpField && n.Recv.Type != nil {
			if i := c[n.Recv.Type.Name]; i != nil && i.Fields[n.Name] != nil {
				add(i.Name+"."+n.Name, strings.Clone(cmp.Or(as, n.Name)), i.Fields[n.Name].Label)
			}
		}
		use(n.Recv, "")
		for k, a := range n.Args {
			switch {
			case n.Op == OpRecord:
				use(a, n.Names[k])
			default:
				use(a, as)
			}
		}
	}
	use(root, "")
	var shows func(t *Type)
	shows = func(t *Type) {
		if t == nil {
			return
		}
		if i := c[t.Name]; i != nil && !i.Expr {
			for _, name := range slices.Sorted(maps.Keys(i.Fields)) {
				add(i.Name+"."+name, name, i.Fields[name].Label)
			}
		}
		for _, f := range t.Fields {
			add(f.Name, f.Name, f.Label)
			shows(f.Type)
		}
		for name, of := range t.Args {
			if name != "ns" && name != ShownArg {
				shows(of)
			}
		}
	}
	shows(root.Type)
	return out
}
