package web_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestCrowd: many players at once, half of what they send hostile. Nobody sees what
// is another's, nothing that was taken is lost, and in the end nothing is left: no
// goroutine, no process, no memory. With EXO_LONG it is 200 players for a minute.
func TestCrowd(t *testing.T) {
	tu.NotQuick(t)
	tu.NotRaced(t)
	players, rounds, least := 40, 1, time.Duration(0)
	if tu.Long() {
		players, rounds, least = 200, 1<<30, time.Minute
	}
	goroutines, before := runtime.NumGoroutine(), children(t) // the browser of other tests
	s := newSite(t, config{places: 4})
	s.arena.Game.Limits.Wall, s.arena.Game.Limits.CPU = 400*time.Millisecond, 300*time.Millisecond
	var programs []string
	for _, h := range tu.ReadHostile(t) {
		if len(h.Program) < 60<<10 {
			programs = append(programs, h.Program)
		}
	}
	programs = append(programs, "(api) => api.organization.members().manager().notes()", "for (;;) {}", "'a'.repeat(2**36)", "const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)")

	tr := &http.Transport{MaxIdleConnsPerHost: players}
	defer tr.CloseIdleConnections()
	var owners sync.Map // of keys
	var sent, hostile, slow, next atomic.Int64
	var memory []uint64
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range players {
		c := s.program()
		c.http = &http.Client{Transport: tr}
		wg.Go(func() {
			me := fmt.Sprintf("player-%d-", i)
			mine := map[string]bool{}
			for n := 0; n < rounds && (least == 0 || time.Since(begin) < least); n++ {
				v := c.play("wallet", game.Program, fmt.Sprintf("(api) => { console.log(%q); return api.currentUser.accounts().count() }", me))
				switch {
				case v.Verdict.Kind == "limit": // a busy machine
					slow.Add(1)
				case v.Console != me+"\n" || string(v.Result) != "3":
					t.Errorf("%s got %q, %s, %+v", me, v.Console, v.Result, v.Verdict)
				}
				p := programs[int(next.Add(1)*7)%len(programs)]
				v = c.play("notes", game.Program, p)
				hostile.Add(1)
				if v.Leaked || v.State != game.Ended || v.Verdict.Kind == "breach" {
					t.Errorf("%.200s: %+v", p, v.Verdict)
				}
				sent.Add(2)
				if n%4 == 0 {
					key := c.steal("notes", game.Notice)
					mine[key] = true
					sent.Add(1)
					if was, known := owners.LoadOrStore(key, me); known && was != me || len(mine) != 1 {
						t.Errorf("the key of %s is that of %v", me, was)
					}
				}
				for _, k := range keyForm.FindAllString(c.call("GET", "/api/v1/attempts/"+v.ID, nil, 200, nil).body+c.call("GET", "/api/v1/attempts", nil, 200, nil).body, -1) {
					if !mine[k] {
						t.Errorf("%s sees a key that is not its own", me)
					}
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { wg.Wait(); close(over) }()
	for running := true; running; {
		select {
		case <-over:
			running = false
		case <-time.After(500 * time.Millisecond):
		}
		memory = append(memory, inUse())
	}
	if t.Failed() {
		return
	}
	counters, err := s.arena.Store.Counters(t.Context())
	if err != nil || counters["attempts"] != sent.Load() || counters["players"] != int64(players) || counters["wins.program"] != 0 {
		t.Errorf("%d attempts were sent: %v %v", sent.Load(), counters, err)
	}
	if slow.Load() > hostile.Load()/2 {
		t.Errorf("%d of %d harmless programs ran into a limit", slow.Load(), hostile.Load())
	}
	if w, r := s.arena.Length(); w+r != 0 {
		t.Errorf("%d wait, %d run", w, r)
	}
	if n := s.arena.Game.Copies.Len(); n > 32 {
		t.Errorf("%d copies", n)
	}
	mid, last := memory[len(memory)/2], inUse()
	t.Logf("%d attempts of %d players in %v, %d hostile; memory %d MiB at half time, %d in the end, most %d", sent.Load(), players, time.Since(begin).Round(time.Millisecond), hostile.Load(), mid>>20, last>>20, most(memory)>>20)
	if most(memory) > 400<<20 || last > mid+64<<20 {
		t.Errorf("memory grows: %d MiB at half time, %d in the end, most %d", mid>>20, last>>20, most(memory)>>20)
	}
	tr.CloseIdleConnections()
	s.srv.Client().CloseIdleConnections()
	s.stop()
	for range 100 {
		if runtime.NumGoroutine() <= goroutines+2 && len(added(before, children(t))) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before; processes %v\n%s", runtime.NumGoroutine(), goroutines, added(before, children(t)), b[:runtime.Stack(b, true)])
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

func most(all []uint64) (n uint64) {
	for _, m := range all {
		n = max(n, m)
	}
	return n
}

// added are the processes that were not there before.
func added(before, now []string) []string {
	return slices.DeleteFunc(now, func(pid string) bool { return slices.Contains(before, pid) })
}

// children are the processes that this one has started and that are not gone.
func children(t *testing.T) (all []string) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(tasks) == 0 {
		t.Fatal("the system does not tell of children")
	}
	for _, f := range tasks {
		if b, err := os.ReadFile(f); err == nil {
			all = append(all, strings.Fields(string(b))...)
		}
	}
	return all
}
