package exo

import (
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"strconv"
	"time"
)

// Limits bound what one run asks of the host, whoever runs its program: the gate enforces
// them. All are on by default: a field that is zero or negative means the default that
// stands behind it here, never "no limit". Running out is an error of Kind Limit that names
// the limit and its value.
type Limits struct {
	Calls           int // messages in one run; 500
	ConcurrentCalls int // messages being answered at one time; 8
	MessageNodes    int // steps of one expression, written out as a tree; 4,000
	MessageDepth    int // nesting of one expression; 200
	LiteralBytes    int // one literal value; 256 KiB
	UnansweredBytes int // all calls together whose reply the program has not received; a single one is bounded by MessageNodes and LiteralBytes; 16 MiB
	MessageBytes    int // all messages of one run together, a value in each message that has it; 16 MiB
	Rows            int // rows read in one run; 100,000
	Bytes           int // bytes read in one run; 64 MiB
	ConsoleBytes    int // what is kept of the lines that the program logs; 32 KiB

	// Of the end of the run, whatever is left of its time.
	Commit time.Duration // each step of a unit of work: to prepare, to commit, to roll back; 10 s
	Held   time.Duration // all held effects together; 60 s
}

// OrDefault fills in every field that is zero or negative.
func (l Limits) OrDefault() Limits {
	or(&l.Calls, 500)
	or(&l.ConcurrentCalls, 8)
	or(&l.MessageNodes, 4000)
	or(&l.MessageDepth, 200)
	or(&l.LiteralBytes, 256<<10)
	or(&l.UnansweredBytes, 16<<20)
	or(&l.MessageBytes, 16<<20)
	or(&l.Rows, 100_000)
	or(&l.Bytes, 64<<20)
	or(&l.ConsoleBytes, 32<<10)
	or(&l.Commit, 10*time.Second)
	or(&l.Held, 60*time.Second)
	return l
}

// Message are the bounds of one message, for a Checker.
func (l Limits) Message() message.Bounds {
	return message.Bounds{Nodes: l.MessageNodes, Depth: l.MessageDepth, LiteralBytes: l.LiteralBytes}
}

func or[T int | time.Duration](p *T, d T) {
	if *p <= 0 {
		*p = d
	}
}

// began refuses to begin a call where those before it have read too much already.
func (s *Session) began(e *pending) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gate.overspent(s.known(e))
}

// spend counts what one call reads. The budget of the run is settled in call
// order, when replies are delivered (Next): which of two concurrent calls finds it
// empty must not depend on which was faster.
func (s *Session) spend(e *pending, rows, bytes int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.spent.rows += rows
	e.spent.bytes += bytes
	known := s.known(e)
	known.add(e.spent)
	return s.gate.overspent(known)
}

// known is what calls before e are known by now to have read. It never counts more
// than the sum in call order, by which Next decides: so how fast calls are can
// spare work, and never changes an answer. It is found anew at each use, since calls
// that act at one time would otherwise each read what the run may. s.mu is held.
func (s *Session) known(e *pending) spent {
	k := s.spent
	for _, o := range s.queue {
		if o == e {
			break
		}
		k.add(o.spent)
	}
	return k
}

// spent is what was read, of the budgets for reading.
type spent struct{ rows, bytes int }

func (x *spent) add(y spent) { x.rows, x.bytes = x.rows+y.rows, x.bytes+y.bytes }

func (g *Gate) overspent(x spent) error {
	if l := g.limits.Rows; x.rows > l {
		return fail.Errorf(fail.Limit, "", "%s", g.catalog.Say(nil, "limit.read", "more than {most} records were read; ask for fewer", "most", strconv.Itoa(l)))
	}
	if l := g.limits.Bytes; x.bytes > l {
		return fail.Errorf(fail.Limit, "", "%s", g.catalog.Say(nil, "limit.bytes", "more than {most} bytes were read; ask for less", "most", strconv.Itoa(l)))
	}
	return nil
}
