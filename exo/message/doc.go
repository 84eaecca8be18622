// Package message defines what a program may send: the types, terms and interfaces that objects declare, expressions
// over them, and the one [Checker] that makes expressions and refuses what no interface allows. Its design is DESIGN.md in this package's folder.
//
// In the order of a message:
//
//   - An object's [Description] names its [Interface]. The interfaces of all objects form one [Catalog]: validate and
//     merge check it, and Narrow narrows it for a policy.
//   - A [Checker] makes the nodes of an expression: in the guest, for errors with a position, and again in the host,
//     which trusts no guest. The files node, term, conform and literal are its steps; reads and shown find its labels.
//   - An [Expr] is the expression in transit. [Checker.Check] makes a [Checked] of it: constants are replaced by arguments,
//     and plans are cached by its Shape.
//   - show and words write error texts: what the program wrote, and what to write instead.
//
// The package knows neither objects nor runs: package exo has those.
package message
