package fail

// This file has the error of host code that panicked.

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError is beneath the error of host code that panicked, for the host: errors.As finds it in
// Result.Err, in an Effect's and in an Entry's. Its text is the value alone, so no stack is
// in a record, and no guest reads either.
type PanicError struct {
	Value any    // what was given to panic
	Stack []byte // the stack of the goroutine, as debug.Stack gives it, shortened to 16 KiB

	text string // of Value, made at once: who panicked may change it
}

// ErrPanicked is in the error of an object whose code panicked.
var ErrPanicked = errors.New("panic")

const maxStack = 16 << 10

// NewPanicError keeps what recover returned. Call it in the deferred function that recovers:
// later the stack is gone.
func NewPanicError(recovered any) *PanicError {
	stack := debug.Stack()
	return &PanicError{Value: recovered, Stack: stack[:min(len(stack), maxStack):min(len(stack), maxStack)], text: fmt.Sprintf("%v: %v", ErrPanicked, recovered)}
}

func (p *PanicError) Error() string { return p.text }

// Unwrap does not give Value, also where that is an error: an ErrNothingDone in it says nothing of
// the code that panicked.
func (p *PanicError) Unwrap() error { return ErrPanicked }
