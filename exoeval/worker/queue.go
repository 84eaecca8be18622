package worker

import (
	"slices"

	"github.com/exoagent/exoagent/exo"
)

// party is who takes turns: a principal, or a tool without one, for which nobody
// else may have to wait either.
type party struct {
	principal exo.Principal
	tool      *Evaluator // where principal is empty
}

// queue has the places of programs that run, and the lines of those that wait.
// Parties take turns: one that sends a thousand programs delays another's by one,
// not by a thousand. None has more than its share of the places, so programs that
// use up all their time hold up their own party only.
//
// Always: whoever waits may have no place now, either because all are taken or
// because its party has its share.
type queue struct {
	places, share int
	running       int
	held          map[party]int // places, none of them 0
	lines         map[party][]*ticket
	order         []party // whose turn is next; those with a line
	total         int
}

type ticket struct {
	who  party
	turn chan struct{} // closed when the place is the ticket's
}

// enter takes a place and gives nil, or a ticket at the end of the party's line.
func (q *queue) enter(who party, perLine, total int) (*ticket, error) {
	if q.running < q.places && q.held[who] < q.share {
		q.take(who)
		return nil, nil
	}
	line := q.lines[who]
	if len(line) >= perLine {
		return nil, &exo.Error{Kind: exo.Limit, Msg: "too many of your programs wait to be run; try again when they have ended", Err: ErrNotRun}
	}
	if q.total >= total {
		return nil, &exo.Error{Kind: exo.Limit, Msg: "too many programs wait to be run; try again later", Err: ErrNotRun}
	}
	if q.lines == nil {
		q.lines = map[party][]*ticket{}
	}
	if len(line) == 0 {
		q.order = append(q.order, who)
	}
	t := &ticket{who, make(chan struct{})}
	q.lines[who] = append(line, t)
	q.total++
	return t, nil
}

func (q *queue) take(who party) {
	if q.held == nil {
		q.held = map[party]int{}
	}
	q.held[who]++
	q.running++
}

// leave gives back a place, which the first that may have it gets.
func (q *queue) leave(who party) {
	q.running--
	if q.held[who]--; q.held[who] == 0 {
		delete(q.held, who)
	}
	for q.running < q.places {
		i := slices.IndexFunc(q.order, func(w party) bool { return q.held[w] < q.share })
		if i < 0 {
			return
		}
		t := q.lines[q.order[i]][0]
		q.drop(t, 0)
		if q.order = slices.Delete(q.order, i, i+1); q.lines[t.who] != nil {
			q.order = append(q.order, t.who) // after everybody else
		}
		q.take(t.who)
		close(t.turn)
	}
}

// remove takes a ticket out of its line. It reports false when its turn has come.
func (q *queue) remove(t *ticket) bool {
	i := slices.Index(q.lines[t.who], t)
	if i < 0 {
		return false
	}
	if q.drop(t, i); q.lines[t.who] == nil {
		q.order = slices.DeleteFunc(q.order, func(w party) bool { return w == t.who })
	}
	return true
}

func (q *queue) drop(t *ticket, i int) {
	q.total--
	if line := slices.Delete(q.lines[t.who], i, i+1); len(line) > 0 {
		q.lines[t.who] = line
	} else {
		delete(q.lines, t.who)
	}
}
