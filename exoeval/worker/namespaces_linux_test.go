package worker_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// Namespaces are there where they are asked for and the system gives them, and
// what is said of them is what the kernel shows.
func TestNamespaces(t *testing.T) {
	for _, ask := range []bool{false, true} {
		left := closing(t)
		p := newPool(t, worker.PoolOptions{Workers: 2, Idle: 1, Namespaces: ask})
		e := evaluator(t, &shop{}, exoeval.Bounds{Wall: 300 * time.Millisecond}, p)
		walls, err := p.Isolation(t.Context())
		if err != nil || !walls.Has(worker.Strong) || !ask && walls.Has(worker.Namespaces) {
			t.Fatalf("asked %v: %v %v", ask, walls, err)
		}
		t.Logf("asked %v: %v", ask, walls)
		pids := p.IdlePIDs()
		if len(pids) != 1 {
			t.Fatalf("idle: %v", pids)
		}
		for _, name := range []string{"user", "net", "ipc", "mnt", "uts"} {
			ours, err := os.Readlink("/proc/self/ns/" + name)
			if err != nil {
				t.Fatal(err)
			}
			its, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pids[0], name))
			if err != nil {
				t.Fatal(err)
			}
			if walls.Has(worker.Namespaces) != (ours != its) {
				t.Errorf("asked %v, have %v: %s is %s, ours %s", ask, walls, name, its, ours)
			}
		}
		// All else is as it was.
		if r := run(t, e, "1 + 1"); r.Err != nil || r.Value.Int() != 2 {
			t.Errorf("asked %v: %v %v", ask, r.Value, r.Err)
		}
		if r := run(t, e, "!open"); event(r) != worker.PolicyBreach {
			t.Errorf("asked %v: %v", ask, r.Err)
		}
		if r := run(t, e, "let a = []; a.length = 2**32-1; a.reverse(); return 1"); event(r) != worker.OutOfTime {
			t.Errorf("asked %v: %v", ask, r.Err)
		}
		p.Close()
		left()
	}
}
