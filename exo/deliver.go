package exo

import (
	"context"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/observe"
)

func (s *Session) settle(e *pending, r Reply) {
	defer e.end(observe.Outcome{Error: observe.ErrorOf(r.Err), Rows: r.Value.Count()}) // deferred first and so called last: an observer may end this goroutine
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
			// Whether Spend noticed in time to stop this call depends on how fast earlier calls were.
			// So the error here is the same as the error of Spend.
			over, read := s.gate.overspent(s.spent), e.spent != spent{}
			if over == nil || e.reply.Err != nil && !read {
				over = nil
				s.number(e)
			}
			label := s.label
			s.mu.Unlock()
			if over == nil && read {
				over = s.take(e, Use{Rows: e.spent.rows, Bytes: e.spent.bytes}, false)
			}
			if over != nil {
				if e.reply.Err == nil { // the program does not get what was read, and the record notes that
					s.noteMessage(e, Entry{Step: Withheld, Label: label, Err: over})
				}
				e.reply = Reply{ID: e.id, Err: fail.AsError("", over).In(s.opName(e.root))}
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
