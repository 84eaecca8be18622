// Package within bounds how long a function of the host may take, and how many calls act at one time.
package within

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLost is the error of a function that did not return in time.
var ErrLost = errors.New("exo: a unit of work did not end in time, and was given up")

// ErrEnded is the error of a function that ended its goroutine.
var ErrEnded = errors.New("exo: the object's goroutine ended")

// grace is how long after its limit a function may take to return, if it heeds its context.
const grace = time.Second

// Limit calls f with a context that ends after limit, and reports whether f has returned. It waits for f
// at most for grace after the context has ended.
func Limit(ctx context.Context, limit time.Duration, f func(context.Context) error) (err error, returned bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		err := ErrEnded // the error that stays if f ends its goroutine
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
			done <- err
		}()
		err = f(ctx)
	}()
	select {
	case err = <-done:
		return err, true
	case <-ctx.Done():
	}
	late := time.NewTimer(min(limit, grace))
	defer late.Stop()
	select {
	case err = <-done:
		return err, true
	case <-late.C:
		return ErrLost, false
	}
}
