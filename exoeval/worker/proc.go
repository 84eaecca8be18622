package worker

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
	"github.com/exoagent/exoagent/internal/fair"
)

// proc is a worker, on the host's side.
type proc struct {
	p         *os.Process
	end       *endpoint
	in        *frame.Inbox
	isolation Isolation
	size      uint64
	stay      *stay  // the stay of its present program
	reused    reused // what it has served, if it may run several programs

	death   atomic.Pointer[Death] // why we ended it; the first reason counts
	suspect atomic.Pointer[Death] // why we ended it, if it was not ending already
}

// stay is a program's use of the pool.
type stay struct {
	place *fair.Ticket[party]
	uses  atomic.Int32 // users of the place: the process, until it is gone or stopped, and the run, until it is settled
}

// ended is the end of a process as the kernel reports it.
type ended struct {
	known  bool
	status int  // -1 if a signal ended it
	policy bool // the filter of system calls ended it
	cpu    bool // the kernel's limit of processor time ended it
	killed bool // SIGKILL ended it, perhaps ours
	told   bool // its runtime gets a signal when the present program has used its time: the kernel's last limit is for all programs of the process
}

// greet waits until the worker reports that it is locked down, or until ctx ends.
func (w *proc) greet(ctx context.Context) error {
	late := time.AfterFunc(startTime, func() { w.kill(&Death{Event: Stopped, Detail: "it did not start in time"}) })
	defer late.Stop()
	stop := context.AfterFunc(ctx, func() { w.kill(&Death{Event: Stopped}) })
	w.in = frame.NewInbox(w.end.reader())
	kind, s, err := w.in.Read(frame.MaxHello)
	if err == nil && kind != frame.KindHello {
		err = frame.ErrMalformed
	}
	if err == nil {
		var walls uint64
		walls, w.size, err = frame.DecodeHello(s, allIsolation)
		w.isolation |= Isolation(walls) | hostIsolation
	}
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_, said := w.reap()
		return fmt.Errorf("worker: it did not start: %w %q", err, said)
	}
	return nil
}

// startTime bounds the time until a worker is ready, and until it has taken its job. The limits
// of a run count only from its beginning, so they don't end a worker that hangs before it.
const startTime = 10 * time.Second

// kill ends the worker. d is the reason, unless it has one already.
func (w *proc) kill(d *Death) {
	w.death.CompareAndSwap(nil, d)
	w.p.Kill() // refused after it was reaped: its number may belong to another process
}

// killSuspect ends the worker for a reason that a process which is already
// ending may show, too. If it was ending already, its own end counts.
func (w *proc) killSuspect(d *Death) {
	w.suspect.CompareAndSwap(nil, d)
	w.p.Kill()
}

// reap ends the worker, waits for it, and closes its files. It is called once.
func (w *proc) reap() (x ended, said string) {
	w.p.Kill()
	return w.collect()
}

// collect waits for the worker to end.
func (w *proc) collect() (x ended, said string) {
	state, err := w.p.Wait()
	x = exitOf(w.p, state)
	x.told = w.reused.owner != owner{}
	if err != nil {
		w.p.Release() // other code has waited for it; our files of it are still ours
	}
	said = w.end.said()
	w.end.close()
	return x, said
}

// verdict reaps a worker that is gone and returns why it ended.
func (w *proc) verdict() *Death {
	// Its connection has ended, so it is ending. If it were killed now, it might not report why.
	late := time.AfterFunc(100*time.Millisecond, func() { w.killSuspect(&Death{Event: ProtocolBreach, Detail: "it hung up but ran on"}) })
	x, said := w.collect()
	late.Stop()
	if d := w.death.Load(); d != nil {
		return d
	}
	if d := w.suspect.Load(); d != nil && (x.killed || !x.known) {
		return d
	}
	return classify(x, said)
}
