package fair

import "slices"

// turns is the order of the jobs that wait.
type turns[G comparable] struct {
	groups  []*group[G] // the one whose turn is next first; none is empty
	waiting int
}

type group[G comparable] struct {
	key     G
	members []*member[G] // as in turns
	waiting int
}

type member[G comparable] struct {
	name string
	line []*Ticket[G]
}

func (t *turns[G]) find(key G, name string) (g *group[G], m *member[G]) {
	if i := slices.IndexFunc(t.groups, func(g *group[G]) bool { return g.key == key }); i >= 0 {
		g = t.groups[i]
		if i := slices.IndexFunc(g.members, func(m *member[G]) bool { return m.name == name }); i >= 0 {
			m = g.members[i]
		}
	}
	return g, m
}

func (t *turns[G]) add(x *Ticket[G]) {
	g, m := t.find(x.group, x.member)
	if g == nil {
		g = &group[G]{key: x.group}
		t.groups = append(t.groups, g)
	}
	if m == nil {
		m = &member[G]{name: x.member}
		g.members = append(g.members, m)
	}
	m.line = append(m.line, x)
	g.waiting++
	t.waiting++
}

// next takes the ticket out whose turn it is among the groups that may have one; nil if
// there is none.
func (t *turns[G]) next(may func(G) bool) *Ticket[G] {
	i := slices.IndexFunc(t.groups, func(g *group[G]) bool { return may(g.key) })
	if i < 0 {
		return nil
	}
	g := t.groups[i]
	m := g.members[0]
	x := m.line[0]
	m.line = m.line[1:]
	g.waiting--
	t.waiting--
	g.members = rotated(g.members, 0, len(m.line) > 0)
	t.groups = rotated(t.groups, i, g.waiting > 0)
	return x
}

// rotated puts item i behind the others, or away.
func rotated[T any](all []T, i int, stays bool) []T {
	x := all[i]
	all = slices.Delete(all, i, i+1)
	if stays {
		all = append(all, x)
	}
	return all
}

// remove takes a ticket that waits out of its line. The turns of the others stay.
func (t *turns[G]) remove(x *Ticket[G]) {
	g, m := t.find(x.group, x.member)
	m.line = slices.DeleteFunc(m.line, func(y *Ticket[G]) bool { return y == x })
	g.waiting--
	t.waiting--
	if len(m.line) == 0 {
		g.members = slices.DeleteFunc(g.members, func(y *member[G]) bool { return y == m })
	}
	if g.waiting == 0 {
		t.groups = slices.DeleteFunc(t.groups, func(y *group[G]) bool { return y == g })
	}
}

// of is how many jobs of a group, and of its member, wait.
func (t *turns[G]) of(key G, name string) (ofGroup, ofMember int) {
	g, m := t.find(key, name)
	if g != nil {
		ofGroup = g.waiting
	}
	if m != nil {
		ofMember = len(m.line)
	}
	return ofGroup, ofMember
}

// position plays the turns, so it can't say otherwise than next.
func (t *turns[G]) position(x *Ticket[G]) int {
	c := turns[G]{waiting: t.waiting}
	for _, g := range t.groups {
		b := &group[G]{key: g.key, waiting: g.waiting}
		for _, m := range g.members {
			b.members = append(b.members, &member[G]{line: m.line})
		}
		c.groups = append(c.groups, b)
	}
	for n := 1; c.waiting > 0; n++ {
		if c.next(func(G) bool { return true }) == x {
			return n
		}
	}
	return 0
}
