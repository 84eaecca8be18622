package within

// This file bounds how many calls act at one time.

import (
	"slices"
	"sync"
)

// Turns let a bounded number of calls act at one time, and let them begin in call order. In another order each of a hundred calls could
// begin before all earlier ones. Each could then read as much as the whole run may, since it would not know of the others.
type Turns struct {
	mu      sync.Mutex
	free    int
	waiting []chan struct{}
}

// NewTurns makes Turns for free calls at one time.
func NewTurns(free int) Turns { return Turns{free: free} }

// Enter is called in call order. It returns a channel that is closed when it is the call's turn.
// The call must give the channel back with Leave, even if it no longer waits.
func (t *Turns) Enter() chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn := make(chan struct{})
	if t.free > 0 {
		t.free--
		close(turn)
	} else {
		t.waiting = append(t.waiting, turn)
	}
	return turn
}

// Leave gives a turn back, or gives up waiting for it.
func (t *Turns) Leave(turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiting, turn); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	} else if len(t.waiting) > 0 {
		close(t.waiting[0])
		t.waiting = t.waiting[1:]
	} else {
		t.free++
	}
}
