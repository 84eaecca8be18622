// Package scalar has the canonical texts of numbers, times and names, and the bounds that all engines and evaluators share. It imports only
// the standard library, so that every package can import it.
package scalar
