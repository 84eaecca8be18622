package worker_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// ends are programs whose processes end in ways that only the kernel saw.
var ends = []struct {
	program string
	kind    fail.Kind
	event   worker.Event
}{
	{"'a'.repeat(2**36)", fail.Limit, worker.OutOfMemory},
	{"let a = []; a.length = 2**32-1; a.reverse(); return 1", fail.Limit, worker.OutOfTime},
	{"!open", fail.Breach, worker.PolicyBreach},
	{"!nothing", fail.Breach, worker.ProtocolBreach},
	{"!no such attack", fail.Crashed, worker.EngineFailed},
	{"throw 1", fail.Program, worker.NoEvent},
}

// How a worker ended is known to a host that ignores SIGCHLD, which lets the
// kernel wait for its children, and to one that waits for all of them itself. The
// test binary is started again, since both are of a whole process.
func TestExitsThatOthersTake(t *testing.T) {
	switch os.Getenv("EXITS") {
	case "":
		for _, how := range []string{"left alone", "ignored", "taken"} {
			cmd := exec.Command(os.Args[0], "-test.run=^TestExitsThatOthersTake$", "-test.v")
			cmd.Env = append(os.Environ(), "EXITS="+how)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "all seen") {
				t.Errorf("%s: %v\n%s", how, err, out)
			}
		}
		return
	case "ignored":
		signal.Ignore(syscall.SIGCHLD)
	case "taken":
		go func() {
			for {
				if pid, _ := syscall.Wait4(-1, nil, 0, nil); pid <= 0 {
					time.Sleep(100 * time.Microsecond)
				}
			}
		}()
	}
	if r, w, err := os.Pipe(); err == nil { // the runtime's poller comes with the first
		r.Close()
		w.Close()
	}
	files := openFiles(t)
	p := newPool(t, worker.PoolOptions{Workers: 2})
	e := evaluator(t, &shop{}, exoeval.Bounds{Wall: 400 * time.Millisecond}, p)
	for _, c := range ends {
		r := run(t, e, c.program)
		if r.Err != nil && fail.KindOf(r.Err) == fail.Breach && strings.Contains(r.Err.Error(), "was lost") {
			if kernel(t) >= 6_015 {
				t.Errorf("%s: %v", c.program, r.Err)
			}
			continue // an older one does not tell, and what is lost must not be taken for less
		}
		if r.Err == nil || fail.KindOf(r.Err) != c.kind || event(r) != c.event {
			t.Errorf("%s: %v", c.program, r.Err)
		}
	}
	p.Close()
	n := openFiles(t)
	for begin := time.Now(); n > files && time.Since(begin) < 20*time.Second; n = openFiles(t) { // beside other load the last one closes late
		time.Sleep(10 * time.Millisecond)
	}
	if n > files {
		t.Errorf("%d open files, %d before", n, files)
	}
	t.Log("all seen")
}

// kernel is its version, as 6015 for 6.15.
func kernel(t *testing.T) int {
	b, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(b), "%d.%d", &major, &minor); err != nil {
		t.Fatal(err)
	}
	return major*1000 + minor
}

// Where the exit was lost, what was said decides, and silence is no accident.
func TestLostExits(t *testing.T) {
	for said, want := range map[string]worker.Event{
		"":                           worker.PolicyBreach,
		"worker: out of memory\n":    worker.OutOfMemory,
		"fatal error: out of memory": worker.OutOfMemory,
		"panic: index out of range":  worker.EngineFailed,
	} {
		if d := worker.ClassifyLost(said); d.Event != want {
			t.Errorf("%q: %v", said, d)
		}
	}
}

// That its processor time was used up is believed of a process only where its runtime is told so.
func TestToldExit(t *testing.T) {
	for told, want := range map[bool]worker.Event{true: worker.OutOfCPU, false: worker.EngineFailed} {
		if d := worker.ClassifyExit("SIGXCPU: CPU time limit exceeded", told); d.Event != want {
			t.Errorf("told %v: %v", told, d)
		}
	}
}

// A process whose first thread has ended shows none of its memory.
func TestHiddenMemory(t *testing.T) {
	e := evaluator(t, &shop{}, exoeval.Bounds{Wall: 5 * time.Second, Total: 20 * time.Second}, nil)
	r := run(t, e, "!first thread ends")
	if fail.KindOf(r.Err) != fail.Breach || event(r) != worker.PolicyBreach {
		t.Errorf("%v", r.Err)
	}
	// What is ending looks the same for a moment, and is not blamed for it.
	for range 20 {
		if r := run(t, e, "'a'.repeat(2**36)"); event(r) != worker.OutOfMemory {
			t.Errorf("%v", r.Err)
		}
	}
}

// A worker that others kill, like the kernel for want of memory, has crashed. It is no breach, even where the host is so busy that it notices late.
func TestKilledByOthers(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Workers: 1, Idle: 1})
	var pid int
	g, err := exo.NewGate(exo.Config{Record: exo.Unrecorded, Grants: map[string]exo.Object{"shop": &shop{}}, Console: func(exo.Line) {
		syscall.Kill(pid, syscall.SIGKILL)
		time.Sleep(200 * time.Millisecond)
	}})
	if err != nil {
		t.Fatal(err)
	}
	e := inWorker(t, g, p)
	for range 3 {
		if r := run(t, e, "1"); r.Err != nil {
			t.Fatal(r.Err)
		}
		for ids := p.IdlePIDs(); ; ids = p.IdlePIDs() {
			if len(ids) == 1 {
				pid = ids[0]
				break
			}
			time.Sleep(time.Millisecond)
		}
		if r := run(t, e, "console.log(1); for (;;) {}"); fail.KindOf(r.Err) != fail.Crashed {
			t.Errorf("it is told %v", r.Err)
		}
	}
}
