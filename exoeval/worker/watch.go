package worker

import (
	"time"

	"github.com/exoagent/exoagent/exoeval"
)

// watch checks a worker's limits from outside. The worker's own checks are not enough: native code of the engine ignores the interrupt, and a
// worker that was taken over would not count.
type watch struct {
	timer      *time.Timer
	last       time.Time
	wall       time.Duration // the time in which the program computed
	start, cpu time.Duration // the processor time before the job and at the last look
	memory     int64         // the memory before the job
	peak       int64         // the most memory that was seen
	hidden     time.Time     // since when the kernel has not shown the memory of the process; zero if the kernel shows it
}

const (
	firstLook = 4 * time.Millisecond // most programs have ended before this time
	nextLook  = 2 * time.Millisecond
	ending    = 20 * time.Millisecond // the time between the end of a process's first thread and its own end
	grace     = 40 * time.Millisecond // extra time for the engine's own interrupt, whose error has the place in the program
)

// beforeJob reads what the worker has used before it gets its job. A program may end before the first look, so the first look is too late.
func (r *run) beforeJob() {
	w := &r.watch
	w.start, _ = r.w.end.cpu()
	w.cpu = w.start
	w.memory, _ = r.w.end.memory()
	if r.w.reused.programs > 1 { // memory that the program takes before the first look counts, too
		w.memory = min(w.memory, r.w.reused.fresh+mayGrow(r.bounds))
	}
	w.peak = w.memory
}

func (r *run) startWatch() {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &r.watch
	w.last = time.Now()
	w.timer = time.AfterFunc(firstLook, r.look)
}

// stopWatch ends the watch, while the process still exists.
func (r *run) stopWatch() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	w := &r.watch
	w.timer.Stop()
	if cpu, ok := r.w.end.cpu(); ok {
		w.cpu = max(w.cpu, cpu)
	}
	if memory, ok := r.w.end.memory(); ok {
		w.peak = max(w.peak, memory)
	}
}

// used returns the measurements. Call it after stopWatch.
func (w *watch) used() exoeval.Used {
	return exoeval.Used{CPU: w.cpu - w.start, Memory: w.peak - w.memory}
}

// look ends a worker that has exceeded a limit. It runs every few milliseconds during the program.
func (r *run) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	w, now := &r.watch, time.Now()
	elapsed := now.Sub(w.last)
	w.last = now
	cpu, ok := r.w.end.cpu()
	if r.open > 0 {
		// The worker may be waiting for a reply. Asking it would not help, because it could lie: if it computes, its processor time shows that. On a
		// system without that measure, Bounds.Total bounds it.
		elapsed = min(elapsed, max(0, cpu-w.cpu))
	}
	if ok {
		w.cpu = cpu
	}
	w.wall += elapsed
	memory, shown := r.w.end.memory()
	w.peak = max(w.peak, memory)
	if shown {
		w.hidden = time.Time{}
	} else if w.hidden.IsZero() {
		w.hidden = now
	}
	limit := int64(r.bounds.Memory)
	switch {
	case r.w.end.threads() > maxThreads:
		r.w.kill(&Death{Event: PolicyBreach, Detail: "the process made more threads than the engine makes"})
	case !shown && hostIsolation.Has(Watched) && now.Sub(w.hidden) > ending && !r.w.end.slain():
		// If the first thread has ended, the kernel does not show the memory of the others. No honest program does that. But an ending process looks
		// the same for a moment. On a busy machine this takes longer if another process, or the kernel for lack of memory, has killed it.
		r.w.killSuspect(&Death{Event: PolicyBreach, Detail: "the first thread of the process ended, so the kernel does not show the memory of the others"})
	case memory-w.memory > limit+limit/4+slack:
		r.w.kill(&Death{Event: OutOfMemory})
	case w.cpu-w.start > r.bounds.CPU+grace:
		r.w.kill(&Death{Event: OutOfCPU})
	case w.wall > r.bounds.Wall+grace:
		r.w.kill(&Death{Event: OutOfTime})
	case r.parked:
		w.timer.Reset(parkedLook)
	default:
		w.timer.Reset(nextLook)
	}
}

// maxThreads is more than the Go runtime makes for any program.
var maxThreads = 64

// slack is the memory that the engine and the runtime need in addition to the program's data.
const slack = 8 << 20
