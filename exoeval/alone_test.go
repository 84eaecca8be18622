package exoeval_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil"
)

const alone = "EXO_TEST_ALONE" // the number of the section that a child runs

// TestHostileAlone runs what ends a process in a process of its own, which has
// nothing but the evaluator of this package round it, and records what happens:
// it is the twin of a run in a worker. Most of them end an unprotected host, grow
// in it, or go on after their time; those that end in time do it as the corpus
// says, on a machine that has the memory. EXO_LONG runs all; otherwise every tenth.
func TestHostileAlone(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	all := testutil.ReadHostile(t)
	if n, err := strconv.Atoi(os.Getenv(alone)); err == nil {
		r := testutil.As(t, testutil.Open(t), testutil.Acme, exoeval.Bounds{Wall: 200 * time.Millisecond, Total: 20 * time.Second})
		o := r.Run(t, all[n].Program)
		fmt.Printf("\nENDED %s\n", all[n].Judge(o))
		return
	}
	slots, wait := make(chan bool, 2), sync.WaitGroup{}
	fatal, dangerous := 0, 0
	var mu sync.Mutex
	for i, h := range all {
		if !h.Fatal {
			continue
		}
		if fatal++; !testutil.Long() && fatal%10 != 0 {
			continue
		}
		slots <- true
		wait.Go(func() {
			defer func() { <-slots }()
			how := runAlone(t, i)
			mu.Lock()
			defer mu.Unlock()
			t.Logf("%s: %s: %s", h.File, h.Title, how)
			if strings.HasPrefix(how, "ended") {
				if !strings.HasSuffix(how, "ended in time: ") {
					t.Errorf("%s:%d: %s", h.File, h.Line, how)
				}
				return
			}
			dangerous++
		})
	}
	wait.Wait()
	if fatal < 100 || dangerous < 3 {
		t.Errorf("of %d programs %d were a danger", fatal, dangerous)
	}
}

// runAlone runs a section in a child until it ends, takes a second more than its
// time, or 400 MiB.
func runAlone(t *testing.T, n int) string {
	cmd := exec.Command(os.Args[0], "-test.run=^TestHostileAlone$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", alone, n))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return ""
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for begin := time.Now(); ; {
		select {
		case <-done:
			if _, verdict, ok := strings.Cut(out.String(), "\nENDED "); ok {
				verdict, _, _ = strings.Cut(verdict, "\n")
				return "ended in time: " + verdict
			}
			for _, s := range []string{"out of memory", "stack exceeds", "cannot allocate"} {
				if strings.Contains(out.String(), s) {
					return "killed the process: " + s
				}
			}
			return "killed the process: " + out.String()[:min(200, out.Len())]
		case <-time.After(10 * time.Millisecond):
		}
		how := ""
		if time.Since(begin) > 1500*time.Millisecond {
			how = "went on after its time"
		} else if m := resident(cmd.Process.Pid); m > 400<<20 {
			how = "took more than 400 MiB"
		}
		if how != "" {
			_ = cmd.Process.Kill()
			<-done
			return how
		}
	}
}

// resident is the memory of a process in bytes, 0 where that can't be known.
func resident(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(fields[1])
	return n * os.Getpagesize()
}
