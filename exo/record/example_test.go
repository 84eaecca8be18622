package record_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/value"
)

// A process settles what the last one left, before it begins a run of its own.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "runs.jsonl")

	f, err := record.Open(path)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	runs, err := f.Unsettled()
	if err != nil {
		panic(err)
	}
	var stores []record.Store // each database that programs may change
	if err := record.Reconcile(ctx, f, runs, stores...); err != nil {
		panic(err)
	}

	gate, err := exo.NewGate(exo.Config{Record: f})
	if err != nil {
		panic(err)
	}
	run, err := gate.Begin(ctx, exo.Run{Principal: "ann"}, "return 1", nil)
	if err != nil {
		panic(err)
	}
	if err := run.Finish(ctx, value.Int(1), nil); err != nil {
		panic(err)
	}

	in, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer in.Close()
	for e, err := range record.Read(in) {
		if err != nil {
			panic(err)
		}
		fmt.Println(e.Step)
	}
	// Output:
	// begun
	// released
	// ended
}
