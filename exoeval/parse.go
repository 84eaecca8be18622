package exoeval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"

	"github.com/exoagent/exoagent/exo"
)

// parsed is a program in one of three forms, all brought to the first:
// a function of the capabilities.
type parsed struct {
	prog    *ast.Program
	wrapped string
	prefix  int
	root    ast.Expression      // the function that the program evaluates to
	body    *ast.BlockStatement // the statements, when the text is a body; nil otherwise
	awaits  map[int]bool        // offsets of loops that were written `for await`
	toks    []tok               // of the text
	plain   bool                // root is made a plain function: see checker.check
}

// wrapper reports whether f is the function that parse put round the text.
func (p *parsed) wrapper(f *ast.ArrowFunctionLiteral) bool { return p.off(f.Start) < 0 }

// off is the offset in the text as given of an index of goja's.
func (p *parsed) off(idx file.Idx) int { return int(idx) - 1 - p.prefix }

// Both wrappers stand on the first line of the text, so lines agree.
const (
	bodyPrefix, bodySuffix = "async (api) => {", "\n}"
	exprPrefix, exprSuffix = "async (api) => (", "\n)"
)

// parse tries the text as the body of a function, then as one expression. An
// author who gets both wrong reads about the attempt that came further.
func parse(c exo.Catalog, text string) (*parsed, *fault) {
	p, f := parseAs(c, text, bodyPrefix, bodySuffix)
	if f == nil {
		p.takeBody()
		return p, nil
	}
	p, f2 := parseAs(c, text, exprPrefix, exprSuffix)
	if f2 == nil {
		p.takeExpression()
		return p, nil
	}
	if f2.off > f.off {
		return nil, f2
	}
	return nil, f
}

func parseAs(c exo.Catalog, text, prefix, suffix string) (p *parsed, f *fault) {
	defer func() {
		// The parser panics on some malformed patterns (`const {a = [...[`): that is
		// the text's fault, not ours. The panic's text stays with the host.
		if x := recover(); x != nil {
			p, f = nil, &fault{kind: exo.Syntax, off: -1, msg: "syntax error: the program can't be read; check its brackets and destructuring patterns", err: fmt.Errorf("panic: %v", x)}
		}
	}()
	p = &parsed{wrapped: prefix + text + suffix, prefix: len(prefix)}
	prog, err := parseText(p.wrapped)
	if err != nil {
		return nil, p.parseFault(c, text, err)
	}
	// The wrapper must still be the outermost thing, and closed by its own
	// bracket: `}); evil(); (() => {` must not become a program of three statements.
	if len(prog.Body) == 1 {
		if s, ok := prog.Body[0].(*ast.ExpressionStatement); ok {
			if fn, ok := s.Expression.(*ast.ArrowFunctionLiteral); ok && fn.Start == 1 {
				b, block := fn.Body.(*ast.BlockStatement)
				if !block && suffix == exprSuffix || block && int(b.RightBrace) == len(p.wrapped) {
					p.prog, p.root = prog, fn
					return p, nil
				}
			}
		}
	}
	return nil, faultf(exo.Syntax, max(0, strings.IndexAny(text, ")}")), "the brackets of the program do not match: one is closed that was not opened")
}

// parseText is the only way to goja's parser. Without WithDisableSourceMaps the
// comment `//# sourceMappingURL=file:///dev/zero` makes it read that file.
// (goja.Parse would drop the list of errors.)
func parseText(s string) (*ast.Program, error) {
	return parser.ParseFile(nil, "program", s, 0, parser.WithDisableSourceMaps)
}

// takeBody recognises a body that is nothing but a function, and otherwise
// gives the last expression statement its return.
func (p *parsed) takeBody() {
	arrow := p.root.(*ast.ArrowFunctionLiteral)
	block := arrow.Body.(*ast.BlockStatement)
	var list []ast.Statement
	for _, s := range block.List {
		if _, empty := s.(*ast.EmptyStatement); !empty {
			list = append(list, s)
		}
	}
	block.List = list
	p.body = block
	n := len(list)
	if n == 0 {
		return
	}
	s, ok := list[n-1].(*ast.ExpressionStatement)
	if !ok {
		return
	}
	e := unwrapExport(s.Expression)
	if isFunction(e) {
		if n == 1 {
			p.takeFunction(e)
			return
		}
		e = callWithAPI(e, e.Idx0()) // declarations first, then the function
	}
	list[n-1] = &ast.ReturnStatement{Return: s.Idx0(), Argument: e}
}

func (p *parsed) takeExpression() {
	e := unwrapExport(p.root.(*ast.ArrowFunctionLiteral).Body.(*ast.ExpressionBody).Expression)
	if isFunction(e) {
		p.takeFunction(e)
	}
}

// takeFunction makes fn the program. One that declares no parameter gets `api`:
// authors forget it.
func (p *parsed) takeFunction(fn ast.Expression) {
	var params *ast.ParameterList
	switch fn := fn.(type) {
	case *ast.ArrowFunctionLiteral:
		params = fn.ParameterList
	case *ast.FunctionLiteral:
		params = fn.ParameterList
	}
	if len(params.List) == 0 && params.Rest == nil {
		params.List = []*ast.Binding{{Target: identifier("api", fn.Idx0())}}
	}
	p.prog.Body = []ast.Statement{&ast.ExpressionStatement{Expression: fn}}
	p.root, p.body = fn, nil
}

// unwrapExport undoes the `0,` that stripModule put for `export default function (`.
func unwrapExport(e ast.Expression) ast.Expression {
	if seq, ok := e.(*ast.SequenceExpression); ok && len(seq.Sequence) == 2 && isFunction(seq.Sequence[1]) {
		if n, ok := seq.Sequence[0].(*ast.NumberLiteral); ok && n.Literal == "0" {
			return seq.Sequence[1]
		}
	}
	return e
}

func isFunction(e ast.Expression) bool {
	switch e.(type) {
	case *ast.ArrowFunctionLiteral, *ast.FunctionLiteral:
		return true
	}
	return false
}

func identifier(name string, idx file.Idx) *ast.Identifier {
	return &ast.Identifier{Name: unistring.NewFromString(name), Idx: idx}
}

func callWithAPI(fn ast.Expression, idx file.Idx) *ast.CallExpression {
	return &ast.CallExpression{Callee: fn, LeftParenthesis: idx, RightParenthesis: idx, ArgumentList: []ast.Expression{identifier("api", idx)}}
}

// parseFault takes the first error of the list. goja's messages are made of
// tokens and of the text itself, never of paths.
func (p *parsed) parseFault(c exo.Catalog, text string, err error) *fault {
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return &fault{kind: exo.Internal, off: -1, msg: "internal error", err: err}
	}
	pos := list[0].Position
	off := min(max(offsetOf(p.wrapped, pos.Line, pos.Column)-p.prefix, 0), len(text))
	return faultf(exo.Syntax, off, "%s", explain(c, text, off, list[0].Message))
}

func (p *parsed) compileFault(err error) *fault {
	var ce *goja.CompilerSyntaxError
	if !errors.As(err, &ce) {
		return &fault{kind: exo.Internal, off: -1, msg: "internal error", err: err}
	}
	return faultf(exo.Syntax, max(-1, ce.Offset-p.prefix), "syntax error: %s", ce.Message)
}

// explain says in the author's terms what goja's parser tripped over.
func explain(c exo.Catalog, text string, off int, msg string) string {
	word, before := wordAt(text, off), strings.TrimRight(text[:off], " \t\r\n")
	prev := lastWord(before)
	at := func(s string) bool { return strings.HasPrefix(text[off:], s) }
	switch {
	case word == "import" || word == "export" || prev == "import" || prev == "export":
		return noModules
	case lastWord(strings.TrimRight(strings.TrimSuffix(before, "*"), " ")) == "async" && strings.HasSuffix(before, "*"):
		return noAsyncGenerator
	case word == "await" || prev == "await":
		return awaitOutside
	case tsWords[word] || tsWords[prev],
		at(":") && before != "" && !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, ","),
		at("?") && strings.HasPrefix(strings.TrimLeft(text[off+1:], " "), ":"), strings.HasSuffix(before, "?") && at(":"),
		strings.HasSuffix(before, "!") && (at(".") || at(";") || at(")") || at(",")),
		at("<"), (at(")") || at(">") || at("=")) && strings.HasSuffix(before, ">") && !strings.HasSuffix(before, "=>"):
		return "this TypeScript is not understood; write it in plain JavaScript (" + msg + ")"
	}
	if s := foreign(c, text, word, prev); s != "" {
		return s
	}
	if strings.HasPrefix(msg, "Logical expressions and coalesce") {
		return mixedLogic
	}
	msg = strings.ReplaceAll(msg, "Unexpected token ILLEGAL", "unexpected character or unterminated string")
	if msg == "Unexpected end of input" {
		return "syntax error: the program ends too early; a bracket, string or template is not closed"
	}
	if off >= len(text) {
		return "syntax error: the program ends where more is expected; check the brackets (" + msg + ")"
	}
	return "syntax error: " + msg
}

// foreign says what a word of another language is in JavaScript, "" if nothing is known of it.
func foreign(c exo.Catalog, text, word, prev string) string {
	first := strings.ToUpper(wordAt(text, len(text)-len(strings.TrimLeft(text, " \t\r\n"))))
	if s := c.Say(nil, "begin:"+first, ""); s != "" {
		return s
	}
	for _, w := range []string{word, prev} {
		lower := strings.ToLower(w)
		if is := c.Say(nil, "word:"+lower, foreignWords[lower]); is != "" {
			return "`" + w + "` is no word of JavaScript: write " + is
		}
	}
	return ""
}

var foreignWords = map[string]string{"and": "&&", "or": "||", "not": "!"}

var tsWords = map[string]bool{"as": true, "satisfies": true, "implements": true, "enum": true, "interface": true, "type": true, "declare": true,
	"namespace": true, "abstract": true, "readonly": true, "private": true, "public": true, "protected": true}

func wordAt(s string, off int) string {
	end := off
	for end < len(s) && isWordByte(s[end]) {
		end++
	}
	return s[off:end]
}

func lastWord(s string) string {
	from := len(s)
	for from > 0 && isWordByte(s[from-1]) {
		from--
	}
	return s[from:]
}
