package worker

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// A place in the pool is for computing. While a program waits for its host, it gives its
// place back: the worker reports that it waits, and is stopped. So it can't compute
// meanwhile, even if its report was a lie. Its answer is sent when it has a place again.

// patience is how long a worker waits for an answer before it reports that.
// Giving back a place and asking for it again takes longer than most answers.
const patience = 2 * time.Millisecond

// parkedLook is the time between two looks at a stopped worker. Another
// process could have made it go on, and its limits hold even then.
const parkedLook = 50 * time.Millisecond

// minParked is the least number of bytes that a stopped worker counts
// for. Its page tables, threads and files don't show as its own memory.
const minParked = 4 << 20

// park gives back the place of a program that waits, unless an answer to it is on its way.
func (r *run) park(s string) error {
	n, err := frame.DecodeWaiting(s)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < r.said || n > r.answered || n == r.answered && r.open == 0 {
		return frame.ErrMalformed // an honest worker waits once for each answer, and only for calls that it has sent
	}
	if r.said = n + 1; n < r.answered || r.over || halt(r.w.p) != nil {
		return nil
	}
	r.parked = true
	memory, _ := r.w.end.memory()
	r.pool.yield(r.stay.place, int(max(memory, minParked)))
	return nil
}

// resume waits until the program has a place again, and lets it go on. It returns
// false if the run ends before that. r.mu is held; it is released while resume waits.
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
