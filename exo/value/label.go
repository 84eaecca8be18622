package value

// This file has labels: sets of tags, with the order by which values flow. readers.go has the tags that name readers.

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Label is a set of tags that says what kind of secret a value carries, and whether outsiders wrote it. The
// zero Label has no tag: public, and trusted. Labels are immutable and cheap to copy; they
// form the usual lattice of sets (Denning 1976), joined by union.
// There are two kinds of tags, and the spelling decides which. [Untrusted], alone or with a source
// after a colon ("untrusted:mail"), is a tag of integrity (Biba 1977): it states who wrote the
// value, gates effects, and withholds nothing. Every other tag is a tag of secrecy: it states who
// may read the value, and seals it. It may name readers: see [ReaderTag].
type Label struct{ set *[]string } // sorted, no duplicates, never empty

// Untrusted is the tag of what outsiders write: a comment, a mail that came in. A program that
// reads it may read instructions.
const Untrusted = "untrusted"

// OfIntegrity reports whether a tag states who wrote a value.
func OfIntegrity(tag string) bool {
	return strings.HasPrefix(tag, Untrusted) && (len(tag) == len(Untrusted) || tag[len(Untrusted)] == ':')
}

// Secrecy returns the label without its tags of integrity. It decides who may read the value.
func (l Label) Secrecy() Label { return l.only(func(t string) bool { return !OfIntegrity(t) }) }

// Integrity returns the label without its tags of secrecy. It states who wrote the value.
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

// Empty reports whether the label has no tag, neither of secrecy nor of integrity. l.Secrecy().Empty() means
// that everybody may read the value, l.Integrity().Empty() that no outsider wrote it.
func (l Label) Empty() bool { return l.set == nil }

// HasExactly reports whether this very tag is in the label: pii@member:42 is not pii. Use
// l.About().HasExactly("pii") to ignore readers.
func (l Label) HasExactly(tag string) bool {
	return l.set != nil && slices.Contains(*l.set, tag)
}

// Equal reports whether both have the same tags. Don't compare labels with ==: that compares where
// they are stored.
func (l Label) Equal(m Label) bool {
	return l.set == m.set || l.set != nil && m.set != nil && slices.Equal(*l.set, *m.set)
}

// Check refuses tags that could be misread: empty ones, tags that would be several in a list of labels, and
// tags spelt almost like those of integrity. The last would count as secrecy, and would not stop effects.
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

// Join returns the label of something made from both: the union of their tags. Two tags with
// readers become one, with the readers that both name.
func (l Label) Join(m Label) Label {
	switch {
	case l.set == nil:
		return m.Merged()
	case m.FlowsTo(l):
		return l
	}
	return NewLabel(append(l.Tags(), *m.set...)...).Merged()
}

// FlowsTo reports whether every tag of l is in m, or one in m admits its readers. A value labelled l may be read where m
// is admitted if l.Secrecy().FlowsTo(m); a sink that admits the zero Label takes public values only.
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

// Meet returns the label that flows to both: what two sinks both admit.
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
