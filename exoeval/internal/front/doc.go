// Package front decides which programs are allowed. It turns text into a compiled program that has passed every rule that can be checked
// before it runs. It can't see computed names and values: the realm, in package exoeval, checks those.
//
// A program goes through its files in this order:
//
//   - names, front: which names grants may have; the order of the steps.
//   - check, checkstmt, checkfunc, entry: a walker admits the syntax that it knows and refuses the rest.
//   - rewrite, rewritestmt, rewritecall, rewriteask, twin, rewriter: a callback of a describing method runs once, with placeholders for
//     rows. In it, operators and some functions of JavaScript become calls that record an expression if an operand is a column.
//   - scope, unknown, checker: names must be declared, granted or built in.
//   - form, globals: a text has one of three forms and becomes a function of the capabilities.
//   - held, written, paths: numbers whose digits JavaScript loses, and members that the author meant. The run uses them.
//   - program, helper: the input and the output.
package front
