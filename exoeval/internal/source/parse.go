package source

// This file calls goja's parser, after the scan. Package front gets the tree.

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

// Tree is a parsed text, inside the function that was put round it.
type Tree struct {
	Prog     *ast.Program
	Fn       *ast.ArrowFunctionLiteral // the function that was put round it
	ForAwait map[int]bool              // offsets of loops that were written `for await`

	toks    []tok // of the text
	wrapped string
	prefix  int
}

// Off returns the offset in the text for an index of goja. It is negative in the part that was put before the text.
func (t *Tree) Off(idx file.Idx) int { return int(idx) - 1 - t.prefix }

// OperatorDepth returns the number of open brackets at the operator of a binary expression. ok is false if the
// tree does not show where the right operand begins: only parentheses may be between the operator and the operand.
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

// Places maps positions that goja reports to the given text. src is the
// given text, and at maps offsets of the tree's text to offsets of src.
func (t *Tree) Places(src string, at Map) Places { return Places{src, t.wrapped, t.prefix, at} }

// Both wrappers begin on the first line of the text, so the numbers of lines stay the same.
const (
	bodyPrefix, bodySuffix = "async (api) => {", "\n}"
	exprPrefix, exprSuffix = "async (api) => (", "\n)"
)

// parseForms tries the text as the body of a function, then as one expression.
// If both fail, the author gets the error of the attempt that came further.
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
		// The parser panics on some malformed patterns (`const {a = [...[`). That
		// is a fault of the text, not ours. The panic's text stays with the host.
		if x := recover(); x != nil {
			t, f = nil, &Fault{Kind: fail.Syntax, Off: -1, msg: "syntax error: the program can't be read; check its brackets and destructuring patterns", err: fmt.Errorf("panic: %v", x)}
		}
	}()
	t = &Tree{wrapped: prefix + text + suffix, prefix: len(prefix)}
	prog, err := ParseFile("program", t.wrapped)
	if err != nil {
		return nil, t.parseFault(c, text, err)
	}
	// The wrapper must still be the outermost function, closed by its own bracket:
	// `}); evil(); (() => {` must not become a program of three statements.
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

// ParseFile is the only call of goja's parser. Without WithDisableSourceMaps
// the comment `//# sourceMappingURL=file:///dev/zero` makes the parser read
// that file. (goja.Parse would drop the list of errors.)
func ParseFile(name, text string) (*ast.Program, error) {
	return parser.ParseFile(nil, name, text, 0, parser.WithDisableSourceMaps)
}

// parseFault takes the first error of the list. goja's messages
// have tokens and parts of the text in them, never paths.
func (t *Tree) parseFault(c message.Catalog, text string, err error) *Fault {
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return InternalFault(err)
	}
	pos := list[0].Position
	off := min(max(offsetOf(t.wrapped, pos.Line, pos.Column)-t.prefix, 0), len(text))
	return Faultf(fail.Syntax, off, "%s", explain(c, text, off, list[0].Message))
}
