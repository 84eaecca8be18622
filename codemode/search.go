package codemode

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/exoagent/exoagent/exo"
)

const (
	maxAsked   = 200  // bytes of what a program asks search and describe for
	maxWords   = 8    // words of it that count
	maxHits    = 5000 // places of a word that are looked at
	maxFound   = 10   // what search answers with
	maxMembers = 6    // of each, those that match
	maxDoc     = 200  // bytes of a text in an answer
	maxText    = 8000 // bytes of a declaration: a table with hundreds of links is told in part
)

// catalogue answers search and describe. It is made once with the tool, of what
// is declared, and never changes: what a program asks changes nothing in it.
type catalogue struct {
	entries []entry
	index   map[string][]hit  // by word
	words   []string          // of the index, sorted
	texts   map[string]string // declarations by name, for describe
	names   []string          // that describe knows, sorted
	aliases map[string]string // other names, and the declared ones
}

// hit is where a word stands.
type hit struct {
	entry  int
	member int // -1: in the name or doc of the entry
	weight int
}

// What a word is worth by where it stands. A whole name is worth more than a
// part of one, and each more than a text about it.
const (
	inName, inAlias, inDoc              = 40, 30, 6
	inMember, partOfMember, inMemberDoc = 14, 8, 3
	wholeName                           = 20
	asPrefix, asTypo                    = 2, 3 // what the weight is divided by
)

func newCatalogue(all *declarations, entries []entry) *catalogue {
	c := &catalogue{entries: entries, index: map[string][]hit{}, texts: map[string]string{}, aliases: map[string]string{}}
	for _, x := range slices.Concat(all.helpers, all.columns, all.shared, all.own) {
		c.texts[x.name] = x.text
	}
	for n := range entries {
		c.add(n)
	}
	for w := range c.index {
		c.words = append(c.words, w)
	}
	for n := range c.texts {
		c.names = append(c.names, n)
	}
	sort.Strings(c.words)
	sort.Strings(c.names)
	return c
}

func (c *catalogue) add(n int) {
	e := &c.entries[n]
	put := func(text string, member, weight int) {
		for _, w := range wordsOf(text) {
			c.index[w] = append(c.index[w], hit{n, member, weight})
		}
	}
	whole := func(name string, member, weight int) {
		if ws := wordsOf(name); len(ws) > 1 {
			w := strings.Join(ws, "")
			c.index[w] = append(c.index[w], hit{n, member, weight})
		}
	}
	put(e.name, -1, inName)
	whole(e.name, -1, inName+wholeName)
	put(e.doc, -1, inDoc)
	for _, a := range e.aliases {
		put(a, -1, inAlias)
		whole(a, -1, inAlias+wholeName)
		if c.aliases[a] == "" {
			c.aliases[a] = e.name
		}
	}
	for k, m := range e.members {
		put(m.name, k, partOfMember)
		whole(m.name, k, inMember)
		put(m.more, k, inMemberDoc)
		put(m.doc, k, inMemberDoc)
	}
	// describe of a row, and of its query, tells of both.
	c.texts[e.name] = e.text
	if e.query != "" {
		c.texts[e.query], c.aliases[e.query] = e.text, e.name
	}
}

// wordsOf cuts a text at whatever is no letter and no digit, and names like
// dueAt and due_at into their parts, in lower case and singular.
func wordsOf(text string) []string {
	var out []string
	var w []rune
	flush := func() {
		if len(w) > 1 || len(w) == 1 && unicode.IsLetter(w[0]) {
			out = append(out, singular(string(w)))
		}
		w = w[:0]
	}
	upper := true
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			upper = true
			continue
		}
		if unicode.IsUpper(r) && !upper {
			flush()
		}
		upper = unicode.IsUpper(r)
		w = append(w, unicode.ToLower(r))
	}
	flush()
	return out
}

// singular makes one word of invoices and invoice, of categories and category.
func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return strings.TrimSuffix(w, "s")
	}
	return w
}

// scored is an entry with what its matches are worth.
type scored struct {
	entry   int
	words   int // how many of the words asked for
	weight  int
	members map[int]int
}

// search ranks what has the words, or words that begin with them; a word that is
// nowhere stands for the nearest one. Its cost is that of looking up a few words,
// whatever was asked: there are no patterns.
func (c *catalogue) search(text string) []scored {
	asked := wordsOf(text)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	by := map[int]*scored{}
	for _, w := range asked[:min(len(asked), maxWords)] {
		best := map[hit]int{} // without weight: the place
		c.lookUp(w, func(h hit, weight int) {
			at := hit{entry: h.entry, member: h.member}
			best[at] = max(best[at], weight)
		})
		seen := map[int]int{}
		for at, weight := range best {
			s := by[at.entry]
			if s == nil {
				s = &scored{entry: at.entry, members: map[int]int{}}
				by[at.entry] = s
			}
			if at.member >= 0 {
				s.members[at.member] += weight
			}
			seen[at.entry] = max(seen[at.entry], weight)
		}
		for n, weight := range seen {
			by[n].words++
			by[n].weight += weight
		}
	}
	var out []scored
	for _, s := range by {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b scored) int {
		if a.words != b.words {
			return b.words - a.words
		}
		if a.weight != b.weight {
			return b.weight - a.weight
		}
		return strings.Compare(c.entries[a.entry].name, c.entries[b.entry].name)
	})
	return out[:min(len(out), maxFound)]
}

// lookUp tells found of the places of a word.
func (c *catalogue) lookUp(w string, found func(h hit, weight int)) {
	left := maxHits
	tell := func(word string, part int) {
		hs := c.index[word]
		hs = hs[:min(len(hs), left)]
		left -= len(hs)
		for _, h := range hs {
			found(h, h.weight/part)
		}
	}
	tell(w, 1)
	if len(w) > 2 {
		for k, _ := slices.BinarySearch(c.words, w); k < len(c.words) && strings.HasPrefix(c.words[k], w); k++ {
			tell(c.words[k], asPrefix)
		}
	}
	if left == maxHits { // nowhere
		tell(exo.Nearest(w, c.words), asTypo)
	}
}

// found is the answer of search as plain data.
func (c *catalogue) found(ss []scored) exo.Value {
	items := make([]exo.Value, len(ss))
	for k, s := range ss {
		e := &c.entries[s.entry]
		fields := []exo.Field{{Name: "name", Value: exo.Text(e.name)}, {Name: "path", Value: exo.Text(e.path)}}
		if e.doc != "" {
			fields = append(fields, exo.Field{Name: "about", Value: exo.Text(shorten(e.doc, maxDoc))})
		}
		var members []exo.Value
		for _, m := range s.best() {
			members = append(members, exo.Text(shorten(e.members[m].line+comment(e.members[m].doc), maxDoc)))
		}
		items[k] = exo.Record(append(fields, exo.Field{Name: "members", Value: exo.List(members...)})...)
	}
	return exo.List(items...)
}

// best are the members that match, those that match best first.
func (s scored) best() []int {
	ms := sortedKeys(s.members)
	slices.SortStableFunc(ms, func(a, b int) int { return s.members[b] - s.members[a] })
	return ms[:min(len(ms), maxMembers)]
}

func sortedKeys(m map[int]int) []int {
	var ks []int
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

// describe is the declaration of a name, as search or a declaration says it: of
// an interface, of what programs call a table, or of a grant. What is hidden and
// what does not exist have the same answer.
func (c *catalogue) describe(asked string) (string, *exo.Error) {
	name := strings.TrimSpace(asked)
	name = strings.TrimPrefix(name, "api.")
	name, _, _ = strings.Cut(name, "<")
	if c.texts[name] == "" && c.aliases[name] == "" {
		if first, _, ok := strings.Cut(name, "."); ok && (c.texts[first] != "" || c.aliases[first] != "") {
			name = first // Task.dueAt
		}
	}
	if c.texts[name] == "" {
		name = c.aliases[name]
	}
	if name == "" {
		near := exo.Nearest(asked, c.names)
		if near == "" {
			return "", exo.Errorf(exo.Denied, "", "nothing is named %q here; search(\"…\") finds names by words that describe them", shorten(asked, 60))
		}
		return "", exo.Errorf(exo.Denied, "", "nothing is named %q here; did you mean describe(%q)?", shorten(asked, 60), near)
	}
	text := cutLines(c.texts[name], maxText)
	if e := c.entryOf(name); e != nil && e.path != "" {
		text = "// " + e.path + "\n" + text
	}
	if more := c.mentioned(name, text); len(more) > 0 {
		text += "\n// describe also knows: " + strings.Join(more, ", ")
	}
	return text, nil
}

// cutLines keeps the lines of a text that fit.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := strings.LastIndexByte(text[:most], '\n') + 1
	return text[:end] + fmt.Sprintf("  // and %d more lines: search finds the members by their words", strings.Count(text[end:], "\n")+1)
}

func (c *catalogue) entryOf(name string) *entry {
	name = or(c.aliases[name], name)
	for n := range c.entries {
		if c.entries[n].name == name {
			return &c.entries[n]
		}
	}
	return nil
}

// mentioned are the names in a declaration that have declarations of their own.
func (c *catalogue) mentioned(name, text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !(r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)) }) {
		if c.texts[w] != "" && c.texts[w] != c.texts[name] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	sort.Strings(out)
	return out
}
