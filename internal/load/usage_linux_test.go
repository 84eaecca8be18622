package load_test

// This file measures what the process and its workers hold.

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// usage is what the process and its workers hold while no program runs. Sizes are in KiB.
type usage struct {
	Heap, Resident, Worker int // Worker is the resident memory of the largest worker
	Files, Goroutines      int // Files counts open descriptors
	Temporary, Processes   int // Temporary counts files in TMPDIR
	Zombies, Sessions      int // Sessions counts those of the database's server
}

// usage waits until no program runs and no process starts or ends, and then measures.
func (l *load) usage(t *testing.T) (u usage) {
	t.Helper()
	end := time.Now().Add(time.Minute)
	for calm := 0; calm < 3; {
		time.Sleep(20 * time.Millisecond)
		calm++
		for _, p := range l.pools {
			if s := p.Stats(); s.Running+s.Waiting+s.Parked+s.Starting > 0 {
				if calm = 0; time.Now().After(end) {
					t.Fatalf("after a minute without a program: %+v", s)
				}
			}
		}
	}
	u.Heap = tu.LiveHeap() >> 10
	debug.FreeOSMemory()
	u.Resident = resident(os.Getpid())
	workers, dead, err := children()
	if err != nil {
		t.Fatal(err)
	}
	u.Processes, u.Zombies = len(workers), dead
	for _, pid := range workers {
		u.Worker = max(u.Worker, resident(pid))
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Error(err)
	}
	u.Files, u.Goroutines = len(open), runtime.NumGoroutine()
	_ = filepath.Walk(os.TempDir(), func(_ string, i os.FileInfo, err error) error {
		if err == nil && !i.IsDir() {
			u.Temporary++
		}
		return nil
	})
	if l.e.Name == tu.Postgres.Name {
		if err := tu.Admin(t, tu.Server(t)).QueryRow("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", l.app).Scan(&u.Sessions); err != nil {
			t.Error(err)
		}
	}
	return u
}

// compare refuses what grew since first, during so many runs. Pools of connections, and of goroutines that serve them, may be a little fuller; a leak in
// one run of a hundred shows in 10,000 runs.
func (u usage) compare(t *testing.T, first usage, runs int) {
	t.Helper()
	for _, c := range []struct {
		name            string
		now, was, spare int
	}{
		{"KiB of the heap", u.Heap, first.Heap, 4<<10 + runs/4}, // the record knows 65,536 runs, and the outbox what was sent in a day
		{"KiB of resident memory", u.Resident, first.Resident, 32 << 10},
		{"KiB of the largest worker", u.Worker, first.Worker, 16 << 10},
		{"open files", u.Files, first.Files, 30},
		{"goroutines", u.Goroutines, first.Goroutines, 30},
		{"temporary files", u.Temporary, first.Temporary, 0},
		{"processes", u.Processes, first.Processes, 12},
		{"sessions", u.Sessions, first.Sessions, 8},
		{"zombies", u.Zombies, first.Zombies, 12}, // a worker that is killed while it waits is found by the next program
	} {
		if c.now > c.was+c.spare {
			t.Errorf("%d %s, after half of the runs %d", c.now, c.name, c.was)
		}
	}
}

// children returns the workers of this process, and how many processes have ended and were not waited for.
func children() (workers []int, dead int, err error) {
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(tasks) == 0 {
		return nil, 0, fmt.Errorf("the system does not list children: %v", err)
	}
	for _, f := range tasks {
		b, _ := os.ReadFile(f)
		for _, pid := range strings.Fields(string(b)) {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil {
				continue // it was waited for meanwhile
			}
			if _, after, _ := bytes.Cut(stat, []byte(") ")); bytes.HasPrefix(after, []byte("Z")) {
				dead++
			} else if n, err := strconv.Atoi(pid); err == nil {
				workers = append(workers, n)
			}
		}
	}
	return workers, dead, nil
}

// killOne kills one worker, whatever it does, and returns how many that were.
func killOne() (int, error) {
	workers, _, err := children()
	if len(workers) == 0 || syscall.Kill(workers[rand.IntN(len(workers))], syscall.SIGKILL) != nil {
		return 0, err
	}
	return 1, nil
}

// resident returns the resident memory of a process in KiB.
func resident(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if f := strings.Fields(string(b)); len(f) > 1 {
		n, _ := strconv.Atoi(f[1])
		return n * os.Getpagesize() >> 10
	}
	return 0
}
