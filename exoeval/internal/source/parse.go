package source

// This file calls goja's parser after the scan.

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

// Tree is a parsed text, with the function in which the package wrapped the text.
type Tree struct {
	Prog     *ast.Program
	Fn       *ast.ArrowFunctionLiteral // the function that wraps the text
	ForAwait map[int]bool              // the offsets of loops that the program wrote as `for await`

	toks    []tok // the tokens of the text
	wrapped string
	prefix  int
}

// Off returns the offset in the text for goja's index. The offset is negative for a place in the prefix before the text.
func (t *Tree) Off(idx file.Idx) int { return int(idx) - 1 - t.prefix }

// OperatorDepth returns the number of open brackets at the operator of a binary expression. Only parentheses may be between the operator and
// its right operand. Otherwise ok is false, because the tree does not show where that operand begins.
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

// Places maps goja's positions to the given text src. The parameter at maps offsets of the tree's text to offsets of src.
func (t *Tree) Places(src string, at Map) Places { return Places{src, t.wrapped, t.prefix, at} }

// Both wrappers stay on the first line of the text, so line numbers do not change.
const (
	bodyPrefix, bodySuffix = "async (api) => {", "\n}"
	exprPrefix, exprSuffix = "async (api) => (", "\n)"
)

// parseForms tries the text as the body of a function, then as one expression. If both fail, the author gets the error that is further into
// the text.
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
		// The parser panics on some malformed patterns (`const {a = [...[`). The text is at fault, not we. The panic's text stays with the host.
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
	return nil, Faultf(fail.Syntax, max(0, strings.IndexAny(text, ")}")), "the brackets of the program do not match: there is no open bracket for the one here")
}

// ParseFile is the only call of goja's parser. Without WithDisableSourceMaps the parser would read the file that a comment `//#
// sourceMappingURL=file:///dev/zero` names. goja.Parse would drop the list of errors.
func ParseFile(name, text string) (*ast.Program, error) {
	return parser.ParseFile(nil, name, text, 0, parser.WithDisableSourceMaps)
}

// parseFault returns the first error of the list. goja's messages contain tokens and parts of the text, never paths.
func (t *Tree) parseFault(c message.Catalog, text string, err error) *Fault {
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return InternalFault(err)
	}
	pos := list[0].Position
	off := min(max(offsetOf(t.wrapped, pos.Line, pos.Column)-t.prefix, 0), len(text))
	return Faultf(fail.Syntax, off, "%s", explain(c, text, off, list[0].Message))
}
