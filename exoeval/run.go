package exoeval

// This file runs a program and receives its replies. File globals fills the realm before.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
	"github.com/exoagent/exoagent/exoeval/internal/guest/hint"
	"github.com/exoagent/exoagent/exoeval/internal/realm"
)

// newRun prepares a run. Its realm is empty until newRealm.
func newRun(ctx context.Context, in realm.Realm, port Port, check *message.Checker, w *World, prog *program) *run {
	return &run{
		Guest: guest.Guest{Realm: in, Hints: hint.Hints{Check: check, Granted: w.Granted}, Port: port, Limits: w.Limits, Prog: prog.Program, MaxResult: w.Bounds.MaxResult(), MaxDepth: w.Bounds.CallDepth},
		ctx:   ctx, port: port, bounds: w.Bounds, needs: prog.needs, console: console{max: w.Limits.ConsoleBytes}, clock: stopwatch{left: w.Bounds.Wall},
	}
}

// main runs the program and returns its result, or the error that ended it.
func (r *run) main() (v value.Value, failed error) {
	defer func() {
		if p := recover(); p != nil { // goja itself can panic, for example in makeslice
			v, failed = value.Value{}, r.failure(panicError(p))
		}
	}()
	r.clock.begin(r)
	defer r.clock.pause()
	if err := r.newRealm(); err != nil {
		return v, r.failure(err)
	}
	main, err := r.VM.RunProgram(r.Prog.Compiled)
	if err != nil {
		return v, r.failure(err)
	}
	f, ok := goja.AssertFunction(main)
	if !ok {
		return v, r.Placed(fail.Errorf(fail.Program, "", "the program is no function; write one, such as `async (api) => { ... }`"), 0, 0)
	}
	result, err := f(goja.Undefined(), r.api)
	if err != nil {
		return v, r.failure(err)
	}
	if o, ok := result.(*goja.Object); ok && r.Prog.Plain && guest.PromiseOf(o) == nil {
		// JavaScript resolves the value that an asynchronous function returns, and so calls the value's `then`.
		promise, resolve, _ := r.VM.NewPromise()
		if err := resolve(o); err != nil {
			return v, r.failure(err)
		}
		result = r.VM.ToValue(promise)
	}
	for range guest.MaxPassed { // a promise may resolve to a promise, and that to a query
		if result, failed = r.settled(result); failed != nil {
			return v, failed
		}
		if x := r.RecordedIn(result); r.UnawaitedIn(result) == nil && (x == nil || !x.Awaits()) {
			break
		}
		if ex := r.VM.Try(func() { result = r.Awaited(result) }); ex != nil {
			return v, r.failure(ex)
		}
	}
	unfinished := r.Unfinished()
	if failed := r.drain(); failed != nil {
		return v, failed
	}
	r.undefined = goja.IsUndefined(result)
	if v, failed = r.Result(result, r.settled, r.failure); failed != nil {
		return value.Value{}, failed
	}
	if failed := r.Left(unfinished); failed != nil {
		return value.Value{}, failed
	}
	// A getter of the result may have sent one more call. Wait for the reply.
	return v, r.drain()
}

// drain waits for calls that the program did not await, so that each call has its reply when the run ends. It returns the error of the first
// rejected promise that nothing handles.
func (r *run) drain() error {
	for len(r.Open) > 0 {
		if failed := r.turn(); failed != nil {
			return failed
		}
	}
	var first *goja.Promise
	for p, n := range r.rejected {
		if first == nil || n < r.rejected[first] {
			first = p
		}
	}
	if first == nil {
		return nil
	}
	e := guest.AsError(r.reason(first.Result(), 0, 0))
	e.Op = strings.TrimSuffix("a promise that was not awaited failed: "+e.Op, ": ")
	return e
}

func panicError(p any) error {
	if err, ok := p.(error); ok {
		return err
	}
	if v, ok := p.(goja.Value); ok {
		return fmt.Errorf("the engine threw a value of the Go type %s outside the program: this is a fault of exoeval, please report it", v.ExportType())
	}
	return fmt.Errorf("the engine panicked: %v: this is a fault of exoeval, please report it", p)
}

// settled returns v. If v is a promise, it waits for the promise and returns its value.
func (r *run) settled(v goja.Value) (goja.Value, error) {
	p := guest.PromiseOf(r.Bare(v))
	if p == nil {
		return v, nil
	}
	for p.State() == goja.PromiseStatePending {
		if len(r.Open) == 0 {
			return nil, r.Placed(fail.Errorf(fail.Program, "", "the program waits for a promise that never ends: no call is left that could resolve it; call its resolve, or do not await it"), 0, 0)
		}
		if failed := r.turn(); failed != nil {
			return nil, failed
		}
	}
	delete(r.rejected, p)
	if p.State() == goja.PromiseStateRejected {
		return nil, r.reason(p.Result(), 0, 0)
	}
	return p.Result(), nil
}

// turn receives one reply and lets the program continue with it. The program's clock stops while the run waits.
func (r *run) turn() error {
	r.clock.pause()
	reply, ok, err := r.port.Next(r.ctx)
	r.clock.begin(r)
	if err != nil {
		return r.Placed(ended(r.ctx, err, r.bounds), 0, 0)
	}
	if !ok {
		return r.Placed(&fail.Error{Kind: fail.Internal, Err: errors.New("a call got no reply, so the program was stopped: this is a fault of exoeval, please report it")}, 0, 0)
	}
	c, known := r.Open[reply.ID]
	if !known {
		return r.Placed(&fail.Error{Kind: fail.Internal, Err: errors.New("a reply came to a call that was not sent, so the program was stopped: this is a fault of exoeval, please report it")}, 0, 0)
	}
	delete(r.Open, reply.ID)
	if reply.Err != nil {
		if fail.KindOf(reply.Err) == fail.Limit || fail.KindOf(reply.Err) == fail.Cancelled && r.ctx.Err() != nil {
			if r.ctx.Err() != nil {
				return r.Placed(ended(r.ctx, nil, r.bounds), c.Line, c.Col)
			}
			return r.Placed(reply.Err, c.Line, c.Col) // a program must not catch the error of a limit, because it could then continue beyond the limit
		}
		err = c.Reject(r.ErrorObject(reply.Err, c.Line, c.Col))
	} else {
		if m := c.Sent.Method(); reply.Value.Type() == value.TypeNull && m != nil && m.Truth != "" {
			r.NoRow = c.Sent
		}
		var v goja.Value
		if ex := r.VM.Try(func() { v = r.Answer(reply.Value, c.Sent.Type, c.Fixed) }); ex != nil {
			return r.failure(ex)
		}
		err = c.Resolve(v)
	}
	if err != nil {
		return r.failure(err)
	}
	return nil
}
