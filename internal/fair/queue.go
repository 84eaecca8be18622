// Package fair has the one queue in which parties take turns at a bounded number of places. A party
// that sends a thousand jobs delays another party's job by one job, not by a thousand; a group of a
// thousand members does the same.
package fair

import (
	"errors"
	"sync"
)

// These errors say why the queue refuses a job.
var (
	ErrYours = errors.New("fair: too many of this party's jobs wait")
	ErrFull  = errors.New("fair: too many jobs wait")
)

// Config bounds how many jobs have a place and how many wait. Every number below 1 means 1, except
// Share.
type Config struct {
	Places    int // jobs that have a place at one time
	Share     int // how many of Places one group may have; 0: all. Less than all keeps a place for others, even if a group's jobs use up all their time
	PerMember int // jobs of one member that wait
	Total     int // jobs that wait
	// Away bounds what jobs hold after they gave their place back for a while (Yield): while they
	// hold that much, no job begins. 0: there is no bound.
	Away      int
	AwayShare int // how much of Away one group may hold: while its jobs hold that much, none of its jobs begins; 0: all
	// Room bounds a group's waiting jobs by the room that is left, so that a later group finds
	// some: a group alone gets half, and n groups get 1/(n+1) each (Choudhury and Hahne, Dynamic
	// queue length thresholds for shared-memory packet switches, 1998).
	Room bool
}

// Queue has the places of running jobs, and the lines of waiting jobs. Groups take turns; the
// members of a group take turns within the group's turn; a member's jobs keep their order. Several
// goroutines may call its methods. Make one with New.
//
// A job that waits for something else may give its place back and ask for one again. It then comes
// before its member's jobs that have not begun, and is never refused: bounds stop only jobs that
// have not begun, since only the end of a job frees what it holds.
//
// Invariant: a job waits only if it may not have a place now. All places are taken, its group has
// its share, or it has not begun and the jobs that are away hold as much as they may.
type Queue[G comparable] struct {
	cfg Config

	mu      sync.Mutex
	turns   turns[G]
	running int
	held    map[G]int // places, none of them 0
	away    map[G]int // what jobs hold that gave their place back; no entry is 0
	out     int       // the sum of away
	counted int       // the sum of away, with at most its share for each group
	outside int       // jobs that gave their place back and have no place now
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
	weight int // what it holds while it is away
}

type state uint8

const (
	waits   state = iota // it has not begun
	has                  // a place
	away                 // it gave its place back
	returns              // it gave its place back, and waits for one
	gone
)

// Turn returns a channel that is closed when the ticket gets its place. Each Yield makes a new one.
func (t *Ticket[G]) Turn() <-chan struct{} {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	return t.turn
}

// Enter takes a place, or joins the end of its member's line. Each Enter needs a Leave. It fails
// with ErrYours or ErrFull.
func (q *Queue[G]) Enter(group G, member string) (*Ticket[G], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &Ticket[G]{q: q, group: group, member: member, turn: make(chan struct{})}
	if q.running < q.cfg.Places && q.mayBegin(group) {
		q.take(t)
		return t, nil
	}
	ofGroup, ofMember := q.turns.of(group, member)
	room := q.cfg.Total - q.turns.waiting
	switch {
	case ofMember >= q.cfg.PerMember:
		return nil, ErrYours
	case room <= 0:
		return nil, ErrFull
	case q.cfg.Room && ofGroup >= room:
		return nil, ErrYours
	}
	q.turns.add(t)
	return t, nil
}

// mayHave reports whether a job of g may have one more place.
func (q *Queue[G]) mayHave(g G) bool { return q.held[g] < q.cfg.Share }

// mayBegin reports whether a job of g that has not begun may have one more place.
func (q *Queue[G]) mayBegin(g G) bool {
	return q.mayHave(g) && (q.cfg.Away == 0 || q.counted < q.cfg.Away && q.away[g] < q.cfg.AwayShare)
}

// take gives t a place. q.mu is held.
func (q *Queue[G]) take(t *Ticket[G]) {
	q.held[t.group]++
	q.running++
	t.state = has
	close(t.turn)
}

// drop takes the place of t away. q.mu is held.
func (q *Queue[G]) drop(t *Ticket[G]) {
	q.running--
	sub(q.held, t.group, 1)
}

// settle removes the weight of a ticket that is no longer away. q.mu is held.
func (q *Queue[G]) settle(t *Ticket[G]) {
	q.outside--
	q.hold(t.group, -t.weight)
}

// hold adds n to what the away jobs of g hold. A group counts against others with at most its
// share. Otherwise a group could keep everybody from beginning: all its begun jobs can give their
// places back and together hold more than the share (TestOneGroupAway). q.mu is held.
func (q *Queue[G]) hold(g G, n int) {
	q.out += n
	q.counted -= min(q.away[g], q.cfg.AwayShare)
	sub(q.away, g, -n)
	q.counted += min(q.away[g], q.cfg.AwayShare)
}

// sub deletes zeros, since a group may never come again.
func sub[G comparable](m map[G]int, g G, n int) {
	if m[g] -= n; m[g] == 0 {
		delete(m, g)
	}
}

// fill gives free places to the tickets that may have them. q.mu is held.
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

// Leave gives back the place, and the first ticket that may have it gets it; or it stops waiting.
// Only the first call does anything.
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

// Yield gives the place back until Return. Meanwhile the job holds weight, at least 1, which counts
// against Config.Away. Without a place Yield does nothing.
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

// Return asks for a place again, after Yield; see Turn.
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

// Position returns the ticket's place among the waiting ones, from 1, if no job comes later and no
// group has its share. It is 0 if the ticket has a place.
func (t *Ticket[G]) Position() int {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.state != waits && t.state != returns {
		return 0
	}
	return q.turns.position(t)
}

// Len returns how many jobs wait to begin, and how many have a place.
func (q *Queue[G]) Len() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.turns.waiting, q.running
}

// Away returns the number of jobs that have begun but gave their place back, and the memory that they use.
func (q *Queue[G]) Away() (jobs, weight int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.outside, q.out
}
