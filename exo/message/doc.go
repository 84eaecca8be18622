// Package message is what a program may say: the types, terms and interfaces that objects declare, expressions over them, and the
// one [Checker] that makes expressions and refuses what no interface allows. Its design is DESIGN.md in this package's folder.
//
// In the order of a message:
//
//   - An object's [Description] names its [Interface]; those of all objects are one [Catalog], which validate and merge check,
//     and which Narrow narrows for a policy.
//   - A [Checker] makes the nodes of an expression, at the guest for errors with a position, and again at the host, which trusts no
//     guest: node, term, conform and literal are its steps, reads and shown its labels.
//   - An [Expr] is the expression on its way, and [Checker.Check] makes a [Checked] of it: its constants lifted out, and a Shape by
//     which plans are kept.
//   - show and words say in errors what the program wrote and what to write instead.
//
// The package knows neither objects nor runs: those are exo's.
package message
