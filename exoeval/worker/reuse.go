package worker

import (
	"math"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
)

// Reuse lets one process run several programs of one tool and one principal, one after the
// other, each in a runtime of its own. The zero Reuse gives each program a process.
//
// What it costs: code that takes a process over stays there for the programs that follow in
// it. It reads them and their replies, and can forge their calls and results, with what was
// granted to that tool, for that principal, and nothing else. Between programs the process
// is stopped. It serves no other program after one that met a limit, failed in another way
// than by its own mistake, or was given anything with a label.
type Reuse struct {
	Programs int           // the most that one process runs: 2 or more
	Within   time.Duration // after its first program began, no program begins in it later than this
	Kept     int           // processes that wait for the next program of their tool, the one used last at the end; 0: as many as Workers
}

// check refuses what says half of it, or nothing that could be meant.
func (u Reuse) check() error {
	switch {
	case u == Reuse{}:
		return nil
	case u.Programs < 2 || u.Within <= 0 || u.Kept < 0:
		return fail.Errorf(fail.Invalid, "worker.NewPool", "Reuse is {Programs: %d, Within: %v, Kept: %d}: Programs must be 2 or more, Within more than 0, and Kept 0 or more; the zero Reuse gives each program a process of its own", u.Programs, u.Within, u.Kept)
	case !canReuse:
		return fail.Errorf(fail.Invalid, "worker.NewPool", "Reuse needs Linux, where a process can be stopped and watched between programs")
	}
	return nil
}

// owner is whose programs may follow each other in a process: those of one tool, which is one
// gate with the objects and rows that were granted, and of one principal. Equal declarations
// are not enough: tools of different users have the same.
type owner struct {
	tool      *runner
	principal exo.Principal
}

// reused is what a process has served. The zero reused is of one that serves a single program.
type reused struct {
	owner    owner
	programs int // begun in it
	until    time.Time
	fresh    int64         // its memory before the first of them
	rested   time.Duration // processor time that it had used when it was stopped
	expire   *time.Timer   // while it is kept
}

// mayGrow is how much larger than before its first program a process may be that gets another one,
// so that the next has its memory, and so that what programs leave behind does not add up.
func mayGrow(b exoeval.Bounds) int64 { return int64(b.Memory / 8) }

// began says that a program of o begins in w. The clock starts with the first.
func (p *Pool) began(w *proc, o owner) {
	if w.reused.programs == 0 {
		w.reused.owner, w.reused.until = o, time.Now().Add(p.opts.Reuse.Within)
		w.reused.fresh, _ = w.end.memory()
	}
	w.reused.programs++
}

// reusable reports whether a program in w may be followed by another one.
func (p *Pool) reusable(w *proc) bool {
	return w.reused.owner != owner{} && w.reused.programs < p.opts.Reuse.Programs && time.Now().Before(w.reused.until)
}

// rest stops a worker whose program has ended, if another one may follow. It then computes nothing
// until that one comes. replied is closed when the last answer was written.
func (r *run) rest(replied <-chan struct{}) bool {
	if !r.again || r.w.death.Load() != nil || r.w.suspect.Load() != nil {
		return false
	}
	r.mu.Lock()
	answered := r.answered == r.submitted && !r.cancelled
	r.mu.Unlock()
	if !answered {
		return false // an answer for this program would come to the next
	}
	select {
	case <-replied:
	case <-time.After(restTime): // it said that it had read all answers, and has not
		return false
	}
	if halt(r.w.p) != nil {
		return false
	}
	memory, shown := r.w.end.memory()
	r.w.reused.rested, _ = r.w.end.cpu()
	return shown && memory-r.w.reused.fresh <= mayGrow(r.bounds)
}

// restTime bounds the time in which a worker takes the rest of what it said it had taken.
const restTime = 500 * time.Millisecond

// harmless reports whether a program ended in a way that leaves its process as it was: it gave a
// result, or failed by a mistake of its own, and nothing that it was given has a label. After
// anything else, all that is known of the process is that something is wrong.
func harmless(res *exoeval.RunResult) bool {
	if !res.Label.Empty() {
		return false // code that took the process over would carry it into a run without the label
	}
	if res.Err == nil {
		return true
	}
	switch fail.KindOf(res.Err) {
	case fail.Program, fail.Syntax, fail.Invalid, fail.Denied:
		return true
	}
	return false
}

// keep holds a worker that rests for the next program of its owner. It is false where there is no
// room for one more; the caller must then discard it. s is what the last program had of the pool.
func (p *Pool) keep(w *proc, s *stay) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !p.reusable(w) {
		return false
	}
	if len(p.kept) >= p.opts.Reuse.Kept {
		p.drop(p.kept[0])
	}
	w.reused.expire = time.AfterFunc(time.Until(w.reused.until), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if slices.Contains(p.kept, w) {
			p.drop(w)
		}
	})
	p.kept = append(p.kept, w)
	if s.uses.Add(-1) == 0 {
		p.leave(s.place)
	}
	return true
}

// drop ends a worker that is kept. p.mu is held, and the pool is open.
func (p *Pool) drop(w *proc) {
	p.kept = slices.DeleteFunc(p.kept, func(k *proc) bool { return k == w })
	w.reused.expire.Stop()
	p.busy.Add(1)
	go func() {
		defer p.busy.Done()
		w.reap()
	}()
}

// ofOwner takes the worker that served o last out of those that are kept; nil if there is none.
// p.mu is held.
func (p *Pool) ofOwner(o owner) *proc {
	for i, w := range slices.Backward(p.kept) {
		if o.tool == nil || w.reused.owner != o {
			continue
		}
		if !p.reusable(w) || !w.rests() {
			p.drop(w)
			return nil
		}
		w.reused.expire.Stop()
		p.kept = slices.Delete(p.kept, i, i+1)
		return w
	}
	return nil
}

// rests reports whether a worker has done nothing since it was stopped: it has not computed, and
// no byte of it waits that the next program would seem to have sent.
func (w *proc) rests() bool {
	cpu, ok := w.end.cpu()
	return ok && cpu-w.reused.rested <= grace && w.in.Buffered() == 0 && w.end.silent()
}

// programsLeft is how many programs may come after the one that begins in w, for the kernel's limit of
// processor time, which can only be lowered.
func (p *Pool) programsLeft(w *proc) int {
	if w.reused.owner == (owner{}) {
		return 0
	}
	return min(max(0, p.opts.Reuse.Programs-w.reused.programs), math.MaxInt32)
}
