package exoeval

import (
	"context"
	"time"

	"github.com/dop251/goja"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval/internal/guest"
)

// This file has the state and the clock of a run, which the other files use.

// run is one program in one realm. One goroutine uses it.
type run struct {
	guest.Guest

	ctx     context.Context
	port    Port
	bounds  Bounds
	needs   needs
	console console
	clock   stopwatch

	api        *goja.Object
	rejected   map[*goja.Promise]int // rejected promises that nothing handles, with numbers in their order
	rejections int
	undefined  bool // the program returned undefined
}

// stopwatch counts the time that the program computes, and interrupts the program when its time is used up.
type stopwatch struct {
	left  time.Duration
	since time.Time
	timer *time.Timer
}

func (s *stopwatch) begin(r *run) {
	s.since = time.Now()
	// Choose the words of the error when time is up, because the stopwatch starts several times in each run. This function runs at the same time
	// as the program, so it reads only what never changes.
	vm, limit, catalog := r.VM, r.bounds.Wall, r.Check.Catalog
	s.timer = time.AfterFunc(max(s.left, 0), func() {
		vm.Interrupt(fail.Errorf(fail.Limit, "", "the program ran longer than %v; %s", limit, catalog.Say(nil, "limit.time", "do less in loops")))
	})
}

func (s *stopwatch) pause() {
	if s.timer != nil && s.timer.Stop() {
		s.left -= time.Since(s.since)
	}
	s.timer = nil
}

func (r *run) trackRejection(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		r.rejections++
		guest.Put(&r.rejected, p, r.rejections)
	} else {
		delete(r.rejected, p)
	}
}
