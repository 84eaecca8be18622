package worker

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/worker/internal/frame"
	"github.com/exoagent/exoagent/internal/fair"
)

// proc is a worker as the host sees it.
type proc struct {
	p         *os.Process
	end       *endpoint
	in        *frame.Inbox
	isolation Isolation
	size      uint64
	stay      *stay  // the pool's notes on its present program
	reused    reused // what it has served, if it may serve several programs

	death   atomic.Pointer[Death] // why the host ended it; the first reason counts
	suspect atomic.Pointer[Death] // why the host ended it, unless it was already ending
}

// stay is one program's use of the pool.
type stay struct {
	place *fair.Ticket[party]
	uses  atomic.Int32 // counts the users of the place: the process until it is gone or stopped, the run until it is settled
}

// ended is how a process ended, as the kernel reports it.
type ended struct {
	known  bool
	status int  // the exit status; -1 if a signal ended the process
	policy bool // the filter of system calls ended it
	cpu    bool // the kernel's limit of processor time ended it
	killed bool // SIGKILL ended it, perhaps sent by us
	told   bool // the runtime signals when the present program has used its time, because the kernel's last limit is for all programs of the process
}

// greet waits until the worker reports that it is locked down, or ctx ends.
func (w *proc) greet(ctx context.Context) error {
	late := time.AfterFunc(startTime, func() { w.kill(&Death{Event: Stopped, Detail: "the process did not start in time"}) })
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
		err = fail.CauseOf(ctx)
	}
	if err != nil {
		_, said := w.reap()
		return fmt.Errorf("worker: the worker process did not start: %w; it wrote %q", err, said)
	}
	return nil
}

// startTime bounds how long a worker may take to start, and then to take its job. The limits of a run begin with the run, so they don't end a
// worker that hangs before it.
const startTime = 10 * time.Second

// kill ends the worker for the reason d, unless it has a reason already.
func (w *proc) kill(d *Death) {
	w.death.CompareAndSwap(nil, d)
	w.p.Kill() // Kill refuses a process that was reaped, because its number may belong to another one
}

// killSuspect ends the worker for a reason that an ending process may show, too. If the worker was ending already, its own cause counts.
func (w *proc) killSuspect(d *Death) {
	w.suspect.CompareAndSwap(nil, d)
	w.p.Kill()
}

// reap ends the worker, waits for it, and closes its files. Call it once.
func (w *proc) reap() (x ended, said string) {
	w.p.Kill()
	return w.collect()
}

// collect waits for the worker to end, and closes its files. It returns how the worker ended, and what it wrote to its error output.
func (w *proc) collect() (x ended, said string) {
	state, err := w.p.Wait()
	x = exitOf(w.p, state)
	x.told = w.reused.owner != owner{}
	if err != nil {
		w.p.Release() // other code has waited for the process; we still have its files
	}
	said = w.end.said()
	w.end.close()
	return x, said
}

// verdict reaps a worker that is gone, and returns why it ended.
func (w *proc) verdict() *Death {
	// Its connection has ended, so the worker is ending. An immediate kill might hide its own report of the cause.
	late := time.AfterFunc(100*time.Millisecond, func() {
		w.killSuspect(&Death{Event: ProtocolBreach, Detail: "the process closed its connection but kept running"})
	})
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
