package exoeval

// This file has what a host calls. A program enters here and goes on through world and run.

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

// Job is one program and the settings of its run. Fields of
// Run that are zero get defaults: see exo.Run.
type Job struct {
	exo.Run
	Program string
	// Render, if set, writes the result for its reader. It runs after the program and before any change is final: if Render fails, the run fails
	// and keeps no change. Render must not wait.
	Render func(value.Value) error
}

// RunResult is how a run ended. Exactly one of Value and Err counts: Value is the result if Err is nil.
type RunResult struct {
	Value value.Value
	// Undefined reports that the program returned undefined, which Value shows as null. The author most often forgot a return or an await.
	Undefined bool
	Console   string       // Console is the program's log, up to the point where its result had to be withheld: see exo.Session.Log
	Notices   []string     // Notices are remarks of objects about their answers: see exo.Message.AddNotice
	Label     value.Label  // Label is the label of the data that was read, until the result was withheld: see exo.Session.ReportableLabel
	Causes    []exo.Cause  // Causes are, for the host, the messages that added the tags of Label
	Unchanged bool         // Unchanged reports that the result was withheld and no effect took place; see exo.Session.Unchanged
	Effects   []exo.Effect // Effects are the changes that happened or may have happened, each with its outcome, also if the run failed
	Run       exo.Run      // Run describes the run with all its fields; it is zero if no run began
	Err       error        // Err is nil or an *fail.Error
	Took      time.Duration
	Used      Used
}

// Used is the processor time and the memory of a program's process. It is zero if the program did not run, ran in the host's process, or if
// the system does not measure it.
type Used struct {
	CPU    time.Duration // CPU is processor time
	Memory int64         // Memory is the most bytes that were seen above the memory of an idle worker
}

// Evaluator runs programs. A *worker.Pool runs each program in its own process, InProcess in the host's process.
type Evaluator interface {
	// Bind makes a Runner for the grants of gate, with these bounds. Bind fails if programs can't use the name of a grant.
	Bind(gate *exo.Gate, bounds Bounds) (Runner, error)
}

// Runner runs programs against the grants of one gate. When Run returns, the program has ended, and its effects can no longer happen.
type Runner interface {
	Run(ctx context.Context, job Job) *RunResult
}

// InProcess is the Evaluator that runs programs in this process. Use it for tests, and for programs whose author is trusted. It ends loops,
// deep recursion and long runs. But native functions of the engine can allocate or compute without end, which stops the host. A program still
// can't reach an object that was not granted.
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
	recorded map[string]int64 // the bounds of world in the form of a record

	programs *lru.Cache[cached] // compiled programs, by their text
}

func newLocal(gate *exo.Gate, w *World) *local {
	return &local{gate: gate, world: w, recorded: w.Bounds.Recorded(), programs: lru.New[cached](programBytes)}
}

// cached is the result of compiling a program.
type cached struct {
	prog *program
	err  error
	size int // bytes of the program's text
}

// Keep implements lru.Kept. It copies the texts that the cache keeps: each may be part of a larger text, which would stay in memory, too.
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

// compiledBytes bounds the memory of a compiled program for each byte of its text. The worst program found takes 84 bytes (TestProgramBytes).
const compiledBytes = 110

// programBytes bounds the memory of the compiled programs that a local keeps.
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
		e := *guest.AsError(err) // e is a copy, because the caller may change its error, and the error in the cache must stay as it is
		out.Err = &e
	} else {
		out = l.world.run(ctx, s, s.Checker(), prog, job)
	}
	res := out.Settle(ctx, s, job, bounds)
	res.Took = time.Since(begin)
	return res
}
