package exo

import (
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
	columns []LabelledColumn
}

// add notes where the values that the reply of e holds come from, of which first is the first. s.mu is held.
func (o *origins) add(s *Session, e *pending, first uint64) {
	if len(e.shows.cells) == 0 {
		return
	}
	o.by = append(o.by, origin{first, Given{Call: e.id, Pos: e.pos, Op: s.opName(e.root)}, s.gate.catalog.LabelledIn(e.root)})
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
		if !c.Label.HasExactly(tag) {
			continue
		}
		if c.As == field && !slices.Contains(own, c.Name) {
			own = append(own, c.Name)
		}
		if !slices.Contains(all, c.Name) {
			all = append(all, c.Name)
		}
	}
	if own == nil {
		own = all
	}
	return strings.Join(own[:min(len(own), maxReading)], " and ")
}
