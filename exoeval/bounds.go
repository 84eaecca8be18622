package exoeval

// This file has the limits that an evaluator enforces on a program.

import (
	"reflect"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Bounds limit the program itself, and its evaluator enforces them. exo.Limits bound the program's requests to the host. A field that is zero
// or negative means the default at the end of its comment, never "no limit". A program that exceeds a bound gets an error of Kind Limit, which
// names the bound and its value.
type Bounds struct {
	Wall        time.Duration // Wall is the time that the program may compute, without its waiting for answers; 5 s
	Total       time.Duration // Total is the time of the whole run, with its waiting; 30 s
	CPU         time.Duration // CPU is the processor time of a worker; 5 s
	Memory      int           // Memory is the number of bytes that a worker may add to its memory at the start; 64 MiB
	SourceBytes int           // SourceBytes bounds the text of a program; 64 KiB
	Nesting     int           // Nesting bounds the depth of a program's syntax; 200
	CallDepth   int           // CallDepth is the number of nested calls of a program's functions; 500
	ResultBytes int           // ResultBytes bounds the rendered result; a larger result is cut with a notice, and one above MaxResult is refused; 64 KiB
}

// OrDefault fills in every field that is zero or negative.
func (b Bounds) OrDefault() Bounds {
	scalar.Default(&b.Wall, 5*time.Second)
	scalar.Default(&b.Total, 30*time.Second)
	scalar.Default(&b.CPU, 5*time.Second)
	scalar.Default(&b.Memory, 64<<20)
	scalar.Default(&b.SourceBytes, 64<<10)
	scalar.Default(&b.Nesting, 200)
	scalar.Default(&b.CallDepth, 500)
	scalar.Default(&b.ResultBytes, 64<<10)
	return b
}

// Recorded returns the bounds in the form that the record of a run uses: see exo.Start.
func (b Bounds) Recorded() map[string]int64 {
	out := map[string]int64{}
	for f, v := range reflect.ValueOf(b).Fields() {
		out[f.Name] = v.Int()
	}
	return out
}

// RecordedBounds returns the Bounds from which Bounds.Recorded made the map b.
func RecordedBounds(b map[string]int64) (out Bounds) {
	for name, n := range b {
		if f := reflect.ValueOf(&out).Elem().FieldByName(name); f.IsValid() {
			f.SetInt(n)
		}
	}
	return out
}

// TooLong is the error of a program of n bytes, more than SourceBytes. Such a program is not parsed.
func (b Bounds) TooLong(n int) error {
	return fail.Errorf(fail.Limit, "", "the program has %d bytes, more than the limit of %d (source size): write a shorter one", n, b.SourceBytes)
}

// ValueBytes is the number of bytes that each value and each name adds to the size that MaxResult bounds.
const ValueBytes = guest.ValueBytes

// MaxResult bounds the result of a program in bytes. The size of a value is ValueBytes and the bytes of its texts. Rows that are returned
// unchanged do not count. A result above ResultBytes is cut when it is rendered, with a notice. A result above MaxResult is refused, because
// the host must have the whole result before it can cut it.
func (b Bounds) MaxResult() int { return max(1<<20, 8*b.ResultBytes) }
