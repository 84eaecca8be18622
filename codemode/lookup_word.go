package codemode

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

const (
	maxTypo  = 24   // most bytes of a word that may be a typo
	maxTypos = 4000 // most words that are compared letter by letter in one search
)

// budget is how much more work one search may do. A hostile program may choose words that occur
// everywhere, or that resemble many others.
type budget struct{ hits, typos int }

// share returns the part of the budget for one of n words. The other words share the rest.
func (b *budget) share(n int) *budgetShare {
	return &budgetShare{of: b, hits: min(b.hits/n, maxHits), typos: b.typos / n}
}

type budgetShare struct {
	of          *budget
	hits, typos int
}

// lookUp calls found with each place of a word, and of words that begin with it. If there is none, it uses the word
// nearest to it, since w may have a typo.
func (c *catalogue) lookUp(w string, left *budgetShare, found func(h hit, weight int)) {
	nowhere := true
	tell := func(word string, part int) {
		hs := c.index[word]
		hs = hs[:min(len(hs), left.hits)]
		left.hits -= len(hs)
		left.of.hits -= len(hs)
		for _, h := range hs {
			nowhere = false
			found(h, h.weight/part)
		}
	}
	tell(w, 1)
	if len(w) > 2 {
		for k, _ := slices.BinarySearch(c.words, w); left.hits > 0 && k < len(c.words) && strings.HasPrefix(c.words[k], w); k++ {
			tell(c.words[k], asPrefix)
		}
	}
	if nowhere {
		tell(c.nearest(w, left), asTypo)
	}
}

// nearest returns the indexed word that is most similar to w, or "" if none is, like scalar.Nearest. To be fast with
// tens of thousands of words, it first skips words that differ too much in length or letters.
func (c *catalogue) nearest(w string, left *budgetShare) string {
	if len(w) > maxTypo {
		return ""
	}
	reach := min(len(w)/3+len(w)/12, 3) // how many edits scalar.Nearest accepts as a typo
	if len(w) == 2 {
		reach = 1
	}
	letters := lettersOf(w)
	var near []string
	for k, is := range c.words {
		if d := len(is) - len(w); d > reach || -d > reach || bits.OnesCount64(letters^c.letters[k]) > 2*reach {
			continue // one edit changes the length by at most one, and adds and removes at most one letter
		}
		if left.typos == 0 {
			break
		}
		left.typos--
		left.of.typos--
		near = append(near, is)
	}
	return scalar.Nearest(w, near)
}

// lettersOf returns the set of a word's bytes, as scalar.Nearest compares them. If two bytes share
// a bit, two words seem nearer than they are.
func lettersOf(w string) (set uint64) {
	for _, b := range []byte(strings.ToLower(w)) {
		set |= 1 << (b % 64)
	}
	return set
}
