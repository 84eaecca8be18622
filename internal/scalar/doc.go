// Package scalar has the texts of numbers, times and names: the one form of each, and the bounds
// that every engine and evaluator shares. It imports only the standard library, so that every
// package can use it.
package scalar
