package exosql

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/exoagent/exoagent/exo"
)

// shaper makes, in one walk, what the compiler works on and the key of its plans. The
// compiler gets a copy of a grant, and each field of the copy is what a method of the
// shaper returned, which has written it into the key. A field that is left out of the
// walk is zero in the copy: the compiler fails for want of it, where a key without it
// would hand one grant the plan of another, with its rows. Held by TestShapeKey.
//
// Values are not in the key, and the copy has none: of each it has the kind and where
// it is among the arguments.
//
// The key is a sequence of numbers and of texts that begin with their length, and every
// list begins with its length, so no two grants have one key.
type shaper struct {
	key  []byte
	vals []exo.Value
}

// held is a value that has been moved to the arguments.
type held struct {
	kind string
	slot int // its index among the grant's arguments
}

func (s *shaper) uint(n uint64) uint64 {
	s.key = binary.AppendUvarint(s.key, n)
	return n
}

func (s *shaper) len(n int) int { return int(s.uint(uint64(n))) }

func (s *shaper) flag(b bool) bool {
	n := uint64(0)
	if b {
		n = 1
	}
	return s.uint(n) == 1
}

func (s *shaper) text(t string) string {
	s.len(len(t))
	s.key = append(s.key, t...)
	return t
}

// table also freezes the declaration: its id stands for all of it in the key.
func (s *shaper) table(t *table) *table {
	if t == nil {
		s.uint(0)
		return nil
	}
	t.freeze()
	s.uint(t.id)
	return t
}

func (s *shaper) column(c *column) *column {
	if c == nil {
		s.uint(0)
		return nil
	}
	s.table(c.table)
	s.len(c.index)
	return c
}

func (s *shaper) link(l *link) *link {
	if l == nil {
		s.uint(0)
		return nil
	}
	s.uint(l.id)
	l.from.freeze()
	l.to.freeze()
	return l
}

func (s *shaper) value(v exo.Value) held {
	s.vals = append(s.vals, v)
	return held{s.text(v.Type()), len(s.vals) - 1}
}

func (s *shaper) pred(p *pred) *pred {
	if !s.flag(p != nil) {
		return nil
	}
	q := &pred{op: s.text(p.op), col: s.column(p.col)}
	for range s.len(len(p.vals)) {
		q.args = append(q.args, s.value(p.vals[len(q.args)]))
	}
	for range s.len(len(p.subs)) {
		q.subs = append(q.subs, s.pred(p.subs[len(q.subs)]))
	}
	return q
}

// relation copies a chain, from its end to its grant.
func (s *shaper) relation(r *relation) *relation {
	if !s.flag(r != nil) {
		return nil
	}
	q := &relation{kind: stepKind(s.uint(uint64(r.kind))), table: s.table(r.table), pred: s.pred(r.pred), link: s.link(r.link)}
	for range s.len(len(r.order)) {
		o := r.order[len(q.order)]
		q.order = append(q.order, ordering{s.column(o.col), s.flag(o.desc)})
	}
	if r.kind == stepLimit || r.kind == stepOffset {
		q.slot = s.value(exo.Int(r.n)).slot
	}
	q.prev = s.relation(r.prev)
	return q
}

// scopes copies a set in the order of the tables' declarations, so that equal grants
// have equal keys.
func (s *shaper) scopes(ss scopes) scopes {
	out := scopes{}
	s.len(len(ss))
	for _, t := range slices.SortedFunc(maps.Keys(ss), func(a, b *table) int { return cmp.Compare(a.id, b.id) }) {
		d := ss[t]
		out[s.table(t)] = &scope{kind: scopeKind(s.uint(uint64(d.kind))), table: s.table(d.table), pred: s.pred(d.pred), link: s.link(d.link)}
	}
	return out
}

// facets copies the facets that can be reached from the first, and returns the copy of that.
func (s *shaper) facets(reach []*facet) *facet {
	place := make(map[*facet]int, len(reach))
	copies := make([]*facet, s.len(len(reach)))
	for i, f := range reach {
		place[f], copies[i] = i, &facet{}
	}
	for i, f := range reach {
		c := copies[i]
		c.alias, c.table = s.text(f.alias), s.table(f.table)
		for range s.len(len(f.cols)) {
			c.cols = append(c.cols, s.column(f.cols[len(c.cols)]))
		}
		for range s.len(len(f.links)) {
			m := f.links[len(c.links)]
			c.links = append(c.links, linkMember{s.link(m.l), copies[s.len(place[m.to])]})
		}
	}
	return copies[0]
}

// grant is all that the compiler gets of an object: reach is the object's facet first,
// rel the granted relation, every and chain the scopes of all tables and of the relation's own.
func (s *shaper) grant(reach []*facet, rel *relation, every, chain scopes) guestGrant {
	return guestGrant{facet: s.facets(reach), rel: s.relation(rel), scopes: s.scopes(every), chain: s.scopes(chain)}
}
