// Package compile makes a statement from a message, or from a chain of typed calls. Its design is DESIGN.md in this package's folder.
//
// In: a message that the gate has checked against the catalogue, and grants without their values (package
// shape). Out: a plan. A message that reads goes through plan.go, interpret.go, the file of each call, and
// back to plan.go; a calculation in a callback is an expression of package expr. Invariants: every occurrence
// of a table is within the scope of its grant (occurrence.go); no condition of a program is tried on a row
// out of scope (fence.go, guard.go, open.go); neither the text nor the key of a plan has a value.
package compile
