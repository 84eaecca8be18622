package front

// This file has the state of the rewriting, and makes the calls of helpers.

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/source"
)

// rewriter replaces operators by helper calls, in place. A placeholder is the value that a recorded callback gets for a row. Without a placeholder a
// helper does the same as the operator, so marking too many functions is harmless. Evaluation order, short circuits and `this` stay, because second
// operands become arrow functions (TestRewriteSameResult). The tree has passed the checker, which bounds the recursion.
type rewriter struct {
	pt       *form
	promises bool // the program mentions Promise
	infos    map[ast.Node]*funcInfo
	records  bool // inside a function that may get placeholders
	thunk    bool // this place is directly inside a second operand that becomes an arrow function
	fault    *source.Fault
	helpers  map[string]bool             // helpers that the rewritten text calls
	free     map[*ast.Identifier]bool    // operands of typeof that are not declared
	bound    map[ast.Expression]*binding // names that a declaration gives to functions

	calc     calcMode                       // the mode of operators outside callbacks
	numbers  map[string]bool                // names of variables that never have a Decimal
	plains   map[*ast.BinaryExpression]bool // answers of plain, kept once numbers is complete
	copied   int                            // the number of nodes that are compiled twice
	asksCalc bool                           // an expression was compiled twice

	needsTemp *bool // set if the function's body needs the variable of temp; nil if it can't declare one
	twinDepth int   // how many literals with a twin surround this place
	twinNodes int   // the number of nodes that were copied for twins
}

// helperCall makes a call of a helper, at the place of the code that it replaces.
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

// suspends refuses await and yield in an operand that becomes an arrow function: they would belong to that function.
func (r *rewriter) suspends(at file.Idx, word string) {
	if r.thunk && r.fault == nil {
		r.fault = source.Faultf(fail.Syntax, r.pt.Off(at), "`%s` can't be used to the right of &&, ||, ?? or in ?: inside this callback; put its value into a const before the call", word)
	}
}

var logicalHelpers = map[token.Token]string{token.LOGICAL_AND: HelperAnd, token.LOGICAL_OR: HelperOr, token.COALESCE: HelperNullish}
