// Package front decides what a program may say. It turns text into a compiled program that has passed
// every rule that can be checked before it runs. What it can't see (names that are computed, values) is the realm's
// to hold, in package exoeval.
//
// A program goes through its files in this order:
//
//   - names, front: which names grants may have; the way of a program.
//   - check, checkstmt, checkfunc, entry: a walker admits the syntax it knows and refuses the rest.
//   - rewrite, rewritestmt, rewritecall, rewriteask, twin, rewriter: JavaScript's operators, and some of its
//     functions, in the callbacks of describing methods become calls that record an expression if an operand is a
//     column.
//   - scope, unknown, checker: names must be declared, granted or built in.
//   - form, globals: a text in one of three forms is a function of the capabilities.
//   - held, written, paths: numbers whose digits JavaScript loses, and members that were meant: what the run asks.
//   - program, helper: what goes in and comes out.
package front
