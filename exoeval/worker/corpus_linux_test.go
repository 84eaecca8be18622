package worker_test

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestHostileCorpus runs every program of testdata/hostile in workers, those that
// end or stall a process too. This process lives, does not grow with them, and has
// a verdict not long after the time that the program had.
func TestHostileCorpus(t *testing.T) {
	testutil.NotRaced(t)
	t.Setenv("EXO_CANARY", testutil.Environment)
	const wall, slack = 100 * time.Millisecond, 15 * time.Second
	db := testutil.Open(t)
	runner := func(limits testutil.Both) *testutil.Runner {
		// No record: it would keep what programs send.
		g, err := exo.NewGate(exo.Config{Grants: testutil.Tenant(db, testutil.Acme), Limits: limits.Limits})
		if err != nil {
			t.Fatal(err)
		}
		e := inWorker(t, g, nil, limits.Bounds)
		return &testutil.Runner{Eval: e, Gate: g}
	}
	good := runner(testutil.Both{})
	if o := good.Run(t, "return (await org.first()).id"); o.JSON != "1" {
		t.Fatal(o)
	}
	before := resident(t)
	share := testutil.OneIn(t, 2) // of those that TestHostile runs in this process
	for _, h := range testutil.ReadHostile(t) {
		if !h.Fatal && !share.Next(h.File) {
			continue
		}
		r := runner(h.Within(wall))
		ctx, cancel := context.WithTimeout(t.Context(), slack)
		res := r.Eval.Run(ctx, exoeval.Job{Program: h.Program, Run: exo.Run{Clock: testutil.Start, Seed: 7}})
		late := ctx.Err() != nil
		cancel()
		o := testutil.Outcome{Result: res, Console: res.Console}
		if res.Err != nil {
			o.Kind, o.Message = fail.KindOf(res.Err), fail.GuestText(res.Err)
		} else if b, err := res.Value.AppendJSON(nil); err == nil {
			o.JSON = string(b)
		}
		switch {
		case late:
			t.Errorf("testdata/hostile/%s:%d: no verdict within %v", h.File, h.Line, slack)
		case o.Kind == fail.Crashed && worker.RaceFactor > 1: // the detector runs out of addresses before the worker runs out of memory
		case o.Kind == fail.Limit && h.Fatal: // whatever else it may end with on a slower machine
		default:
			if p := h.Judge(o); p != "" {
				t.Errorf("testdata/hostile/%s:%d: %s", h.File, h.Line, p)
			}
		}
		now := resident(t)
		if now > before+grown { // 500 calls of 200 KB may be here until they are collected
			debug.FreeOSMemory()
			now = resident(t)
		}
		if now > before+grown {
			t.Fatalf("testdata/hostile/%s:%d: this process grew from %d to %d MiB", h.File, h.Line, before>>20, now>>20)
		}
	}
	if o := good.Run(t, "return (await org.first()).id"); o.JSON != "1" {
		t.Errorf("the next program gets %s", o)
	}
}

// grown is how much more memory the host may have: the race detector keeps
// several bytes for each of its own.
var grown = 40 << 20 * worker.RaceFactor

// resident is the memory of this process in bytes.
func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.Fields(string(b))[1])
	if err != nil {
		t.Fatal(err)
	}
	return n * os.Getpagesize()
}
