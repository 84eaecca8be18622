package exo

import (
	"slices"
	"strings"
)

// Label is a set of tags that says what kind of secret a value carries. The
// zero Label has no tag: public. Labels are immutable and cheap to copy; they
// form the usual lattice of sets (Denning 1976), joined by union.
type Label struct{ set *[]string } // sorted, no duplicates, never empty

// NewLabel returns the label that has exactly these tags.
func NewLabel(tags ...string) Label {
	if len(tags) == 0 {
		return Label{}
	}
	s := slices.Clone(tags)
	slices.Sort(s)
	s = slices.Compact(s)
	return Label{&s}
}

// Tags returns a copy of the label's tags, sorted.
func (l Label) Tags() []string {
	if l.set == nil {
		return nil
	}
	return slices.Clone(*l.set)
}

// Public reports whether the label has no tag.
func (l Label) Public() bool { return l.set == nil }

// Join returns the union: the label of something made from both.
func (l Label) Join(m Label) Label {
	switch {
	case m.FlowsTo(l):
		return l
	case l.set == nil:
		return m
	}
	return NewLabel(append(l.Tags(), *m.set...)...)
}

// FlowsTo reports whether a value labelled l may go where m is admitted: every
// tag of l is in m. A sink that admits the zero Label takes public values only.
func (l Label) FlowsTo(m Label) bool {
	if l.set == nil || l.set == m.set {
		return true
	}
	if m.set == nil {
		return false
	}
	for _, t := range *l.set {
		if _, ok := slices.BinarySearch(*m.set, t); !ok {
			return false
		}
	}
	return true
}

// meet is the tags that both have: what both of two sinks admit.
func (l Label) meet(m Label) Label {
	switch {
	case l.FlowsTo(m):
		return l
	case m.FlowsTo(l):
		return m
	}
	return l.without(l.without(m))
}

// without is the tags of l that m does not admit.
func (l Label) without(m Label) Label {
	var rest []string
	for _, t := range l.Tags() {
		if !NewLabel(t).FlowsTo(m) {
			rest = append(rest, t)
		}
	}
	return NewLabel(rest...)
}

func (l Label) String() string { return "{" + strings.Join(l.Tags(), ",") + "}" }
