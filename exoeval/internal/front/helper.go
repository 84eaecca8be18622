package front

// This file names the helpers that rewritten programs call. The realm in package exoeval has them.

// Names of the helpers that rewritten programs call. They start with NUL, which
// no identifier can: not even spelled \u0000, because the lexer decodes escapes
// before it asks whether the character may start a name. So a program can
// neither call nor shadow one.
const (
	HelperOp        = "\x00op"     // (operator, a, b): binary operators
	HelperUnary     = "\x00un"     // (operator, a): !, - and +
	HelperAnd       = "\x00and"    // (a, () => b)
	HelperOr        = "\x00or"     // (a, () => b)
	HelperNullish   = "\x00nn"     // (a, () => b)
	HelperCond      = "\x00if"     // (test, () => a, () => b)
	HelperTemplate  = "\x00tpl"    // ([strings], ...values)
	HelperTest      = "\x00test"   // (test of if, while, for, do): a plain boolean, or an error
	HelperAwait     = "\x00await"  // (x): what `await x` waits for
	HelperTypeof    = "\x00typeof" // (x): typeof
	HelperSwitch    = "\x00switch" // (x): what switch and case compare
	HelperMember    = "\x00member" // (object, name): the method that will be called
	HelperCallee    = "\x00callee" // (name, function): the function that will be called
	HelperArgument  = "\x00arg"    // (name, x): an argument of a method of an optional chain
	HelperSpread    = "\x00spread" // (x): what `{ ...x }` copies
	HelperTarget    = "\x00target" // (object, name): the object whose member is assigned
	HelperSent      = "\x00sent"   // (x): what the `then` of x is read from
	HelperCalled    = "\x00called" // (promise, name): the promise of an async function
	HelperKept      = "\x00kept"   // (x): what `x ??= y` leaves, which may be a promise and nothing recorded
	HelperCalc      = "\x00calc"   // (operator, a[, b]): an operator where nothing is recorded, of what may be a Decimal
	HelperRef       = "\x00ref"    // (object, name): what the next assigns to
	HelperAssign    = "\x00assign" // (operator, reference, b): object[name] operator= b
	HelperExact     = "\x00exact"  // (() => …): a function that makes the program call the three from then on
	HelperHearing   = "\x00hear"   // no function: whether a synonym of a describing method was just read
	HelperRecording = "\x00rec"    // no function: whether a describing callback is being called
)

// DateMark is how the one argument of the constructor is marked, see helperArgument.
const DateMark = "new Date"
