package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

// reusing is a pool whose processes run many programs.
func reusing(t testing.TB) *worker.Pool {
	return newPool(t, worker.PoolOptions{Workers: 4, Idle: 1, Reuse: worker.Reuse{Programs: 1000, Within: time.Hour}})
}

// as runs a program on behalf of a principal.
func as(t *testing.T, e exoeval.Runner, who exo.Principal, program string) *exoeval.RunResult {
	t.Helper()
	r := e.Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{Seed: 1, Principal: who}})
	if r.Err != nil {
		t.Fatalf("%s: %v", program, r.Err)
	}
	return r
}

// look is what code that took a process over finds there: what it planted, the goroutines and
// the heap.
func look(t *testing.T, e exoeval.Runner, who exo.Principal) (planted, goroutines, heap int) {
	t.Helper()
	r := as(t, e, who, "!'look'")
	if _, err := fmt.Sscan(r.Console, &planted, &goroutines, &heap); err != nil {
		t.Fatalf("%q: %v", r.Console, err)
	}
	return planted, goroutines, heap
}

// Code that took a process over meets the programs of its own tool and principal there, and
// no others: not those of another principal, nor of another tool of the same declarations, which
// may be another user's.
func TestReuseOwner(t *testing.T) {
	p := reusing(t)
	s := &shop{}
	one, other := evaluator(t, s, exo.Limits{}, p), evaluator(t, s, exo.Limits{}, p)
	as(t, one, "ann", "!'plant'")
	if n := p.Stats().Kept; n != 1 {
		t.Fatalf("%d processes are kept", n)
	}
	for name, of := range map[string]struct {
		tool exoeval.Runner
		who  exo.Principal
	}{"another principal": {one, "bob"}, "no principal": {one, ""}, "another tool": {other, "ann"}} {
		if n, _, _ := look(t, of.tool, of.who); n != 0 {
			t.Errorf("%s: what ann's program left is there", name)
		}
	}
	if n, _, _ := look(t, one, "ann"); n != 1 { // the twin
		t.Errorf("ann's next program: %d", n)
	}
}

// A process that met anything but the end of an honest program serves no other.
func TestReuseEnds(t *testing.T) {
	p := reusing(t)
	s := &shop{}
	e := evaluator(t, s, testutil.Both{Limits: exo.Limits{Calls: 3}, Bounds: exoeval.Bounds{Wall: time.Second}}, p)
	job := func(program string) exoeval.Job { return exoeval.Job{Program: program, Run: exo.Run{Seed: 1}} }
	unrendered := job("1")
	unrendered.Render = func(value.Value) error { return fail.Errorf(fail.Limit, "", "too large") }
	panicked := job("1")
	panicked.Render = func(value.Value) error { panic("of the host") }
	for _, c := range []struct {
		name string
		job  exoeval.Job
		kept bool
	}{
		{"a result", job("1 + 1"), true},
		{"calls", job("await shop.echo(1); return shop.rows()"), true},
		{"a mistake", job("null.x"), true},
		{"no program", job("{{"), true},
		{"a failure that was caught", job("try { await shop.fail() } catch {}"), true},
		{"a limit of calls", job("for (let i = 0; i < 9; i++) await shop.echo(i)"), false},
		{"a limit that was caught", job("for (let i = 0; i < 9; i++) try { await shop.echo(i) } catch {}"), false},
		{"a loop", job("for (;;) {}"), false},
		{"depth", job("const f = () => f() + 1; return f()"), false},
		{"memory", job("'a'.repeat(2**36)"), false},
		{"a panic of the engine", job("'a'.repeat(2**53)"), false},
		{"a crash", job("!no such attack"), false},
		{"a breach", job("!nothing"), false},
		{"a system call", job("!open"), false},
		{"a failure of the host", job("await shop.fail()"), false},
		{"a label", job("await shop.secret()"), false},
		{"a label that is not returned", job("await shop.secret(); return 1"), false},
		{"a result too large", unrendered, false},
		{"a panic of the host", panicked, false},
		{"a call without an answer", job("!ends with open calls"), false},
		{"memory that it keeps", job("!'hoard'"), false},
	} {
		run(t, e, "1")
		before := p.KeptPIDs()
		if len(before) != 1 {
			t.Fatalf("%s: %v are kept before", c.name, before)
		}
		func() {
			defer func() { _ = recover() }()
			e.Run(t.Context(), c.job)
		}()
		after := p.KeptPIDs()
		if kept := slices.Equal(after, before); kept != c.kept {
			t.Errorf("%s: %v were kept before, %v after", c.name, before, after)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	e.Run(ctx, job("await shop.wait()"))
	if pids := p.KeptPIDs(); len(pids) != 0 {
		t.Errorf("cancelled: %v are kept", pids)
	}
}

// What was written from data with a label meets no process that has served a program, or will.
func TestReuseLabelled(t *testing.T) {
	p := reusing(t)
	secret := value.NewLabel("secret")
	g, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"shop": &shop{}}, Record: exo.Unrecorded, Admits: secret})
	if err != nil {
		t.Fatal(err)
	}
	e := inWorker(t, g, p)
	as(t, e, "", "!'plant'")
	before := p.KeptPIDs()
	r := e.Run(t.Context(), exoeval.Job{Program: "!'look'", Run: exo.Run{Label: secret}})
	if r.Err != nil || !strings.HasPrefix(r.Console, "0 ") || len(before) != 1 || !slices.Equal(p.KeptPIDs(), before) {
		t.Errorf("%q %v; %v were kept, then %v", r.Console, r.Err, before, p.KeptPIDs())
	}
}

// What waits for the next program stands still, and is ended when its time is over or its
// programs are used up.
func TestReuseBounds(t *testing.T) {
	left := closing(t)
	p := newPool(t, worker.PoolOptions{Workers: 4, Reuse: worker.Reuse{Programs: 3, Within: time.Hour, Kept: 2}})
	e := evaluator(t, &shop{}, exo.Limits{}, p)
	var pids []int
	for range 7 {
		as(t, e, "", "1")
		pids = append(pids, append(p.KeptPIDs(), 0)[0])
	}
	if pids[0] != pids[1] || pids[2] != 0 || pids[3] == pids[0] || pids[3] != pids[4] || pids[5] != 0 || pids[6] == 0 {
		t.Errorf("three programs each: %v", pids)
	}
	for _, who := range []exo.Principal{"a", "b", "c"} {
		as(t, e, who, "1")
	}
	if now := p.KeptPIDs(); len(now) != 2 || slices.Contains(now, pids[6]) {
		t.Errorf("two are kept, those that were used last: %v of %v", now, pids)
	}
	as(t, e, "d", "!'spin'")
	before := p.KeptPIDs()
	for until := time.Now().Add(5 * time.Second); !slices.Equal(stopped(t), slices.Sorted(slices.Values(before))); time.Sleep(time.Millisecond) {
		if time.Now().After(until) { // a signal takes its time on a busy machine
			t.Fatalf("%v are kept, %v stand still", before, stopped(t))
		}
	}
	p.Close()
	p = newPool(t, worker.PoolOptions{Workers: 4, Reuse: worker.Reuse{Programs: 9, Within: 300 * time.Millisecond}})
	e = evaluator(t, &shop{}, exo.Limits{}, p)
	as(t, e, "", "1")
	for p.Stats().Kept != 0 { // the test's own time bounds it
		time.Sleep(time.Millisecond)
	}
	p.Close()
	left()
}

// Between two programs code that took the process over computes nothing.
func TestReuseStandsStill(t *testing.T) {
	p := reusing(t)
	e := evaluator(t, &shop{}, exo.Limits{}, p)
	as(t, e, "", "!'spin'")
	before := p.KeptCPU()
	time.Sleep(150 * time.Millisecond)
	if after := p.KeptCPU(); after-before > 20*time.Millisecond {
		t.Errorf("it computed for %v", after-before)
	}
	pid := p.KeptPIDs()[0]
	if err := proceedPID(pid); err != nil { // somebody else has it go on
		t.Fatal(err)
	}
	for p.KeptCPU()-before < 200*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
	as(t, e, "", "1")
	if slices.Contains(p.KeptPIDs(), pid) {
		t.Error("a process that computed between programs got another one")
	}
}

// What a worker sends behind the end of its program is of no program.
func TestReuseSilence(t *testing.T) {
	for _, attack := range []string{"!ends and acts", "!ends and acts later"} {
		p := reusing(t)
		s := &shop{}
		e := evaluator(t, s, exo.Limits{}, p)
		as(t, e, "", attack)
		if len(p.KeptPIDs()) != 1 {
			t.Fatalf("%s: it was not kept, so this shows nothing", attack)
		}
		if r := run(t, e, "1 + 1"); r.Err != nil || r.Value.Int() != 2 || s.acts.Load() != 0 {
			t.Errorf("%s: the next program: %v %v, %d effects", attack, r.Value, r.Err, s.acts.Load())
		}
	}
}

// roomy keeps a process, also where the race detector makes it grow.
var roomy = exoeval.Bounds{Memory: 512 << 20 * worker.RaceFactor, Wall: time.Minute, CPU: time.Minute, Total: time.Minute}

// polluters leave what they can in the engine; each is followed by a program that looks for it.
var polluters = []string{
	"const p = Object.getPrototypeOf; p([]).map = () => 'mine'; p({}).left = 1; p('').trim = () => 'mine'; Math.max = () => 7; return 1",
	"Object.assign(Object.getPrototypeOf(async () => {}), { left: 1 }); Object.assign(Object.getPrototypeOf(function* () {}), { left: 1 })",
	"JSON.stringify = () => 'mine'; JSON.left = 1; Promise['proto' + 'type'].then = () => 'mine'; return 1",
	"Symbol.for('left'); Object.getPrototypeOf(Symbol('x')).left = 1; const r = /a/g; r.exec('aa'); Object.getPrototypeOf(r).left = 1",
	"Date.now = () => 1; Object.getPrototypeOf(new Date()).left = 1; Math.random(); Math.random()",
	"const keep = []; for (let i = 0; i < 9; i++) keep.push(new Promise(() => {}).then(() => { keep.length = 0 })); Promise.all(keep); return 1",
	"shop.echo(1).then(() => { throw new Error('late') }).catch(() => {})",
	"Object.getPrototypeOf(new Error()).left = 1; class E extends Error {}; throw new E('x')",
	"function* g() { yield 1; throw 1 }; const i = g(); i.next(); Object.getPrototypeOf(Object.getPrototypeOf(i)).left = 1",
	"console.left = 1; console.log('left'); new WeakMap().set({}, 1); structuredClone({ left: 1 })",
	"let left = 1; var left2 = 2; function left3() {}; [left, left2, left3].length",
}

const looks = `const p = Object.getPrototypeOf, found = [];
for (const [name, x] of Object.entries({ object: p({}), array: p([]), text: p(''), symbol: p(Symbol('x')), date: p(new Date()), error: p(new Error()), math: Math, json: JSON, pattern: p(/a/g), async: p(async () => {}), generator: p(function* () {}), iterator: p(p((function* () {})())), console }))
  if (x.left !== undefined) found.push(name);
const calls = await Promise.all([shop.echo(1), shop.echo(2)]);
return [found, [1].map((x) => x + 1), ' a '.trim(), Math.max(1, 2), JSON.stringify({ a: 1 }), Math.random(), Date.now(), /a/g.lastIndex, calls]`

// A program finds nothing in the engine that the one before it left in the same process.
func TestReuseApart(t *testing.T) {
	p := reusing(t)
	e := evaluator(t, &shop{}, roomy, p)
	job := func(program string) exoeval.Job {
		return exoeval.Job{Program: program, Run: exo.Run{Seed: 1, Clock: testutil.Start}}
	}
	fresh := evaluator(t, &shop{}, exo.Limits{}, nil).Run(t.Context(), job(looks))
	if fresh.Err != nil {
		t.Fatal(fresh.Err)
	}
	want := told(fresh)
	pids := map[int]bool{}
	for _, polluter := range polluters {
		if r := e.Run(t.Context(), job(polluter)); r.Err != nil && !strings.Contains(polluter, "throw") {
			t.Errorf("%s: %v: it leaves nothing", polluter, r.Err)
		}
		pids[append(p.KeptPIDs(), 0)[0]] = true
		if got := told(e.Run(t.Context(), job(looks))); got != want {
			t.Errorf("after %s\n%s\nwant %s", polluter, got, want)
		}
	}
	if len(pids) != 1 {
		t.Errorf("in %d processes", len(pids))
	}
}

// Of many programs that leave what they can nothing adds up in their process.
func TestReuseLeaves(t *testing.T) {
	p := reusing(t)
	e := evaluator(t, &shop{}, roomy, p)
	round := func() {
		for _, polluter := range append(slices.Clone(polluters), "const a = []; for (let i = 0; i < 2e4; i++) a.push({ i }); return a.length", "const f = (n) => n ? f(n - 1) : 0; return f(300)") {
			run(t, e, polluter)
		}
	}
	counts := func() (pid, goroutines, heap, files, threads int) {
		_, goroutines, heap = look(t, e, "")
		pid = p.KeptPIDs()[0]
		for name, n := range map[string]*int{"fd": &files, "task": &threads} {
			all, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			*n = len(all)
		}
		return pid, goroutines, heap, files, threads
	}
	for range 3 {
		round()
	}
	pid1, goroutines1, heap1, files1, threads1 := counts()
	for range 20 {
		round()
	}
	pid2, goroutines2, heap2, files2, threads2 := counts()
	if pid1 != pid2 {
		t.Fatal("it was another process")
	}
	if goroutines2 > goroutines1 || files2 != files1 || threads2 > threads1+2 || heap2 > heap1+256<<10 {
		t.Errorf("goroutines %d → %d, files %d → %d, threads %d → %d, heap %d → %d", goroutines1, goroutines2, files1, files2, threads1, threads2, heap1, heap2)
	}
}

// The limits of a program are those of the first in its process: what the others used does not count,
// and does not help.
func TestReuseLimits(t *testing.T) {
	p := reusing(t)
	e := evaluator(t, &shop{}, exoeval.Bounds{CPU: time.Second * time.Duration(worker.RaceFactor), Wall: time.Minute, Total: time.Minute}, p)
	const large = "const a = 'x'.repeat(1000000); const l = []; for (let i = 0; i < 30; i++) l.push(a + i); return l.length"
	pids := map[int]bool{}
	for range 6 {
		if r := run(t, e, large); r.Err != nil {
			t.Errorf("30 MB of 64 MiB: %v", r.Err)
		}
		pids[append(p.KeptPIDs(), 0)[0]] = true
	}
	if len(pids) > 2 && worker.RaceFactor == 1 { // a busy machine may keep the collector from its work
		t.Errorf("in %d processes", len(pids))
	}
	if r := run(t, e, "const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)"); fail.KindOf(r.Err) != fail.Limit || event(r) != worker.OutOfMemory {
		t.Errorf("memory: %v", r.Err)
	}
	for range 3 {
		run(t, e, "let n = 0; for (let i = 0; i < 1e6; i++) n += i; return n")
	}
	if r := run(t, e, "let a = [1]; a.length = 2**32-1; shop.wait(); return a.indexOf(7)"); fail.KindOf(r.Err) != fail.Limit || event(r) != worker.OutOfCPU {
		t.Errorf("processor time: %v", r.Err)
	}
}

// What says half of it, or nothing that could be meant, is refused.
func TestReuseOptions(t *testing.T) {
	for _, u := range []worker.Reuse{{Programs: 5}, {Within: time.Second}, {Programs: 1, Within: time.Second}, {Programs: -1, Within: time.Second}, {Programs: 5, Within: -1}, {Programs: 5, Within: 1, Kept: -1}, {Kept: 3}} {
		var e *fail.Error
		if p, err := worker.NewPool(worker.PoolOptions{Reuse: u}); err == nil || p != nil || !errors.As(err, &e) || e.Kind != fail.Invalid {
			t.Errorf("%+v: %v", u, err)
		}
	}
	p := newPool(t, worker.PoolOptions{})
	e := evaluator(t, &shop{}, exo.Limits{}, p)
	for range 3 {
		as(t, e, "ann", "!'plant'")
		if n, _, _ := look(t, e, "ann"); n != 0 || p.Stats().Kept != 0 {
			t.Error("without Reuse a process ran a second program")
		}
	}
}

func proceedPID(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Signal(unix.SIGCONT)
}
