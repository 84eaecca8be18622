package service

// This file finds the outcome of a call when its process was killed before it was recorded.

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Settle gives a Method a function that reports the outcome of the call with a [Key]. record.Settlers calls it if the process was killed before
// the outcome was recorded, or after an error that left it unknown. f returns exo.StateApplied if the call took place, and exo.StateFailed if it
// did not and never will. Otherwise it returns exo.StateUnknown: a mail API that has not seen the key may still see it. Any other state, or an
// error, leaves the call unknown. The method is never called again.
//
// f may be called with a key of any run on the record. For a key that it does not know it may return exo.StateFailed only if it knows all keys
// that the method was ever called with.
func (op Operation) Settle(f func(ctx context.Context, key string) (exo.State, error)) Operation {
	if f == nil || op.effect == message.NoEffect {
		op.misuse = errors.New("Settle needs a function and a Method: a Read has no effect that could be unknown")
	}
	op.settle = f
	return op
}

// Settle implements record.Settler. It calls the function that was passed to Operation.Settle, and without one returns StateUnknown.
func (s *Service) Settle(ctx context.Context, method, key string) (exo.State, error) {
	if s == nil || s.ops == nil {
		return exo.StateUnknown, errors.New("service: the zero Service has no methods; call New")
	}
	settle := s.ops[method].settle
	if settle == nil {
		return exo.StateUnknown, nil
	}
	return settle(ctx, key)
}
