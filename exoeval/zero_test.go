package exoeval

import (
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
)

// TestZeroGate: nothing runs against a gate that was not made.
func TestZeroGate(t *testing.T) {
	for name, gate := range map[string]*exo.Gate{"nil": nil, "zero": {}} {
		if r, err := (InProcess{}).Bind(gate, Bounds{}); fail.KindOf(err) != fail.Denied || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	gate, err := exo.NewGate(exo.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := (InProcess{}).Bind(gate, Bounds{}); err != nil || r == nil {
		t.Errorf("the twin: a gate that grants nothing: %v", err)
	}
}
