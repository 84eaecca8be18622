package exoeval

import (
	"sort"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

const mixedLogic = "`??` can't stand beside `&&` or `||` without parentheses: write (a && b) ?? c, or a && (b ?? c)"

// coalesce refuses `&&` beside `??`, which is no JavaScript. goja's parser does so too,
// but takes an operand that only begins with a parenthesis, `(a) && b ?? c`, for one
// that is in parentheses.
func (c *checker) coalesce(e *ast.BinaryExpression) {
	if e.Operator != token.COALESCE {
		return
	}
	at, ok := c.operator(e, "??")
	for _, side := range [...]ast.Expression{e.Left, e.Right} {
		and, is := side.(*ast.BinaryExpression)
		if !ok || !is || and.Operator != token.LOGICAL_AND {
			continue
		}
		// The operator of an operand in parentheses is one bracket deeper.
		if in, ok := c.operator(and, "&&"); ok && in.depth == at.depth {
			c.fail(and.Right.Idx0(), "%s", mixedLogic)
		}
	}
}

// operator is the token of a binary operator: before its right operand stand only
// parentheses. ok is false where the tree does not say where that operand begins.
func (c *checker) operator(e *ast.BinaryExpression, text string) (_ tok, ok bool) {
	toks, off := c.pt.toks, c.pt.off(e.Right.Idx0())
	i := sort.Search(len(toks), func(i int) bool { return toks[i].off >= off }) - 1
	for i >= 0 && toks[i].text == "(" {
		i--
	}
	if i < 0 || toks[i].text != text {
		return tok{}, false
	}
	return toks[i], true
}
