package worker_test

import (
	"errors"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
)

// TestRenderedBeforeAnythingIsFinal: a result that nobody can be given keeps nothing, in
// whatever way rendering it fails; and what may not leave is not even rendered.
func TestRenderedBeforeAnythingIsFinal(t *testing.T) {
	for what, c := range map[string]struct {
		render  func(value.Value) error
		program string
		kind    fail.Kind
		state   exo.State
		asked   bool
	}{
		"it can be":       {func(value.Value) error { return nil }, "await desk.put(); return 1", fail.Other, exo.StateApplied, true},
		"nobody renders":  {nil, "await desk.put(); return 1", fail.Other, exo.StateApplied, false},
		"it fails":        {func(value.Value) error { return errors.New("too odd") }, "await desk.put(); return 1", fail.Internal, exo.StateRolledBack, true},
		"it is too large": {func(value.Value) error { return fail.Errorf(fail.Limit, "", "too large") }, "await desk.put(); return 1", fail.Limit, exo.StateRolledBack, true},
		"it panics":       {func(value.Value) error { panic("odd") }, "await desk.put(); return 1", fail.Internal, exo.StateRolledBack, true},
		"it may not":      {func(value.Value) error { return nil }, "await desk.put(); await desk.labelled(); return 1", fail.Denied, exo.StateRolledBack, false},
		"it threw":        {func(value.Value) error { return nil }, "await desk.put(); throw 1", fail.Program, exo.StateRolledBack, false},
	} {
		g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"desk": &desk{}}, Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		for where, e := range both(t, g) {
			asked := false
			job := exoeval.Job{Program: c.program}
			if c.render != nil {
				job.Render = func(v value.Value) error { asked = true; return c.render(v) }
			}
			r := e.Run(t.Context(), job)
			if fail.KindOf(r.Err) != c.kind || len(r.Effects) != 1 || r.Effects[0].State != c.state || asked != c.asked || r.Run.ID == (exo.RunID{}) {
				t.Errorf("%s, %s: %v, %+v, asked %v", what, where, r.Err, r.Effects, asked)
			}
		}
	}
}
