package exoeval

// This file has the limits of a program where it runs.

import (
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
)

// Bounds limit a program where it runs: its evaluator enforces them, and exo.Limits bound
// what it asks of the host. All are on by default: a field that is zero or negative means
// the default that stands behind it here, never "no limit". Running out is an error of
// Kind Limit that names the limit and its value.
type Bounds struct {
	Wall        time.Duration // time during which the program has something to run; 5 s
	Total       time.Duration // wall clock of the whole run, waiting included; 30 s
	CPU         time.Duration // processor time of a worker; 5 s
	Memory      int           // bytes that a worker may add to what it has when it starts; 64 MiB
	SourceBytes int           // program text; 64 KiB
	Nesting     int           // depth of the program's syntax; 200
	CallDepth   int           // nested calls of the program's functions; 500
	ResultBytes int           // rendered result; a larger one is cut with a notice, one of more than eight times as much and 1 MiB is refused; 64 KiB
}

// OrDefault fills in every field that is zero or negative.
func (b Bounds) OrDefault() Bounds {
	or(&b.Wall, 5*time.Second)
	or(&b.Total, 30*time.Second)
	or(&b.CPU, 5*time.Second)
	or(&b.Memory, 64<<20)
	or(&b.SourceBytes, 64<<10)
	or(&b.Nesting, 200)
	or(&b.CallDepth, 500)
	or(&b.ResultBytes, 64<<10)
	return b
}

func or[T int | time.Duration](p *T, d T) {
	if *p <= 0 {
		*p = d
	}
}

// Recorded are the bounds as the record of a run has them: see exo.Start.
func (b Bounds) Recorded() map[string]int64 {
	return map[string]int64{"Wall": int64(b.Wall), "Total": int64(b.Total), "CPU": int64(b.CPU), "Memory": int64(b.Memory),
		"SourceBytes": int64(b.SourceBytes), "Nesting": int64(b.Nesting), "CallDepth": int64(b.CallDepth), "ResultBytes": int64(b.ResultBytes)}
}

// TooLong is the error of a program of n bytes, more than SourceBytes: it is not parsed.
func (b Bounds) TooLong(n int) error {
	return fail.Errorf(fail.Limit, "", "the program has %d bytes, more than the limit of %d (source size)", n, b.SourceBytes)
}

// ValueBytes is what each value and each name counts for MaxResult.
const ValueBytes = guest.ValueBytes

// MaxResult bounds the result of a program, in bytes, without the rows that it returns as
// they came. Each value counts ValueBytes and its texts. A result above ResultBytes is cut
// when it is rendered, with a notice of what is missing; one above MaxResult is refused,
// because the host must hold a result whole before it can cut it.
func (b Bounds) MaxResult() int { return max(1<<20, 8*b.ResultBytes) }
