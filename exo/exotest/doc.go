// Package exotest tests implementations of [exo.Object], without a gate or an evaluator in the
// test. [Send] sends one message as a program would, [Message] makes a message for a direct call of
// Eval, [On] and [Begin] build chains of calls, and [Conform] checks the rules that the gate relies
// on (like testing/fstest).
package exotest
