// Package exotest tests implementations of [exo.Object] without a gate and an
// evaluator of one's own: [Send] sends one message as a program would, [Message] makes
// one to call Eval with, [On] and [Begin] build chains of calls, and [Conform] holds an
// object to what the gate relies on (after testing/fstest).
package exotest
