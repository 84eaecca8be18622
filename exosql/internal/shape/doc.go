// Package shape takes the values out of a grant, or out of a chain of typed calls. What remains is its shape: a copy that package compile
// makes statements of, and the key of the plans that are kept of it.
//
// It is apart from the compiler so that no statement can hold a value: the compiler never sees the grants that have them. Invariant: what
// is in the copy is in the key, written by the same walk (key.go). A field that the key left out would hand one tenant the plan of another.
package shape
