package exo

import "fmt"

// maxWrapped is how many errors one may wrap. An error that wraps itself has no end, and
// errors.As would look for it.
const maxWrapped = 1000

// foreign is an error of the host's code as this package may ask it: itself, or another
// where it wraps itself, or where its methods panic, as those of a nil pointer do.
func foreign(err error) (safe error) {
	defer func() {
		if p := recover(); p != nil {
			safe = fmt.Errorf("exo: a %T whose methods panic: %v", err, p)
		}
	}()
	if left := maxWrapped; !finite(err, &left) {
		return fmt.Errorf("exo: a %T that wraps itself, or more than %d others", err, maxWrapped)
	}
	return err
}

func finite(err error, left *int) bool {
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
	case interface{ Error() string }:
		_ = e.Error() // what is at the end is asked for its text sooner or later
	}
	return true
}
