package exo

import (
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Limits bound what one run asks of the host. The gate enforces them for every evaluator. A field
// that is zero or negative means the default at the end of its comment, never "no limit". A run
// that exceeds one gets an error of Kind Limit that names the limit and its value.
type Limits struct {
	Calls           int // most messages in one run; 500 by default
	ConcurrentCalls int // most messages that are answered at one time; 8 by default
	MessageNodes    int // most steps of one expression, counted as a tree; 4,000 by default
	MessageDepth    int // deepest nesting of one expression; 200 by default
	LiteralBytes    int // most bytes of one literal value; 256 KiB by default
	UnansweredBytes int // most bytes of all calls that wait for a reply, though a single call has only the bounds above; 16 MiB by default
	MessageBytes    int // most bytes of all messages of one run, where a value counts in each message that has it; 16 MiB by default
	Rows            int // most rows read in one run; 100,000 by default
	Bytes           int // most bytes read in one run; 64 MiB by default
	ConsoleBytes    int // most bytes of the lines that the program logs; 32 KiB by default

	// These two bound the end of the run, and do not depend on how much time the run has used.
	Commit time.Duration // most time for each step at the end: to prepare a unit, review, stage a message, commit or roll back; 10 s by default
	Held   time.Duration // most time for all held effects together, and for each AfterCommit; 60 s by default
}

// OrDefault fills in every field that is zero or negative.
func (l Limits) OrDefault() Limits {
	scalar.Default(&l.Calls, 500)
	scalar.Default(&l.ConcurrentCalls, 8)
	scalar.Default(&l.MessageNodes, 4000)
	scalar.Default(&l.MessageDepth, 200)
	scalar.Default(&l.LiteralBytes, 256<<10)
	scalar.Default(&l.UnansweredBytes, 16<<20)
	scalar.Default(&l.MessageBytes, 16<<20)
	scalar.Default(&l.Rows, 100_000)
	scalar.Default(&l.Bytes, 64<<20)
	scalar.Default(&l.ConsoleBytes, 32<<10)
	scalar.Default(&l.Commit, 10*time.Second)
	scalar.Default(&l.Held, 60*time.Second)
	return l
}

// Message returns the bounds of one message, for a Checker.
func (l Limits) Message() message.Bounds {
	return message.Bounds{Nodes: l.MessageNodes, Depth: l.MessageDepth, LiteralBytes: l.LiteralBytes}
}

// began refuses to begin a call if the calls before it have read too much already.
func (s *Session) began(e *pending) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gate.overspent(s.known(e))
}

// spend counts what one call reads. The budget of the run is settled in call order, when Next
// delivers replies: which of two concurrent calls finds the budget empty must not depend on speed.
func (s *Session) spend(e *pending, rows, bytes int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.spent.rows += rows
	e.spent.bytes += bytes
	known := s.known(e)
	known.add(e.spent)
	return s.gate.overspent(known)
}

// known returns what the calls before e have read so far. That is never more than the sum in call order, which Next uses. So the
// speed of calls may save work, but never changes an answer. known counts anew at each use: otherwise each of several concurrent
// calls could read as much as the whole run may. s.mu is held.
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

// spent counts what was read, for the budgets Limits.Rows and Limits.Bytes.
type spent struct{ rows, bytes int }

func (x *spent) add(y spent) { x.rows, x.bytes = x.rows+y.rows, x.bytes+y.bytes }

// overspent returns the error of a run that has read more than its limits allow, or nil.
func (g *Gate) overspent(x spent) error {
	if l := g.limits.Rows; x.rows > l {
		return fail.Errorf(fail.Limit, "", "%s", g.catalog.Say(nil, "limit.read", "more than {most} records were read; ask for fewer", "most", strconv.Itoa(l)))
	}
	if l := g.limits.Bytes; x.bytes > l {
		return fail.Errorf(fail.Limit, "", "%s", g.catalog.Say(nil, "limit.bytes", "more than {most} bytes were read; ask for less", "most", strconv.Itoa(l)))
	}
	return nil
}

// Budgets bound what many runs use together, including later runs and runs in other processes. Package budget implements Budgets.
type Budgets interface {
	// Begin makes the Purse of a run. It must not wait.
	Begin(run Run, limits Limits) Purse
}

// Purse takes from budgets what one run uses. Several goroutines may use it.
type Purse interface {
	// Take takes what the message with the number call uses. It is called before the message acts, in the order of messages, for the call and its effect. It is
	// called again before the program gets the reply, for what the message read. An error refuses the message. If all is set, the run has read what its result
	// may not carry. Then Take takes for good all calls, rows and bytes that the run could use, so what is left shows nothing of the run's next steps. The gate refuses its further effects.
	Take(now time.Time, call uint64, u Use, all bool) error
	// Settle gives back what was not used when the run has ended. happened is the number of effects that took place, or may have.
	Settle(happened int)
}

// Use is an amount of what budgets bound.
type Use struct{ Calls, Effects, Rows, Bytes int }

// take takes what message e uses from the budgets.
func (s *Session) take(e *pending, u Use, all bool) (err error) {
	if s.purse == nil {
		return nil
	}
	if p := s.hostCode(e, func() { err = s.purse.Take(s.gate.now(), e.id, u, all) }); p != nil {
		err = s.policyFailed(p)
	}
	return fail.Classify(s.opName(e.root), err)
}
