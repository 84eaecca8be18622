// Package front decides what a program may say. It turns text into a compiled program that has passed
// every rule that can be checked before it runs. What it can't see (names that are computed, values) is the realm's
// to hold, in package exoeval.
//
// A program goes through its files in this order:
//
//   - front: Compile, in both languages; what it returns.
//   - form: one of three forms of a text becomes a function of the capabilities.
//   - check, checkstmt, checkfunc, entry: a walker admits the syntax it knows and refuses the rest.
//   - scope, unknown, globals: names must be declared, granted or built in.
//   - rewrite, rewritestmt, rewriteask, rewritecall, twin, helper: JavaScript's operators, and some of its functions, in the callbacks of
//     describing methods become calls that record an expression if an operand is a column.
//   - written: numbers whose digits JavaScript loses.
//   - names: which names grants may have.
package front
