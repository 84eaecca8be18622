package worker_test

import (
	"errors"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
)

// TestRenderedBeforeAnythingIsFinal: a result that nobody can be given keeps nothing, in
// whatever way rendering it fails; and what may not leave is not even rendered.
func TestRenderedBeforeAnythingIsFinal(t *testing.T) {
	for what, c := range map[string]struct {
		render  func(exo.Value) error
		program string
		kind    exo.Kind
		state   exo.State
		asked   bool
	}{
		"it can be":       {func(exo.Value) error { return nil }, "await desk.put(); return 1", exo.Other, exo.StateApplied, true},
		"nobody renders":  {nil, "await desk.put(); return 1", exo.Other, exo.StateApplied, false},
		"it fails":        {func(exo.Value) error { return errors.New("too odd") }, "await desk.put(); return 1", exo.Internal, exo.StateRolledBack, true},
		"it is too large": {func(exo.Value) error { return exo.Errorf(exo.Limit, "", "too large") }, "await desk.put(); return 1", exo.Limit, exo.StateRolledBack, true},
		"it panics":       {func(exo.Value) error { panic("odd") }, "await desk.put(); return 1", exo.Internal, exo.StateRolledBack, true},
		"it may not":      {func(exo.Value) error { return nil }, "await desk.put(); await desk.labelled(); return 1", exo.Denied, exo.StateRolledBack, false},
		"it threw":        {func(exo.Value) error { return nil }, "await desk.put(); throw 1", exo.Program, exo.StateRolledBack, false},
	} {
		g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"desk": &desk{}}, Record: exo.Unrecorded})
		if err != nil {
			t.Fatal(err)
		}
		for where, e := range both(t, g) {
			asked := false
			job := exoeval.Job{Program: c.program}
			if c.render != nil {
				job.Render = func(v exo.Value) error { asked = true; return c.render(v) }
			}
			r := e.Run(t.Context(), job)
			if exo.KindOf(r.Err) != c.kind || len(r.Effects) != 1 || r.Effects[0].State != c.state || asked != c.asked || r.Run.ID == (exo.RunID{}) {
				t.Errorf("%s, %s: %v, %+v, asked %v", what, where, r.Err, r.Effects, asked)
			}
		}
	}
}
