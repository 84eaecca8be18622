package worker

import (
	"slices"

	"github.com/exoagent/exoagent/exo"
)

// queue lets principals take turns: one that sends a thousand programs delays
// another's by one, not by a thousand.
type queue struct {
	lines map[exo.Principal][]*ticket
	order []exo.Principal // whose turn is next; those with a line
	total int
}

type ticket struct {
	who  exo.Principal
	turn chan struct{} // closed when the place is the ticket's
}

// add puts a program at the end of its principal's line.
func (q *queue) add(who exo.Principal, perLine, total int) (*ticket, error) {
	line := q.lines[who]
	if len(line) >= perLine {
		return nil, &exo.Error{Kind: exo.Limit, Msg: "too many of your programs wait to be run; try again when they have ended", Err: ErrNotRun}
	}
	if q.total >= total {
		return nil, &exo.Error{Kind: exo.Limit, Msg: "too many programs wait to be run; try again later", Err: ErrNotRun}
	}
	if q.lines == nil {
		q.lines = map[exo.Principal][]*ticket{}
	}
	if len(line) == 0 {
		q.order = append(q.order, who)
	}
	t := &ticket{who, make(chan struct{})}
	q.lines[who] = append(line, t)
	q.total++
	return t, nil
}

// next takes the first ticket of the principal whose turn it is, or gives nil.
func (q *queue) next() *ticket {
	if len(q.order) == 0 {
		return nil
	}
	who := q.order[0]
	q.order = q.order[1:]
	line := q.lines[who]
	t := line[0]
	if line = line[1:]; len(line) > 0 {
		q.lines[who] = line
		q.order = append(q.order, who)
	} else {
		delete(q.lines, who)
	}
	q.total--
	return t
}

// remove takes a ticket out of its line. It reports false when its turn has come.
func (q *queue) remove(t *ticket) bool {
	i := slices.Index(q.lines[t.who], t)
	if i < 0 {
		return false
	}
	q.total--
	if line := slices.Delete(q.lines[t.who], i, i+1); len(line) > 0 {
		q.lines[t.who] = line
	} else {
		delete(q.lines, t.who)
		q.order = slices.DeleteFunc(q.order, func(w exo.Principal) bool { return w == t.who })
	}
	return true
}
