package source

// This file calls goja's parser, after the scan. The tree goes on to package front.

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
)

// Tree is a parsed text, still inside the function that was put round it.
type Tree struct {
	Prog     *ast.Program
	Fn       *ast.ArrowFunctionLiteral // the function that was put round it
	ForAwait map[int]bool              // offsets of loops that were written `for await`

	toks    []tok // of the text
	wrapped string
	prefix  int
}

// Off is the offset in the text of an index of goja's; it is negative in what was put before the text.
func (t *Tree) Off(idx file.Idx) int { return int(idx) - 1 - t.prefix }

// OperatorDepth is how many brackets are open round the operator of a binary expression. ok is false where
// the tree does not say where the right operand begins: only parentheses may stand between them.
func (t *Tree) OperatorDepth(e *ast.BinaryExpression, operator string) (depth int, ok bool) {
	off := t.Off(e.Right.Idx0())
	i := sort.Search(len(t.toks), func(i int) bool { return t.toks[i].off >= off }) - 1
	for i >= 0 && t.toks[i].text == "(" {
		i--
	}
	if i < 0 || t.toks[i].text != operator {
		return 0, false
	}
	return t.toks[i].depth, true
}

// Places maps positions as goja reports them to the text as given: src is that, and at maps
// offsets of the text of the tree to offsets of src.
func (t *Tree) Places(src string, at Map) Places { return Places{src, t.wrapped, t.prefix, at} }

// Both wrappers stand on the first line of the text, so lines agree.
const (
	bodyPrefix, bodySuffix = "async (api) => {", "\n}"
	exprPrefix, exprSuffix = "async (api) => (", "\n)"
)

// parseForms tries the text as the body of a function, then as one expression. An
// author who gets both wrong reads about the attempt that came further.
func parseForms(c message.Catalog, text string) (*Tree, *Fault) {
	t, f := parseAs(c, text, bodyPrefix, bodySuffix)
	if f == nil {
		return t, nil
	}
	t, f2 := parseAs(c, text, exprPrefix, exprSuffix)
	if f2 == nil {
		return t, nil
	}
	if f2.Off > f.Off {
		return nil, f2
	}
	return nil, f
}

func parseAs(c message.Catalog, text, prefix, suffix string) (t *Tree, f *Fault) {
	defer func() {
		// The parser panics on some malformed patterns (`const {a = [...[`): that is
		// the text's fault, not ours. The panic's text stays with the host.
		if x := recover(); x != nil {
			t, f = nil, &Fault{Kind: fail.Syntax, Off: -1, msg: "syntax error: the program can't be read; check its brackets and destructuring patterns", err: fmt.Errorf("panic: %v", x)}
		}
	}()
	t = &Tree{wrapped: prefix + text + suffix, prefix: len(prefix)}
	prog, err := ParseFile("program", t.wrapped)
	if err != nil {
		return nil, t.parseFault(c, text, err)
	}
	// The wrapper must still be the outermost thing, and closed by its own
	// bracket: `}); evil(); (() => {` must not become a program of three statements.
	if len(prog.Body) == 1 {
		if s, ok := prog.Body[0].(*ast.ExpressionStatement); ok {
			if fn, ok := s.Expression.(*ast.ArrowFunctionLiteral); ok && fn.Start == 1 {
				b, block := fn.Body.(*ast.BlockStatement)
				if !block && suffix == exprSuffix || block && int(b.RightBrace) == len(t.wrapped) {
					t.Prog, t.Fn = prog, fn
					return t, nil
				}
			}
		}
	}
	return nil, Faultf(fail.Syntax, max(0, strings.IndexAny(text, ")}")), "the brackets of the program do not match: one is closed that was not opened")
}

// ParseFile is the only way to goja's parser. Without WithDisableSourceMaps the
// comment `//# sourceMappingURL=file:///dev/zero` makes it read that file.
// (goja.Parse would drop the list of errors.)
func ParseFile(name, text string) (*ast.Program, error) {
	return parser.ParseFile(nil, name, text, 0, parser.WithDisableSourceMaps)
}

// parseFault takes the first error of the list. goja's messages are made of
// tokens and of the text itself, never of paths.
func (t *Tree) parseFault(c message.Catalog, text string, err error) *Fault {
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return InternalFault(err)
	}
	pos := list[0].Position
	off := min(max(offsetOf(t.wrapped, pos.Line, pos.Column)-t.prefix, 0), len(text))
	return Faultf(fail.Syntax, off, "%s", explain(c, text, off, list[0].Message))
}
