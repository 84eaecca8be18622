package exo

import "time"

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
func (l Limits) Message() Bounds {
	return Bounds{Nodes: l.MessageNodes, Depth: l.MessageDepth, LiteralBytes: l.LiteralBytes}
}

func or[T int | time.Duration](p *T, d T) {
	if *p <= 0 {
		*p = d
	}
}
