package value

// This file has labels: sets of tags, and the order that decides where values may go. readers.go has the tags that name readers.

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Label is a set of tags that describes what kind of secret a value is, and whether outsiders wrote it. The
// zero Label has no tag: public, and trusted. Labels are immutable and cheap to copy. They form a lattice
// of sets (Denning 1976), joined by union. There are two kinds of tags, which their spelling distinguishes.
// [Untrusted], alone or with a source after a colon ("untrusted:mail"), is a tag of integrity (Biba 1977):
// it states who wrote the value, gates effects, and withholds nothing. Every other tag is a tag of secrecy:
// it states who may read the value, and seals it. It may name readers: see [ReaderTag].
type Label struct{ set *[]string } // a sorted set without duplicates, nil instead of empty

// Untrusted is the tag of what outsiders write, such as a comment or a mail. Such a text may
// contain instructions to the model that reads it.
const Untrusted = "untrusted"

// OfIntegrity reports whether a tag describes who wrote a value.
func OfIntegrity(tag string) bool {
	return strings.HasPrefix(tag, Untrusted) && (len(tag) == len(Untrusted) || tag[len(Untrusted)] == ':')
}

// Secrecy returns the label without its tags of integrity: the part that decides who may read the value.
func (l Label) Secrecy() Label { return l.only(func(t string) bool { return !OfIntegrity(t) }) }

// Integrity returns the label without its tags of secrecy: the part that describes who wrote the value.
func (l Label) Integrity() Label { return l.only(OfIntegrity) }

func (l Label) only(of func(tag string) bool) Label {
	if l.set == nil {
		return l
	}
	n := 0
	for _, t := range *l.set {
		if of(t) {
			n++
		}
	}
	if n == len(*l.set) {
		return l
	}
	return NewLabel(slices.DeleteFunc(l.Tags(), func(t string) bool { return !of(t) })...)
}

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

// Empty reports whether the label has no tag, neither of secrecy nor of integrity. If l.Secrecy() is empty,
// every person may read the value; if l.Integrity() is empty, no outsider wrote it.
func (l Label) Empty() bool { return l.set == nil }

// HasExactly reports whether the label has the tag itself. For example, pii@member:42 is not pii.
// To ignore readers, use l.About().HasExactly("pii").
func (l Label) HasExactly(tag string) bool { return l.set != nil && slices.Contains(*l.set, tag) }

// Equal reports whether both labels have the same tags. Don't compare labels with ==, which
// compares pointers.
func (l Label) Equal(m Label) bool {
	return l.set == m.set || l.set != nil && m.set != nil && slices.Equal(*l.set, *m.set)
}

// Check refuses ambiguous tags: an empty tag, and one that would read as several tags in a list. It also refuses a
// tag spelt almost like one of integrity, which would count as secrecy and not stop effects.
func (l Label) Check() error {
	for _, t := range l.Tags() {
		if t == "" || strings.ContainsFunc(t, func(r rune) bool { return strings.ContainsRune(",{}[]", r) || !unicode.IsPrint(r) }) {
			return fmt.Errorf("exo: %q can't be a tag: want one word or more, without commas and brackets", t)
		}
		if !readable(t) {
			return fmt.Errorf("exo: %q can't be a tag: readers are named like %q, or %q: see value.ReaderTag", t, "pii@member", "pii@member:42")
		}
		if !OfIntegrity(t) && strings.HasPrefix(strings.ToLower(strings.TrimSpace(t)), Untrusted) {
			return fmt.Errorf("exo: the tag %q would count as secrecy: for what outsiders wrote use %q, or with a source, like %q", t, Untrusted, Untrusted+":mail")
		}
	}
	return nil
}

// Join returns the label of a value made from values with the labels l and m: the union of their
// tags. Two tags with one subject and one kind of readers become one, with the readers that both name.
func (l Label) Join(m Label) Label {
	switch {
	case l.set == nil:
		return m.Merged()
	case m.FlowsTo(l):
		return l
	}
	return NewLabel(append(l.Tags(), *m.set...)...).Merged()
}

// FlowsTo reports whether each tag of l is in m, or m admits its readers. If l.Secrecy().FlowsTo(m), a value labelled l
// may leave by a sink that admits m. The zero m admits public values only.
func (l Label) FlowsTo(m Label) bool {
	if l.set == nil || l.set == m.set {
		return true
	}
	if m.set == nil {
		return false
	}
	for _, t := range *l.set {
		ok := false
		if strings.Contains(t, "@") {
			ok = m.admitsReaders(t)
		} else {
			_, ok = slices.BinarySearch(*m.set, t)
		}
		if !ok {
			return false
		}
	}
	return true
}

// Meet returns the greatest label that flows to both l and m: what two sinks both admit.
func (l Label) Meet(m Label) Label {
	switch {
	case l.set == nil || m.set == nil:
		return Label{}
	case l.set == m.set:
		return l
	}
	var both []string
	for _, t := range *l.set {
		for _, u := range *m.set {
			if less, ok := meetTags(t, u); ok {
				both = append(both, less)
			}
		}
	}
	return NewLabel(both...)
}

// Without returns the tags of l that m does not admit.
func (l Label) Without(m Label) Label {
	var rest []string
	for _, t := range l.Tags() {
		if !NewLabel(t).FlowsTo(m) {
			rest = append(rest, t)
		}
	}
	return NewLabel(rest...)
}

func (l Label) String() string { return "{" + strings.Join(l.Tags(), ",") + "}" }

// List joins the tags with commas, for a sentence.
func (l Label) List() string { return strings.Join(l.Tags(), ", ") }
