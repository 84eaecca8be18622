package worker_test

import (
	"errors"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/internal/testutil"
)

var limitsLine = regexp.MustCompile(`(?m)^// limits: (.*)$`)

// Whatever the corpus of the language says of a program, it ends alike in a
// worker and in process: value, error and its place, console, label; also in a process that ran others before it.
func TestSameAsLocal(t *testing.T) {
	testutil.NotQuick(t)
	testutil.NotRaced(t)
	db := testutil.Open(t)
	programs, reused := 0, newPool(t, worker.PoolOptions{Reuse: worker.Reuse{Programs: 1000, Within: time.Hour}})
	for _, f := range testutil.Corpus(t, "eval", ".js") {
		text := f.Read()
		limits := testutil.Both{}
		if m := limitsLine.FindStringSubmatch(text); m != nil {
			var err error
			if limits, err = testutil.ParseLimits(m[1]); err != nil {
				t.Fatal(err)
			}
		}
		r := testutil.As(t, db, testutil.Acme, limits)
		e, again := inWorker(t, r.Gate, nil, limits.Bounds), inWorker(t, r.Gate, reused, limits.Bounds)
		chunks, _ := testutil.Chunks(text)
		var wg sync.WaitGroup
		busy := make(chan struct{}, runtime.GOMAXPROCS(0))
		for _, chunk := range chunks {
			program, _, err := testutil.Cut(chunk)
			if err != nil {
				t.Fatal(err)
			}
			programs++
			busy <- struct{}{}
			wg.Go(func() {
				defer func() { <-busy }()
				job := exoeval.Job{Program: program, Run: exo.Run{Clock: testutil.Start, Seed: 7}}
				here, there := told(r.Eval.Run(t.Context(), job)), told(e.Run(t.Context(), job))
				if here != there {
					t.Errorf("%s: %s\nin process: %s\nin a worker: %s", f.Name, program, here, there)
				}
				if after := told(again.Run(t.Context(), job)); after != here {
					t.Errorf("%s: %s\nin process: %s\nin a worker, after others: %s", f.Name, program, here, after)
				}
			})
		}
		wg.Wait()
	}
	if programs < 300 {
		t.Errorf("%d programs", programs)
	}
}

// addresses are the engine's own, and differ from process to process.
var addresses = regexp.MustCompile(`0x[0-9a-f]+|\{[^}]*%!`)

// told is a result as text, what the host knows of a cause included.
func told(r *exoeval.RunResult) string {
	var b strings.Builder
	b.WriteString(r.Value.String())
	if r.Undefined {
		b.WriteString(" undefined")
	}
	if e := r.Err; e != nil {
		b.WriteString(" " + fail.KindOf(e).String() + " " + fail.GuestText(e) + " in " + fail.PosOf(e).Text)
		if fail.KindOf(e) != fail.Internal && errors.Unwrap(e) != nil {
			b.WriteString(" " + errors.Unwrap(e).Error())
		}
		b.WriteString(" at " + string(rune('0'+fail.PosOf(e).Line%10)) + ":" + string(rune('0'+fail.PosOf(e).Column%10)))
	}
	b.WriteString("\n" + r.Console + "\n" + r.Label.String())
	return addresses.ReplaceAllString(b.String(), "…")
}

// The host learns the true cause of a failure; the worker never has it.
func TestCauseStaysWithTheHost(t *testing.T) {
	e := evaluator(t, &shop{}, exo.Limits{}, nil)
	r := run(t, e, "await shop.fail()")
	if fail.KindOf(r.Err) != fail.Internal || errors.Unwrap(r.Err) != errDriver || fail.PosOf(r.Err).Line != 1 {
		t.Errorf("%v", r.Err)
	}
	r = run(t, e, "try { await shop.fail() } catch (e) { return String(e) + e.stack + JSON.stringify(e) }")
	if r.Err != nil || strings.Contains(r.Value.Text(), "hunter2") || !strings.Contains(r.Value.Text(), "internal error") {
		t.Errorf("%v %v", r.Value, r.Err)
	}
	r = run(t, e, "const a = await shop.again(); return (await a.rows()).length + await a.echo(1)")
	if r.Err != nil || r.Value.Int() != 101 {
		t.Errorf("an object that came with a reply: %v %v", r.Value, r.Err)
	}
}

// A limit that was caught ends the program all the same.
func TestCaughtLimit(t *testing.T) {
	s := &shop{}
	e := evaluator(t, s, exo.Limits{Calls: 3}, nil)
	r := run(t, e, "for (let i = 0; i < 9; i++) { try { await shop.rows() } catch {} } await shop.act(); return 'went on'")
	if fail.KindOf(r.Err) != fail.Limit || s.acts.Load() != 0 {
		t.Errorf("%v %v, %d effects", r.Value, r.Err, s.acts.Load())
	}
	r = run(t, e, "for (let i = 0; i < 500; i++) { try { shop.rows() } catch {} } return 'went on'")
	if fail.KindOf(r.Err) != fail.Limit {
		t.Errorf("%v %v", r.Value, r.Err)
	}
}

// The time zone crosses to a worker, which has no files to read one from.
func TestZoneCrosses(t *testing.T) {
	for _, zone := range []string{"", "America/New_York", "Asia/Kolkata", "Etc/GMT+5"} {
		gate, err := exo.NewGate(exo.Config{Zone: zone})
		if err != nil {
			t.Fatal(err)
		}
		job := exoeval.Job{Run: exo.Run{Clock: testutil.Start, Seed: 7}, Program: `const d = new Date(2024, 6, 1, 12), w = new Date(1950, 0, 1); d.setHours(0, 0, 0, 0);
			return [String(new Date()), d.toISOString(), d.getDate(), w.getTimezoneOffset(), new Date(2500, 6, 1).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone, d.toLocaleString('de', { timeZone: 'asia/tokyo', timeStyle: 'full' })]`}
		here, there := told(testutil.InProcess(gate).Run(t.Context(), job)), told(inWorker(t, gate, nil, exoeval.Bounds{}).Run(t.Context(), job))
		if want := map[string]string{"": "UTC"}[zone] + zone; here != there || !strings.Contains(here, want) {
			t.Errorf("in %q\nin process: %s\nin a worker: %s", zone, here, there)
		}
	}
}
