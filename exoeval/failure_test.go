package exoeval_test

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

// A call that was sent before the program failed is made, each time; one that
// code of the program tries to send afterwards is not. Neither depends on what
// was faster.
func TestNothingAfterFailure(t *testing.T) {
	for _, c := range []struct {
		program string
		calls   int
	}{
		{"throw { get message() { box.put({ text: 'x' }); return 'm' } }", 0},
		{"throw { get stack() { box.put({ text: 'x' }); return 's' }, toString() { box.put({ text: 'x' }); return 's' } }", 0},
		{"box.put({ text: 'x' }); throw new Error('after')", 1},
		{"box.put({ text: 'x' }); box.put({ text: 'y' }); return null.x", 2},
		{"try { box.put({ text: 'x' }); throw 1 } catch (e) { return 'fine' }", 1}, // the twin: a program that goes well
	} {
		for range 20 {
			intents, outcomes := 0, 0
			box := &testutil.Box{}
			g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"box": box}, Record: exo.RecordFunc(func(e exo.Entry) error {
				switch {
				case e.Step == exo.Intent:
					intents++
				case e.Step == exo.Outcome && e.Err == nil:
					outcomes++
				}
				return nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			exoeval.NewLocal(g).Run(t.Context(), exoeval.Job{Program: c.program})
			if intents != c.calls || outcomes != c.calls {
				t.Fatalf("%s: %d calls begun, %d made; want %d", c.program, intents, outcomes, c.calls)
			}
		}
	}
}
