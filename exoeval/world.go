package exoeval

// This file has the program's side of a run, and Settle, by which the host makes the RunResult.

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

// World is all that the program's side of a run needs: the catalogue, the granted names and the limits. It is immutable data without objects,
// so it can cross to a worker.
type World struct {
	Catalog    message.Catalog
	Granted    []message.GrantedName
	Describing []string // methods with callbacks, sorted; the checker rewrites these callbacks
	Limits     exo.Limits
	Bounds     Bounds
	Zone       *zone.Zone // the zone of local time; nil is UTC

	front front.Config
}

// NewWorld returns the World of the grants of gate. It fails if programs can't use the name of a grant. Worlds with the same declarations and
// limits share their data.
func NewWorld(gate *exo.Gate, bounds Bounds) (*World, error) {
	if gate.Catalog() == nil {
		return nil, &fail.Error{Kind: fail.Denied, Err: errors.New("exoeval: the exo.Gate was not made with exo.NewGate: make it with that function")}
	}
	type made struct {
		world *World
		err   error
	}
	w := &World{Catalog: gate.Catalog(), Granted: gate.Granted(), Limits: gate.Limits(), Bounds: bounds.OrDefault()}
	w.Zone, _ = zone.Load(gate.Zone()) // this can't fail, because the gate has checked the name
	m := gate.Derive(worldKey{w.Limits, w.Bounds, w.Zone}, func() any { return made{w, w.complete()} }).(made)
	own := *m.world
	return &own, m.err
}

// worldKey identifies a World, together with the catalogue and the granted names.
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

// CheckName returns an error if no grant may have this name: programs could not write it, or would mean something else by it. The error names
// the allowed names.
func CheckName(name string) error {
	if err := scalar.GrantName(name); err != nil {
		return fmt.Errorf("exoeval: %w", err)
	}
	return front.CheckNames([]message.GrantedName{{Name: name}}, front.Config{Globals: front.Globals(), Grants: []string{name}})
}

// Prepare computes the unexported fields of a World from its exported ones. A worker calls it after it has decoded a World. NewWorld calls it
// itself.
func (w *World) Prepare() {
	w.front = front.Config{MaxSource: w.Bounds.SourceBytes, MaxNesting: w.Bounds.Nesting, Globals: front.Globals(), Describing: map[string]bool{}, Catalog: w.Catalog}
	for _, g := range w.Granted {
		w.front.Grants = append(w.front.Grants, g.Name)
	}
	for _, name := range w.Describing {
		w.front.Describing[name] = true
	}
}

// ProgramResult is the outcome that the program's own side reports. Don't trust it, because a program may have taken over its worker: Settle
// asks the session and makes a RunResult.
type ProgramResult struct {
	Value     value.Value
	Undefined bool
	Err       error // Err is nil or an *fail.Error
}

// Run parses, checks, compiles and runs the program of job, which must have its clock and seed (see exo.Run.WithDefaults). It runs on the
// program's side, because a hostile text may end the process of a parser, too.
func (w *World) Run(ctx context.Context, port Port, check *message.Checker, job Job) ProgramResult {
	prog, err := compile(job.Program, w.front)
	if err != nil {
		return ProgramResult{Err: err}
	}
	return w.run(ctx, port, check, prog, job)
}

func (w *World) run(ctx context.Context, port Port, check *message.Checker, prog *program, job Job) ProgramResult {
	r := newRun(ctx, realm.Realm{VM: goja.New(), Start: job.Clock, Zone: w.Zone, Seed: job.Seed}, port, check, w, prog)
	// A program that computes is also stopped when its caller cancels.
	stop := context.AfterFunc(ctx, func() { r.VM.Interrupt(fail.ErrCancelled) })
	defer stop()
	var o ProgramResult
	if o.Value, o.Err = r.main(); o.Err != nil {
		o.Value = value.Value{} // a getter of the result may have sent a call that failed: then the record must have no digest of a result
	}
	o.Undefined = r.undefined
	return o
}

// Settle ends the host's side of a run and returns its result. It renders the result before any change is final. After it returns, the run has
// no further effect. If a callback of the host, like Record, panicked, Settle panics with the same value.
func (o ProgramResult) Settle(ctx context.Context, s *exo.Session, job Job, bounds Bounds) *RunResult {
	// A call that was sent happens even if the program then fails: an effect must not depend on whether the call or the failure was faster. After a
	// limit ended the program nothing reads its replies, so its reads are abandoned.
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
	// An error that only reports the end of a context does not show whose deadline passed (TestWhoEndedTheCall).
	if ctx.Err() != nil && (res.Err == nil || !verdict(fail.KindOf(res.Err)) || errors.Is(res.Err, ctx.Err())) {
		res.Err = guest.AsError(ended(ctx, nil, bounds)).At(fail.PosOf(res.Err))
	}
	// Decide whether the result may leave before rendering it, because an error of rendering would reveal something about it.
	if res.Err == nil && job.Render != nil && s.Release() == nil {
		res.Err = rendered(job.Render, o.Value)
	}
	if err := s.Finish(ctx, o.Value, res.Err); err != nil && res.Err == nil {
		res.Err = guest.AsError(err).At(fail.Pos{})
	}
	if p := s.Panicked(); p != nil {
		panic(p) // only now, because the run has ended and the host can recover
	}
	res.Label, res.Undefined, res.Effects = s.ReportableLabel(), res.Err == nil && o.Undefined, s.Effects()
	res.Console, res.Causes = s.Console(), s.Causes()
	if err := s.Release(); err == nil {
		res.Label, res.Notices = res.Label.Join(opened), s.Notices()
	} else {
		// The labels of the result's sealed values are not added. A program may choose values by a secret that it read, and their labels would reveal
		// the choice.
		res.Value, res.Undefined, res.Err, res.Unchanged = value.Value{}, false, err, s.Unchanged()
	}
	if res.Err != nil {
		res.Value = value.Value{}
	}
	return res
}

// rendered calls render and returns its error. A panic of render becomes an error, too.
func rendered(render func(value.Value) error, v value.Value) (failed error) {
	defer func() {
		if p := recover(); p != nil {
			failed = &fail.Error{Op: "the result", Kind: fail.Internal, Err: fmt.Errorf("the render function of the host panicked: %v", p)}
		}
	}()
	if err := render(v); err != nil {
		return fail.Classify("the result", err)
	}
	return nil
}

// verdict reports whether an error of this kind ended the program by itself. Then the end of the context, noticed later, adds nothing.
func verdict(k fail.Kind) bool { return k == fail.Limit || k == fail.Crashed || k == fail.Breach }

// errTotal is the cause of a context that ended because Bounds.Total was over. It distinguishes that from the caller's own deadline.
var errTotal = errors.New("exoeval: the run took longer than Bounds.Total")

// Within returns the context of a run with these bounds, which ends when Total is over.
func (b Bounds) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, b.Total, errTotal)
}

// ended returns the error of a run that Bounds.Total, its caller's deadline or its caller ended. If ctx has not ended, ended returns the error
// of the cause err.
func ended(ctx context.Context, err error, bounds Bounds) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	cause := fail.CauseOf(ctx)
	if why, ok := cause.(*fail.Error); ok { // the host ended the run with a *fail.Stop
		return why
	}
	switch {
	case cause == errTotal:
		return fail.Errorf(fail.Limit, "", "the program took longer than %v in all, waiting included; ask for less at a time", bounds.Total)
	case errors.Is(err, context.DeadlineExceeded):
		return &fail.Error{Kind: fail.Cancelled, Msg: "the program was stopped: the deadline of its caller had passed", Err: err}
	}
	return &fail.Error{Kind: fail.Cancelled, Err: err}
}
