package fail

// This file makes it safe to call methods of errors that come from the host's code.

import (
	"fmt"

	"github.com/exoagent/exoagent/internal/errtree"
)

// maxWrapped is how many errors one error may wrap. Without a limit, errors.As would never end on
// an error that wraps itself.
const maxWrapped = 1000

// Foreign returns an error that is safe to use: err itself, or a replacement if err wraps itself,
// or if its methods panic, as methods of a nil pointer may.
func Foreign(err error) (safe error) {
	defer func() {
		if p := recover(); p != nil {
			safe = fmt.Errorf("exo: a method of an error of type %T panicked: %v", err, p)
		}
	}()
	if !errtree.Finite(err, maxWrapped) {
		return fmt.Errorf("exo: an error of type %T wraps itself, or more than %d other errors: return a simpler error", err, maxWrapped)
	}
	if err != nil {
		_ = err.Error() // Error is called here, where a panic is caught, because the host or the record will call it later
	}
	return err
}
