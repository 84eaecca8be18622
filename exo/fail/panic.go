package fail

// This file has the error of host code that panicked.

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError is the cause of an error of host code that panicked. errors.As finds it in Result.Err,
// and in the error of an Effect or an Entry. Its text is only the panic value, so a record has no
// stack. A guest reads neither.
type PanicError struct {
	Value any    // what was given to panic
	Stack []byte // the stack of the goroutine, as debug.Stack gives it, shortened to 16 KiB

	text string // of Value, made at once: the code that panicked may change Value later
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

// Unwrap never returns Value, even if it is an error: an ErrNothingDone in it does not mean that
// the code that panicked did nothing.
func (p *PanicError) Unwrap() error { return ErrPanicked }
