package exoeval

// This file has the program's side of a run, and what Settle makes of its end on the host's side.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/front"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
	"github.com/exoagent/exoagent/internal/scalar"
	"github.com/exoagent/exoagent/internal/zone"
)

// World is all that the program's side of a run needs: the catalogue, the granted names
// and the limits. It is plain data without any object, so that it can cross to a worker.
// It is immutable.
type World struct {
	Catalog    message.Catalog
	Granted    []message.GrantedName
	Describing []string // the methods that take callbacks, sorted: the checker rewrites those
	Limits     exo.Limits
	Bounds     Bounds
	Zone       *zone.Zone // the zone of local time; nil: UTC

	front front.Config
}

// NewWorld is what the grants of gate look like from the program's side. It
// fails when a name can't be used in programs. Worlds of the same declarations and limits
// share what they hold.
func NewWorld(gate *exo.Gate, bounds Bounds) (*World, error) {
	if gate.Catalog() == nil {
		return nil, &fail.Error{Kind: fail.Denied, Err: errors.New("exoeval: the gate is nil or zero: exo.NewGate makes one")}
	}
	type made struct {
		world *World
		err   error
	}
	w := &World{Catalog: gate.Catalog(), Granted: gate.Granted(), Limits: gate.Limits(), Bounds: bounds.OrDefault()}
	w.Zone, _ = zone.Load(gate.Zone()) // the gate has it
	m := gate.Derive(worldKey{w.Limits, w.Bounds, w.Zone}, func() any { return made{w, w.complete()} }).(made)
	own := *m.world
	return &own, m.err
}

// worldKey is what a World depends on besides the catalogue and the granted names.
type worldKey struct {
	limits exo.Limits
	bounds Bounds
	zone   *zone.Zone
}

func (w *World) complete() error {
	seen := map[string]bool{}
	for _, i := range w.Catalog {
		for name, m := range i.Methods {
			for _, p := range m.Params {
				if p.Lambda != nil && !seen[name] {
					seen[name] = true
					w.Describing = append(w.Describing, name)
				}
			}
		}
	}
	slices.Sort(w.Describing)
	w.Prepare()
	return front.CheckNames(w.Granted, w.front)
}

// CheckName refuses a name that no grant may have, before there is a program: one that programs can't write or read as something of their
// own. It says what to write instead.
func CheckName(name string) error {
	if scalar.ReservedName(name) || name == "api" {
		return fmt.Errorf("exoeval: %q can't be the name of a grant: write one of letters and digits to which JavaScript gives no meaning of its own; `api` is what programs call all grants", name)
	}
	return front.CheckNames([]message.GrantedName{{Name: name}}, front.Config{Globals: front.Globals(), Grants: []string{name}})
}

// Prepare computes the unexported fields of a World from its exported ones. A worker calls it
// when it has decoded a World from a frame; NewWorld does it itself.
func (w *World) Prepare() {
	w.front = front.Config{MaxSource: w.Bounds.SourceBytes, MaxNesting: w.Bounds.Nesting, Globals: front.Globals(), Describing: map[string]bool{}, Catalog: w.Catalog}
	for _, g := range w.Granted {
		w.front.Grants = append(w.front.Grants, g.Name)
	}
	for _, name := range w.Describing {
		w.front.Describing[name] = true
	}
}

// ProgramResult is how a program ended, as its own side reports it. The program may have taken
// that side over, so it becomes a RunResult only when Settle has asked the session.
type ProgramResult struct {
	Value     value.Value
	Undefined bool
	Err       error // nil, or an *fail.Error
}

// Run parses, checks, compiles and runs the program of job, which must have its
// clock and seed (see exo.Run.WithDefaults). All of it is the guest's side: parsers can be made to end
// a process, too.
func (w *World) Run(ctx context.Context, port Port, check *message.Checker, job Job) ProgramResult {
	prog, err := compile(job.Program, w.front)
	if err != nil {
		return ProgramResult{Err: err}
	}
	return w.run(ctx, port, check, prog, job)
}

func (w *World) run(ctx context.Context, port Port, check *message.Checker, prog *program, job Job) ProgramResult {
	r := newRun(ctx, realm.Realm{VM: goja.New(), Start: job.Clock, Zone: w.Zone, Seed: job.Seed}, port, check, w, prog)
	// A cancelled caller stops a program that computes, too.
	stop := context.AfterFunc(ctx, func() { r.VM.Interrupt(fail.ErrCancelled) })
	defer stop()
	var o ProgramResult
	o.Value, o.Err = r.main()
	o.Undefined = r.undefined
	return o
}

// Settle ends the host's side of a run and says what may be known of it: the result is
// rendered before anything is final. When it returns, nothing of the run will take effect
// any more. It panics with what a callback of the host, like Record, panicked with.
func (o ProgramResult) Settle(ctx context.Context, s *exo.Session, job Job, bounds Bounds) *RunResult {
	// A call that was sent happens, also when the program fails after it: whether an
	// effect took place must not depend on which of the two was faster. Reads of one
	// that was ended are for nobody.
	if o.Err != nil && verdict(fail.KindOf(o.Err)) {
		s.Abandon()
	}
	for ctx.Err() == nil {
		if _, ok, err := s.Next(ctx); !ok || err != nil {
			break
		}
	}
	var opened value.Label
	if o.Err == nil {
		o.Value, opened, o.Err = s.Unseal(o.Value)
	}
	res := &RunResult{Value: o.Value, Err: o.Err, Run: s.Run()}
	// A call that says that ctx has ended does not know whose deadline it was (TestWhoEndedTheCall).
	if ctx.Err() != nil && (res.Err == nil || !verdict(fail.KindOf(res.Err)) || errors.Is(res.Err, ctx.Err())) {
		res.Err = guest.AsError(ended(ctx, nil, bounds)).At(fail.PosOf(res.Err))
	}
	// Whether the result may leave is decided before anybody looks at it: what can't be
	// rendered would say something of it.
	if res.Err == nil && job.Render != nil && s.Release() == nil {
		res.Err = rendered(job.Render, o.Value)
	}
	if err := s.Finish(ctx, o.Value, res.Err); err != nil && res.Err == nil {
		res.Err = guest.AsError(err).At(fail.Pos{})
	}
	if p := s.Panicked(); p != nil {
		panic(p) // here, and not where it happened: nothing of the run is left, and the host can recover
	}
	res.Label, res.Undefined, res.Effects = s.ReportableLabel(), res.Err == nil && o.Undefined, s.Effects()
	res.Console, res.Causes = s.Console(), s.Causes()
	if err := s.Release(); err == nil {
		res.Label, res.Notices = res.Label.Join(opened), s.Notices()
	} else {
		// The program may choose, by what it has read, which sealed values it would have returned, and whether it threw instead. So their labels
		// count only where a result leaves.
		res.Value, res.Undefined, res.Err, res.Unchanged = value.Value{}, false, err, s.Unchanged()
	}
	if res.Err != nil {
		res.Value = value.Value{}
	}
	return res
}

// rendered is why the result can't be rendered, nil if it can.
func rendered(render func(value.Value) error, v value.Value) (failed error) {
	defer func() {
		if p := recover(); p != nil {
			failed = &fail.Error{Op: "the result", Kind: fail.Internal, Err: fmt.Errorf("panic: %v", p)}
		}
	}()
	if err := render(v); err != nil {
		return fail.Classify("the result", err)
	}
	return nil
}

// verdict reports whether a failure is what ended the program, so that the end of
// its context, while its calls were waited for, says nothing new.
func verdict(k fail.Kind) bool { return k == fail.Limit || k == fail.Crashed || k == fail.Breach }

// errTotal is the cause of a context that ended because Bounds.Total was over: a
// caller's own deadline looks the same otherwise.
var errTotal = errors.New("exoeval: Bounds.Total is over")

// Within is the context of a run with these bounds: it ends when Total is over.
func (b Bounds) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, b.Total, errTotal)
}

// ended returns the error of a run that was ended from outside: by Bounds.Total, by its
// caller's deadline, or by its caller. If ctx has not ended, the cause is err.
func ended(ctx context.Context, err error, bounds Bounds) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	switch {
	case context.Cause(ctx) == errTotal:
		return fail.Errorf(fail.Limit, "", "the program took longer than %v in all, waiting included", bounds.Total)
	case errors.Is(err, context.DeadlineExceeded):
		return &fail.Error{Kind: fail.Cancelled, Msg: "the program was ended before its limits: the deadline of its caller had passed", Err: err}
	}
	return &fail.Error{Kind: fail.Cancelled, Err: err}
}
