package search

import "strings"

// The regular expressions consist of words and class. A word has only letters and digits as ASCII
// characters, so no part of a program's text is syntax (TestRegexpSyntax). They match folded texts.

// never matches no text: no character follows the end.
const never = "$."

// Regexp returns the expression that matches the joined, folded texts of a row if Matches is true of them.
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

// Needle returns a part of every text that Regexp matches, "" if none is known. Looking for it
// first is faster than the expression for texts without it.
func (q *Query) Needle() string {
	longest := ""
	for _, g := range q.groups {
		if len(g) > 1 { // a text with any one of them matches
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
