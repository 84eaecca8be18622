package codemode

import (
	"strings"
	"unicode"
)

// wordsOf splits a text into words, and names like dueAt and due_at into their parts. It returns
// the words in lower case and singular.
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

// singular removes a plural ending: invoices becomes invoice, and categories becomes category.
func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return strings.TrimSuffix(w, "s")
	}
	return w
}
