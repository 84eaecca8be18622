// Package compile makes a statement of a message, or of a chain of typed calls. Its design is DESIGN.md in this package's folder.
//
// In: a message that the gate has checked against the catalogue, and grants without their
// values (package shape). Out: a plan. A message that reads goes through plan.go, interpret.go, the file of each call, and back to plan.go;
// what its callbacks calculate is an expression of package expr. Invariants: every occurrence of a table is within the scope of its
// grant (occurrence.go); no condition of a program is tried on a row out of scope (fence.go, guard.go, open.go); no value gets into the
// text or the key of a plan.
package compile
