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

// proc is a worker as its host holds it.
type proc struct {
	p         *os.Process
	end       *endpoint
	in        *frame.Inbox
	isolation Isolation
	size      uint64
	stay      *stay  // of the program that it has
	reused    reused // where it may run several

	death   atomic.Pointer[Death] // why we ended it; the first reason stays
	suspect atomic.Pointer[Death] // why we ended it, if it was not ending already
}

// stay is what a program has of the pool while it is there.
type stay struct {
	place *fair.Ticket[party]
	uses  atomic.Int32 // of the place: the process, until it is gone or stopped, and the run, until it is settled
}

// ended is how a process ended, as the kernel reports it.
type ended struct {
	known  bool
	status int  // -1 where a signal ended it
	policy bool // by the filter of system calls
	cpu    bool // by the kernel's limit of processor time
	killed bool // by SIGKILL, which may be ours
	told   bool // its runtime was told first when it had used its processor time: the kernel's last word is for all its programs
}

// greet waits for the worker to say that it is locked down, until ctx ends.
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

// startTime bounds the time until a worker is ready, and until it has taken its job. The
// limits of a run count only from its beginning, so they don't end a worker that hangs before.
const startTime = 10 * time.Second

// kill ends the worker for a reason, if it has no reason yet.
func (w *proc) kill(d *Death) {
	w.death.CompareAndSwap(nil, d)
	w.p.Kill() // refused once it is reaped: the number may be somebody else's
}

// killSuspect is kill for a reason that also a process shows that is ending:
// then it is what it ended of that counts.
func (w *proc) killSuspect(d *Death) {
	w.suspect.CompareAndSwap(nil, d)
	w.p.Kill()
}

// reap ends the worker, waits for it, and gives back what it had. It is called
// once.
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
		w.p.Release() // somebody else has waited for it; what we hold of it stays ours
	}
	said = w.end.said()
	w.end.close()
	return x, said
}

// verdict reaps a worker that is gone and says why.
func (w *proc) verdict() *Death {
	// Its connection has ended, so it is ending; killed now, it might not get to say why.
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
