package worker

import (
	"bufio"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// proc is a worker as its host holds it.
type proc struct {
	p         *os.Process
	end       *endpoint
	in        *bufio.Reader
	isolation Isolation
	size      uint64

	death atomic.Pointer[Death] // why we ended it; the first reason stays
}

// greet waits for the worker to say that it is locked down.
func (w *proc) greet() error {
	late := time.AfterFunc(startTime, func() { w.kill(&Death{Event: Stopped, Detail: "it did not start in time"}) })
	defer late.Stop()
	w.in = bufio.NewReaderSize(w.end.reader(), 4<<10)
	kind, s, err := readFrame(w.in, maxHello)
	if err == nil && kind != frameHello {
		err = errFrame
	}
	if err == nil {
		w.isolation, w.size, err = decodeHello(s)
		w.isolation |= hostIsolation
	}
	if err != nil {
		_, said := w.reap()
		return fmt.Errorf("worker: it did not start: %w %q", err, said)
	}
	return nil
}

// startTime is how long a worker may take until it is ready, or to take its job:
// what hangs there has not begun, and no limit of a run counts yet.
const startTime = 10 * time.Second

// kill ends the worker for a reason, if it has no reason yet.
func (w *proc) kill(d *Death) {
	w.death.CompareAndSwap(nil, d)
	w.p.Kill() // refused once it is reaped: the number may be somebody else's
}

// reap ends the worker, waits for it, and gives back what it had. It is called
// once. An exit that nobody asked for is what state shows.
func (w *proc) reap() (state *os.ProcessState, said string) {
	w.p.Kill()
	return w.collect()
}

// collect waits for the worker to end.
func (w *proc) collect() (state *os.ProcessState, said string) {
	state, _ = w.p.Wait()
	said = w.end.said()
	w.end.close()
	return state, said
}

// verdict reaps a worker that is gone and says why.
func (w *proc) verdict() *Death {
	// Its connection has ended, so it is ending; killed now, it might not get to say why.
	late := time.AfterFunc(100*time.Millisecond, func() { w.kill(&Death{Event: ProtocolBreach, Detail: "it hung up and went on"}) })
	state, said := w.collect()
	late.Stop()
	if d := w.death.Load(); d != nil {
		return d
	}
	if state == nil { // somebody else of this process waits for children
		return &Death{Event: EngineFailed, Detail: "its exit was lost: " + cut(said, 500)}
	}
	status, policy, cpu := exitOf(state)
	return classify(status, policy, cpu, said)
}
