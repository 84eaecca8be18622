package exoeval

// What rewritten programs call. The realm has these helpers.

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

// dateMark is how the one argument of the constructor is marked, see helperArgument.
const dateMark = "new Date"
