package front

// This file has the state of the rewriting, and the calls of helpers that it makes.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// rewriter replaces operators by helper calls, in place. For operands that are
// no placeholders a helper does what the operator does, so that marking too many
// functions is harmless: evaluation order, short circuits and `this` are kept
// (the second operands become arrows). TestRewriteSameResult holds it to that.
// The tree has passed the checker, which bounds the recursion.
type rewriter struct {
	pt       *form
	promises bool // the program mentions Promise
	infos    map[ast.Node]*funcInfo
	records  bool // in a function that may be called with placeholders
	thunk    bool // directly in a second operand that becomes an arrow
	fault    *source.Fault
	helpers  map[string]bool             // that the text calls now
	free     map[*ast.Identifier]bool    // operands of typeof that name nothing
	bound    map[ast.Expression]*binding // the names of functions

	calc     calcMode                       // what operators outside of callbacks become
	numbers  map[string]bool                // names that never stand for a Decimal
	plains   map[*ast.BinaryExpression]bool // what plain has answered, once numbers are known
	copied   int                            // nodes for expressions that are compiled twice
	asksCalc bool                           // an expression was compiled twice

	needsTemp *bool // set when the function's body needs its variable; nil where it can have none: see temp
	twinDepth int   // literals with a twin that this is in
	twinNodes int   // that were copied for twins
}

// helperCall makes the call of a helper, at the place of what it stands for.
func (r *rewriter) helperCall(helper string, at file.Idx, args ...ast.Expression) *ast.CallExpression {
	r.helpers[helper] = true
	return &ast.CallExpression{
		Callee:          &ast.Identifier{Name: unistring.String(helper), Idx: at},
		LeftParenthesis: at, RightParenthesis: at, ArgumentList: args,
	}
}

func stringLiteral(s string, at file.Idx) *ast.StringLiteral {
	return &ast.StringLiteral{Idx: at, Value: unistring.NewFromString(s)}
}

func isLiteral(e ast.Expression) bool {
	switch e.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return true
	}
	return false
}

// suspends refuses await and yield where an arrow would come between them and
// their function.
func (r *rewriter) suspends(at file.Idx, word string) {
	if r.thunk && r.fault == nil {
		r.fault = source.Faultf(fail.Syntax, r.pt.Off(at), "`%s` can't be used to the right of &&, ||, ?? or in ?: inside a callback that only describes; put its value into a const before", word)
	}
}

var logicalHelpers = map[token.Token]string{token.LOGICAL_AND: HelperAnd, token.LOGICAL_OR: HelperOr, token.COALESCE: HelperNullish}
