package mcpclient

// This file lets calls wait for their turn, so that a server has no more of them at a time than its Bounds.

import (
	"context"
	"sync"

	"github.com/exoagent/exoagent/exo"
)

// turns are the calls that may be open at a time. One principal takes at most half of them: a program whose calls hang blocks no other user.
type turns struct {
	all    chan struct{}
	mu     sync.Mutex
	shares map[exo.Principal]*share
}

// share is the part of one principal that has calls.
type share struct {
	open  chan struct{}
	users int // calls that wait or are open
}

func newTurns(n int) *turns {
	return &turns{all: make(chan struct{}, n), shares: map[exo.Principal]*share{}}
}

// take waits for a turn, and returns the function that ends it.
func (t *turns) take(ctx context.Context, who exo.Principal) (done func(), err error) {
	t.mu.Lock()
	s := t.shares[who]
	if s == nil {
		s = &share{open: make(chan struct{}, (cap(t.all)+1)/2)}
		t.shares[who] = s
	}
	s.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(t.shares, who)
		}
	}
	select {
	case s.open <- struct{}{}:
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
	select {
	case t.all <- struct{}{}:
	case <-ctx.Done():
		<-s.open
		leave()
		return nil, ctx.Err()
	}
	return func() {
		<-t.all
		<-s.open
		leave()
	}, nil
}
