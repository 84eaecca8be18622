// Package exotest tests implementations of [exo.Object], without a gate or an evaluator in the
// test. [Send] sends one message as a program would, and [Message] makes a message for a direct call of
// Eval. [On] and [Begin] build chains of calls. Like testing/fstest, [Conform] checks rules: those that
// the gate relies on.
package exotest
