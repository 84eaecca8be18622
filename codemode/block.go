package codemode

import (
	"strings"

	"github.com/exoagent/exoagent/exo/value"
)

// member is one line of a declaration.
type member struct{ text, doc string }

const maxLine = 140

// block writes a declaration on one line if it is short, and otherwise each member on its own line.
func block(head string, ms []member) string {
	texts, docs := make([]string, len(ms)), false
	for k, m := range ms {
		texts[k] = m.text
		docs = docs || m.doc != ""
	}
	if len(ms) == 0 {
		return head + " {}"
	}
	if s := head + " { " + strings.Join(texts, "; ") + " }"; !docs && len(s) <= maxLine {
		return s
	}
	var b strings.Builder
	b.WriteString(head + " {\n")
	for _, m := range ms {
		b.WriteString("  " + m.text + ";" + comment(m.doc) + "\n")
	}
	return b.String() + "}"
}

// packed writes a block with a note on its first line. Members without a comment share lines.
func packed(head, note string, ms []member) string {
	var lines []member
	open := false
	for _, m := range ms {
		last := len(lines) - 1
		if open && m.doc == "" && len(lines[last].text)+len(m.text) < maxLine {
			lines[last].text += "; " + m.text
			continue
		}
		lines = append(lines, m)
		open = m.doc == ""
	}
	first, rest, more := strings.Cut(block(head, lines), "\n")
	first += comment(note)
	if more {
		first += "\n" + rest
	}
	return first
}

func comment(doc string) string {
	if doc = line(doc); doc == "" {
		return ""
	}
	return " // " + doc
}

// line joins the lines of a text, so that the text can't end the // comment that contains it.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// tags returns the tags of a label as a mark like [takes pii], where verb is the text before them. It returns "" if there are none.
func tags(verb string, l value.Label) string {
	if l.Empty() {
		return ""
	}
	return "[" + verb + strings.Join(l.Tags(), ", ") + "]"
}

// identifier reports whether n can be a name in JavaScript without quotes.
func identifier(n string) bool {
	for i, c := range []byte(n) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return n != ""
}

// property writes n as the name of a property, in quotes if n needs them.
func property(n string) string {
	if identifier(n) {
		return n
	}
	return quote(n)
}
