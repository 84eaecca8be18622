package worker

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// A place in the pool is for computing, so a program that waits for its host gives its place back. The worker reports that it waits, and
// the host stops the process: even if the report is a lie, the process can't compute. The reply is sent when the program has a place again.

// patience is how long a worker waits for a reply before it reports that it waits. Giving up a place and getting it again takes longer than
// most replies.
const patience = 2 * time.Millisecond

// parkedLook is the time between two looks at a stopped worker. Another process could have resumed the worker, and the limits of the worker
// apply even then.
const parkedLook = 50 * time.Millisecond

// minParked is the least number of bytes that a stopped worker counts as using. The worker's own memory does not show page tables, threads and files.
const minParked = 4 << 20

// park gives up the place of a program that waits, unless a reply to it is on its way.
func (r *run) park(s string) error {
	n, err := frame.DecodeWaiting(s)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < r.said || n > r.answered || n == r.answered && r.open == 0 {
		return frame.ErrMalformed // an honest worker waits once for each reply, and only for calls that it has sent
	}
	if r.said = n + 1; n < r.answered || r.over || halt(r.w.p) != nil {
		return nil
	}
	r.parked = true
	memory, _ := r.w.end.memory()
	r.pool.yield(r.stay.place, int(max(memory, minParked)))
	return nil
}

// resume waits until the program has a place again, and then resumes it. It returns false if the run ends before. The caller holds r.mu;
// resume releases it while it waits.
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
