package service

// This file compensates for a call that took place, when its run is undone.

import (
	"context"
	"errors"
	"fmt"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
)

// Compensate gives a Method a function that makes up for a call when its run is undone, such as a refund or a second mail. key is the call's [Key].
// record.Undoing calls f once the undo was kept, and records it. In f, the function Key returns the key of the compensation, which is the same in every
// attempt. If an error wraps exo.ErrNothingDone, nothing was done. Without Compensate a call is listed as not undone.
func (op Operation) Compensate(f func(ctx context.Context, key string) error) Operation {
	if f == nil || op.effect == message.NoEffect {
		op.misuse = errors.New("Compensate needs a function and a Method: a Read has no effect to make up for")
	}
	op.compensate = f
	return op
}

// Compensates implements record.Compensator.
func (s *Service) Compensates(method string) bool { return s != nil && s.ops[method].compensate != nil }

// Compensate implements record.Compensator. It calls the function that was passed to Operation.Compensate.
func (s *Service) Compensate(ctx context.Context, method, key, as string) error {
	if !s.Compensates(method) {
		return fmt.Errorf("service: %q has no Compensate: add it to the Method: %w", method, exo.ErrNothingDone)
	}
	return s.ops[method].compensate(context.WithValue(ctx, keyOf{}, as), key)
}
