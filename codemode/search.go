package codemode

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

const (
	maxAsked   = 200  // most bytes of the text that a program passes to search and describe
	maxWords   = 8    // how many words of the text count
	maxHits    = 2000 // how many places of a word are read
	maxAllHits = 4000 // how many places of all words of one search are read
	maxFound   = 10   // most results of a search
	maxNames   = 24   // how many further names describe mentions
	maxMembers = 6    // how many matching members each result has
	maxDoc     = 200  // most bytes of a text in an answer
	maxText    = 8000 // most bytes of a declaration; a table with hundreds of links is shown in part
)

// catalogue answers search and describe. It is made from the declarations, once for each tool, and
// a program's questions never change it.
type catalogue struct {
	entries []entry
	index   map[string][]hit  // the places of each word
	words   []string          // the words of the index, sorted
	letters []uint64          // for each word, the set of its letters, to find typos
	texts   map[string]string // declarations by name, for describe
	names   []string          // the names that describe accepts, sorted
	aliases map[string]string // for each other name, the declared name

	searchName, describeName string // the names of the two functions in programs
}

// hit is a place where a word occurs.
type hit struct {
	entry  int
	member int // the index of a member; -1: the word is in the name or doc of the entry
	weight int
}

// A word's weight depends on its place. A whole name weighs more than a part of a name, which
// weighs more than a text.
const (
	inName, inAlias, inDoc              = 320, 240, 48
	inMember, partOfMember, inMemberDoc = 14, 8, 3 // weights that are multiplied by damped
	wholeName                           = 160
	asPrefix, asTypo                    = 2, 3 // the weight is divided by these, if the word is only a prefix or a typo
)

// smallWords are frequent words that name nothing. Without this list, "salary of employees" would find billOfMaterials first.
var smallWords = scalar.Words("a an the of by to on in at for with and or is are was were do does did has have how many much which what who whose when where that this each most per our")

// damped lowers the weight of a member in a table with many members, since a table with hundreds of
// links contains almost every word.
func damped(members int) int { return 256 / (8 + members) }

func newCatalogue(all *declarations, entries []entry, granted []message.GrantedName) *catalogue {
	c := &catalogue{searchName: freeName("search", granted), describeName: freeName("describe", granted), entries: entries, index: map[string][]hit{}, texts: map[string]string{}, aliases: map[string]string{}}
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
	for _, w := range c.words {
		c.letters = append(c.letters, lettersOf(w))
	}
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
	damp := damped(len(e.members))
	for k, m := range e.members {
		put(m.name, k, partOfMember*damp)
		whole(m.name, k, inMember*damp)
		put(m.more, k, inMemberDoc*damp)
		put(m.doc, k, inMemberDoc*damp)
	}
	// Describing a row or its query returns both declarations.
	c.texts[e.name] = e.text
	if e.query != "" {
		c.texts[e.query], c.aliases[e.query] = e.text, e.name
	}
}

// scored is an entry with the weight of its matches.
type scored struct {
	entry   int
	words   int // how many of the words in the question it has
	weight  int
	members map[int]int
}

// search ranks the entries that have the words, or words that begin with them. An unknown word is
// replaced by the nearest known one. The cost is bounded for every text: there are no patterns, and
// all words share a budget. It stops early if the context ends.
func (c *catalogue) search(ctx context.Context, text string) []scored {
	var asked []string
	all := wordsOf(text)
	if named := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return smallWords[w] }); len(named) > 0 {
		all = named
	}
	for _, w := range all {
		if !slices.Contains(asked, w) && len(asked) < maxWords {
			asked = append(asked, w)
		}
	}
	by := map[int]*scored{}
	left := budget{hits: maxAllHits, typos: maxTypos}
	for k, w := range asked {
		if ctx.Err() != nil {
			return nil
		}
		best := map[hit]int{} // the keys are places, without their weights
		c.lookUp(w, left.share(len(asked)-k), func(h hit, weight int) {
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
		if x, y := a.words*a.weight, b.words*b.weight; x != y {
			return y - x
		}
		return strings.Compare(c.entries[a.entry].name, c.entries[b.entry].name)
	})
	return out[:min(len(out), maxFound)]
}

// found returns the answer of search as plain data.
func (c *catalogue) found(ss []scored) value.Value {
	items := make([]value.Value, len(ss))
	for k, s := range ss {
		e := &c.entries[s.entry]
		fields := []value.Field{{Name: "name", Value: value.Text(e.name)}, {Name: "paths", Value: texts(e.paths)}}
		if e.doc != "" {
			fields = append(fields, value.Field{Name: "about", Value: value.Text(scalar.Shorten(e.doc, maxDoc))})
		}
		var members []string
		for _, m := range s.best() {
			members = append(members, scalar.Shorten(e.members[m].line+comment(e.members[m].doc), maxDoc))
		}
		items[k] = value.RecordValue(append(fields, value.Field{Name: "members", Value: texts(members)})...)
	}
	return value.List(items...)
}

func texts(ss []string) value.Value {
	vs := make([]value.Value, len(ss))
	for k, s := range ss {
		vs[k] = value.Text(s)
	}
	return value.List(vs...)
}

// best returns the indexes of the matching members, the best first.
func (s scored) best() []int {
	ms := slices.Sorted(maps.Keys(s.members))
	slices.SortStableFunc(ms, func(a, b int) int { return s.members[b] - s.members[a] })
	return ms[:min(len(ms), maxMembers)]
}
