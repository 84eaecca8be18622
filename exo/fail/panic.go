package fail

// This file has the error for host code that panicked.

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError is the cause of an error of host code that panicked. errors.As finds it in Result.Err, and in the error of
// an Effect or an Entry. Its text has the panic value without the stack, so records have no stack. A guest sees
// neither the panic value nor the stack.
type PanicError struct {
	Value any    // the argument of panic
	Stack []byte // the stack of the goroutine from debug.Stack, shortened to 16 KiB

	text string // the text of Value, made at once since the code that panicked may change Value later
}

// ErrPanicked is wrapped by the error of an object with code that panicked.
var ErrPanicked = errors.New("panic")

const maxStack = 16 << 10

// NewPanicError makes the error for a value that recover returned. Call it in the deferred function
// that recovers, since the stack is gone later.
func NewPanicError(recovered any) *PanicError {
	stack := debug.Stack()
	return &PanicError{Value: recovered, Stack: stack[:min(len(stack), maxStack):min(len(stack), maxStack)], text: fmt.Sprintf("%v: %v", ErrPanicked, recovered)}
}

func (p *PanicError) Error() string { return p.text }

// Unwrap never returns Value, even if it is an error: code that panicked may have done something,
// even if Value is ErrNothingDone.
func (p *PanicError) Unwrap() error { return ErrPanicked }
