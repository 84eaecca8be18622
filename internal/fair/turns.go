package fair

import "slices"

// turns is the order of waiting jobs.
type turns[G comparable] struct {
	groups  []*group[G] // the first group has the next turn; no group is empty
	waiting int         // the number of jobs that have not begun
}

type group[G comparable] struct {
	key     G
	members []*member[G] // the first member has the group's next turn; no member is empty
	waiting int
}

type member[G comparable] struct {
	name string
	line []*Ticket[G] // jobs that have not begun
	back []*Ticket[G] // jobs that have begun and come first
}

func (m *member[G]) empty() bool { return len(m.line)+len(m.back) == 0 }

// lineOf returns the line in which x waits: the field back if the job of x has begun before, and otherwise the field line.
func (m *member[G]) lineOf(x *Ticket[G]) *[]*Ticket[G] {
	if x.state == returns {
		return &m.back
	}
	return &m.line
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
	line := m.lineOf(x)
	*line = append(*line, x)
	t.count(g, x, 1)
}

func (t *turns[G]) count(g *group[G], x *Ticket[G], n int) {
	if x.state != returns {
		g.waiting += n
		t.waiting += n
	}
}

// next removes and returns the ticket with the next turn, or nil. The function mayHave reports whether a group may have one more place,
// and mayBegin whether a new job of the group may have it.
func (t *turns[G]) next(mayHave, mayBegin func(G) bool) *Ticket[G] {
	for i, g := range t.groups {
		have := mayHave(g.key)
		begin := have && mayBegin(g.key)
		for j, m := range g.members {
			line := &m.back
			if len(m.back) == 0 || !have {
				line = &m.line
				if len(m.line) == 0 || !begin {
					continue
				}
			}
			x := (*line)[0]
			*line = (*line)[1:]
			t.count(g, x, -1)
			g.members = rotated(g.members, j, !m.empty())
			t.groups = rotated(t.groups, i, len(g.members) > 0)
			return x
		}
	}
	return nil
}

// rotated moves item i behind the others, or removes it unless stays is set.
func rotated[T any](all []T, i int, stays bool) []T {
	x := all[i]
	all = slices.Delete(all, i, i+1)
	if stays {
		all = append(all, x)
	}
	return all
}

// remove takes a waiting ticket out of its line. The order of the others stays.
func (t *turns[G]) remove(x *Ticket[G]) {
	g, m := t.find(x.group, x.member)
	line := m.lineOf(x)
	*line = slices.DeleteFunc(*line, func(y *Ticket[G]) bool { return y == x })
	t.count(g, x, -1)
	if m.empty() {
		g.members = slices.DeleteFunc(g.members, func(y *member[G]) bool { return y == m })
	}
	if len(g.members) == 0 {
		t.groups = slices.DeleteFunc(t.groups, func(y *group[G]) bool { return y == g })
	}
}

// of returns how many new jobs of a member of a group wait.
func (t *turns[G]) of(key G, name string) int {
	if _, m := t.find(key, name); m != nil {
		return len(m.line)
	}
	return 0
}

// position returns in which turn, counted from 1, x gets its place. It is 0 if x does not wait. It runs the method next on a copy of the turns,
// so it agrees with the real order.
func (t *turns[G]) position(x *Ticket[G]) int {
	c := turns[G]{}
	for _, g := range t.groups {
		b := &group[G]{key: g.key}
		for _, m := range g.members {
			b.members = append(b.members, &member[G]{line: m.line, back: m.back})
		}
		c.groups = append(c.groups, b)
	}
	may := func(G) bool { return true }
	for n := 1; ; n++ {
		switch c.next(may, may) {
		case x:
			return n
		case nil:
			return 0
		}
	}
}
