package value

// This file has the tags that say whose a value is. label.go uses it to compare and join labels.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// A tag of secrecy may say whose a value is, and with that who may read it: the decentralized label model's readers
// (Myers and Liskov 1997), of which our tags are a part. The form with the fewest readers is the greatest:
//
//	pii            nobody by name: a sink admits all of it, or none
//	pii@member     some member's: what a column is declared with, and what is left of values of different members
//	pii@member:42  member 42's
//	pii@member:7|9 that both may read
//
// So a sink that admits pii@member:42 takes what member 42 may read, one that admits pii@member what any member may, and one that
// admits pii everything. Values are joined to what may be read by those who may read both; a sink with two recipients
// admits what both may read.

// ReaderTag is the tag of a value that each of the principals with these public ids may read: ReaderTag("pii", "member", "42") is
// "pii@member:42". In what a sink admits it says that all of them are its recipients, so it takes only what every one of them may
// read: a host that mails several passes all ids at once. kind says of which principals the ids are, so that customer 42 is not
// taken for member 42; an id is what the host knows a principal by, never an address that others may come to have. It fails without an
// id, with an empty one, and for a tag or a kind that can't be: what asks for such readers is then to admit nothing, which is the zero [Label].
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

// spelledID is an id with everything else than letters, digits and what stands in most ids in its place as bytes: two ids are never
// spelled alike, and none ends a tag.
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

// TagParts are the parts of a tag: what it is about, which kind its readers are of, and their ids. kind and ids are empty where
// it has none.
func TagParts(tag string) (base, kind, ids string) {
	at := strings.IndexByte(tag, '@')
	if at < 0 || OfIntegrity(tag) {
		return tag, "", ""
	}
	kind, ids, _ = strings.Cut(tag[at+1:], ":")
	return tag[:at], kind, ids
}

// readable reports whether what a tag says of readers is in the form that [ReaderTag] makes.
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

// covers reports whether what has a tag may go where upper is admitted.
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

// admitsReaders is FlowsTo of a tag that l does not have itself. If several tags of l name ids of one kind, each
// names recipients, so all of them have to admit it.
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

// meetTags is the tag of what flows to both.
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

// Merged is l with one tag for each thing and kind of reader: with the readers that all its tags name, or none. So the
// label of a run stays small that has read of thousands (TestReadersMerge).
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

// joinTags is the one tag of what has both; ok is false where it has to have both.
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

// Refined is l with the readers that by, the label of a value, names, if l says that there are some: the code that made the
// value may name its readers, and nothing else of its label. A tag that by has twice, or that l has not, is ignored.
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

// Unnamed are the tags that say that a value has a reader, and not which, like pii@member. A column with readers has such a label, and nothing
// else should be declared with one: no one could read it.
func (l Label) Unnamed() (tags []string) {
	for _, t := range l.Tags() {
		if _, kind, ids := TagParts(t); kind != "" && ids == "" {
			tags = append(tags, t)
		}
	}
	return tags
}

// CheckAdmitted refuses what is admitted to readers of a kind that nothing has, where the same thing has readers of another one: a kind that is
// misspelt would admit nothing, without a visible reason. It refuses [Untrusted] where nothing but sources has it: it admits none of them.
func (l Label) CheckAdmitted(admitted Label) error {
	if sources := l.Integrity().Without(admitted); admitted.HasExactly(Untrusted) && !l.HasExactly(Untrusted) && !sources.Empty() {
		return fmt.Errorf("exo: %q is admitted, and no value has exactly this tag: there is %s, so admit that", Untrusted, sources.List())
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
			return fmt.Errorf("exo: %q is admitted, and nothing has it: there is %s", t, strings.Join(others, ", "))
		}
	}
	return nil
}

// About is l without what its tags say of readers: what a sealed value shows as text.
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
