package value

// This file has the tags that name the readers of a value. label.go uses it to compare and join labels.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// A tag of secrecy may name the owner of a value, who may read it. This is a part of the decentralized label model
// (Myers and Liskov 1997). A form with fewer readers is greater:
//
//	pii            names no reader: a sink admits all such values, or none
//	pii@member     belongs to some member: the declaration of a column, and the join of values of different members
//	pii@member:42  belongs to member 42
//	pii@member:7|9 both may read it
//
// So a sink that admits pii@member:42 takes values that member 42 may read. One that admits pii@member takes
// values that any member may read, and one that admits pii takes all. A join may be read by those who may read
// every joined value. A sink with two recipients admits what both may read.

// ReaderTag returns the tag of a value that each principal with one of these public ids may read: ReaderTag("pii", "member", "42") is
// "pii@member:42". For a sink that admits it, the ids are its recipients, and it takes only values that all of them may read. So a host
// that mails several people passes all ids at once. kind names the kind of principals, so that customer 42 is not mistaken for member 42.
// An id must be permanent, unlike an address, which others may get later. ReaderTag fails without an id, with an empty id, and for an
// invalid tag or kind: the caller must then admit only the zero [Label].
func ReaderTag(tag, kind string, ids ...string) (string, error) {
	if len(ids) == 0 || slices.Contains(ids, "") {
		return "", fmt.Errorf("exo: ReaderTag(%q, %q, %q) names no reader: want at least one id, and none empty", tag, kind, ids)
	}
	if tag == "" || strings.Contains(tag, "@") || kind == "" || strings.ContainsAny(kind, "@:|%") {
		return "", fmt.Errorf("exo: ReaderTag(%q, %q, …): want a tag and a kind of readers, like ReaderTag(%q, %q, …)", tag, kind, "pii", "member")
	}
	s := scalar.Each(ids, spelledID)
	slices.Sort(s)
	return tag + "@" + kind + ":" + strings.Join(slices.Compact(s), "|"), nil
}

// spelledID escapes every character of an id except letters, digits and those that are common in
// ids. Two ids never have the same spelling, and no id can end the tag early.
func spelledID(id string) string {
	if !strings.ContainsFunc(id, func(r rune) bool { return !plainInID(r) }) {
		return id
	}
	var b strings.Builder
	for i := range len(id) {
		if c := id[i]; c < 0x80 && plainInID(rune(c)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

func plainInID(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' || r == '.'
}

// TagParts returns the parts of a tag: its subject, the kind of its readers, and their ids. kind
// and ids are "" if the tag names no readers.
func TagParts(tag string) (base, kind, ids string) {
	at := strings.IndexByte(tag, '@')
	if at < 0 || OfIntegrity(tag) {
		return tag, "", ""
	}
	kind, ids, _ = strings.Cut(tag[at+1:], ":")
	return tag[:at], kind, ids
}

// readable reports whether the readers in a tag are spelled in the form that [ReaderTag] makes.
func readable(tag string) bool {
	if !strings.Contains(tag, "@") || OfIntegrity(tag) {
		return true
	}
	base, kind, ids := TagParts(tag)
	if base == "" || kind == "" || strings.ContainsAny(kind, "@|%") {
		return false
	}
	if !strings.Contains(tag, ":") {
		return true
	}
	list := strings.Split(ids, "|")
	return slices.IsSorted(list) && len(slices.Compact(slices.Clone(list))) == len(list) && !slices.ContainsFunc(list, func(id string) bool {
		return id == "" || strings.ContainsFunc(id, func(r rune) bool { return !plainInID(r) && r != '%' })
	})
}

// covers reports whether a value with this tag may go to a sink that admits upper.
func covers(upper, tag string) bool {
	base, kind, ids := TagParts(tag)
	b, k, to := TagParts(upper)
	switch {
	case upper == tag:
		return true
	case kind == "" || b != base:
		return false
	case k == "":
		return true
	case k != kind:
		return false
	case to == "":
		return true
	}
	may := strings.Split(ids, "|")
	return !slices.ContainsFunc(strings.Split(to, "|"), func(id string) bool { return !slices.Contains(may, id) })
}

// admitsReaders reports whether l admits a tag that it does not contain. Only tags of l with the same base, and the same kind or none, count. One of
// them without ids is enough if it covers the tag. Otherwise each of them must cover the tag, since each id is a recipient.
func (l Label) admitsReaders(tag string) bool {
	base, kind, _ := TagParts(tag)
	ok := false
	for _, u := range *l.set {
		b, k, ids := TagParts(u)
		if b != base || k != "" && k != kind {
			continue
		}
		if !covers(u, tag) {
			return false
		}
		if ok = true; ids == "" {
			return true
		}
	}
	return ok
}

// meetTags returns the greatest tag that flows to both t and u, or false if there is none.
func meetTags(t, u string) (string, bool) {
	switch {
	case covers(t, u):
		return u, true
	case covers(u, t):
		return t, true
	}
	base, kind, ids := TagParts(t)
	b, k, more := TagParts(u)
	if b != base || k != kind || ids == "" || more == "" {
		return "", false
	}
	all := append(strings.Split(ids, "|"), strings.Split(more, "|")...)
	slices.Sort(all)
	return base + "@" + kind + ":" + strings.Join(slices.Compact(all), "|"), true
}

// Merged returns l with one tag for each subject and kind, naming only the readers that all tags name. So the label of
// a run stays small, even if the run has read values of thousands of readers (TestReadersMerge).
func (l Label) Merged() Label {
	if l.set == nil || !slices.ContainsFunc(*l.set, func(t string) bool { return strings.Contains(t, "@") }) {
		return l
	}
	var out []string
next:
	for _, t := range *l.set {
		for i, u := range out {
			if more, ok := joinTags(u, t); ok {
				out[i] = more
				continue next
			}
		}
		out = append(out, t)
	}
	return NewLabel(out...)
}

// joinTags returns the one tag for a value with both tags; ok is false if the value must keep both.
func joinTags(t, u string) (_ string, ok bool) {
	switch {
	case covers(t, u):
		return t, true
	case covers(u, t):
		return u, true
	}
	base, kind, ids := TagParts(t)
	b, k, others := TagParts(u)
	if b != base || k != kind || kind == "" {
		return "", false
	}
	both := slices.DeleteFunc(strings.Split(ids, "|"), func(id string) bool { return !slices.Contains(strings.Split(others, "|"), id) })
	if len(both) == 0 {
		return base + "@" + kind, true
	}
	return base + "@" + kind + ":" + strings.Join(both, "|"), true
}

// Refined returns l with the readers that by names. A tag of l with a kind of readers but no id gets the ids that by has for it. The code that
// made a value may change nothing else of its label. A tag that by has twice, or that l lacks, is ignored.
func (l Label) Refined(by Label) Label {
	if by.set == nil || l.set == nil || !slices.ContainsFunc(*l.set, func(t string) bool { return strings.Contains(t, "@") }) {
		return l
	}
	tags := l.Tags()
	for i, t := range tags {
		base, kind, ids := TagParts(t)
		if kind == "" || ids != "" {
			continue
		}
		of := by.only(func(u string) bool { b, k, to := TagParts(u); return b == base && k == kind && to != "" })
		if of.set != nil && len(*of.set) == 1 && readable((*of.set)[0]) {
			tags[i] = (*of.set)[0]
		}
	}
	return NewLabel(tags...)
}

// Unnamed returns the tags that have a kind of reader but no id, like pii@member. The label of a column with
// readers has such a tag. No other declaration should: no one could read its values.
func (l Label) Unnamed() (tags []string) {
	for _, t := range l.Tags() {
		if _, kind, ids := TagParts(t); kind != "" && ids == "" {
			tags = append(tags, t)
		}
	}
	return tags
}

// CheckAdmitted refuses to admit readers of a kind that no value has, if values with the same subject have readers of another kind: a misspelt
// kind would silently admit nothing. It also refuses [Untrusted] if all such values have sources, which Untrusted does not admit.
func (l Label) CheckAdmitted(admitted Label) error {
	if sources := l.Integrity().Without(admitted); admitted.HasExactly(Untrusted) && !l.HasExactly(Untrusted) && !sources.Empty() {
		return fmt.Errorf("exo: %q is admitted, and no value has exactly this tag: admit %s instead", Untrusted, sources.List())
	}
	for _, t := range admitted.Tags() {
		base, kind, _ := TagParts(t)
		var others []string
		for _, u := range l.Tags() {
			b, k, _ := TagParts(u)
			if b == base && (kind == "" || k == kind || k == "") {
				others = nil
				break
			}
			if b == base {
				others = append(others, u)
			}
		}
		if len(others) > 0 {
			return fmt.Errorf("exo: %q is admitted, and no value has it: admit what values have, like %s", t, strings.Join(others, ", "))
		}
	}
	return nil
}

// About returns l without the readers in its tags, for the text of a sealed value.
func (l Label) About() Label {
	if !slices.ContainsFunc(l.Tags(), func(t string) bool { return strings.Contains(t, "@") }) {
		return l
	}
	tags := l.Tags()
	for i, t := range tags {
		tags[i], _, _ = TagParts(t)
	}
	return NewLabel(tags...)
}
