package search

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// These bound a query, since matching takes a step for each of its words and each character of a row's texts.
const (
	MaxQuery = 1000 // in bytes
	MaxWords = 32
)

// Query is a parsed query. A row matches if it contains a term of each group, and no term of not.
type Query struct {
	groups [][]term // each group has at least one term
	not    []term
}

// term is a sequence of words. The last of them may be only the beginning of a word.
type term struct {
	words  []string // words are folded
	prefix bool
}

const (
	mean     = `write words that must all occur: "…" around words in sequence, pay* for words that begin with pay, -word for rows without the word, a OR b for either`
	noGroups = "parentheses don't group here: OR joins the two terms next to it, so write a b OR c for a (b OR c), and -a -b for rows without both"
)

// Parse reads a query. Its errors are for authors of programs.
func Parse(s string) (*Query, error) {
	switch {
	case len(s) > MaxQuery:
		return nil, fmt.Errorf("the text to search for is longer than %d bytes: search for the words that matter", MaxQuery)
	case !utf8.ValidString(s):
		return nil, errors.New("the text to search for is not valid Unicode: it may have half of a character, which must be removed")
	}
	p := &parser{rest: plainQuotes.Replace(s), whole: s}
	for p.rest != "" && p.err == nil {
		p.next()
	}
	switch {
	case p.err != nil:
		return nil, p.err
	case p.or:
		return nil, errOr
	case p.negated:
		return nil, errors.New("NOT needs a word after it: write NOT word, or -word, for the rows without the word")
	case p.words > MaxWords:
		return nil, fmt.Errorf("the query has more than %d words: search for those that matter", MaxWords)
	case len(p.q.groups)+len(p.q.not) == 0:
		return nil, fmt.Errorf("there is no word in %q: for all rows leave search out; otherwise %s", clip(s), mean)
	}
	return &p.q, nil
}

var (
	plainQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`)
	errOr       = errors.New("OR must be between two words, and not next to a -word: refund OR chargeback")
)

// parser reads the terms of a query from left to right.
type parser struct {
	q           Query
	rest, whole string
	err         error
	words       int

	or, negated bool // or: the previous chunk was OR; negated: it was NOT
	ended       bool // ended: the previous chunk was a term, so OR may follow
	operators   bool // operators: the query contains OR, or an operator of another query language
	parens      bool
}

func (p *parser) fail(format string, args ...any) { p.err = fmt.Errorf(format, args...) }

// next reads one chunk up to a space: a term or an operator.
func (p *parser) next() {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	if p.rest == "" {
		return
	}
	not := false
	if after, minus := strings.CutPrefix(p.rest, "-"); minus {
		if r, _ := utf8.DecodeRuneInString(after); r == '"' || !separates(r) && after != "" {
			not, p.rest = true, after
		}
	}
	if after, quoted := strings.CutPrefix(p.rest, `"`); quoted {
		p.phrase(after, not)
		return
	}
	end := strings.IndexFunc(p.rest, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	if end < 0 {
		end = len(p.rest)
	}
	chunk := p.rest[:end]
	p.rest = p.rest[end:]
	if !not && p.operator(chunk) || p.err != nil {
		return
	}
	if p.check(chunk); p.err == nil {
		p.term(chunk, not)
	}
}

// phrase reads the words up to the next quotation mark.
func (p *parser) phrase(after string, not bool) {
	text, rest, closed := strings.Cut(after, `"`)
	if !closed {
		p.fail(`a quotation mark in %q is not closed: write "…" around words in sequence, or leave it out`, clip(p.whole))
		return
	}
	p.rest = rest
	if strings.HasPrefix(rest, "*") { // SQLite's own search has the same syntax
		text, p.rest = text+"*", rest[1:]
	}
	p.term(text, not)
}

// operator reads a chunk that is an operator, here or in another query language. It reports whether the chunk is one.
func (p *parser) operator(chunk string) bool {
	switch chunk {
	case "OR":
		p.operators = true
		if !p.ended || p.or || p.negated {
			p.err = errOr
		}
		p.or, p.ended = true, false
	case "AND": // AND between words changes nothing
		p.operators = true
		if p.or || p.negated {
			p.err = errOr
		}
		p.ended = false
	case "NOT":
		p.operators, p.negated, p.ended = true, true, false
		if p.or {
			p.err = errOr
		}
	case "|", "||":
		p.fail("write OR in place of %s: refund OR chargeback", chunk)
	case "<->":
		p.fail(`write "…" around words in sequence, in place of <->`)
	default:
		return false
	}
	p.grouped()
	return true
}

// check refuses characters that are operators in other query languages, but part of a word or meaningless here.
func (p *parser) check(chunk string) {
	if strings.ContainsAny(chunk, "()") {
		p.parens = true
		p.grouped()
	}
	if !strings.ContainsFunc(chunk, letter) {
		return
	}
	runes := []rune(chunk)
	last := len(runes) - 1
	switch before, after, colon := strings.Cut(chunk, ":"); {
	case p.err != nil:
	case strings.HasPrefix(chunk, "!"):
		p.fail("write -word in place of !word for the rows without it")
	case strings.HasPrefix(chunk, "%"):
		p.fail("%% has no meaning here: search finds whole words, and pay* words that begin with pay; for a part of a text write .ilike('%%…%%')")
	case strings.HasPrefix(chunk, "NEAR("):
		p.fail(`there is no NEAR: "…" finds words in sequence`)
	case strings.Contains(chunk, "|"):
		p.fail("write OR between words in place of |: refund OR chargeback")
	case colon && word(before) && strings.HasPrefix(after, "*"):
		p.fail("write %s* in place of %s", clip(before), clip(chunk))
	case colon && word(before) && after != "" && word(after[:1]) && !strings.ContainsFunc(before, unicode.IsDigit):
		p.fail(`%s does not choose a column, since search looks in all of them: write "%s %s" for the two words, or a condition on the column as well`, clip(before)+":", clip(before), clip(after))
	case strings.Contains(string(runes[:last]), "*") || runes[last] == '*' && (last == 0 || separates(runes[last-1])):
		p.fail("write * right after the first letters of a word: pay* finds pay and payment")
	case fuzzy(chunk):
		p.fail("~ and ^ mean nothing here: words are found as they are written, and pay* finds words that begin with pay")
	}
}

// grouped refuses parentheses in a query with operators.
func (p *parser) grouped() {
	if p.parens && p.operators && p.err == nil {
		p.err = errors.New(noGroups)
	}
}

func letter(r rune) bool { return !separates(r) }

func word(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return separates(r) && r != '_' && r != '.' })
}

// fuzzy reports whether a chunk has the form word~ or word^2.
func fuzzy(chunk string) bool {
	s := strings.TrimRight(chunk, "0123456789")
	body, marked := strings.CutSuffix(s, "~")
	if !marked {
		body, marked = strings.CutSuffix(s, "^")
	}
	return marked && word(body)
}

// term adds the words of a text, in sequence, as one term.
func (p *parser) term(text string, not bool) {
	body, prefix := strings.CutSuffix(text, "*")
	t := term{words: Words(Fold(body)), prefix: prefix}
	if strings.Contains(body, "*") && len(t.words) > 0 || prefix && len(t.words) > 0 && separates([]rune(body)[len([]rune(body))-1]) {
		p.fail("write * right after the first letters of a word: pay* finds pay and payment")
		return
	}
	if len(t.words) == 0 { // a chunk of only punctuation has no words, but no part of a query may be ignored silently
		if not || p.negated || p.or {
			p.fail("there is no word in %q: %s", clip(p.whole), mean)
		}
		return
	}
	p.words += len(t.words)
	switch {
	case not || p.negated:
		if p.or {
			p.err = errOr
			return
		}
		p.q.not = append(p.q.not, t)
		p.negated, p.ended = false, false
	case p.or:
		last := len(p.q.groups) - 1
		p.q.groups[last] = append(p.q.groups[last], t)
		p.or, p.ended = false, true
	default:
		p.q.groups = append(p.q.groups, []term{t})
		p.ended = true
	}
}

// clip shortens a text for an error.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
