package record

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
)

// UnsettledRun is a run of which the record does not say how it ended, or what became of a
// commit or an effect. When its process is gone, only the stores know: see Reconcile.
type UnsettledRun struct {
	ID    exo.RunID
	Label value.Label // all that it had read
	Began time.Time   // as the record says

	// Committing says that it was to be committed, and not what became of that, since its process was killed or its
	// connection lost: only the stores know. Changed is their number, -1 where one of them does not know.
	Committing bool
	Changed    int

	// Effects are those of which the record does not say what became of them, in the order in which
	// their messages stand there. The outcome of a held one that acted or was about to (Acting),
	// and of an immediate one, is not known; the others follow the commit.
	Effects []exo.Effect

	committed exo.State            // what the record says
	effects   map[uint64]*progress // of its messages
	order     []uint64
	ended     bool
}

type progress struct {
	exo.Effect
	acting, settled bool
}

// Unsettled lists the runs of a record that have begun and not ended, and those that ended
// while the outcome of a commit or an effect was unknown, in the order in which they began. Read
// the record of a process that has stopped: of a live one, the runs in progress are listed too.
// A last line that was cut off, by a crash in the middle of writing, is skipped, as Open does.
func Unsettled(r io.Reader) ([]UnsettledRun, error) {
	var all openRuns
	for e, err := range Read(r) {
		if errors.Is(err, ErrTorn) {
			break
		}
		if err != nil {
			return nil, err
		}
		all.note(e)
	}
	return all.unsettled(), nil
}

// openRuns are the runs that have begun, without those that have ended and owe nothing.
type openRuns struct {
	runs  map[exo.RunID]*UnsettledRun
	order []exo.RunID
}

func (o *openRuns) note(e exo.Entry) {
	if o.runs == nil {
		o.runs = map[exo.RunID]*UnsettledRun{}
	}
	if e.Step == exo.Begun {
		o.runs[e.RunID] = &UnsettledRun{ID: e.RunID, Began: e.At, effects: map[uint64]*progress{}}
		if o.order = append(o.order, e.RunID); len(o.order) > 2*len(o.runs)+1024 { // those that have ended are not kept
			o.order = slices.DeleteFunc(o.order, func(id exo.RunID) bool { return o.runs[id] == nil })
		}
	}
	run := o.runs[e.RunID]
	if run == nil {
		return // it begins elsewhere, and is settled by what reads that
	}
	if run.note(e); run.ended && !run.owes() {
		delete(o.runs, e.RunID)
	}
}

func (o *openRuns) unsettled() (runs []UnsettledRun) {
	for _, id := range o.order {
		if run := o.runs[id]; run != nil {
			runs = append(runs, run.unsettled())
		}
	}
	return runs
}

// owes reports whether something of a run began of which the record has no outcome. Such a
// run is not settled by its end: after it nobody would ask what became of that.
func (r *UnsettledRun) owes() bool {
	for _, p := range r.effects {
		if p.acting && !p.settled {
			return true
		}
	}
	return r.Committing
}

func (r *UnsettledRun) note(e exo.Entry) {
	switch e.Step {
	case exo.Outcome, exo.Withheld: // their labels bound one reply: a run that has read {pii} and posts is not public
	default:
		r.Label = r.Label.Join(e.Label)
	}
	switch e.Step {
	case exo.Ended:
		r.ended = true
	case exo.Committing:
		r.Committing, r.Changed = true, changed(e)
	case exo.Committed:
		// Where the connection was lost the run itself did not know; its stores may. Who has asked them is not asked again.
		r.Committing, r.committed = e.State == exo.StateUnknown && r.Changed > 0 && !settling(e.Err), e.State
	}
	if e.Effect == message.NoEffect || e.Call == 0 {
		return
	}
	p := r.effects[e.Call]
	if p == nil {
		p = &progress{Effect: exo.Effect{Call: e.Call, Op: e.Op, Mode: e.Effect, State: exo.StateUnknown}}
		r.effects[e.Call] = p
		r.order = append(r.order, e.Call)
	}
	switch e.Step {
	case exo.Refused:
		p.settled = true
	case exo.Outcome:
		p.State, p.Err = e.State, e.Err
		p.settled = e.State != exo.StateHeld
	case exo.Acting:
		p.acting, p.State = true, exo.StateUnknown
	case exo.Acted:
		p.settled = true
	}
}

// changed is how many stores a run that is about to commit has changed.
func changed(e exo.Entry) int {
	if p := e.Prepared; p != nil && p.Witnessed == p.Changed {
		return p.Changed
	}
	return -1
}

// unsettled keeps what the record leaves open.
func (r *UnsettledRun) unsettled() UnsettledRun {
	for _, call := range r.order {
		p := r.effects[call]
		if p.settled || p.Mode == message.InUnit && r.committed != exo.NoState {
			continue // what is in the unit is what the commit was
		}
		r.Effects = append(r.Effects, p.Effect)
	}
	return *r
}
