package tree

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// crash leaves the files as a process does that is killed.
func (l *Log) crash() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = errClosed
	if l.witness != nil {
		l.witness.stop()
	}
	l.f.Close()
	l.unlock()
}

// TestModel: after random runs, crashes within a line, reopenings and erasures the log has what was acknowledged, in its order, and no more. It is
// intact, complete and provable, and what was erased is read by nobody.
func TestModel(t *testing.T) {
	type line struct {
		run     Run
		step    string
		payload string
	}
	rapid.Check(t, func(r *rapid.T) {
		m := makeLog(t, rapid.Bool().Draw(r, "witness"))
		l := m.open(t)
		var model []line
		var live, over []Run
		erased := map[Run]bool{}
		add := func(run Run, step string) {
			e := leafOf(run, step)
			text := rapid.StringN(0, 20, -1).Draw(r, "payload")
			if err := l.Append(e, []byte(text), rapid.Bool().Draw(r, "durable")); err != nil {
				r.Fatal(err)
			}
			model = append(model, line{run, step, text})
		}
		pick := func(of []Run) Run { return of[rapid.IntRange(0, len(of)-1).Draw(r, "run")] }
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			switch what := rapid.IntRange(0, 9).Draw(r, "what"); {
			case what < 3:
				live = append(live, newRun())
				add(live[len(live)-1], Begun)
			case what < 6 && len(live) > 0:
				add(pick(live), "intent")
			case what == 6 && len(live) > 0:
				run := pick(live)
				add(run, Ended)
				live = slices.DeleteFunc(live, func(x Run) bool { return x == run })
				over = append(over, run)
			case what == 7 && len(over) > 0:
				add(pick(over), Ended) // what became known later
			case what == 8 && len(over) > 0:
				run := pick(over)
				if _, _, err := l.Erase(time.Time{}, run); err != nil {
					r.Fatal(err)
				}
				erased[run] = true
				over = slices.DeleteFunc(over, func(x Run) bool { return x == run })
			case what == 9:
				if rapid.Bool().Draw(r, "killed") {
					l.crash()
					f, _ := os.OpenFile(segmentPath(m.dir, 0), os.O_WRONLY|os.O_APPEND, 0)
					f.WriteString(`{"leaf":{"v":1,"n":99`[:rapid.IntRange(0, 21).Draw(r, "torn")])
					f.Close()
				} else if err := l.Close(); err != nil {
					r.Fatal(err)
				}
				l = m.open(t)
			}
		}
		if err := l.Close(); err != nil {
			r.Fatal(err)
		}
		v := m.verify(t)
		slices.SortFunc(live, func(a, b Run) int { return bytes.Compare(a[:], b[:]) })
		slices.SortFunc(v.Unended, func(a, b Run) int { return bytes.Compare(a[:], b[:]) })
		if !v.Complete() || v.Entries != v.Signed || !slices.Equal(v.Unended, live) || v.Erased != len(erased) || m.witness != "" && v.Seen != v.Entries {
			r.Fatalf("%+v", v)
		}
		o, at, mine := m.opener(t), 0, map[Run]int{}
		for e, err := range Entries(m.dir) {
			if err != nil {
				r.Fatal(err)
			}
			if e.Run == (Run{}) {
				continue
			}
			if at == len(model) || model[at].run != e.Run || model[at].step != e.Step {
				r.Fatalf("entry %d is %+v", e.Number, e.Leaf)
			}
			text, err := o.Open(e)
			if erased[e.Run] != errors.Is(err, ErrErased) || err == nil && string(text) != model[at].payload || err != nil && !erased[e.Run] {
				r.Fatalf("entry %d: %q, %v", e.Number, text, err)
			}
			mine[e.Run]++
			at++
		}
		if at != len(model) {
			r.Fatalf("%d entries of %d", at, len(model))
		}
		for run, n := range mine {
			var proof bytes.Buffer
			if err := Prove(&proof, m.dir, run); err != nil {
				r.Fatal(err)
			}
			if p, err := Check(&proof, m.public); err != nil || len(p.Entries) != n || p.Ended == slices.Contains(live, run) {
				r.Fatalf("%v, %v", p, err)
			}
		}
	})
}
