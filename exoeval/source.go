package exoeval

import (
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
)

// The front turns program text into a compiled program that has passed every
// static rule. What it can't see (computed member names, values) is the realm's
// to hold; what it does see is decided here, before any of it runs.

// Names of the helpers that rewritten programs call. They start with NUL, which
// no identifier can: not even spelled \u0000, because the lexer decodes escapes
// before it asks whether the character may start a name. So a program can
// neither call nor shadow one.
const (
	helperOp        = "\x00op"     // (operator, a, b): binary operators
	helperUnary     = "\x00un"     // (operator, a): ! and -
	helperAnd       = "\x00and"    // (a, () => b)
	helperOr        = "\x00or"     // (a, () => b)
	helperNullish   = "\x00nn"     // (a, () => b)
	helperCond      = "\x00if"     // (test, () => a, () => b)
	helperTemplate  = "\x00tpl"    // ([strings], ...values)
	helperTest      = "\x00test"   // (test of if, while, for, do): a plain boolean, or an error
	helperAwait     = "\x00await"  // (x): what `await x` waits for
	helperTypeof    = "\x00typeof" // (x): typeof
	helperSwitch    = "\x00switch" // (x): what switch and case compare
	helperMember    = "\x00member" // (object, name): the method that will be called
	helperCallee    = "\x00callee" // (name, function): the function that will be called
	helperArgument  = "\x00arg"    // (name, x): an argument of a method of an optional chain
	helperSpread    = "\x00spread" // (x): what `{ ...x }` copies
	helperTarget    = "\x00target" // (object, name): the object whose member is assigned
	helperSent      = "\x00sent"   // (x): what the `then` of x is read from
	helperCalled    = "\x00called" // (promise, name): the promise of an async function
	helperKept      = "\x00kept"   // (x): what `x ??= y` leaves, which may be a promise and nothing recorded
	helperHearing   = "\x00hear"   // no function: whether a synonym of a describing method was just read
	helperRecording = "\x00rec"    // no function: whether a describing callback is being called
)

// frontConfig is what the front needs to know of the realm and the grants.
type frontConfig struct {
	MaxSource  int             // bytes of program text
	MaxNesting int             // brackets within brackets
	Globals    map[string]bool // names that the realm has
	Grants     []string        // granted names, in scope as globals too
	Describing map[string]bool // methods whose callbacks are recorded
	Catalog    exo.Catalog     // what errors say of names and words that are not there
}

// program is checked and compiled text. It is immutable and may be run many times.
type program struct {
	compiled *goja.Program  // evaluates to one function, to be called with the capabilities
	src      string         // as given
	wrapped  string         // prefix + what was parsed + suffix: what goja's positions refer to
	prefix   int            // length of the prefix
	at       textMap        // from offsets of what was parsed to those of src, where they differ
	needs    needs          // what its realm must hold
	written  writtenNumbers // its numbers that JavaScript's don't hold, or hold beyond 2^53
	spans    []span         // its functions, those inside others later
	calls    map[int]span   // its calls, by the offset of their parenthesis
	plain    bool           // it is a body that awaits nothing: its function is not asynchronous
}

// position maps a position as goja reports it (in the wrapped text, columns in
// bytes) to the line and column of the text as given, and that line.
func (p *program) position(line, col int) exo.Pos {
	off := p.at.source(offsetOf(p.wrapped, line, col) - p.prefix)
	if off < 0 || off > len(p.src) {
		return exo.Pos{}
	}
	return lineColumn(p.src, off)
}

// span is where a function stands in the wrapped text.
type span struct {
	from, to int
	async    bool
}

// awaits reports whether `await` may stand at a position as goja reports it: whether the innermost function there is async.
func (p *program) awaits(line, col int) bool {
	off, is := offsetOf(p.wrapped, line, col), true
	for _, s := range p.spans {
		if s.from <= off && off < s.to {
			is = s.async
		}
	}
	return is
}

// maxCopied bounds the text of a call that an error names as a form to copy.
const maxCopied = 100

// call is the text of the call at a position as goja reports it, on one line and without its callee's own place. It is "" where
// there is none, or where the text on one line would be too long or another program.
func (p *program) call(line, col int) string {
	s, ok := p.calls[offsetOf(p.wrapped, line, col)]
	if !ok || s.from < p.prefix || s.to > len(p.wrapped) {
		return ""
	}
	lines := strings.Split(p.wrapped[s.from:s.to], "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
		if i > 0 && !strings.HasPrefix(lines[i], ".") {
			lines[i] = " " + lines[i]
		}
	}
	text := strings.Join(lines, "")
	if len(text) > maxCopied || len(lines) > 1 && (strings.Contains(text, "`") || strings.Contains(text, "//")) || closedIn(text) != 0 {
		return ""
	}
	return text
}

// begins is where the call begins that is at a position as goja reports it.
func (p *program) begins(line, col int) exo.Pos {
	s, ok := p.calls[offsetOf(p.wrapped, line, col)]
	if !ok || s.from < p.prefix || s.to > len(p.wrapped) || closedIn(p.wrapped[s.from:s.to]) != 0 {
		return exo.Pos{}
	}
	return lineColumn(p.src, p.at.source(s.from-p.prefix))
}

// closedIn is how many brackets a text opens more than it closes. One that begins behind `(await` closes one that it did not open.
func closedIn(text string) (open int) {
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		}
	}
	return open
}

// compile parses, checks, rewrites and compiles src. The error is always an
// *exo.Error. A panic below (goja's parser has panics of its own) is Internal, and
// its text stays on the host's side.
func compile(src string, cfg frontConfig) (p *program, err error) {
	defer func() {
		if x := recover(); x != nil {
			p, err = nil, internalError(x)
		}
	}()
	if p, f := front(src, cfg); f == nil {
		return p, nil
	} else {
		return nil, f.error(src)
	}
}

func front(src string, cfg frontConfig) (*program, *fault) {
	if len(src) > cfg.MaxSource {
		return nil, faultf(exo.Limit, -1, "the program has %d bytes, more than the limit of %d (source size)", len(src), cfg.MaxSource)
	}
	if off := invalidUTF8(src); off >= 0 {
		return nil, faultf(exo.Syntax, off, "the program is not valid UTF-8 text")
	}
	text := stripFence(src)
	p, parsed, f := javaScript(text, cfg)
	if f != nil && f.kind == exo.Syntax {
		p, f = typeScript(text, cfg, parsed, f)
	}
	if f != nil {
		return nil, f
	}
	p.src = src
	return p, nil
}

// javaScript compiles a text whose offsets are those of the program as given.
// parsed says that a fault came later than from the parser.
func javaScript(text string, cfg frontConfig) (_ *program, parsed bool, _ *fault) {
	toks, f := prescan(cfg.Catalog, text, cfg.MaxNesting)
	if f != nil {
		return nil, false, f
	}
	if len(toks) == 0 {
		return nil, false, faultf(exo.Syntax, -1, "the program is empty; write a function such as `async (api) => { ... }`")
	}
	text, awaits := plainFor(stripModule(text, toks), toks)
	pt, f := parse(cfg.Catalog, text)
	if f != nil {
		return nil, false, f
	}
	pt.awaits, pt.toks = awaits, toks
	c := newChecker(cfg, pt)
	if f := c.check(); f != nil {
		return nil, true, f
	}
	if f := c.finish(); f != nil {
		return nil, true, f
	}
	if f := rewrite(pt, c); f != nil {
		return nil, true, f
	}
	// CompileAST with strict: `this` is undefined in plain functions, so that no
	// function can reach the global object through it. Never goja.Compile: it
	// follows sourceMappingURL comments to the host's files.
	compiled, err := goja.CompileAST(pt.prog, true)
	if err != nil {
		return nil, true, pt.compileFault(err)
	}
	return &program{compiled: compiled, wrapped: pt.wrapped, prefix: pt.prefix, needs: c.needs(), spans: c.spans, calls: c.calls, plain: pt.plain, written: c.written}, true, nil
}

// typeScript takes the types off a text that javaScript refused with f. Both
// may be wrong with it: what is not read at all weighs more than where. A text
// that parses can still be TypeScript: `get<Row>(1)` compares get with Row.
func typeScript(text string, cfg frontConfig, parsed bool, f *fault) (*program, *fault) {
	toks, f2 := scan(cfg.Catalog, text, cfg.MaxNesting, true)
	if f2 != nil {
		return nil, f
	}
	text = stripModule(text, toks)
	if toks, f2 = scan(cfg.Catalog, text, cfg.MaxNesting, true); f2 != nil {
		return nil, f
	}
	out, f2 := eraseTypes(text, toks)
	if f2 != nil && !parsed {
		return nil, f2
	}
	if f2 != nil || !out.found {
		return nil, f
	}
	p, parsed2, f2 := javaScript(out.text, cfg)
	if f2 != nil {
		f2.off = out.at.source(f2.off)
		if !parsed2 && (parsed || f2.kind == exo.Syntax && f2.off < f.off) {
			return nil, f
		}
		return nil, f2
	}
	p.at = out.at
	return p, nil
}

// plainFor blanks the await of `for await`, which the parser doesn't know. The
// loops at the offsets returned wait for each item (see rewriter.forAwait).
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

// blank replaces s[from:to] by spaces, byte for byte, line ends kept: offsets
// in the result are offsets in the original.
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

// stripFence blanks a markdown code fence and what is around it. With exactly
// one fenced block, prose may stand before it. Text after it must be blank:
// otherwise the fence may be part of a template literal of the program.
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
	case len(fences) == 1 && blankText(src[:fences[0].from]): // never closed
		return blank(src, 0, fences[0].to)
	case len(fences) == 1 && blankText(src[fences[0].to:]): // never opened
		return blank(src, fences[0].from, len(src))
	case len(fences) == 2 && blankText(src[fences[1].to:]) && strings.TrimSpace(src[fences[1].from:fences[1].to]) == "```":
		return blank(blank(src, 0, fences[0].to), fences[1].from, len(src))
	}
	return src
}

// exported are the words that start an exported declaration.
var exported = map[string]bool{"const": true, "let": true, "var": true, "function": true, "async": true, "class": true,
	"abstract": true, "interface": true, "type": true, "enum": true, "declare": true}

// stripModule blanks `export`, `export default` and `module.exports =` where they start a
// statement of the program: habits of authors, without a meaning here.
func stripModule(text string, toks []tok) string {
	var b []byte // once: a text of exports alone must not be copied for each
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
			// `export default function (api) {}`: without a name it is no statement,
			// so it becomes the second part of a sequence, which parse takes apart.
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
