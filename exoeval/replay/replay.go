// Package replay runs a recorded run again and compares it with the record. An equal replay shows that the program sent the recorded messages and got
// the recorded result. Each message gets its recorded reply, so no database is opened, and nothing acts.
//
// A replay needs a record that keeps replies (record.Folder's KeepReplies). The gate, its labels, limits and sealed values work as in the recorded run.
// The record has what can't be computed again: the replies, what their objects read, and the refusals of policies and budgets.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/message/coding"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/buildinfo"
	"github.com/exoagent/exoagent/internal/wire"
)

// Options are the options of Run.
type Options struct {
	Evaluator  exoeval.Evaluator // Evaluator runs the program; nil is worker.Shared()
	AnyVersion bool              // AnyVersion allows the run of another, or an unknown, version of exoagent
}

// Run replays the run that has these entries, all of one run and in their order. It returns the first difference from the record, or nil. It fails if
// the run can't be replayed.
func Run(ctx context.Context, entries []exo.Entry, opt Options) (*Difference, error) {
	was := collect(entries)
	if err := was.replayable(opt.AnyVersion); err != nil {
		return nil, err
	}
	granted, catalog, err := coding.UnpackGrants(was.start.Grants())
	if err != nil {
		return nil, fmt.Errorf("replay: the recorded grants can't be read: %w", err)
	}
	if coding.DigestGrants(catalog, granted) != was.start.Granted {
		return nil, errors.New("replay: the recorded grants do not match their SHA-256 in the run's first entry: the record was changed")
	}
	var entriesNow []exo.Entry
	record := exo.RecordFunc(func(e exo.Entry) error { entriesNow = append(entriesNow, e); return nil })
	if opt.Evaluator == nil {
		opt.Evaluator = worker.Shared()
	}
	gate, err := was.gate(granted, catalog, record)
	var runner exoeval.Runner
	if err == nil {
		runner, err = opt.Evaluator.Bind(gate, exoeval.RecordedBounds(was.start.Bounds))
	}
	if err != nil {
		return nil, fmt.Errorf("replay: the grants and limits of the recorded run can't be set up again: %w", err)
	}
	s := was.start
	res := runner.Run(ctx, exoeval.Job{Program: s.Program, Run: exo.Run{ID: entries[0].RunID, Principal: s.Principal, Label: s.Label, Clock: s.Clock, Seed: s.Seed, Preview: s.Preview}})
	now := collect(entriesNow)
	switch kind := fail.KindOf(res.Err); {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("replay: %w", ctx.Err())
	case now.start == nil || now.ended == nil || kind == fail.Crashed || kind == fail.Breach:
		return nil, fmt.Errorf("replay: the program could not be run: %w", res.Err)
	case now.start.Granted != s.Granted:
		return nil, errors.New("replay: the grants that were restored from the record differ from those of the run: use the version of exoagent that recorded it")
	}
	return was.compare(now)
}

// recording is what the entries of a run report, in the record or in the replay.
type recording struct {
	start           *exo.Start
	calls           map[uint64]*call
	released, ended *exo.Entry
}

// call is one message of a run.
type call struct {
	asked   exo.Entry  // the entry is an Intent or Refused
	outcome *exo.Entry // the outcome of the call; nil if there is none
	kept    error      // why the program did not get the reply
}

func collect(entries []exo.Entry) *recording {
	r := &recording{calls: map[uint64]*call{}}
	for _, e := range entries {
		switch e.Step {
		case exo.Begun:
			r.start = cmp.Or(r.start, e.Start)
		case exo.Intent, exo.Refused:
			r.calls[e.Call] = &call{asked: e}
		case exo.Outcome:
			if c := r.calls[e.Call]; c != nil {
				c.outcome = cmp.Or(c.outcome, &e)
			}
		case exo.Withheld:
			if c := r.calls[e.Call]; c != nil {
				c.kept = cmp.Or(c.kept, e.Err)
			}
		case exo.Released:
			r.released = cmp.Or(r.released, &e)
		case exo.Ended:
			r.ended = cmp.Or(r.ended, &e) // a later end is an entry of Reconcile
		}
	}
	return r
}

// replayable returns why a recorded run can't be replayed, or nil.
func (r *recording) replayable(anyVersion bool) error {
	s := r.start
	switch {
	case s == nil:
		return errors.New("replay: the entries lack the beginning of the run: pass all entries of the run, from the first")
	case s.Grants == nil && s.Module == "":
		return errors.New("replay: an older version of exoagent recorded the run without replies, so the run can't be replayed")
	case s.Grants == nil:
		return errors.New("replay: the run was recorded without replies. Only runs after `replies: true` in the grant file (KeepReplies in Go) have them, unless the declarations of the grants are too large")
	case s.Encoding != wire.Encoding:
		return fmt.Errorf("replay: the run was recorded in version %d of the data format, and exoagent %s reads only version %d: use exoagent %s", s.Encoding, buildinfo.Version(), wire.Encoding, s.Module)
	case !anyVersion && (s.Module != buildinfo.Version() || !buildinfo.Known(s.Module)):
		return &VersionError{Recorded: s.Module, Own: buildinfo.Version()}
	case r.released == nil || r.ended == nil:
		return errors.New("replay: the entries lack the end of the run: its process was stopped, or entries are missing")
	}
	switch kind := fail.KindOf(r.ended.Err); kind {
	case fail.Cancelled, fail.Crashed, fail.Breach:
		return fmt.Errorf("replay: the run was stopped from outside, and a replay can't stop at the same moment: %w", r.ended.Err)
	}
	for _, n := range r.numbers() {
		switch c := r.calls[n]; {
		case c.asked.Step == exo.Refused:
		case c.outcome == nil:
			return fmt.Errorf("replay: the entries lack the outcome of call %d: pass all entries of the run", n)
		case c.outcome.Kept != nil && c.outcome.Kept.Lost != "":
			return fmt.Errorf("replay: the reply to call %d was not recorded: %s", n, c.outcome.Kept.Lost)
		}
	}
	return nil
}

// VersionError is the error of Run for a run of another, or an unknown, version of exoagent. Options.AnyVersion replays such a run.
type VersionError struct{ Recorded, Own string }

func (e *VersionError) Error() string {
	text := fmt.Sprintf("replay: the run was recorded by exoagent %s, and this is exoagent %s", e.Recorded, e.Own)
	if e.Recorded == e.Own {
		text += ": builds of that version may differ from one another"
	}
	return text
}

// gate makes the gate of the replay: the record's catalogue, with objects that reply from the record.
func (r *recording) gate(granted []message.GrantedName, catalog message.Catalog, record exo.Recorder) (*exo.Gate, error) {
	w := &world{was: r}
	for _, name := range catalog.Names() {
		if name != exo.RevealInterface && name != exo.ComposeInterface {
			w.interfaces = append(w.interfaces, catalog[name])
		}
	}
	grants := map[string]exo.Object{}
	for _, g := range granted {
		switch g.Type.Name {
		case exo.RevealInterface:
			grants[g.Name] = exo.Reveal()
		case exo.ComposeInterface:
			grants[g.Name] = exo.Compose()
		default:
			grants[g.Name] = w.refusing(slices.Contains(r.start.Judged, g.Name), &object{w, message.Description{Type: g.Type, Interfaces: w.interfaces}})
		}
	}
	return exo.NewGate(exo.Config{Grants: grants, Limits: r.start.Limits, Admits: r.start.Admits, Zone: r.start.Zone, Record: record, Bits: w, Budgets: w, SeveralStores: true})
}
