package search

import "strings"

// The regular expressions are of words and of class: a word has no ASCII characters but letters and
// digits, so nothing of a program is syntax in them (TestRegexpSyntax). Folded texts are matched.

// never matches nothing: no character stands behind the end.
const never = "$."

// Regexp matches the folded texts of a row, joined, where Matches holds.
func (q *Query) Regexp() string {
	if len(q.groups) == 1 && len(q.not) == 0 { // the engine is quicker without constraints
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

// Needle is a part of each text that Regexp matches, "" if none is known. To look for it first is quicker than the expression is for a
// text without it.
func (q *Query) Needle() string {
	longest := ""
	for _, g := range q.groups {
		if len(g) > 1 { // one of them is enough, and it may be the other
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

// Counting matches once for each of the terms that Rank counts in a folded text.
func (q *Query) Counting() string {
	var terms []term
	for _, g := range q.groups {
		terms = append(terms, g...)
	}
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
