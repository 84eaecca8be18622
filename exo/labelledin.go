package exo

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// LabelledColumn is a labelled field that a message shows, and the name under which it does.
type LabelledColumn struct {
	Name, As string
	Label    Label
}

// maxColumns is how many columns an origin keeps.
const maxColumns = 64

// LabelledIn lists the labelled fields that a message uses, and those of what it gives.
func (c Catalog) LabelledIn(root *Node) (out []LabelledColumn) {
	seen := map[*Node]bool{}
	add := func(name, as string, l Label) {
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
