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
// Always: whoever waits may have no place now, either because all are taken or because
// its group has its share.
type Queue[G comparable] struct {
	cfg Config

	mu      sync.Mutex
	turns   turns[G]
	running int
	held    map[G]int // places, none of them 0
}

// New makes a queue.
func New[G comparable](c Config) *Queue[G] {
	for _, n := range []*int{&c.Places, &c.PerMember, &c.Total} {
		*n = max(1, *n)
	}
	if c.Share < 1 {
		c.Share = c.Places
	}
	return &Queue[G]{cfg: c, held: map[G]int{}}
}

// Ticket is a job's place, or its claim to one.
type Ticket[G comparable] struct {
	q      *Queue[G]
	group  G
	member string
	turn   chan struct{}
	has    bool // a place
	gone   bool
}

// Turn is closed when the place is the ticket's.
func (t *Ticket[G]) Turn() <-chan struct{} { return t.turn }

// Enter takes a place, or stands at the end of its member's line. Each Enter needs a
// Leave. It fails with ErrYours or ErrFull.
func (q *Queue[G]) Enter(group G, member string) (*Ticket[G], error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := &Ticket[G]{q: q, group: group, member: member, turn: make(chan struct{})}
	if q.running < q.cfg.Places && q.held[group] < q.cfg.Share {
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

// take gives t a place. q.mu is held.
func (q *Queue[G]) take(t *Ticket[G]) {
	q.held[t.group]++
	q.running++
	t.has = true
	close(t.turn)
}

// Leave gives back the place, which the first that may have it gets, or stops waiting.
// Only the first call does anything.
func (t *Ticket[G]) Leave() {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.gone {
		return
	}
	t.gone = true
	if !t.has {
		q.turns.remove(t)
		return
	}
	q.running--
	if q.held[t.group]--; q.held[t.group] == 0 {
		delete(q.held, t.group)
	}
	for q.running < q.cfg.Places {
		next := q.turns.next(func(g G) bool { return q.held[g] < q.cfg.Share })
		if next == nil {
			return
		}
		q.take(next)
	}
}

// Position is which of those that wait the ticket is, from 1, if nobody comes later and
// no group has its share; 0 when it has a place.
func (t *Ticket[G]) Position() int {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.has || t.gone {
		return 0
	}
	return q.turns.position(t)
}

// Len is how many jobs wait, and have a place.
func (q *Queue[G]) Len() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.turns.waiting, q.running
}
