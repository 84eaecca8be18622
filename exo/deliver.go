package exo

import (
	"context"
	"github.com/exoagent/exoagent/exo/fail"
	"slices"
	"sync"
)

func (s *Session) settle(e *pending, r Reply) {
	s.mu.Lock()
	e.reply, e.done = r, true
	s.mu.Unlock()
	s.wg.Done()
	s.poke()
}

// poke wakes one waiter in Next. Each waiter that leaves wakes another one, since one outcome can free several replies.
func (s *Session) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Next waits for the reply to the oldest call that has not been answered yet.
// Replies leave in call order, however long each took. So their order reveals nothing about
// time to a guest. ok is false when no call is open.
func (s *Session) Next(ctx context.Context) (r Reply, ok bool, err error) {
	if err := s.begun(); err != nil {
		return Reply{}, false, err
	}
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.mu.Unlock()
			s.poke()
			return Reply{}, false, nil
		}
		if e := s.queue[0]; e.done {
			if s.queue[0] = nil; len(s.queue) > 1 {
				s.queue = s.queue[1:]
			} else {
				s.queue = s.queue[:0] // emptied so that the next call reuses the array
			}
			s.spent.add(e.spent)
			s.undelivered -= e.size
			// Spend may have stopped this call or not, depending on how fast earlier calls were. So
			// the error here must be the same as that of Spend.
			over, withheld := s.gate.overspent(s.spent), false
			if over != nil && (e.reply.Err == nil || e.spent != spent{}) {
				withheld = e.reply.Err == nil
				e.reply = Reply{ID: e.id, Err: fail.AsError("", over).In(s.opName(e.root))}
			} else {
				s.number(e)
			}
			label := s.label
			s.mu.Unlock()
			if withheld { // record that the program does not get the reply
				s.noteMessage(e, Entry{Step: Withheld, Label: label, Err: over})
			}
			s.poke()
			return e.reply, true, nil
		}
		s.mu.Unlock()
		select {
		case <-s.wake:
		case <-ctx.Done():
			return Reply{}, false, ctx.Err()
		}
	}
}

// turns lets a bounded number of calls act at one time, and lets them begin in call order. In another order each of a hundred calls could
// begin before all earlier ones. Each could then read as much as the whole run may, because it could not count what the others read.
type turns struct {
	mu      sync.Mutex
	free    int
	waiting []chan struct{}
}

// enter is called in call order. It returns a channel that is closed when it is the call's turn.
// The call must give the channel back with leave, even if it no longer waits.
func (t *turns) enter() chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn := make(chan struct{})
	if t.free > 0 {
		t.free--
		close(turn)
	} else {
		t.waiting = append(t.waiting, turn)
	}
	return turn
}

func (t *turns) leave(turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiting, turn); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	} else if len(t.waiting) > 0 {
		close(t.waiting[0])
		t.waiting = t.waiting[1:]
	} else {
		t.free++
	}
}
