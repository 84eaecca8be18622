// Package fair has the one queue in which parties take turns at a bounded number of
// places: one that sends a thousand jobs delays another's by one, not by a thousand, and
// so does a group of a thousand members.
package fair

import (
	"errors"
	"sync"
)

// Why a job is not taken.
var (
	ErrYours = errors.New("fair: too many of this party's jobs wait")
	ErrFull  = errors.New("fair: too many jobs wait")
)

// Config says how many jobs have a place and how many wait. Everything below 1 is 1, but
// for Share.
type Config struct {
	Places    int // jobs that have a place at one time
	Share     int // of them, for one group; 0: all. Less than all keeps a place for others from a group whose jobs use up all their time
	PerMember int // jobs of one member that wait
	Total     int // jobs that wait
	// Away bounds what jobs hold that gave their place back for a while (Yield): while they
	// hold that much, no job begins. 0: there is no bound.
	Away      int
	AwayShare int // of it, for one group: while its jobs hold that much, none of its jobs begins; 0: all
	// Room: a group may have no more jobs waiting than there is room left, so that the
	// next that comes finds some: one alone gets half, n get a share of 1/(n+1) each
	// (Choudhury and Hahne, Dynamic queue length thresholds for shared-memory packet
	// switches, 1998).
	Room bool
}

// Queue has the places of jobs that run, and the lines of those that wait. Groups take
// turns; the members of a group take turns when it is the group's; a member's jobs keep
// their order. Its methods may be called from several goroutines. Make one with New.
//
// A job that waits for something else may give its place back and ask for one again. It
// then comes before the jobs of its member that have not begun, and is never refused:
// bounds hold up what begins, since only the end of a job frees what it holds.
//
// Always: whoever waits may have no place now: all are taken, its group has its share, or
// it has not begun and jobs that are away hold what they may.
type Queue[G comparable] struct {
	cfg Config

	mu      sync.Mutex
	turns   turns[G]
	running int
	held    map[G]int // places, none of them 0
	away    map[G]int // what jobs hold that gave their place back, none of it 0
	out     int       // the sum of away
	counted int       // the sum of away, of each group at most its share
	outside int       // jobs that gave their place back and have none
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
	weight int // of what it holds while it is away
}

type state uint8

const (
	waits   state = iota // it has not begun
	has                  // a place
	away                 // it gave its place back
	returns              // it gave its place back, and waits for one
	gone
)

// Turn is closed when the place is the ticket's. Each Return makes a new one.
func (t *Ticket[G]) Turn() <-chan struct{} {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	return t.turn
}

// Enter takes a place, or stands at the end of its member's line. Each Enter needs a
// Leave. It fails with ErrYours or ErrFull.
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

// settle is for a ticket that is away no more. q.mu is held.
func (q *Queue[G]) settle(t *Ticket[G]) {
	q.outside--
	q.hold(t.group, -t.weight)
}

// hold adds n to what jobs of g hold that are away. A group counts against others with its share
// at most: the jobs that it has begun can all give their places back and hold more than that together,
// and would else keep everybody from beginning (TestOneGroupAway). q.mu is held.
func (q *Queue[G]) hold(g G, n int) {
	q.out += n
	q.counted -= min(q.away[g], q.cfg.AwayShare)
	sub(q.away, g, -n)
	q.counted += min(q.away[g], q.cfg.AwayShare)
}

// sub keeps no zeros, of groups that never come again.
func sub[G comparable](m map[G]int, g G, n int) {
	if m[g] -= n; m[g] == 0 {
		delete(m, g)
	}
}

// fill gives the places that are free to those that may have them. q.mu is held.
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

// Leave gives back the place, which the first that may have it gets, or stops waiting.
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

// Yield gives the place back until Return. The job goes on to hold weight, which is at
// least 1, of what Config.Away bounds. It does nothing without a place.
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

// Return asks for a place again, after Yield; Turn says when it has one.
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

// Position is which of those that wait the ticket is, from 1, if nobody comes later and
// no group has its share; 0 when it has a place.
func (t *Ticket[G]) Position() int {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.state != waits && t.state != returns {
		return 0
	}
	return q.turns.position(t)
}

// Len is how many jobs wait that have not begun, and how many have a place.
func (q *Queue[G]) Len() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.turns.waiting, q.running
}

// Away is how many jobs have begun and have no place, and what they hold.
func (q *Queue[G]) Away() (jobs, weight int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.outside, q.out
}
