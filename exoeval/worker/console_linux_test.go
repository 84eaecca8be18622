package worker_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// listener keeps what a host is told of a console.
type listener struct {
	mu   sync.Mutex
	said strings.Builder
}

func (l *listener) line(x exo.Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.WriteString(x.String() + "\n")
}

func (l *listener) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.said.Reset()
	return l.said.String()
}

// A process that was taken over has read a labelled value and says in a line, or with its
// end, that it was logged before: the host labels what it gets when it gets it.
func TestConsoleCantBeDatedBack(t *testing.T) {
	for _, c := range []struct {
		attack string
		admits value.Label
		kind   fail.Kind
		want   string
	}{
		{"!dates a line back", value.Label{}, fail.Denied, "honest\n"},
		{"!dates a line back", value.NewLabel("secret"), fail.Other, "honest\nbefore: s3cret\n"}, // the twin: it is the label
		{"!dates the console back", value.Label{}, fail.Denied, "honest\n"},                      // of the breach it is not even said
		{"!dates the console back", value.NewLabel("secret"), fail.Breach, "honest\n"},
	} {
		var told listener
		g, err := exo.NewGate(exo.Config{Record: exo.Unrecorded, Grants: map[string]exo.Object{"shop": &shop{}}, Admits: c.admits, Console: told.line})
		if err != nil {
			t.Fatal(err)
		}
		e := inWorker(t, g, nil)
		r := run(t, e, c.attack)
		if fail.KindOf(r.Err) != c.kind || r.Console != c.want || told.take() != c.want {
			t.Errorf("%s, admitted %v: %v\n%q, want %q", c.attack, c.admits, r.Err, r.Console, c.want)
		}
		if c.kind == fail.Denied && (strings.Contains(r.Err.Error()+r.Console, "s3cret") || !r.Value.IsZero()) {
			t.Errorf("%s: %v %v", c.attack, r.Value, r.Err)
		}
	}
}

// What a program logs is the same in process and in a worker, up to the last byte and for
// every end that it can come to.
func TestConsoleIsTheSame(t *testing.T) {
	limits := exo.Limits{ConsoleBytes: 1000, Calls: 20}
	for _, c := range []struct {
		what, program, want string
		kind                fail.Kind
	}{
		{"nothing", "return 1", "", fail.Other},
		{"levels", "console.log('a', 1, [2]); console.warn('b'); console.error('c'); console.info('d'); console.debug('e')", "a 1 [2]\nwarn: b\nerror: c\nd\ne\n", fail.Other},
		{"empties", "for (let i = 0; i < 5; i++) console.log()", "\n\n\n\n\n", fail.Other},
		{"many empties", "for (let i = 0; i < 1e5; i++) console.log()", strings.Repeat("\n", 1000) + "\n… the console is full: the limit is 1000 bytes", fail.Other},
		{"exactly full", "console.log('x'.repeat(999))", strings.Repeat("x", 999) + "\n", fail.Other},
		{"full", "console.log('x'.repeat(999)); console.log(); console.log('y')", strings.Repeat("x", 999) + "\n\n… the console is full: the limit is 1000 bytes", fail.Other},
		{"a huge line", "console.log('é' + 'x'.repeat(1e6)); console.log('y')", "é" + strings.Repeat("x", 998) + "…\n… the console is full: the limit is 1000 bytes", fail.Other},
		{"a huge line of many parts", "console.log(...Array(100).fill('€'.repeat(100)))", strings.Repeat(strings.Repeat("€", 100)+" ", 3) + strings.Repeat("€", 32) + "…\n… the console is full: the limit is 1000 bytes", fail.Other},
		{"a level that is cut", "console.log('x'.repeat(996)); console.error('y')", strings.Repeat("x", 996) + "\nerr…\n… the console is full: the limit is 1000 bytes", fail.Other},
		{"a line within a line", "console.log('a', { get b() { console.log('x'.repeat(1200)); return 1 } }); console.log('z')", strings.Repeat("x", 1000) + "…\n… the console is full: the limit is 1000 bytes", fail.Other},
		{"half a character", `console.log("\ud83d", "x")`, "\ufffd x\n", fail.Other},
		{"it throws", "console.log('a'); throw new Error('b')", "a\n", fail.Program},
		{"a limit", "console.log('a'); for (;;) await shop.rows()", "a\n", fail.Limit},
		{"a labelled value", "console.log('a'); await shop.secret(); console.log('b')", "a\n", fail.Denied},
		{"asked, and not heard", "console.log('a'); const p = shop.secret(); console.log('b'); return 1", "a\n", fail.Denied},
		{"before and after", "console.log('a'); await shop.rows(); console.log('b'); console.log(await shop.secret()); throw new Error('c')", "a\nb\n", fail.Denied},
		{"full before", "console.log('x'.repeat(1e4)); await shop.secret(); console.log('b')", strings.Repeat("x", 1000) + "…\n… the console is full: the limit is 1000 bytes", fail.Denied},
		{"full after", "console.log('a'); await shop.secret(); console.log('x'.repeat(1e4))", "a\n", fail.Denied},
	} {
		var told listener
		g, err := exo.NewGate(exo.Config{Record: exo.Unrecorded, Grants: map[string]exo.Object{"shop": &shop{rows: rowsOf(3)}}, Limits: limits, Console: told.line})
		if err != nil {
			t.Fatal(err)
		}
		for where, e := range both(t, g) {
			r := run(t, e, c.program)
			if r.Console != c.want || fail.KindOf(r.Err) != c.kind {
				t.Errorf("%s, %s: %v\n%q\nwant %q", c.what, where, r.Err, r.Console, c.want)
			}
			if got := told.take(); got != c.want && got != c.want+"\n" {
				t.Errorf("%s, %s: the host was told %q", c.what, where, got)
			}
		}
	}
}

// A process that dies had sent what it logged: it does not take that along.
func TestConsoleOfTheDead(t *testing.T) {
	// On a busy machine the memory takes longer to fill than a program may run.
	e := evaluator(t, &shop{}, exoeval.Bounds{Memory: 64 << 20, Wall: time.Minute, CPU: time.Minute, Total: 2 * time.Minute}, nil)
	r := run(t, e, "console.log('so far'); const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)")
	if fail.KindOf(r.Err) != fail.Limit || event(r) != worker.OutOfMemory || r.Console != "so far\n" {
		t.Errorf("%v %q", r.Err, r.Console)
	}
}

// Lines are told while the program runs: this one ends because the host heard of it.
func TestConsoleIsTold(t *testing.T) {
	stop := func() {}
	g, err := exo.NewGate(exo.Config{Record: exo.Unrecorded, Grants: map[string]exo.Object{"shop": &shop{}}, Console: func(exo.Line) { stop() }})
	if err != nil {
		t.Fatal(err)
	}
	for where, e := range both(t, g) {
		ctx, cancel := context.WithCancel(t.Context())
		stop = cancel
		r := e.Run(ctx, exoeval.Job{Program: "console.log('it waits'); await shop.wait()"})
		if fail.KindOf(r.Err) != fail.Cancelled || !errors.Is(r.Err, context.Canceled) || r.Console != "it waits\n" {
			t.Errorf("%s: %v %q", where, r.Err, r.Console)
		}
		cancel()
	}
}

// When the host's Console panics, Run does, where the host can recover; nothing is left.
func TestConsolePanics(t *testing.T) {
	bad, s := true, &shop{}
	g, err := exo.NewGate(exo.Config{Record: exo.Unrecorded, Grants: map[string]exo.Object{"shop": s}, Console: func(exo.Line) {
		if bad {
			panic("the host's Console failed")
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for where, e := range both(t, g) {
		program := "console.log('a'); await shop.act(); return 1"
		bad = true
		func() {
			defer func() {
				if p := recover(); p != "the host's Console failed" {
					t.Errorf("%s: %v", where, p)
				}
			}()
			t.Errorf("%s: %v", where, run(t, e, program))
		}()
		if n := s.acts.Load(); n != 0 {
			t.Errorf("%s: %d effects", where, n)
		}
		bad = false
		if r := run(t, e, program); r.Err != nil || s.acts.Swap(0) != 1 {
			t.Errorf("%s: the twin: %v", where, r.Err)
		}
	}
}
