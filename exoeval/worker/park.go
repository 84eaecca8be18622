package worker

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// A place in the pool is for computing. A program that waits for its host gives its place
// back: the worker says that it has nothing else to do, and is stopped, so that it can't
// compute in the meantime, whatever it says. Its answer waits until it has a place again.

// patience is how long a worker waits for an answer before it says so. A place that is
// given back and asked for again costs more than most answers take.
const patience = 2 * time.Millisecond

// parkedLook is how often a worker is looked at that is stopped. Only somebody else could
// have made it go on; its limits hold all the same.
const parkedLook = 50 * time.Millisecond

// minParked is what a worker that is stopped counts for at least: its page tables, its
// threads and its files are no memory of its own.
const minParked = 4 << 20

// park gives back the place of a program that waits, if no answer is on its way to it.
func (r *run) park(s string) error {
	n, err := frame.DecodeWaiting(s)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < r.said || n > r.answered || n == r.answered && r.open == 0 {
		return frame.ErrMalformed // it waits once for each answer, and for calls that it has sent
	}
	if r.said = n + 1; n < r.answered || r.over || halt(r.w.p) != nil {
		return nil
	}
	r.parked = true
	memory, _ := r.w.end.memory()
	r.pool.yield(r.stay.place, int(max(memory, minParked)))
	return nil
}

// resume waits until the program has a place again, and lets it go on. It is false when
// the run is over before. r.mu is held, and let go while it waits.
func (r *run) resume(ctx context.Context) bool {
	if !r.parked {
		return true
	}
	r.stay.place.Return()
	r.mu.Unlock()
	select {
	case <-r.stay.place.Turn():
	case <-ctx.Done():
	}
	r.mu.Lock()
	if ctx.Err() != nil {
		return false
	}
	r.parked = false
	r.watch.last = time.Now()
	r.watch.timer.Reset(nextLook)
	return proceed(r.w.p) == nil
}
