package fail

// This file makes it safe to call the methods of errors from the host's code.

import (
	"fmt"

	"github.com/exoagent/exoagent/internal/errtree"
)

// maxWrapped is the most errors that one error may wrap. Without a bound errors.As would never end
// on an error that wraps itself.
const maxWrapped = 1000

// Foreign returns an error of the host's code that is safe to use: err itself, or a replacement if
// err wraps itself or if its methods panic, as those of a nil pointer do.
func Foreign(err error) (safe error) {
	defer func() {
		if p := recover(); p != nil {
			safe = fmt.Errorf("exo: a method of the error, a %T, panics: %v", err, p)
		}
	}()
	if !errtree.Finite(err, maxWrapped) {
		return fmt.Errorf("exo: the error, a %T, wraps itself or more than %d others", err, maxWrapped)
	}
	if err != nil {
		_ = err.Error() // call it here, where a panic is caught: the host or the record calls it later
	}
	return err
}
