// Package queue lets players take turns at a bounded number of places: one who
// sends a hundred attempts delays another's by one, not by a hundred, and so does an
// address with a hundred players.
package queue

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Why a job is not taken.
var (
	ErrYours  = errors.New("queue: too many of this sender's jobs wait")
	ErrFull   = errors.New("queue: too many jobs wait")
	ErrPaused = errors.New("queue: it is paused")
	ErrClosed = errors.New("queue: it is closed")
)

// Queue runs jobs. Make one with New.
type Queue struct {
	places, perPlayer, total int

	mu      sync.Mutex
	turns   turns
	jobs    map[string]*job // by id: those that wait or run
	running int
	paused  bool
	closed  bool
	ctx     context.Context // of the jobs that run
	cancel  context.CancelFunc
	rest    sync.Cond
}

type job struct {
	id      string
	run     func(ctx context.Context)
	running bool
	done    chan struct{}
}

// New makes a queue of so many places, in which so many jobs of one player, and of
// all, may wait. An address may have no more waiting than there is room left, so that the
// next one who comes finds some: one alone gets half, n get a share of 1/(n+1) each
// (Choudhury and Hahne, Dynamic queue length thresholds for shared-memory packet
// switches, 1998).
func New(places, perPlayer, total int) *Queue {
	q := &Queue{places: max(1, places), perPlayer: max(1, perPlayer), total: max(1, total), jobs: map[string]*job{}}
	q.rest.L = &q.mu
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// Add takes a job, which is run once, on a goroutine of its own. keep is called before
// anything runs and while the job's place is sure; when it fails the job is not taken.
// The context of run ends when the queue is paused or closed.
func (q *Queue) Add(s Sender, keep func() (id string, err error), run func(ctx context.Context)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	address, player := q.turns.of(s)
	room := q.total - q.turns.waiting
	switch {
	case q.closed:
		return ErrClosed
	case q.paused:
		return ErrPaused
	case player >= q.perPlayer:
		return ErrYours
	case room <= 0:
		return ErrFull
	case address >= room:
		return ErrYours
	}
	id, err := keep()
	if err != nil {
		return err
	}
	j := &job{id: id, run: run, done: make(chan struct{})}
	q.turns.add(s, j)
	q.jobs[id] = j
	q.next()
	return nil
}

// next starts jobs while there are places. q.mu is held.
func (q *Queue) next() {
	for q.running < q.places && q.turns.waiting > 0 {
		j := q.turns.next()
		q.running++
		j.running = true
		go q.serve(j, q.ctx)
	}
}

func (q *Queue) serve(j *job, ctx context.Context) {
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.running--
		delete(q.jobs, j.id)
		close(j.done)
		q.next()
		if q.running == 0 {
			q.rest.Broadcast()
		}
	}()
	j.run(ctx)
}

// Position is which of those that wait a job is, from 1, and 0 for one that runs; ok is
// false for one that is over or never was.
func (q *Queue) Position(id string) (n int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	if j == nil {
		return 0, false
	}
	if j.running {
		return 0, true
	}
	return q.turns.position(j), true
}

// Wait returns when a job is over, or ctx.
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

// Length is how many jobs wait, and run.
func (q *Queue) Length() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.turns.waiting, q.running
}

// Pause stops what runs and takes no more, until Resume. Jobs that wait are run
// with a context that has ended: they learn of it in their turn.
func (q *Queue) Pause() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.paused = true
	q.cancel()
}

// Resume takes jobs again.
func (q *Queue) Resume() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.paused && !q.closed {
		q.paused = false
		q.ctx, q.cancel = context.WithCancel(context.Background())
	}
}

// Paused reports whether it takes no jobs.
func (q *Queue) Paused() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.paused || q.closed
}

// grace is what a job has to end when its context has.
const grace = time.Second

// ErrRunning: a job does not end although its context has.
var ErrRunning = errors.New("queue: a job does not end")

// Close takes no more, waits until everything has been run, or until ctx ends, and
// stops the rest then. A job that goes on all the same is left behind, with ErrRunning:
// one that hangs must not keep its host from ending.
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
	for q.running > 0 || q.turns.waiting > 0 {
		if late {
			return ErrRunning
		}
		q.rest.Wait()
	}
	return nil
}
