package service

// This file answers what became of a call whose process ended before it knew.

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Settle gives a Method a function that reports what became of a call, by its [Key]. record.Settlers ask it after a process was killed between the
// call and its entry in the record, or after an error that left it unknown. It answers exo.StateApplied if the call took place, exo.StateFailed
// if it did not and never will, and otherwise exo.StateUnknown: a mail API that has not seen the key yet may still see it. Any other
// answer, and an error, leaves the call unknown. The method is never called again.
//
// The function must answer for each key of each run on the record, since it can't tell whose key it is. A key that it does not know is
// exo.StateFailed only if it knows all keys that the method was ever called with.
func (op Operation) Settle(f func(ctx context.Context, key string) (exo.State, error)) Operation {
	if f == nil || op.effect == message.NoEffect {
		op.misuse = errors.New("Settle wants a function, and a Method: a Read has no effect that could be unknown")
	}
	op.settle = f
	return op
}

// Settle implements record.Settler. It asks the function that the method was given. Without one, the call is unknown.
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
