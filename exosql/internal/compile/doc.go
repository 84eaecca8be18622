// Package compile makes a statement of a message, or of a chain of typed calls.
//
// In: a message that the gate has checked against the catalogue, and grants without their
// values. Out: a plan. Invariants: every occurrence of a table is within the scope of its grant; no
// condition of a program is tried on a row out of scope (fence.go); no value gets into the text
// or the key of a plan (shape.go).
package compile
