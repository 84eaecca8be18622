package source

// This file parses a JavaScript text, and removes the types of a TypeScript text. Both first bound what reading the text can cost.

import (
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
)

// Clean returns the text of a program with its markdown fence blanked. It refuses more than max bytes and invalid UTF-8. Offsets in the result
// are offsets in src.
func Clean(src string, max int) (string, *Fault) {
	if len(src) > max {
		return "", Faultf(fail.Limit, -1, "the program has %d bytes, more than the limit of %d (source size): write a shorter one", len(src), max)
	}
	if off := invalidUTF8(src); off >= 0 {
		return "", Faultf(fail.Syntax, off, "the program is not valid UTF-8 text: remove the invalid bytes")
	}
	return stripFence(src), nil
}

// Parse checks the limits of a JavaScript text and parses it. nesting is the most brackets inside one another. The catalogue has error texts for
// words of other languages.
func Parse(c message.Catalog, text string, nesting int) (*Tree, *Fault) {
	toks, f := scan(c, text, nesting, false)
	if f != nil {
		return nil, f
	}
	if len(toks) == 0 {
		return nil, Faultf(fail.Syntax, -1, "the program is empty; write a function such as `async (api) => { ... }`")
	}
	text, awaits := plainFor(stripModule(text, toks), toks)
	t, f := parseForms(c, text)
	if f != nil {
		return nil, f
	}
	t.ForAwait, t.toks = awaits, toks
	return t, nil
}

// Erase removes the types from a TypeScript text. If the text can't be scanned as TypeScript, Erase removes nothing, so that the author reads
// the error of Parse.
func Erase(c message.Catalog, text string, nesting int) (Erased, *Fault) {
	toks, f := scan(c, text, nesting, true)
	if f != nil {
		return Erased{}, nil
	}
	text = stripModule(text, toks)
	if toks, f = scan(c, text, nesting, true); f != nil {
		return Erased{}, nil
	}
	return eraseTypes(text, toks)
}

// plainFor blanks the await of `for await`, which the parser does not know. It returns the offsets of these loops. The program still waits for each
// item of such a loop: see rewriter.forAwait.
func plainFor(text string, toks []tok) (string, map[int]bool) {
	var awaits map[int]bool
	var b []byte
	for i := 0; i+1 < len(toks); i++ {
		if toks[i].text == "for" && toks[i+1].text == "await" && (i == 0 || toks[i-1].text != ".") {
			if awaits == nil {
				awaits, b = map[int]bool{}, []byte(text)
			}
			awaits[toks[i].off] = true
			blankBytes(b, toks[i+1].off, toks[i+1].end)
		}
	}
	if awaits == nil {
		return text, nil
	}
	return string(b), awaits
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// blank replaces s[from:to] by spaces, byte by byte. It keeps line ends, so offsets stay the same.
func blank(s string, from, to int) string {
	b := []byte(s)
	blankBytes(b, from, to)
	return string(b)
}

func blankBytes(b []byte, from, to int) {
	for i := from; i < to; i++ {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
}

var fenceLanguages = map[string]bool{"": true, "js": true, "javascript": true, "ts": true, "typescript": true, "mjs": true, "cjs": true, "jsx": true, "tsx": true}

// stripFence blanks a markdown code fence and the text around it. With exactly one fenced block, prose may precede it. After the block only
// blank text may follow, because otherwise the fence may be part of the program's template.
func stripFence(src string) string {
	type line struct{ from, to int }
	var fences []line
	for from := 0; from < len(src); {
		to := len(src)
		if i := strings.IndexByte(src[from:], '\n'); i >= 0 {
			to = from + i + 1
		}
		if t := strings.TrimSpace(src[from:to]); strings.HasPrefix(t, "```") && fenceLanguages[strings.ToLower(strings.TrimSpace(t[3:]))] {
			fences = append(fences, line{from, to})
		}
		from = to
	}
	blankText := func(s string) bool { return strings.TrimSpace(s) == "" }
	switch {
	case len(fences) == 1 && blankText(src[:fences[0].from]): // the fence has no end
		return blank(src, 0, fences[0].to)
	case len(fences) == 1 && blankText(src[fences[0].to:]): // the fence has no beginning
		return blank(src, fences[0].from, len(src))
	case len(fences) == 2 && blankText(src[fences[1].to:]) && strings.TrimSpace(src[fences[1].from:fences[1].to]) == "```":
		return blank(blank(src, 0, fences[0].to), fences[1].from, len(src))
	}
	return src
}

// exported are the words that start an exported declaration.
var exported = map[string]bool{"const": true, "let": true, "var": true, "function": true, "async": true, "class": true,
	"abstract": true, "interface": true, "type": true, "enum": true, "declare": true}

// stripModule blanks `export`, `export default` and `module.exports =` at the start of a statement. Authors write them by habit, and they have
// no meaning here.
func stripModule(text string, toks []tok) string {
	var b []byte // one copy, not one for each of many exports
	blank := func(from, to int) {
		if b == nil {
			b = []byte(text)
		}
		blankBytes(b, from, to)
	}
	for i := range toks {
		if toks[i].depth != 0 || i > 0 && toks[i-1].text == "." {
			continue
		}
		rest := toks[i:]
		switch {
		case toks[i].text == "export" && i+1 < len(toks) && exported[toks[i+1].text] && !matchTokens(rest, "export", "type", "{") && !matchTokens(rest, "export", "type", "*"):
			blank(toks[i].off, toks[i].end)
		case matchTokens(rest, "export", "default"):
			blank(toks[i].off, toks[i+1].end)
			// `export default function (api) {}` has no name, so it is no statement. stripModule makes it the second part of a sequence, and unwrapExport
			// removes the sequence.
			if rest := rest[2:]; matchTokens(rest, "function", "(") || matchTokens(rest, "async", "function", "(") {
				copy(b[toks[i].off:], "0,")
			}
		case matchTokens(rest, "export", "{"):
			end := 2
			for end < len(rest) && rest[end].depth > 0 {
				end++
			}
			if end < len(rest) && !matchTokens(rest[end+1:], "from") {
				blank(toks[i].off, rest[end].end)
				b[toks[i].off] = ';'
			}
		case matchTokens(rest, "module", ".", "exports", "="):
			blank(toks[i].off, toks[i+3].end)
		}
	}
	if b == nil {
		return text
	}
	return string(b)
}

func matchTokens(toks []tok, texts ...string) bool {
	if len(toks) < len(texts) {
		return false
	}
	for i, t := range texts {
		if toks[i].text != t {
			return false
		}
	}
	return true
}
