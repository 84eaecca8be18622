// Package errtree has functions on errors and what they wrap. [Finite] is for errors of foreign code: errors.As never returns for an error that
// wraps itself.
package errtree

// Finite reports whether an error wraps no more other errors than the number most. It panics if a method of the error panics.
func Finite(err error, most int) bool {
	left := most + 1
	return finite(err, &left)
}

func finite(err error, left *int) bool {
	if err == nil {
		return true
	}
	if *left--; *left < 0 {
		return false
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return finite(e.Unwrap(), left)
	case interface{ Unwrap() []error }:
		for _, in := range e.Unwrap() {
			if !finite(in, left) {
				return false
			}
		}
	}
	return true
}
