package engine

import (
	"context"
	"sync"

	"github.com/exoagent/exoagent/exo/observe"
)

// Writers are the connections of one database for units of work. Each is opened when it is needed.
type Writers struct {
	Engine Engine
	places chan struct{}
	closed chan struct{}

	mu   sync.Mutex
	free []Writer
	shut bool
}

// NewWriters returns Writers that keep at most n connections.
func NewWriters(e Engine, n int) *Writers {
	return &Writers{Engine: e, places: make(chan struct{}, n), closed: make(chan struct{})}
}

// Acquire waits for a place and returns a connection. It closes idle connections that are dead.
func (p *Writers) Acquire(ctx context.Context) (Writer, error) {
	select {
	case p.places <- struct{}{}:
	case <-p.closed: // Close takes all places and never returns them
		return nil, Closed()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	acquired := false
	defer func() { // this also runs if a driver panics
		if !acquired {
			<-p.places
		}
	}()
	for {
		w, err := p.idle()
		if err == nil && w == nil {
			w, err = p.Engine.ConnectWriter(observe.With(ctx, nil)) // no observer: what tries a new connection is no statement of the run
			acquired = err == nil
		}
		if err != nil {
			return nil, err
		}
		if acquired = acquired || w.Alive(ctx); acquired {
			return w, nil
		}
		_ = w.Close()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// idle takes the connection that was returned last, or nil if there is none.
func (p *Writers) idle() (w Writer, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shut {
		return nil, Closed()
	}
	if n := len(p.free); n > 0 {
		w, p.free = p.free[n-1], p.free[:n-1]
	}
	return w, nil
}

// Use calls f with an acquired connection. If f panics or ends its goroutine, Use discards the connection,
// since its state is unknown: an open transaction would keep its locks, and its place, for ever.
func (p *Writers) Use(w Writer, f func() error) error {
	returned := false
	defer func() {
		if !returned {
			p.Discard(w)
		}
	}()
	err := f()
	returned = true
	return err
}

// Discard closes a connection of unknown state, and returns its place even if closing fails or panics.
func (p *Writers) Discard(w Writer) {
	defer func() { <-p.places }()
	defer func() { _ = recover() }() // the panic before this one is the one to report
	_ = w.Close()
}

// Release returns a connection, or closes it if its state is unknown.
func (p *Writers) Release(w Writer) {
	p.mu.Lock()
	keep := w.Sound() && !p.shut
	if keep {
		p.free = append(p.free, w)
	}
	p.mu.Unlock()
	if !keep {
		_ = w.Close()
	}
	<-p.places
}

// Close waits for running units, and closes the connections. A second Close does nothing.
func (p *Writers) Close() error {
	p.mu.Lock()
	if p.shut {
		p.mu.Unlock()
		return nil
	}
	p.shut = true
	close(p.closed)
	free := p.free
	p.free = nil
	p.mu.Unlock()
	var first error
	for _, w := range free {
		if err := w.Close(); err != nil && first == nil {
			first = err
		}
	}
	for range cap(p.places) {
		p.places <- struct{}{}
	}
	return first
}
