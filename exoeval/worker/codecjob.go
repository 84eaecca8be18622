package worker

import (
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/wire"
)

// The head of a job is the world of its run. It is the same for all runs of an
// evaluator and is written once. The documentation of members, which only readers
// of declarations need, stays with the host.

func appendWorld(b []byte, w *exoeval.World) []byte {
	limits, bounds := w.Limits, w.Bounds
	for _, d := range durations(&limits, &bounds) {
		b = wire.AppendInt(b, int64(*d))
	}
	for _, n := range sizes(&limits, &bounds) {
		b = wire.AppendInt(b, int64(*n))
	}
	e := exo.Encoder{B: wire.AppendTexts(b, w.Describing)}
	e.Grants(w.Granted, w.Catalog)
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
	w.Describing = r.Texts()
	w.Granted, w.Catalog = r.Grants()
	return w
}

// durations and sizes are all of the limits (TestLimitsCross).
func durations(l *exo.Limits, b *exoeval.Bounds) [5]*time.Duration {
	return [...]*time.Duration{&b.Wall, &b.Total, &b.CPU, &l.Commit, &l.Held}
}

func sizes(l *exo.Limits, b *exoeval.Bounds) [14]*int {
	return [...]*int{&b.Memory, &b.SourceBytes, &b.Nesting, &b.CallDepth, &l.ConsoleBytes, &b.ResultBytes,
		&l.Calls, &l.ConcurrentCalls, &l.MessageNodes, &l.MessageDepth, &l.LiteralBytes, &l.UnansweredBytes, &l.Rows, &l.Bytes}
}

func appendJob(b, world []byte, j exoeval.Job) []byte {
	b = append(begin(b, frameJob), world...)
	b = wire.AppendInt(b, j.Clock.UnixMilli())
	return end(wire.AppendText(wire.AppendBits(b, j.Seed), j.Program))
}

func decodeJob(s string) (*exoeval.World, exoeval.Job, error) {
	r := read(s)
	w := r.world()
	j := exoeval.Job{Run: exo.Run{Clock: time.UnixMilli(r.Int()).UTC(), Seed: r.Bits()}, Program: r.Text()}
	return w, j, r.done()
}
