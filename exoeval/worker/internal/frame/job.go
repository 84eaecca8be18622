package frame

import (
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/wire"
	"github.com/exoagent/exoagent/internal/zone"
)

// A job begins with the world of its run. All runs of an evaluator have the same world, so it is encoded once. The documentation of members
// stays in the host, because only readers of declarations need it.

func AppendWorld(b []byte, w *exoeval.World) []byte {
	limits, bounds := w.Limits, w.Bounds
	for _, d := range durations(&limits, &bounds) {
		b = wire.AppendInt(b, int64(*d))
	}
	for _, n := range sizes(&limits, &bounds) {
		b = wire.AppendInt(b, int64(*n))
	}
	e := value.Encoder{B: wire.AppendTexts(w.Zone.Append(b), w.Describing)}
	coding.WriteGrants(&e, w.Granted, w.Catalog)
	return e.B
}

func (r *reader) world() *exoeval.World {
	w := &exoeval.World{}
	for _, d := range durations(&w.Limits, &w.Bounds) {
		*d = time.Duration(r.Int())
	}
	for _, n := range sizes(&w.Limits, &w.Bounds) {
		*n = int(r.Int())
	}
	w.Zone = zone.Read(&r.Reader)
	w.Describing = r.Texts()
	w.Granted, w.Catalog = coding.ReadGrants(&r.Decoder)
	return w
}

// durations and sizes return pointers to all limits of these types (TestLimitsCross).
func durations(l *exo.Limits, b *exoeval.Bounds) [5]*time.Duration {
	return [...]*time.Duration{&b.Wall, &b.Total, &b.CPU, &l.Commit, &l.Held}
}

func sizes(l *exo.Limits, b *exoeval.Bounds) [15]*int {
	return [...]*int{&b.Memory, &b.SourceBytes, &b.Nesting, &b.CallDepth, &l.ConsoleBytes, &b.ResultBytes,
		&l.Calls, &l.ConcurrentCalls, &l.MessageNodes, &l.MessageDepth, &l.LiteralBytes, &l.UnansweredBytes, &l.MessageBytes, &l.Rows, &l.Bytes}
}

// AppendJob gives a worker its world and its first program. AppendNext gives it another program. The parameter again announces one more.
func AppendJob(b, world []byte, j exoeval.Job, again bool) []byte {
	return appendProgram(append(Begin(b, KindJob), world...), j, again)
}

func AppendNext(b []byte, j exoeval.Job, again bool) []byte {
	return appendProgram(Begin(b, KindNext), j, again)
}

func appendProgram(b []byte, j exoeval.Job, again bool) []byte {
	b = wire.AppendBool(b, again)
	b = wire.AppendInt(b, j.Clock.UnixMilli())
	return End(wire.AppendText(wire.AppendBits(b, j.Seed), j.Program))
}

func DecodeJob(s string) (w *exoeval.World, j exoeval.Job, again bool, err error) {
	r := read(s)
	w = r.world()
	j, again = r.program()
	return w, j, again, r.done()
}

func DecodeNext(s string) (j exoeval.Job, again bool, err error) {
	r := read(s)
	j, again = r.program()
	return j, again, r.done()
}

func (r *reader) program() (j exoeval.Job, again bool) {
	again = r.Bool()
	j.Run = exo.Run{Clock: time.UnixMilli(r.Int()).UTC(), Seed: r.Bits()}
	j.Program = r.Text()
	return j, again
}
