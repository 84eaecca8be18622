package search

import (
	"slices"
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// joint separates the texts of a row that are searched as one text. It is neither a separator nor
// part of a word, so no phrase spans two texts.
const joint = " \uE000 "

// MaxTexts bounds the texts of a row that are searched together. sqlast has the same number.
const MaxTexts = 8

// These numbers define the rank: matches are counted in each text of a row, and earlier texts weigh more.
const (
	MaxCount = 10 // MaxCount is how many matches count in one text
	Weight   = 4  // Weight is how many matches in the next text count as much as one match
)

// Matches reports whether the texts of a row together match the query.
func (q *Query) Matches(texts ...string) bool {
	whole := strings.Join(scalar.Each(texts, Fold), joint)
	for _, g := range q.groups { // a quick check, since most rows don't even contain the letters
		if len(g) == 1 && !strings.Contains(whole, g[0].words[0]) {
			return false
		}
	}
	words := Words(whole)
	for _, g := range q.groups {
		if !anyIn(g, words) {
			return false
		}
	}
	return !anyIn(q.not, words)
}

func anyIn(terms []term, words []string) bool {
	for i := range words {
		if longest(terms, words[i:]) > 0 {
			return true
		}
	}
	return false
}

// longest returns the number of words in the longest term that matches at the beginning of words, or 0 if none matches.
func longest(terms []term, words []string) int {
	most := 0
	for _, t := range terms {
		if n := len(t.words); n > most && t.begins(words) {
			most = n
		}
	}
	return most
}

func (t term) begins(words []string) bool {
	n := len(t.words)
	if len(words) < n {
		return false
	}
	last := n - 1
	for i, w := range t.words[:last] {
		if words[i] != w {
			return false
		}
	}
	if t.prefix {
		return strings.HasPrefix(words[last], t.words[last])
	}
	return words[last] == t.words[last]
}

// Rank returns how well the texts of a row match. It counts matching terms in each text, from the
// left and up to MaxCount. Each text counts Weight times as much as the next.
func (q *Query) Rank(texts ...string) int64 {
	terms := slices.Concat(q.groups...)
	rank := int64(0)
	for _, s := range texts {
		rank = rank*Weight + int64(count(terms, Words(Fold(s))))
	}
	return rank
}

func count(terms []term, words []string) int {
	n := 0
	for i := 0; i < len(words) && n < MaxCount; i++ {
		if k := longest(terms, words[i:]); k > 0 {
			n++
			i += k - 1
		}
	}
	return n
}
