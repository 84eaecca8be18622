package worker

import (
	"math"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
)

// Reuse lets one process run several programs of one tool and one principal, one after the other, each in a runtime of its own. The zero Reuse
// gives each program a process.
//
// The cost: code that takes over a process stays there for the programs that follow. It can read them and their replies, and forge their calls
// and results. It reaches only the objects that were granted to that tool and principal. Between programs the process is stopped. A process
// serves no other program after one that exceeded a limit, got labelled data, or failed for another reason than its own mistake.
type Reuse struct {
	Programs int           // Programs is the most programs that one process runs: 2 or more
	Within   time.Duration // Within bounds the time from the first program of a process to the beginning of its last
	Kept     int           // Kept is how many processes wait for a next program of their tool; the one used longest ago ends first; 0 means as many as Workers
}

// check refuses a Reuse that is incomplete or contradicts itself.
func (u Reuse) check() error {
	switch {
	case u == Reuse{}:
		return nil
	case u.Programs < 2 || u.Within <= 0 || u.Kept < 0:
		return fail.Errorf(fail.Invalid, "worker.NewPool", "Reuse is {Programs: %d, Within: %v, Kept: %d}: set Programs to 2 or more, Within above 0 and Kept to 0 or more, or leave Reuse out for a process per program", u.Programs, u.Within, u.Kept)
	case !canReuse:
		return fail.Errorf(fail.Invalid, "worker.NewPool", "Reuse needs Linux, where a process can be stopped and watched between programs")
	}
	return nil
}

// owner identifies the programs that may share a process: those of one tool and one principal. A tool is one gate, with its objects and rows.
// Tools of different users may have equal declarations, so those are not compared.
type owner struct {
	tool      *runner
	principal exo.Principal
}

// reused is what a process has served. It is zero for a process with only one program.
type reused struct {
	owner    owner
	programs int // the number of programs that have begun in the process
	until    time.Time
	fresh    int64         // the memory of the process before its first program
	rested   time.Duration // the processor time that the process had used when it was stopped
	expire   *time.Timer   // ends the wait for a next program; nil unless the process is kept
}

// mayGrow is how many bytes a process may have gained since before its first program. A process that has gained more gets no other program. So
// each program has enough memory, and what programs leave behind stays bounded.
func mayGrow(b exoeval.Bounds) int64 { return int64(b.Memory / 8) }

// began notes that a program of o begins in w. The first program starts the clock of Reuse.Within.
func (p *Pool) began(w *proc, o owner) {
	if w.reused.programs == 0 {
		w.reused.owner, w.reused.until = o, time.Now().Add(p.opts.Reuse.Within)
		w.reused.fresh, _ = w.end.memory()
	}
	w.reused.programs++
}

// reusable reports whether another program may follow in w.
func (p *Pool) reusable(w *proc) bool {
	return w.reused.owner != owner{} && w.reused.programs < p.opts.Reuse.Programs && time.Now().Before(w.reused.until)
}

// rest stops a worker after its program, and reports whether another program may follow. Until it begins, the worker computes nothing. replied is
// closed when the last reply was written.
func (r *run) rest(replied <-chan struct{}) bool {
	if !r.again || r.w.death.Load() != nil || r.w.suspect.Load() != nil {
		return false
	}
	r.mu.Lock()
	answered := r.answered == r.submitted && !r.cancelled
	r.mu.Unlock()
	if !answered {
		return false // a reply to this program would reach the next one
	}
	select {
	case <-replied:
	case <-time.After(restTime): // the worker claimed to have read all replies, but has not
		return false
	}
	if halt(r.w.p) != nil {
		return false
	}
	memory, shown := r.w.end.memory()
	r.w.reused.rested, _ = r.w.end.cpu()
	return shown && memory-r.w.reused.fresh <= mayGrow(r.bounds)
}

// restTime bounds how long a worker may take to read the replies that it claimed to have read.
const restTime = 500 * time.Millisecond

// harmless reports whether the end of a program leaves its process trustworthy: the program returned a result, or failed by its own mistake,
// and nothing that it got has a label.
func harmless(res *exoeval.RunResult) bool {
	if !res.Label.Empty() {
		return false // code that took over the process would carry the labelled data into a run without the label
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

// keep keeps a stopped worker for the next program of its owner. It returns false if the pool is closed or the worker may serve no more: then
// the caller must discard it. s is the stay of the last program.
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

// drop ends a kept worker. The caller holds p.mu, and the pool is open.
func (p *Pool) drop(w *proc) {
	p.kept = slices.DeleteFunc(p.kept, func(k *proc) bool { return k == w })
	w.reused.expire.Stop()
	p.busy.Add(1)
	go func() {
		defer p.busy.Done()
		w.reap()
	}()
}

// ofOwner removes from the kept workers the one that served o most recently, and returns it, or nil. The caller holds p.mu.
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

// rests reports whether a worker did nothing since it was stopped: it computed nothing, and sent nothing that would seem to come from the next
// program.
func (w *proc) rests() bool {
	cpu, ok := w.end.cpu()
	return ok && cpu-w.reused.rested <= grace && w.in.Buffered() == 0 && w.end.silent()
}

// programsLeft returns how many programs may follow the one that begins in w. The kernel's limit of processor time depends on it, because that
// limit can only be lowered.
func (p *Pool) programsLeft(w *proc) int {
	if w.reused.owner == (owner{}) {
		return 0
	}
	return min(max(0, p.opts.Reuse.Programs-w.reused.programs), math.MaxInt32)
}
