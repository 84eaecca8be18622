package worker_test

import (
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// What a program used is seen from outside, whether it ended well or was ended.
func TestUsed(t *testing.T) {
	e := evaluator(t, &shop{}, exo.Limits{}, nil)
	little := run(t, e, "1 + 1").Used
	if little.CPU <= 0 || little.CPU > 10*time.Second || little.Memory < 0 {
		t.Errorf("1 + 1 used %+v", little)
	}
	const mib = 1 << 20
	// It goes on for long enough to be looked at on a busy machine.
	if r := run(t, e, "const a = 'x'.repeat(1000000); const l = []; for (let i = 0; i < 20; i++) l.push(a + i); let n = 0; for (let i = 0; i < 3000000; i++) n += i; return [l.length, n]"); r.Err != nil || r.Used.Memory < 15*mib || r.Used.Memory > 200*mib*int64(worker.RaceFactor) {
		t.Errorf("twenty texts of a megabyte used %+v, %v", r.Used, r.Err)
	}
	e = evaluator(t, &shop{}, exoeval.Bounds{Wall: 300 * time.Millisecond}, nil)
	if r := run(t, e, "for (;;) {}"); r.Err == nil || r.Used.CPU < 50*time.Millisecond {
		t.Errorf("a loop until the end of its time used %+v, %v", r.Used, r.Err)
	}
	if r := run(t, e, "let a = [1]; a.length = 2**32-1; return a.indexOf(7)"); r.Err == nil || r.Used.CPU < 50*time.Millisecond {
		t.Errorf("a native loop used %+v, %v", r.Used, r.Err)
	}
	if r := run(t, e, "{"); r.Err == nil || r.Used.CPU > 10*time.Second {
		t.Errorf("what does not parse used %+v", r.Used)
	}
}
