package front

// This file names the helpers that rewritten programs call. The realm in package exoeval has them.

// These are the names of the helpers that rewritten programs call. Each starts with NUL, which no identifier can, not even spelled \u0000: the
// lexer decodes escapes before it checks the first character. So a program can neither call nor hide a helper.
const (
	HelperOp        = "\x00op"     // (operator, a, b): an operator with two operands
	HelperUnary     = "\x00un"     // (operator, a): !, - or +
	HelperAnd       = "\x00and"    // (a, () => b): a && b
	HelperOr        = "\x00or"     // (a, () => b): a || b
	HelperNullish   = "\x00nn"     // (a, () => b): a ?? b
	HelperCond      = "\x00if"     // (test, () => a, () => b): test ? a : b
	HelperTemplate  = "\x00tpl"    // ([strings], ...values): a template
	HelperTest      = "\x00test"   // (test): the truth of a condition of if, while, for or do; it throws for a placeholder
	HelperAwait     = "\x00await"  // (x): the value that `await x` waits for
	HelperTypeof    = "\x00typeof" // (x): typeof x
	HelperSwitch    = "\x00switch" // (x): the value that switch and case compare
	HelperMember    = "\x00member" // (object, name): the method that will be called
	HelperCallee    = "\x00callee" // (name, function): the function that will be called
	HelperArgument  = "\x00arg"    // (name, x): an argument of a method of an optional chain
	HelperSpread    = "\x00spread" // (x): the value that `{ ...x }` copies
	HelperTarget    = "\x00target" // (object, name): the object whose member is assigned
	HelperSent      = "\x00sent"   // (x): the object whose `then` is read
	HelperCalled    = "\x00called" // (promise, name): the promise of an async function
	HelperKept      = "\x00kept"   // (x): the result of `x ??= y`; x may be a promise but not recorded
	HelperCalc      = "\x00calc"   // (operator, a[, b]): an operator that is not recorded and may have a Decimal operand
	HelperRef       = "\x00ref"    // (object, name): the target of the next HelperAssign
	HelperAssign    = "\x00assign" // (operator, reference, b): object[name] operator= b
	HelperExact     = "\x00exact"  // (() => …): calling this function makes the program use the three helpers above from then on
	HelperHearing   = "\x00hear"   // a flag, not a function: a synonym of a describing method was just read
	HelperRecording = "\x00rec"    // a flag, not a function: a describing callback is being called
)

// DateMark marks the one argument of new Date: see HelperArgument.
const DateMark = "new Date"
