package search

import (
	"slices"
	"strings"
)

// This file writes queries as regular expressions, which match folded texts. They consist of words and of what class returns. A
// word's only ASCII characters are letters and digits, so no part of a program's text is syntax (TestRegexpSyntax).

// never matches no text, since no character follows the end.
const never = "$."

// Regexp returns the expression that matches a row's joined, folded texts exactly if Matches is true of them.
func (q *Query) Regexp() string {
	if len(q.groups) == 1 && len(q.not) == 0 { // PostgreSQL is faster without lookahead constraints
		return "(?:^|" + class() + ")" + alternatives(q.groups[0])
	}
	var b strings.Builder
	b.WriteByte('^')
	for _, g := range q.groups {
		b.WriteString("(?=(?:.*" + class() + ")?" + alternatives(g) + ")")
	}
	if len(q.not) > 0 {
		b.WriteString("(?!(?:.*" + class() + ")?" + alternatives(q.not) + ")")
	}
	return b.String()
}

// Needle returns a part of every text that Regexp matches, or "" if none is known. Looking for that
// part first quickly excludes texts without it.
func (q *Query) Needle() string {
	longest := ""
	for _, g := range q.groups {
		if len(g) > 1 { // any one of these terms is enough for a match
			continue
		}
		for _, w := range g[0].words {
			if len(w) > len(longest) {
				longest = w
			}
		}
	}
	return longest
}

// Counting returns the regular expression that matches once for each term in a folded text. Rank counts the same terms, up to MaxCount.
func (q *Query) Counting() string {
	terms := slices.Concat(q.groups...)
	if len(terms) == 0 {
		return never
	}
	return "(?:^|" + class() + ")" + alternatives(terms)
}

func alternatives(terms []term) string {
	var out []string
	for _, t := range terms {
		s := strings.Join(t.words, class()+"+")
		if !t.prefix {
			s += "(?=" + class() + "|$)"
		}
		out = append(out, s)
	}
	return "(?:" + strings.Join(out, "|") + ")"
}
