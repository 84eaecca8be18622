// Package shape takes the values out of a grant, or out of a chain of typed calls. Its result
// is the shape: a copy from which package compile makes statements, and the key of their plans.
//
// It is apart from the compiler so that no statement can contain a value: the compiler never gets a grant with values. Invariant: one walk (key.go)
// writes the copy and the key, so the key has all that the copy has. A field that the key left out would give one tenant the plan of another.
package shape
