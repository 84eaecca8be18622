package worker_test

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// TestZeroPool: a Pool that NewPool did not make runs nothing and says so. It started a
// goroutine that panicked, which ends the host.
func TestZeroPool(t *testing.T) {
	gate, err := exo.NewGate(exo.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*worker.Pool{"nil": nil, "zero": {}} {
		if r, err := p.Bind(gate, exoeval.Bounds{}); err == nil || r != nil {
			t.Errorf("%s: Bind: %v %v", name, r, err)
		}
		if walls, err := p.Isolation(t.Context()); err == nil || walls != 0 {
			t.Errorf("%s: Isolation: %v %v", name, walls, err)
		}
		if s := p.Stats(); s != (worker.Stats{}) {
			t.Errorf("%s: Stats: %v", name, s)
		}
		if err := p.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
	}
}
