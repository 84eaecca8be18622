package worker

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
)

// TestEndedWhileStarting: a program that waits for its worker does not read the error of another run, which an errgroup made the cause of its context.
func TestEndedWhileStarting(t *testing.T) {
	p, err := NewPool(PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.launches = make(chan launching) // a start that takes long
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(&fail.Error{Kind: fail.Limit, Msg: "what another run has thrown"}) })
	_, err = p.acquire(ctx, party{principal: "p"}, owner{})
	if strings.Contains(fail.GuestText(err), "thrown") || fail.KindOf(err) != fail.Cancelled || !errors.Is(err, ErrNotRun) {
		t.Errorf("%v; a program reads %q", err, fail.GuestText(err))
	}
}
