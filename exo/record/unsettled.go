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

// UnsettledRun is a run with no end on the record, or without the outcome of a commit or an effect.
// When its process is gone, only the stores know the outcome (see Reconcile).
type UnsettledRun struct {
	ID    exo.RunID
	Label value.Label // the label of everything that the run had read
	Began time.Time   // the time of the run's entry Begun

	// Committing is set if the run was about to commit, and its process was killed or its connection lost. Then only the stores know the outcome.
	// Changed is the number of stores that the run changed, or -1 if some of them may lack its ID.
	Committing bool
	Changed    int

	// Effects has the effects without an outcome on the record, in the order of their messages. The outcome is not known for an
	// immediate effect, and for a held effect that acted or was about to act (Acting). All other effects have the outcome of
	// the commit.
	Effects []exo.Effect

	// Reconcile sets Settled when the record has the end of the run. It sets Commit to the state of the run's commit, or to NoState if there was none. Why is
	// an error that names the store that has lost its mark of the run, and what to do; nil: no store has.
	Settled bool
	Commit  exo.State
	Why     error

	committed exo.State            // the state of the commit on the record
	effects   map[uint64]*progress // the effects by the number of the call
	order     []uint64
	ended     bool
}

type progress struct {
	exo.Effect
	acting, settled bool
	unknown         bool // the record's outcome for the effect, which is not InUnit, is StateUnknown
}

// Unsettled lists the runs of a record that have begun and not ended, in the order in which they began. It also
// lists runs that ended while the outcome of a commit or an effect was unknown. Call it when the process
// of the record has stopped: otherwise it also lists the runs in progress. Like Open, it skips an
// incomplete last line.
func Unsettled(r io.Reader) ([]UnsettledRun, error) {
	return (&openRuns{}).read(r)
}

// Unknown lists the ended runs that have a held or immediate effect with an unknown outcome, with only these in their Effects. A
// [Settler] may know the outcome: pass the runs to [Settlers.Reconcile], which adds it.
func Unknown(r io.Reader) ([]UnsettledRun, error) {
	return (&openRuns{unknown: true}).read(r)
}

// openRuns has the runs that have begun, except those that have ended with all outcomes known (owes).
type openRuns struct {
	unknown bool // the open runs include those that Unknown lists
	runs    map[exo.RunID]*UnsettledRun
	order   []exo.RunID
}

func (o *openRuns) read(r io.Reader) ([]UnsettledRun, error) {
	for e, err := range Read(r) {
		if errors.Is(err, ErrTorn) {
			break
		}
		if err != nil {
			return nil, err
		}
		o.note(e)
	}
	return o.unsettled(), nil
}

func (o *openRuns) note(e exo.Entry) {
	if o.runs == nil {
		o.runs = map[exo.RunID]*UnsettledRun{}
	}
	if e.Step == exo.Begun {
		o.runs[e.RunID] = &UnsettledRun{ID: e.RunID, Began: e.At, effects: map[uint64]*progress{}}
		if o.order = append(o.order, e.RunID); len(o.order) > 2*len(o.runs)+1024 { // remove the runs that have ended from the order
			o.order = slices.DeleteFunc(o.order, func(id exo.RunID) bool { return o.runs[id] == nil })
		}
	}
	run := o.runs[e.RunID]
	if run == nil {
		return // the run began in an earlier part of the record, which settles it
	}
	if run.note(e); run.ended && !run.owes(o.unknown) {
		delete(o.runs, e.RunID)
	}
}

func (o *openRuns) unsettled() (runs []UnsettledRun) {
	for _, id := range o.order {
		if run := o.runs[id]; run != nil && (!o.unknown || run.ended && !run.owes(false)) {
			runs = append(runs, run.unsettled(o.unknown))
		}
	}
	return runs
}

// owes reports whether a commit or an effect of the run began and has no outcome on the record. Then the end of the run does not settle it, so that
// Reconcile asks for the outcome. If unknown is set, an outcome StateUnknown counts as none.
func (r *UnsettledRun) owes(unknown bool) bool {
	for _, p := range r.effects {
		if p.acting && !p.settled || unknown && p.unknown {
			return true
		}
	}
	return r.Committing
}

func (r *UnsettledRun) note(e exo.Entry) {
	switch e.Step {
	case exo.Outcome, exo.Withheld: // these labels are of one reply only, and may lack what the run read earlier
	default:
		r.Label = r.Label.Join(e.Label)
	}
	switch e.Step {
	case exo.Ended:
		r.ended = true
	case exo.Committing:
		r.Committing, r.Changed = true, changed(e)
	case exo.Committed:
		// If the connection was lost, the run did not know the outcome of its commit, but its stores may. Once Reconcile has asked them, they are not
		// asked again.
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
		p.settled, p.unknown = e.State != exo.StateHeld, e.State == exo.StateUnknown && e.Effect == message.Immediate
	case exo.Acting:
		p.acting, p.State = true, exo.StateUnknown
	case exo.Acted:
		p.settled, p.unknown = true, e.State == exo.StateUnknown
	}
}

// changed returns how many stores a run that is about to commit has changed, or -1 if one of them may lack the run's ID.
func changed(e exo.Entry) int {
	if p := e.Prepared; p != nil && p.Witnessed == p.Changed {
		return p.Changed
	}
	return -1
}

// unsettled returns the run with the effects that have no outcome on the record. If unknown is set, an outcome StateUnknown counts as none.
func (r *UnsettledRun) unsettled(unknown bool) UnsettledRun {
	for _, call := range r.order {
		p := r.effects[call]
		if p.settled && !(unknown && p.unknown) || p.Mode == message.InUnit && r.committed != exo.NoState {
			continue // an effect in the unit has the state of the commit
		}
		r.Effects = append(r.Effects, p.Effect)
	}
	return *r
}
