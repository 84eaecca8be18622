package exo

import "time"

// Limits bound one run. All are on by default: a field that is zero or negative
// means the default that stands behind it here, never "no limit". Running out is an error of Kind
// Limit that names the limit and its value.
type Limits struct {
	// Of the program, enforced by the evaluator.
	Wall         time.Duration // time during which the guest has something to run; 5 s
	Total        time.Duration // wall clock of the whole run, waiting included; 30 s
	CPU          time.Duration // processor time of a worker; 5 s
	Memory       int           // bytes that a worker may add to what it has when it starts; 64 MiB
	SourceBytes  int           // program text; 64 KiB
	Nesting      int           // depth of the program's syntax; 200
	CallDepth    int           // nested calls of guest functions; 500
	ConsoleBytes int           // what console.log keeps; 32 KiB
	ResultBytes  int           // rendered result; a larger one is cut with a notice, one of more than eight times as much and 1 MiB is refused; 256 KiB

	// Of the end of the run, enforced by the gate, whatever is left of Total.
	Commit time.Duration // each step of a unit of work: to prepare, to commit, to roll back; 10 s
	Held   time.Duration // all held effects together; 60 s

	// Of the messages, enforced by the gate.
	Calls           int // messages in one run; 500
	ConcurrentCalls int // messages being answered at one time; 8
	MessageNodes    int // steps of one expression, written out as a tree; 4,000
	MessageDepth    int // nesting of one expression; 200
	LiteralBytes    int // one literal value; 256 KiB
	UnansweredBytes int // messages whose answer the program has not received, where there is more than one; 16 MiB
	Rows            int // rows read in one run; 100,000
	Bytes           int // bytes read in one run; 64 MiB
}

// defaultLimits are what a zero field stands for.
var defaultLimits = Limits{
	Wall: 5 * time.Second, Total: 30 * time.Second, CPU: 5 * time.Second, Memory: 64 << 20, SourceBytes: 64 << 10, Nesting: 200, CallDepth: 500,
	ConsoleBytes: 32 << 10, ResultBytes: 256 << 10, Commit: 10 * time.Second, Held: 60 * time.Second,
	Calls: 500, ConcurrentCalls: 8, MessageNodes: 4000, MessageDepth: 200, LiteralBytes: 256 << 10, UnansweredBytes: 16 << 20,
	Rows: 100_000, Bytes: 64 << 20,
}

// OrDefault fills in every field that is zero or negative.
func (l Limits) OrDefault() Limits {
	d := defaultLimits
	or(&l.Wall, d.Wall)
	or(&l.Total, d.Total)
	or(&l.CPU, d.CPU)
	or(&l.Memory, d.Memory)
	or(&l.SourceBytes, d.SourceBytes)
	or(&l.Nesting, d.Nesting)
	or(&l.CallDepth, d.CallDepth)
	or(&l.ConsoleBytes, d.ConsoleBytes)
	or(&l.ResultBytes, d.ResultBytes)
	or(&l.Commit, d.Commit)
	or(&l.Held, d.Held)
	or(&l.Calls, d.Calls)
	or(&l.ConcurrentCalls, d.ConcurrentCalls)
	or(&l.MessageNodes, d.MessageNodes)
	or(&l.MessageDepth, d.MessageDepth)
	or(&l.LiteralBytes, d.LiteralBytes)
	or(&l.UnansweredBytes, d.UnansweredBytes)
	or(&l.Rows, d.Rows)
	or(&l.Bytes, d.Bytes)
	return l
}

func or[T int | time.Duration](p *T, d T) {
	if *p <= 0 {
		*p = d
	}
}
