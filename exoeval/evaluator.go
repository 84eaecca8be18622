package exoeval

import (
	"container/list"
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
)

// Job is one program to run.
type Job struct {
	Program   string
	Principal exo.Principal // on whose behalf; recorded
	Start     time.Time     // what the program's clock shows; zero: now
	Seed      uint64        // of the program's random numbers; 0: a fresh one
}

// Result is how a run ended. Err is nil if and only if Value is its result.
type Result struct {
	Value exo.Value
	// Undefined says that the program gave undefined, which Value shows as null:
	// more often a missing return or await than a wish.
	Undefined bool
	Console   string // what console.log kept
	Label     exo.Label
	Err       *Error
	Took      time.Duration
}

// Evaluator runs programs against the grants of one gate.
type Evaluator interface {
	Run(ctx context.Context, job Job) *Result
}

// Local runs programs in this process. It is for programs whose author is
// trusted, and for tests: goja can't contain hostile code. It stops loops, deep
// recursion and long runs, but a program can make the engine allocate or spin
// natively, and that ends or stalls the host process.
type Local struct {
	gate  *exo.Gate
	front frontConfig
	err   error // why no program can run

	mu    sync.Mutex
	cache map[string]*list.Element
	used  *list.List
}

const cachedPrograms = 256

type cached struct {
	src  string
	prog *program
	err  error
}

// NewLocal makes an evaluator for the gate. Err says whether its grants have
// names that programs can use; with others every run fails.
func NewLocal(gate *exo.Gate) *Local {
	l := &Local{gate: gate, err: checkNames(gate), cache: map[string]*list.Element{}, used: list.New()}
	lim := gate.Limits()
	l.front = frontConfig{MaxSource: lim.SourceBytes, MaxNesting: lim.Nesting, Globals: globals(), Describing: map[string]bool{}}
	for _, g := range gate.Granted() {
		l.front.Grants = append(l.front.Grants, g.Name)
	}
	for _, i := range gate.Catalog() {
		for name, m := range i.Methods {
			for _, p := range m.Params {
				if p.Lambda != nil {
					l.front.Describing[name] = true
				}
			}
		}
	}
	return l
}

// Err says why no program can run, or nil.
func (l *Local) Err() error { return l.err }

func (l *Local) compile(src string) (*program, error) {
	l.mu.Lock()
	if e := l.cache[src]; e != nil {
		l.used.MoveToFront(e)
		l.mu.Unlock()
		c := e.Value.(*cached)
		return c.prog, c.err
	}
	l.mu.Unlock()
	p, err := compile(src, l.front)
	if len(src) > l.front.MaxSource {
		return p, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cache[src] == nil {
		l.cache[src] = l.used.PushFront(&cached{src, p, err})
		if l.used.Len() > cachedPrograms {
			last := l.used.Back()
			delete(l.cache, last.Value.(*cached).src)
			l.used.Remove(last)
		}
	}
	return p, err
}

// Run implements Evaluator. When it returns, nothing of the program runs any
// more and nothing of it will take effect.
func (l *Local) Run(ctx context.Context, job Job) *Result {
	begin := time.Now()
	res := &Result{}
	if l.err != nil {
		res.Err = &Error{Kind: exo.Internal, Message: "internal error", Err: l.err}
		return res
	}
	prog, err := l.compile(job.Program)
	if err != nil {
		e := *err.(*Error)
		res.Err, res.Took = &e, time.Since(begin)
		return res
	}
	lim := l.gate.Limits()
	ctx, cancel := context.WithTimeout(ctx, lim.Total)
	defer cancel()
	s := l.gate.NewSession(ctx, job.Principal)
	if job.Start.IsZero() {
		job.Start = begin
	}
	if job.Seed == 0 {
		job.Seed = rand.Uint64()
	}
	r := &run{
		vm: goja.New(), ctx: ctx, port: s, check: s.Checker(), granted: l.gate.Granted(), limits: lim, prog: prog,
		start: job.Start.UTC().Truncate(time.Millisecond), rand: rand.New(rand.NewPCG(job.Seed, job.Seed^0x9e3779b97f4a7c15)),
		console: console{max: lim.ConsoleBytes}, grants: map[uint32]*goja.Object{}, thrown: map[*goja.Object]thrown{},
		open: map[uint64]openCall{}, rejected: map[*goja.Promise]int{}, clock: stopwatch{left: lim.Wall},
	}
	// A cancelled caller stops a program that computes, too.
	stop := context.AfterFunc(ctx, func() { r.vm.Interrupt(exo.ErrCancelled) })
	res.Value, res.Err = r.main()
	stop()
	// A call that was sent happens, also when the program fails after it: whether an
	// effect took place must not depend on which of the two was faster.
	for len(r.open) > 0 && ctx.Err() == nil {
		reply, ok, err := s.Next(ctx)
		if !ok || err != nil {
			break
		}
		delete(r.open, reply.ID)
	}
	if res.Err != nil && ctx.Err() != nil {
		e := r.placed(r.ended(ctx.Err()), 0, 0)
		e.Line, e.Column, e.SourceLine = res.Err.Line, res.Err.Column, res.Err.SourceLine
		res.Err = e
	}
	if err := s.Finish(context.WithoutCancel(ctx), res.Err == nil); err != nil && res.Err == nil {
		res.Err = r.placed(exo.AsError("", err), 0, 0)
	}
	res.Label, res.Undefined = s.Label(), res.Err == nil && r.undefined
	res.Console = r.console.b.String()
	if err := s.Release(); err != nil {
		// The result, the error's text and the console are sinks: none may say more
		// than that there is nothing to see.
		res.Value, res.Undefined, res.Console, res.Err = exo.Value{}, false, "", r.placed(err, 0, 0)
	}
	if res.Err != nil {
		res.Value = exo.Value{}
	}
	res.Took = time.Since(begin)
	return res
}
