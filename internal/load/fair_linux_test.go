package load_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestHostilePrincipal: one principal sends loops without an end, many at once and all the time. No program of the 63 others is refused or fails, and what
// the one sends beyond its share is refused to it alone. It prints how long programs take with that principal and without it.
func TestHostilePrincipal(t *testing.T) {
	tu.NotQuick(t)
	each := tu.Amount(1, 30)
	w := newWorld(t, tu.SQLite)
	p, err := worker.NewPool(worker.PoolOptions{Workers: 4, Queue: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	tools := make([]*codemode.Tool, principals)
	for i := range tools {
		tools[i] = w.reader(t, i, p, 5*time.Second)
	}
	tools[0] = w.reader(t, 0, p, 50*time.Millisecond)
	for _, hostile := range []bool{false, true} {
		over := make(chan struct{})
		var one, others sync.WaitGroup
		var mu sync.Mutex
		ended := map[bool]int{} // of the hostile principal; true: it was refused before it began
		for n := 0; hostile && n < 24; n++ {
			one.Go(func() {
				for {
					select {
					case <-over:
						return
					default:
					}
					r := tools[0].Run(t.Context(), "for (;;) {}")
					mu.Lock()
					ended[errors.Is(r.Err, worker.ErrNotRun)]++
					if fail.KindOf(r.Err) != fail.Limit {
						t.Errorf("the hostile principal: %v", r.Err)
					}
					mu.Unlock()
					time.Sleep(time.Millisecond)
				}
			})
		}
		var took []time.Duration
		begin := time.Now()
		for _, tool := range tools[1:] {
			others.Go(func() {
				for range each {
					r := tool.Run(t.Context(), programs[0].text)
					mu.Lock()
					took = append(took, r.Took)
					mu.Unlock()
					if r.Err != nil {
						t.Errorf("hostile %v: an honest program: %v", hostile, r.Err)
					}
				}
			})
		}
		others.Wait()
		rate := float64(len(took)) / time.Since(begin).Seconds()
		close(over)
		one.Wait()
		slices.Sort(took)
		t.Logf("hostile %v: %.0f honest programs a second, median %v, p99 %v; of the one %d were refused and %d run", hostile, rate,
			took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond), ended[true], ended[false])
		if hostile && (ended[true] == 0 || ended[false] == 0) {
			t.Errorf("of the hostile principal some are to be refused and some to run: %v", ended)
		}
	}
}

// reader makes the tool of a principal that only reads, with nothing on record.
func (w *world) reader(t *testing.T, i int, how exoeval.Evaluator, wall time.Duration) *codemode.Tool {
	t.Helper()
	tool, err := codemode.New(w.grants(i), &codemode.Options{Principal: principal(i), Evaluator: how, Record: exo.Unrecorded, Bounds: exoeval.Bounds{Wall: wall, Total: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestRate prints how many programs a second run in processes of their own, in processes that serve several, and in the host's, on both engines.
func TestRate(t *testing.T) {
	tu.NotQuick(t)
	runs := tu.Amount(60, 2000)
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		w := newWorld(t, e)
		for _, way := range []struct {
			name string
			how  exoeval.Evaluator
		}{{"fresh", w.pools[0]}, {"reused", w.pools[1]}, {"in process", exoeval.InProcess{}}} {
			tools := make([]*codemode.Tool, 8)
			for i := range tools {
				tools[i] = w.reader(t, i, way.how, 5*time.Second)
			}
			next := make(chan int, runs)
			for n := range runs {
				next <- n
			}
			close(next)
			var wg sync.WaitGroup
			begin := time.Now()
			for _, tool := range tools {
				wg.Go(func() {
					for range next {
						if r := tool.Run(t.Context(), programs[0].text); r.Err != nil {
							t.Error(r.Err)
						}
					}
				})
			}
			wg.Wait()
			t.Logf("%s: %.0f programs a second", way.name, float64(runs)/time.Since(begin).Seconds())
		}
	})
}
