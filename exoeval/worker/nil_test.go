package worker_test

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// A host that forgot to look at the error of NewPool has a nil *Pool, which as an Evaluator
// is not nil. It must not fall back on another wall, and must not panic at the first program.
func TestNilPool(t *testing.T) {
	gate, err := exo.NewGate(exo.Config{Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	var none *worker.Pool
	if r, err := exoeval.Evaluator(none).Bind(gate, exoeval.Bounds{}); err == nil || r != nil {
		t.Errorf("a nil pool made the runner %v, %v", r, err)
	}
}
