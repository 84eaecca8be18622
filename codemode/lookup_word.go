package codemode

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

const (
	maxTypo  = 24   // bytes of a word that may be a typo
	maxTypos = 4000 // words that are compared letter by letter in one search
)

// budget is the work that one search may still do. A program chooses the words and may know
// the catalogue, so it may choose words that are everywhere, or that resemble many others.
type budget struct{ hits, typos int }

// share is the part of the budget for one of n words. The other words get what it leaves.
func (b *budget) share(n int) *budgetShare {
	return &budgetShare{of: b, hits: min(b.hits/n, maxHits), typos: b.typos / n}
}

type budgetShare struct {
	of          *budget
	hits, typos int
}

// lookUp calls found with each place of a word.
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

// nearest does the same as scalar.Nearest, but only for words that can be near:
// of about the same length and with almost the same letters. It skips the others
// in two steps each, because a large schema has tens of thousands of words.
func (c *catalogue) nearest(w string, left *budgetShare) string {
	if len(w) > maxTypo {
		return ""
	}
	reach := min(len(w)/3+len(w)/12, 3) // the number of edits that scalar.Nearest takes for a typo
	if len(w) == 2 {
		reach = 1
	}
	letters := lettersOf(w)
	var near []string
	for k, is := range c.words {
		if d := len(is) - len(w); d > reach || -d > reach || bits.OnesCount64(letters^c.letters[k]) > 2*reach {
			continue // an edit changes the length by at most one, and adds and removes at most one letter
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

// lettersOf returns the set of a word's bytes, in the form in which scalar.Nearest
// compares them. Two bytes may share a bit: then two words seem nearer than they are.
func lettersOf(w string) (set uint64) {
	for _, b := range []byte(strings.ToLower(w)) {
		set |= 1 << (b % 64)
	}
	return set
}
