package search

import (
	"strings"

	"github.com/exoagent/exoagent/internal/scalar"
)

// joint stands between the texts of a row where they are searched as one. It is no separator and
// in no word of a text, so no phrase goes from one text to the next.
const joint = " \uE000 "

// MaxTexts is how many texts of a row are searched together. sqlast has the number, too.
const MaxTexts = 8

// Rank: the texts of a row count from the first, which is the dearest.
const (
	MaxCount = 10 // of the terms in one text
	Weight   = 4  // of a text, in terms of the one behind it
)

// Matches reports whether the texts of a row, taken together, have what the query asks for.
func (q *Query) Matches(texts ...string) bool {
	whole := strings.Join(scalar.Each(texts, Fold), joint)
	for _, g := range q.groups { // most rows have not even the letters
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

// longest is how many words the longest of the terms has that the words begin with; 0 is none.
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

// Rank says how well the texts of a row match: for each text how often it has one of the terms,
// counted from the left and to MaxCount, and that Weight times as much as in the next text.
func (q *Query) Rank(texts ...string) int64 {
	var terms []term
	for _, g := range q.groups {
		terms = append(terms, g...)
	}
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
