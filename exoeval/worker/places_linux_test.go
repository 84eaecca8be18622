package worker_test

import (
	"slices"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
)

// TestClaimedPlaces: a process that was taken over names places that its program has not. They are told as none, and its calls are calls
// as any other.
func TestClaimedPlaces(t *testing.T) {
	var got []fail.Pos
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": &shop{}}, Record: exo.RecordFunc(func(e exo.Entry) error {
		if e.Step == exo.Outcome && e.Err == nil {
			got = append(got, e.Pos)
		}
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, inWorker(t, g, nil), "!claims places")
	if want := []fail.Pos{{}, {}, {}, {}, {Line: 2, Column: 3}}; r.Err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v", got, r.Err)
	}
}
