package exoeval

// This file has what a host calls. A program comes in here, and goes on through world and run.

import (
	"context"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/internal/lru"
)

// Job is one program to run, and the run that it is. Zero fields of Run are filled in: see
// exo.Run.
type Job struct {
	exo.Run
	Program string
	// Render, if set, writes the result for its reader, once nothing of the program runs any more
	// and before anything that it changed is final: with a result that can't be rendered the run
	// fails, and keeps nothing. It must not wait.
	Render func(value.Value) error
}

// RunResult is how a run ended. Err is nil if and only if Value is its result.
type RunResult struct {
	Value value.Value
	// Undefined says that the program gave undefined, which Value shows as null: more often a
	// missing return or await than intended.
	Undefined bool
	Console   string       // what the program logged before it asked for what may not leave: see exo.Session.Log
	Notices   []string     // what objects remarked about their answers: see exo.Message.AddNotice
	Label     value.Label  // the label of what was read, until the result was withheld: see exo.Session.ReportableLabel
	Causes    []exo.Cause  // by which messages the run got the tags of its label, for the host
	Unchanged bool         // the result may not leave, and nothing took effect; see exo.Session.Unchanged
	Effects   []exo.Effect // what the program changed or may have changed, however it ended, with the outcome
	Run       exo.Run      // with all its fields; zero where no run was begun
	Err       error        // nil, or an *fail.Error
	Took      time.Duration
	Used      Used
}

// Used is what a program used of a process of its own. It is zero where nothing is
// measured: for programs that never ran, in process, and on systems that don't show it.
type Used struct {
	CPU    time.Duration // processor time
	Memory int64         // bytes, the most that was seen beyond what an idle worker has
}

// Evaluator is where programs run: a *worker.Pool runs each in a process of its own,
// InProcess in that of the host.
type Evaluator interface {
	// Bind makes what runs programs against the grants of gate, within bounds. It fails
	// when a grant has a name that programs can't use.
	Bind(gate *exo.Gate, bounds Bounds) (Runner, error)
}

// Runner runs programs against the grants of one gate. When Run returns, nothing of the
// program runs any more and nothing of it will take effect.
type Runner interface {
	Run(ctx context.Context, job Job) *RunResult
}

// InProcess is the Evaluator that runs programs in this process. It is for programs whose
// author is trusted, and for tests: goja can't contain hostile code. It stops loops, deep
// recursion and long runs, but a program can make the engine allocate or spin natively,
// and that ends or stalls the host process. It still can't reach what it was not granted.
type InProcess struct{}

var _ Evaluator = InProcess{}

// Bind implements Evaluator.
func (InProcess) Bind(gate *exo.Gate, bounds Bounds) (Runner, error) {
	w, err := NewWorld(gate, bounds)
	if err != nil {
		return nil, err
	}
	return newLocal(gate, w), nil
}

// local runs programs in this process.
type local struct {
	gate     *exo.Gate
	world    *World
	recorded map[string]int64 // world.Bounds

	programs *lru.Cache[cached] // by their text
}

func newLocal(gate *exo.Gate, w *World) *local {
	return &local{gate: gate, world: w, recorded: w.Bounds.Recorded(), programs: lru.New[cached](programBytes)}
}

// cached is what became of a program that was read.
type cached struct {
	prog *program
	err  error
	size int // bytes of the program's text
}

// Keep implements lru.Kept. The program is compiled from a copy of its text: the text as it was given
// may be part of a larger one, which the cache would keep alive.
func (c cached) Keep() (cached, int) {
	if c.prog != nil {
		c.prog = &program{c.prog.Keep(), c.prog.needs}
	}
	if e, ok := c.err.(*fail.Error); ok {
		k := *e
		k.Msg, k.Pos.Text = strings.Clone(e.Msg), strings.Clone(e.Pos.Text)
		c.err = &k
	}
	return c, 1<<10 + c.size*compiledBytes
}

// compiledBytes is how many bytes of memory one byte of a program takes, compiled: 84 in
// the worst that was found. Held by TestProgramBytes.
const compiledBytes = 110

// programBytes bounds the programs that a local keeps compiled.
const programBytes = 64 << 20

func (l *local) compile(src string) (*program, error) {
	if c, ok := l.programs.Get([]byte(src)); ok {
		return c.prog, c.err
	}
	p, err := compile(src, l.world.front)
	if len(src) <= l.world.front.MaxSource {
		c := l.programs.Add([]byte(src), cached{p, err, len(src)})
		return c.prog, c.err
	}
	return p, err
}

func (l *local) Run(ctx context.Context, job Job) *RunResult {
	begin, bounds := time.Now(), l.world.Bounds
	if len(job.Program) > bounds.SourceBytes {
		return &RunResult{Err: bounds.TooLong(len(job.Program)), Took: time.Since(begin)}
	}
	ctx, cancel := bounds.Within(ctx)
	defer cancel()
	s, err := l.gate.Begin(ctx, job.Run, job.Program, l.recorded)
	if err != nil {
		return &RunResult{Err: fail.Classify("", err), Took: time.Since(begin)}
	}
	job.Run = s.Run()
	var out ProgramResult
	if prog, err := l.compile(job.Program); err != nil {
		e := *guest.AsError(err) // a copy: what is kept must not change in the caller's hands
		out.Err = &e
	} else {
		out = l.world.run(ctx, s, s.Checker(), prog, job)
	}
	res := out.Settle(ctx, s, job, bounds)
	res.Took = time.Since(begin)
	return res
}
