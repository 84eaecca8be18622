// Package queue runs the attempts of players, each in its turn of a fair queue: addresses
// take turns, since players cost nothing to make and addresses do.
package queue

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/exoagent/exoagent/internal/fair"
)

// Why a job is not taken.
var (
	ErrYours  = fair.ErrYours
	ErrFull   = fair.ErrFull
	ErrPaused = errors.New("queue: it is paused")
	ErrClosed = errors.New("queue: it is closed")
)

// Sender is who sends a job: a player, at an address.
type Sender struct{ Address, Player string }

// Queue runs jobs. Make one with New.
type Queue struct {
	places *fair.Queue[string]

	mu     sync.Mutex
	jobs   map[string]*job // by id: those that wait or run
	paused bool
	closed bool
	ctx    context.Context // of the jobs that run
	cancel context.CancelFunc
	rest   sync.Cond
}

type job struct {
	ticket *fair.Ticket[string]
	done   chan struct{}
}

// New makes a queue of so many places, in which so many jobs of one player, and of
// all, may wait; an address may have no more waiting than there is room left.
func New(places, perPlayer, total int) *Queue {
	q := &Queue{places: fair.New[string](fair.Config{Places: places, PerMember: perPlayer, Total: total, Room: true}), jobs: map[string]*job{}}
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
	id, err := keep()
	if err != nil {
		ticket.Leave()
		return err
	}
	j := &job{ticket, make(chan struct{})}
	q.jobs[id] = j
	go q.serve(id, j, run)
	return nil
}

func (q *Queue) serve(id string, j *job, run func(ctx context.Context)) {
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		j.ticket.Leave()
		delete(q.jobs, id)
		close(j.done)
		if len(q.jobs) == 0 {
			q.rest.Broadcast()
		}
	}()
	<-j.ticket.Turn()
	q.mu.Lock()
	ctx := q.ctx
	q.mu.Unlock()
	run(ctx)
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
	return j.ticket.Position(), true
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
	return q.places.Len()
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
var ErrRunning = errors.New("queue: a job goes on although its context has ended")

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
	for len(q.jobs) > 0 {
		if late {
			return ErrRunning
		}
		q.rest.Wait()
	}
	return nil
}
