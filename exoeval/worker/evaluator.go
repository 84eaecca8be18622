package worker

import (
	"context"
	"errors"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
)

// runner runs programs against the grants of one gate, each in a worker of the pool.
type runner struct {
	gate *exo.Gate
	*common
	pool *Pool
}

// common is what runners share if their gates have the same declarations.
type common struct {
	world    *exoeval.World
	recorded map[string]int64 // the bounds of world in the form of a record
	head     []byte           // the encoded world, which begins a job
}

type commonKey struct {
	limits exo.Limits
	bounds exoeval.Bounds
	zone   string
}

var _ exoeval.Evaluator = (*Pool)(nil)

// errZeroPool is the error of a Pool that NewPool did not make.
var errZeroPool = fail.Named("worker: the Pool was not made with worker.NewPool, so it runs nothing: make it with that function")

func (p *Pool) made() bool { return p != nil && p.ctx != nil }

// Bind implements exoeval.Evaluator. It starts no process.
func (p *Pool) Bind(gate *exo.Gate, bounds exoeval.Bounds) (exoeval.Runner, error) {
	if !p.made() {
		return nil, errZeroPool
	}
	w, err := exoeval.NewWorld(gate, bounds)
	if err != nil {
		return nil, err
	}
	s := gate.Derive(commonKey{w.Limits, w.Bounds, w.Zone.Name()}, func() any { return &common{world: w, recorded: w.Bounds.Recorded(), head: frame.AppendWorld(nil, w)} }).(*common)
	return &runner{gate: gate, common: s, pool: p}, nil
}

// Run implements exoeval.Runner. When Run returns, effects of the program can no longer happen. A call can't be stopped if the object ignores
// its context: then Run waits for the object, however long. The Err of a run that never began wraps ErrNotRun. If the process was ended, the
// Err wraps a *Death.
//
// Bounds.Total first bounds the wait for a place, and then, from zero again, the run.
func (e *runner) Run(ctx context.Context, job exoeval.Job) *exoeval.RunResult {
	begin := time.Now()
	limits, bounds := e.world.Limits, e.world.Bounds
	if len(job.Program) > bounds.SourceBytes {
		return &exoeval.RunResult{Err: bounds.TooLong(len(job.Program)), Took: time.Since(begin)}
	}
	ctx, exit, err := e.pool.enter(ctx)
	if err != nil {
		return &exoeval.RunResult{Err: fail.Classify("", err), Took: time.Since(begin)}
	}
	defer exit()
	r := &run{limits: limits, bounds: bounds, catalog: e.world.Catalog, calls: make(chan struct{}, limits.Calls+limits.ConcurrentCalls+2), pool: e.pool}
	job.Run = job.WithDefaults(begin) // the worker needs its clock and seed before the session exists
	if err := e.begin(ctx, r, job); err != nil {
		return &exoeval.RunResult{Err: fail.Classify("", err), Took: time.Since(begin)}
	}
	r.stay.uses.Add(1)
	defer e.pool.part(r.stay)
	ctx, cancel := bounds.Within(ctx)
	defer cancel()
	begun := false
	defer func() { // this runs even if the host's Record panics: the worker already has the program, and no run would read its frames
		if !begun {
			e.pool.discard(r.w)
		}
	}()
	if r.s, err = e.gate.Begin(ctx, job.Run, job.Program, e.recorded); err != nil {
		return &exoeval.RunResult{Err: fail.Classify("", err), Took: time.Since(begin)}
	}
	begun = true
	out, rests := r.run(ctx)
	if rests {
		// This runs even if a callback of the host panics.
		defer func() {
			if rests {
				e.pool.discard(r.w)
			}
		}()
	}
	res := out.Settle(ctx, r.s, job, bounds)
	if rests && harmless(res) {
		rests = !e.pool.keep(r.w, r.stay)
	}
	res.Took, res.Used = time.Since(begin), r.watch.used()
	return res
}

// begin finds a worker that takes the job. A worker that died in the pool takes no job, and nothing has happened: begin tries another.
func (e *runner) begin(ctx context.Context, r *run, job exoeval.Job) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.bounds.Total, errNoPlace)
	defer cancel()
	who := party{principal: job.Principal}
	if who.principal == "" {
		who.tool = e
	}
	of := owner{tool: e, principal: job.Principal}
	if e.pool.opts.Reuse.Programs == 0 || !job.Label.Empty() {
		of = owner{} // a program with a label gets a process that serves no other program
	}
	for try := 1; ; try++ {
		w, err := e.pool.acquire(ctx, who, of)
		if err != nil {
			return err
		}
		r.w, r.stay = w, w.stay
		first := w.reused.programs == 0
		e.pool.began(w, of)
		r.again = e.pool.reusable(w)
		if err = r.give(ctx, e.frame(job, first, r.again)); err == nil {
			return nil
		}
		e.pool.discard(w)
		if try > e.pool.opts.Idle+e.pool.opts.Reuse.Kept+1 { // one try for each worker that may wait, and one for a new worker
			return &fail.Error{Kind: fail.Internal, Err: errors.Join(ErrNotRun, err)}
		}
	}
}

// frame returns the frame that gives a program to a worker. A worker's first frame also has the world.
func (e *runner) frame(job exoeval.Job, first, again bool) []byte {
	if !first {
		return frame.AppendNext(make([]byte, 0, len(job.Program)+64), job, again)
	}
	return frame.AppendJob(make([]byte, 0, len(e.head)+len(job.Program)+64), e.head, job, again)
}
