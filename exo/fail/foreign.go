package fail

// This file makes errors of the host's code safe to ask.

import (
	"fmt"

	"github.com/exoagent/exoagent/internal/errtree"
)

// maxWrapped is how many errors one may wrap. An error that wraps itself has no end, and
// errors.As would look for it.
const maxWrapped = 1000

// Foreign is an error of the host's code as this package may ask it: itself, or another
// where it wraps itself, or where its methods panic, as those of a nil pointer do.
func Foreign(err error) (safe error) {
	defer func() {
		if p := recover(); p != nil {
			safe = fmt.Errorf("exo: a %T whose methods panic: %v", err, p)
		}
	}()
	if !errtree.Finite(err, maxWrapped) {
		return fmt.Errorf("exo: a %T that wraps itself, or more than %d others", err, maxWrapped)
	}
	if err != nil {
		_ = err.Error() // somebody asks for its text sooner or later
	}
	return err
}
