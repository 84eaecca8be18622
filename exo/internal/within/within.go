// Package within bounds how long a function of the host may take, and how many calls act at one time.
package within

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLost is the error for a function that did not return in time.
var ErrLost = errors.New("exo: a function of the host, such as Commit of a unit of work, did not return in time, so its outcome is unknown")

// ErrEnded is the error for a function that ended its goroutine.
var ErrEnded = errors.New("exo: a function of the host ended its goroutine: return from it, and don't call runtime.Goexit")

// grace is how long a function may take to return after its context has ended.
const grace = time.Second

// Limit calls f with a context that ends after limit, and reports whether f has returned. When the
// context has ended, it waits for f no longer than grace.
func Limit(ctx context.Context, limit time.Duration, f func(context.Context) error) (err error, returned bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		err := ErrEnded // this error stays if f ends its goroutine
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
