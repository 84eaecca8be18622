package worker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

func TestIsolation(t *testing.T) {
	p := newPool(t, worker.PoolOptions{Require: worker.Strong})
	i, err := p.Isolation(t.Context())
	if err != nil || !i.Has(worker.Strong) {
		t.Fatalf("%v, %v: this system must give %v", i, err, worker.Strong)
	}
	if p, err := worker.NewPool(worker.PoolOptions{Require: 1 << 30}); err == nil || p != nil {
		t.Error("a wall that does not exist was not missed")
	}
}

// A process that was taken over can do nothing but end.
func TestSystemCalls(t *testing.T) {
	e := evaluator(t, &shop{}, exo.Limits{}, nil)
	for _, name := range worker.CallAttacks() {
		r := run(t, e, "!"+name)
		if fail.KindOf(r.Err) != fail.Breach || event(r) != worker.PolicyBreach {
			t.Errorf("%s: %v", name, r.Err)
		}
	}
	if r := run(t, e, "!0"); r.Err != nil { // the twin: threads of the runtime's own
		t.Errorf("threads: %v", r.Err)
	}
	if _, err := os.Stat("/tmp/exoagent-worker-was-here"); err == nil {
		t.Error("a worker wrote a file")
	}
}

// The filter knows the one way in which this version of Go makes threads.
func TestThreadFlags(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		src, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/runtime", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(src)
	}
	_, rest, _ := strings.Cut(read("os_linux.go"), "cloneFlags = ")
	rest, _, _ = strings.Cut(rest, "\n)")
	names := map[string]uint64{"VM": unix.CLONE_VM, "FS": unix.CLONE_FS, "FILES": unix.CLONE_FILES, "SIGHAND": unix.CLONE_SIGHAND, "SYSVSEM": unix.CLONE_SYSVSEM, "THREAD": unix.CLONE_THREAD}
	var flags uint64
	for _, m := range regexp.MustCompile(`_CLONE_(\w+)`).FindAllStringSubmatch(rest, -1) {
		if names[m[1]] == 0 {
			t.Errorf("the runtime uses CLONE_%s", m[1])
		}
		flags |= names[m[1]]
	}
	_, rest, _ = strings.Cut(read("sys_linux_"+runtime.GOARCH+".s"), "TEXT runtime·clone(SB)")
	rest, _, _ = strings.Cut(rest, "SYSCALL")
	for _, m := range regexp.MustCompile(`OR\w*\s+\$0x([0-9a-f]+), (?:DI|R0)`).FindAllStringSubmatch(rest, -1) {
		more, err := strconv.ParseUint(m[1], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		flags |= more
	}
	if flags != worker.ThreadFlags {
		t.Errorf("%#x, and the filter allows %#x", flags, worker.ThreadFlags)
	}
}

// What no worker sends is a breach, and never reaches the gate or the result.
func TestFrames(t *testing.T) {
	testutil.NotRaced(t)
	s := &shop{}
	e := evaluator(t, s, exo.Limits{}, nil)
	for _, name := range append(worker.FrameAttacks(), "hang up", "waits twice") {
		r := run(t, e, "!"+name)
		if fail.KindOf(r.Err) != fail.Breach || event(r) != worker.ProtocolBreach {
			t.Errorf("%s: %v %v", name, r.Value, r.Err)
		}
		if strings.Contains(fail.GuestText(r.Err), "frame") {
			t.Errorf("%s: the model reads %q", name, fail.GuestText(r.Err))
		}
	}
}

// killers end or stall the process that runs them.
var killers = []struct {
	name, program string
	kind          fail.Kind
	event         worker.Event
}{
	{"repeat", "'a'.repeat(2**36)", fail.Limit, worker.OutOfMemory},
	{"sort", "let a = [1]; a.length = 2**32-1; a.sort(); return 1", fail.Limit, worker.OutOfMemory},
	{"push", "const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)", fail.Limit, worker.OutOfMemory},
	{"double", "let s = 'ab'; for (;;) s = s + s + s.length", fail.Limit, worker.OutOfMemory},
	{"template", "let s = 'ab'; for (;;) s = `${s}${s}`", fail.Limit, worker.OutOfMemory},
	{"fill", "Array(1e9).fill(0).length", fail.Limit, worker.OutOfMemory},
	{"deep JSON", `JSON.parse('{"a":'.repeat(2e6) + '1' + '}'.repeat(2e6))`, fail.Limit, worker.OutOfMemory},
	{"split", "'x'.repeat(2**25).split('').length", fail.Limit, worker.OutOfMemory},
	{"replaceAll", "'x'.repeat(1e4).replaceAll('x', 'y'.repeat(1e6)).length", fail.Limit, worker.OutOfMemory},
	{"join", "new Array(2**32-1).join('')", fail.Limit, worker.OutOfTime},
	{"indexOf", "let a = [1]; a.length = 2**32-1; return a.indexOf(7)", fail.Limit, worker.OutOfTime},
	{"reverse", "let a = []; a.length = 2**32-1; a.reverse(); return 1", fail.Limit, worker.OutOfTime},
	{"regexp", "/^(a|aa)*b$/.test('a'.repeat(3e7))", fail.Limit, worker.OutOfTime},
	{"flat", "let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return String(a).length", fail.Limit, worker.OutOfTime},
	{"loop", "for (;;) {}", fail.Limit, worker.NoEvent}, // the engine's own interrupt, which knows the place
}

func TestKillers(t *testing.T) {
	const wall = 400 * time.Millisecond
	e := evaluator(t, &shop{}, exoeval.Bounds{Wall: wall}, nil)
	run(t, e, "1")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, c := range killers {
		begin := time.Now()
		r := run(t, e, c.program)
		took := time.Since(begin)
		if r.Err == nil || fail.KindOf(r.Err) != c.kind {
			t.Errorf("%s: %v %v", c.name, r.Value, r.Err)
			continue
		}
		// On a busy machine a program may use up its time before its memory; a limit it is.
		if got := event(r); got != c.event && got != worker.OutOfTime && !(strings.Contains(fail.GuestText(r.Err), "ran longer") || c.event == worker.OutOfTime && got == worker.OutOfMemory) {
			t.Errorf("%s: %v", c.name, r.Err)
		}
		if took > 20*wall {
			t.Errorf("%s took %v", c.name, took)
		}
		if !strings.Contains(fail.GuestText(r.Err), "64 MiB") && !strings.Contains(fail.GuestText(r.Err), wall.String()) {
			t.Errorf("%s does not say which limit: %q", c.name, fail.GuestText(r.Err))
		}
		t.Logf("%s: %v after %v", c.name, event(r), took)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > 40<<20 {
		t.Errorf("the host grew by %d MiB", grown>>20)
	}
	if r := run(t, e, "1 + 1"); r.Err != nil || r.Value.Int() != 2 {
		t.Errorf("after all of them: %v %v", r.Value, r.Err)
	}
}

// Processor time is counted apart: while a call is open the wall clock of the
// guest stands still, and a native loop does not.
func TestProcessorTime(t *testing.T) {
	e := evaluator(t, &shop{}, exoeval.Bounds{CPU: 150 * time.Millisecond, Wall: time.Minute, Total: 2 * time.Second}, nil)
	r := run(t, e, "let a = [1]; a.length = 2**32-1; shop.wait(); return a.indexOf(7)")
	if fail.KindOf(r.Err) != fail.Limit || event(r) != worker.OutOfCPU || !strings.Contains(fail.GuestText(r.Err), "150ms of processor time") {
		t.Errorf("%v", r.Err)
	}
}

// Waiting for the host costs a program nothing but the total.
func TestWaitingIsFree(t *testing.T) {
	e := evaluator(t, &shop{}, exoeval.Bounds{Wall: 150 * time.Millisecond}, nil)
	if r := run(t, e, "for (let i = 0; i < 15; i++) await shop.nap(); return 'done'"); r.Err != nil || r.Value.Text() != "done" {
		t.Errorf("%v %v", r.Value, r.Err)
	}
	e = evaluator(t, &shop{}, exoeval.Bounds{Total: 100 * time.Millisecond}, nil)
	if r := run(t, e, "await shop.wait()"); fail.KindOf(r.Err) != fail.Limit || !strings.Contains(fail.GuestText(r.Err), "100ms in all") {
		t.Errorf("%v", r.Err)
	}
}

// An engine that fails is told apart from a limit and from the program's own errors.
func TestCrash(t *testing.T) {
	e := evaluator(t, &shop{}, exo.Limits{}, nil)
	r := run(t, e, "!no such attack") // a panic outside the realm
	if fail.KindOf(r.Err) != fail.Crashed || event(r) != worker.EngineFailed {
		t.Errorf("%v", r.Err)
	}
	// goja's own panics are recovered in the worker and end the program only.
	if r := run(t, e, "'a'.repeat(2**53)"); r.Err == nil || event(r) != worker.NoEvent {
		t.Errorf("%v", r.Err)
	}
}
