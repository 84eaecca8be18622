package exo

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
)

// origins say of the sealed values of a run by which messages they were given, for Cause. Of a message they keep what Given says of it, and
// nothing by which anything is decided.
type origins struct {
	by     []origin
	fields []string // that the values were in, by the numbers of those
}

type origin struct {
	first   uint64 // of its values
	given   Given
	columns []labelledColumn
}

// labelledColumn is a labelled field that a message shows, and the name under which it does.
type labelledColumn struct {
	name, as string
	label    Label
}

// maxColumns is how many columns an origin keeps.
const maxColumns = 64

// add notes where the values that the reply of e holds come from, of which first is the first. s.mu is held.
func (o *origins) add(s *Session, e *pending, first uint64) {
	if len(e.shows.cells) == 0 {
		return
	}
	o.by = append(o.by, origin{first, Given{Call: e.id, Pos: e.pos, Op: s.opName(e.root)}, s.gate.catalog.labelledIn(e.root)})
	o.fields = append(o.fields, e.shows.fields...)
}

// tracer finds where sealed values come from that have a tag.
type tracer struct {
	s    *Session
	tag  string
	seen map[uint64]bool // a text that is made of another twice over would double with each call
	list []Given
}

// visit adds what is known of the sealed values in v, and of those in a text that was made of some. s.mu is held.
func (t *tracer) visit(v Value) {
	for x := range v.All() {
		if l, sealed := x.Sealed(); !sealed || !l.HasExactly(t.tag) || len(t.list) == maxReading {
			continue
		}
		number := uint64(x.Number())
		if t.seen[number] || number >= uint64(len(t.s.contents)) {
			continue
		}
		if t.seen == nil {
			t.seen = map[uint64]bool{}
		}
		t.seen[number] = true
		os := &t.s.origins
		o := os.by[sort.Search(len(os.by), func(k int) bool { return os.by[k].first > number })-1]
		o.given.Column = o.column(os.fields[number], t.tag)
		if !slices.Contains(t.list, o.given) {
			t.list = append(t.list, o.given)
		}
		if r := t.s.contents[number].text; r != nil {
			for _, p := range r.parts {
				t.visit(p)
			}
		}
	}
}

// column names what with the tag is shown under the name of the field, or, where that is not known, in the message.
func (o *origin) column(field, tag string) string {
	var own, all []string
	for _, c := range o.columns {
		if !c.label.HasExactly(tag) {
			continue
		}
		if c.as == field && !slices.Contains(own, c.name) {
			own = append(own, c.name)
		}
		if !slices.Contains(all, c.name) {
			all = append(all, c.name)
		}
	}
	if own == nil {
		own = all
	}
	return strings.Join(own[:min(len(own), maxReading)], " and ")
}

// labelledIn lists the labelled fields that a message uses, and those of what it gives.
func (c Catalog) labelledIn(root *Node) (out []labelledColumn) {
	seen := map[*Node]bool{}
	add := func(name, as string, l Label) {
		if !l.Empty() && len(out) < maxColumns {
			out = append(out, labelledColumn{name, as, l})
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
