// Package fair has a queue in which parties take turns at a bounded number of places. A party that sends a thousand jobs delays another
// party's job by one job, not by a thousand. The same holds for a group with a thousand members.
package fair

import (
	"errors"
	"sync"
)

// These are the reasons why the queue refuses a job.
var (
	ErrYours = errors.New("fair: too many jobs of this party wait: try again later")
	ErrFull  = errors.New("fair: too many jobs wait: try again later")
)

// Config bounds how many jobs have a place and how many wait. Numbers below 1 mean 1, except for Share.
type Config struct {
	Places    int // the most jobs that have a place at the same time
	Share     int // how many of Places one group may have; 0 means all. A smaller number keeps a place for other groups, even if a group's jobs use up all their time
	PerMember int // the most waiting jobs of one member
	Total     int // the most waiting jobs of all members
	// Away bounds the memory of jobs that gave their place back for a while (Yield). No job begins while they use that much. 0 means no bound.
	Away      int
	AwayShare int // how much of Away one group may use; 0 means all. While a group's jobs use that much, none of its new jobs begins
}

// Queue has the places of running jobs, and the lines of waiting jobs. Groups take turns, and so do the members of a group within its turn. A
// member's jobs keep their order. Several goroutines may call its methods. New makes one.
//
// A job that waits for something else may give its place back, and ask for a place again later. Then it comes before its member's new jobs,
// and is never refused. Bounds stop only new jobs, because only the end of a job frees its memory.
//
// Invariant: a job waits only if it may not have a place now, for one of three reasons. All places are taken, its group has its share, or
// the job is new and the jobs that are away use as much memory as Away allows.
type Queue[G comparable] struct {
	cfg Config

	mu      sync.Mutex
	turns   turns[G]
	running int
	held    map[G]int // the places of each group; no entry is 0
	away    map[G]int // the memory of each group's jobs that are away; no entry is 0
	out     int       // the sum of away
	counted int       // the sum of away, where each group counts at most its share
	outside int       // the number of jobs that gave their place back and have none now
}

// New makes a queue.
func New[G comparable](c Config) *Queue[G] {
	for _, n := range []*int{&c.Places, &c.PerMember, &c.Total} {
		*n = max(1, *n)
	}
	for _, d := range []struct{ n, all *int }{{&c.Share, &c.Places}, {&c.AwayShare, &c.Away}} {
		if *d.n < 1 {
			*d.n = *d.all
		}
	}
	return &Queue[G]{cfg: c, held: map[G]int{}, away: map[G]int{}}
}

// Ticket is a job's place, or its claim to one.
type Ticket[G comparable] struct {
	q      *Queue[G]
	group  G
	member string
	turn   chan struct{}
	state  state
	weight int // the memory that the job uses while it is away
}

type state uint8

const (
	waits   state = iota // the job has not begun
	has                  // the job has a place
	away                 // the job gave its place back
	returns              // the job gave its place back, and waits for another
	gone
)

// Turn returns a channel that is closed when the ticket gets a place. Each Yield makes a new channel.
func (t *Ticket[G]) Turn() <-chan struct{} {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	return t.turn
}

// Enter takes a place, or joins the end of the member's line. It fails with ErrYours or ErrFull. Each successful Enter needs a Leave.
func (q *Queue[G]) Enter(group G, member string) (*Ticket[G], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &Ticket[G]{q: q, group: group, member: member, turn: make(chan struct{})}
	if q.running < q.cfg.Places && q.mayBegin(group) {
		q.take(t)
		return t, nil
	}
	switch {
	case q.turns.of(group, member) >= q.cfg.PerMember:
		return nil, ErrYours
	case q.turns.waiting >= q.cfg.Total:
		return nil, ErrFull
	}
	q.turns.add(t)
	return t, nil
}

// mayHave reports whether one more job of g, new or returning, may have a place.
func (q *Queue[G]) mayHave(g G) bool { return q.held[g] < q.cfg.Share }

// mayBegin reports whether a new job of g may have a place.
func (q *Queue[G]) mayBegin(g G) bool {
	return q.mayHave(g) && (q.cfg.Away == 0 || q.counted < q.cfg.Away && q.away[g] < q.cfg.AwayShare)
}

// take gives t a place. The caller holds q.mu.
func (q *Queue[G]) take(t *Ticket[G]) {
	q.held[t.group]++
	q.running++
	t.state = has
	close(t.turn)
}

// drop takes the place of t away. The caller holds q.mu.
func (q *Queue[G]) drop(t *Ticket[G]) {
	q.running--
	sub(q.held, t.group, 1)
}

// settle removes the weight of a ticket that is no longer away. The caller holds q.mu.
func (q *Queue[G]) settle(t *Ticket[G]) {
	q.outside--
	q.hold(t.group, -t.weight)
}

// hold adds n to the memory of g's jobs that are away. That memory counts against other groups only up to g's share. Otherwise one group
// could keep all others from beginning, because its jobs can use more than the share (TestOneGroupAway). The caller holds q.mu.
func (q *Queue[G]) hold(g G, n int) {
	q.out += n
	q.counted -= min(q.away[g], q.cfg.AwayShare)
	sub(q.away, g, -n)
	q.counted += min(q.away[g], q.cfg.AwayShare)
}

// sub subtracts n from the entry of g. It deletes an entry that becomes zero, because a group may never come again.
func sub[G comparable](m map[G]int, g G, n int) {
	if m[g] -= n; m[g] == 0 {
		delete(m, g)
	}
}

// fill gives free places to the tickets that may have them. The caller holds q.mu.
func (q *Queue[G]) fill() {
	for q.running < q.cfg.Places {
		next := q.turns.next(q.mayHave, q.mayBegin)
		if next == nil {
			return
		}
		if next.state == returns {
			q.settle(next)
		}
		q.take(next)
	}
}

// Leave gives the place back to the first ticket that may have it, or ends the wait for one. Only the first call has an effect.
func (t *Ticket[G]) Leave() {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	switch t.state {
	case gone:
		return
	case has:
		q.drop(t)
	case away:
		q.settle(t)
	case returns:
		q.turns.remove(t)
		q.settle(t)
	case waits:
		q.turns.remove(t)
	}
	t.state = gone
	q.fill()
}

// Yield gives the place back until Return. In the meantime weight, at least 1, counts against Config.Away. Without a place Yield does nothing.
func (t *Ticket[G]) Yield(weight int) {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.state != has {
		return
	}
	t.state, t.weight, t.turn = away, max(1, weight), make(chan struct{})
	q.hold(t.group, t.weight)
	q.outside++
	q.drop(t)
	q.fill()
}

// Return asks for a place again after Yield: see Turn.
func (t *Ticket[G]) Return() {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.state != away {
		return
	}
	t.state = returns
	q.turns.add(t)
	q.fill()
}

// Position returns the ticket's place among the waiting ones, from 1. It assumes that no job comes later and that no group has its share. It
// is 0 if the ticket has a place.
func (t *Ticket[G]) Position() int {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.state != waits && t.state != returns {
		return 0
	}
	return q.turns.position(t)
}

// Len returns the number of new jobs that wait, and of jobs that have a place.
func (q *Queue[G]) Len() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.turns.waiting, q.running
}

// Away returns the number of jobs that gave their place back, and the memory that they use.
func (q *Queue[G]) Away() (jobs, weight int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.outside, q.out
}
