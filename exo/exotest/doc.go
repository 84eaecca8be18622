// Package exotest tests implementations of [exo.Object], so that a test needs no gate and no
// evaluator: [Send] sends one message as a program would, [Message] makes a message for a direct
// call of Eval, [On] and [Begin] build chains of calls, and [Conform] checks the rules that the
// gate relies on (after testing/fstest).
package exotest
