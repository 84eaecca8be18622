package engine

import (
	"context"
	"sync"
)

// Writers are the connections of one database on which units of work can be. They are opened when
// they are needed.
type Writers struct {
	Engine Engine
	places chan struct{}

	mu   sync.Mutex
	free []Writer
	shut bool
}

// NewWriters keeps at most n connections.
func NewWriters(e Engine, n int) *Writers {
	return &Writers{Engine: e, places: make(chan struct{}, n)}
}

// Acquire waits for a place, and gives a connection.
func (p *Writers) Acquire(ctx context.Context) (Writer, error) {
	select {
	case p.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	if p.shut {
		p.mu.Unlock()
		<-p.places
		return nil, ErrClosed
	}
	if n := len(p.free); n > 0 {
		w := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return w, nil
	}
	p.mu.Unlock()
	w, err := p.Engine.ConnectWriter(ctx)
	if err != nil {
		<-p.places
		return nil, err
	}
	return w, nil
}

// Release gives a connection back, or closes one whose state is not known.
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

// Close waits for the units that run, and closes the connections. A second Close does nothing.
func (p *Writers) Close() error {
	p.mu.Lock()
	if p.shut {
		p.mu.Unlock()
		return nil
	}
	p.shut = true
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
