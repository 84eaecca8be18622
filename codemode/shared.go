package codemode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// sharedKind is an interface that several kinds of columns extend. It has the members and operators
// that exactly these kinds have.
type sharedKind struct {
	name  string
	of    []*kind
	lines []member
	signs []string
}

func (s *sharedKind) has(k *kind) bool { return slices.Contains(s.of, k) }

// size estimates how many bytes the shared members take.
func (s *sharedKind) size() int {
	n := len(strings.Join(s.signs, " "))
	for _, l := range s.lines {
		n += len(l.text) + len(l.doc) + len("; // ")
	}
	return n
}

// bySign has names for shared kinds with a certain operator of JavaScript.
var bySign = []struct{ sign, name string }{{"===", "Comparable"}, {"<", "Ordered"}, {"-", "Numeric"}}

// sharing finds members that are worth declaring once. Two shared kinds either have no kind in
// common, or one contains the other, so each kind extends only one. The first is Column, which all
// kinds extend. The parts of a shared kind come after it.
func (d *declarer) sharing(all []*kind) []sharedKind {
	column := sharedKind{name: "Column", of: all}
	var groups []*sharedKind
	group := func(has func(*kind) bool) *sharedKind {
		var of []*kind
		for _, k := range all {
			if has(k) {
				of = append(of, k)
			}
		}
		if len(of) == len(all) {
			return &column
		}
		for _, g := range groups {
			if slices.Equal(g.of, of) {
				return g
			}
		}
		groups = append(groups, &sharedKind{of: of})
		return groups[len(groups)-1]
	}
	for n, k := range all {
		for _, l := range k.lines {
			if !slices.ContainsFunc(all[:n], func(o *kind) bool { return slices.Contains(o.lines, l) }) {
				g := group(func(o *kind) bool { return slices.Contains(o.lines, l) })
				g.lines = append(g.lines, l)
			}
		}
		for _, s := range k.signs {
			if !slices.ContainsFunc(all[:n], func(o *kind) bool { return slices.Contains(o.signs, s) }) {
				g := group(func(o *kind) bool { return slices.Contains(o.signs, s) })
				g.signs = append(g.signs, s)
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b *sharedKind) int { return len(b.of) - len(a.of) })
	out := []sharedKind{column}
	for _, g := range groups {
		const cost = 60 // the bytes that a declaration takes, and the cost of another name to learn
		if g.size()*(len(g.of)-1) < cost || slices.ContainsFunc(out, g.crosses) {
			continue
		}
		if g.name = d.sharedName(g, out); g.name != "" {
			out = append(out, *g)
		}
	}
	for n := range out {
		out[n].fill(out[:n])
	}
	return out
}

// fill adds to s all members that its kinds have in common, unless an earlier shared kind has them.
func (s *sharedKind) fill(before []sharedKind) {
	first := s.of[0]
	s.lines = slices.DeleteFunc(slices.Clone(first.lines), func(l member) bool {
		return slices.ContainsFunc(s.of, func(k *kind) bool { return !slices.Contains(k.lines, l) }) ||
			slices.ContainsFunc(before, func(b sharedKind) bool { return b.has(first) && slices.Contains(b.lines, l) })
	})
	s.signs = slices.DeleteFunc(slices.Clone(first.signs), func(sign string) bool {
		return slices.ContainsFunc(s.of, func(k *kind) bool { return !slices.Contains(k.signs, sign) }) ||
			slices.ContainsFunc(before, func(b sharedKind) bool { return b.has(first) && slices.Contains(b.signs, sign) })
	})
}

// crosses reports whether s and o have kinds in common, but neither contains the other.
func (s *sharedKind) crosses(o sharedKind) bool {
	common := 0
	for _, k := range s.of {
		if o.has(k) {
			common++
		}
	}
	return common > 0 && common < min(len(s.of), len(o.of))
}

// sharedName returns a name for a shared kind, or "" if there is no good one.
func (d *declarer) sharedName(s *sharedKind, others []sharedKind) string {
	for _, b := range bySign {
		if slices.Contains(s.signs, b.sign) && !slices.ContainsFunc(others, func(o sharedKind) bool { return o.name == b.name }) {
			return b.name
		}
	}
	if len(s.of) > 3 {
		return ""
	}
	names := scalar.Each(s.of, func(k *kind) string { return d.shown[k.Name] })
	base := strings.Join(names, "Or")
	name := base
	for n := 2; d.taken[name]; n++ {
		name = fmt.Sprintf("%s%d", base, n)
	}
	d.taken[name] = true
	return name
}

// parent returns the smallest shared kind that all of these kinds extend. The smallest is the last
// one that has these kinds, since the parts of a shared kind come after it.
func parent(shared []sharedKind, of []*kind) *sharedKind {
	for n := len(shared) - 1; n > 0; n-- {
		if !slices.ContainsFunc(of, func(k *kind) bool { return !shared[n].has(k) }) {
			return &shared[n]
		}
	}
	return &shared[0]
}
