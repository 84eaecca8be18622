package exo

import (
	"slices"
	"sync"
)

// turns let a bounded number of calls act at one time, and begin in call order. In
// another order each of a hundred calls could begin before all that came earlier, and
// read its fill without knowing of them.
type turns struct {
	mu      sync.Mutex
	free    int
	waiting []chan struct{}
}

// enter is called in call order. The channel is closed when it is the call's turn,
// and must be given back with leave, also when the call no longer waits.
func (t *turns) enter() chan struct{} {
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

func (t *turns) leave(turn chan struct{}) {
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
