// Package queue runs players' attempts, each in its turn. Addresses take turns, not players, because a new player costs nothing.
package queue

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/exoagent/exoagent/internal/fair"
)

// These are the reasons to refuse a job.
var (
	ErrPaused = errors.New("queue: the queue is paused, so it takes no jobs")
	ErrClosed = errors.New("queue: the queue is closed, so it takes no jobs")
)

// Sender is the player, at an address, who sends a job.
type Sender struct{ Address, Player string }

// Queue runs jobs. New makes one.
type Queue struct {
	places *fair.Queue[string]

	mu     sync.Mutex
	jobs   map[string]*job // the jobs that wait or run, by id
	keeps  int             // the number of calls of keep that have not returned
	paused bool
	closed bool
	ctx    context.Context // the context of running jobs
	cancel context.CancelFunc
	rest   sync.Cond
}

type job struct {
	ticket *fair.Ticket[string]
	done   chan struct{}
}

// New makes a queue with this number of places. The queue does not bound the waiting jobs: the keep of each job may refuse it.
func New(places int) *Queue {
	q := &Queue{places: fair.New[string](fair.Config{Places: places, PerMember: math.MaxInt, Total: math.MaxInt}), jobs: map[string]*job{}}
	q.rest.L = &q.mu
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// Add accepts a job and runs it once, in its own goroutine. Once the job has its place in the queue, and before it runs, Add calls keep.
// The argument waits is false for a job that runs at once. If keep fails, the job is refused. The
// queue's other methods do not wait for keep, except Close. The context of run ends when the queue is paused or closed.
func (q *Queue) Add(s Sender, keep func(waits bool) (id string, err error), run func(ctx context.Context)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return ErrClosed
	case q.paused:
		return ErrPaused
	}
	ticket, err := q.places.Enter(s.Address, s.Player)
	if err != nil {
		return err
	}
	id, err := q.unlocked(func() (string, error) { return keep(ticket.Position() > 0) })
	if err != nil {
		ticket.Leave()
		q.rested()
		return err
	}
	j := &job{ticket, make(chan struct{})}
	q.jobs[id] = j
	go q.serve(id, j, run)
	return nil
}

// unlocked calls keep without the lock, because keep may wait for seconds until another process has written. Close waits for the call.
func (q *Queue) unlocked(keep func() (string, error)) (id string, err error) {
	q.keeps++
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		q.keeps--
	}()
	return keep()
}

// rested wakes Close if no job is left. The caller holds q.mu.
func (q *Queue) rested() {
	if q.keeps+len(q.jobs) == 0 {
		q.rest.Broadcast()
	}
}

func (q *Queue) serve(id string, j *job, run func(ctx context.Context)) {
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		j.ticket.Leave()
		delete(q.jobs, id)
		close(j.done)
		q.rested()
	}()
	<-j.ticket.Turn()
	q.mu.Lock()
	ctx := q.ctx
	q.mu.Unlock()
	run(ctx)
}

// Position returns a job's place among the waiting jobs, from 1, or 0 if the job runs. The result ok is false for a job that is over or unknown.
func (q *Queue) Position(id string) (n int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	if j == nil {
		return 0, false
	}
	return j.ticket.Position(), true
}

// Wait returns when a job is over, or when ctx ends.
func (q *Queue) Wait(ctx context.Context, id string) {
	q.mu.Lock()
	j := q.jobs[id]
	q.mu.Unlock()
	if j == nil {
		return
	}
	select {
	case <-j.done:
	case <-ctx.Done():
	}
}

// Length returns the number of waiting and of running jobs.
func (q *Queue) Length() (waiting, running int) {
	return q.places.Len()
}

// Pause stops running jobs and accepts no more until Resume. Waiting jobs run in their turn, with a context that has ended.
func (q *Queue) Pause() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.paused = true
	q.cancel()
}

// Resume accepts jobs again.
func (q *Queue) Resume() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.paused && !q.closed {
		q.paused = false
		q.ctx, q.cancel = context.WithCancel(context.Background())
	}
}

// Paused reports whether the queue is paused or closed, and so accepts no job.
func (q *Queue) Paused() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.paused || q.closed
}

// grace is how long a job may continue after its context has ended.
const grace = time.Second

// ErrRunning means that a job still runs although its context has ended.
var ErrRunning = errors.New("queue: a job still runs although its context has ended")

// Close accepts no more jobs and waits until all have run. When ctx ends, it stops the rest. If a job does not stop, Close returns
// ErrRunning and leaves the job running, so that a hanging job can't keep its host from ending.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	late := false
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.cancel()
		time.AfterFunc(grace, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			late = true
			q.rest.Broadcast()
		})
	})
	defer stop()
	defer q.cancel()
	for q.keeps+len(q.jobs) > 0 {
		if late {
			return ErrRunning
		}
		q.rest.Wait()
	}
	return nil
}
