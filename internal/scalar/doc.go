// Package scalar has the texts of numbers, times and names: the one form in which each is
// written, and the bounds that every engine and evaluator shares. It knows the standard
// library only, so that whatever is above it reads and writes them alike.
package scalar
