package tree_test

// This file tests how a log that several processes share keeps runs for some days only.

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
)

// TestSharedKeep: ended runs that began before a time are erased, once, also when erasing was cut short. Rows that nobody signed choose no run: neither one
// with an older time, nor one that says that a run was erased. What is young or erased already is not read.
func TestSharedKeep(t *testing.T) {
	s, m := made(t, false)
	l := shared(t, m, s, nil)
	run := func(ago time.Duration, ends bool) tree.Run {
		t.Helper()
		r := treetest.NewRun()
		for _, step := range []string{tree.Begun, "intent", tree.Ended} {
			e := treetest.LeafOf(r, step)
			e.At = e.At.Add(-ago)
			if step != tree.Ended || ends {
				if err := l.Append(e, []byte("x"), false); err != nil {
					t.Fatal(err)
				}
			}
		}
		return r
	}
	const day = 24 * time.Hour
	keep := func(n int, open ...tree.Run) {
		t.Helper()
		got, skipped, err := l.Erase(time.Now().Add(-90 * day))
		if err != nil || got != n || !slices.Equal(skipped, open) {
			t.Errorf("%d, %v, %v; want %d, %v", got, skipped, err, n, open)
		}
	}
	young, ahead, old, open := run(89*day, true), run(-1000*day, true), run(91*day, true), run(91*day, false)
	flushed(t, l)
	rows := slices.Clone(m.rows)
	for name, change := range map[string]func(r *tree.Row) bool{
		"an older time": func(r *tree.Row) bool {
			was := r.Line
			if r.Run == young {
				at := time.Now().Add(-89 * day).UTC().Format(`"at":"2006-01`)
				r.Line = strings.Replace(r.Line, at, `"at":"2020-01`, 1)
			}
			return r.Line != was
		},
		"another's end": func(r *tree.Row) bool {
			is := r.Run == open && strings.Contains(r.Line, "intent")
			if is {
				r.Line = strings.Replace(r.Line, `"step":"intent"`, `"step":"ended"`, 1)
			}
			return is
		},
		"it was erased": func(r *tree.Row) bool {
			is := r.Run == young && strings.Contains(r.Line, "ended")
			if is {
				r.Run, r.Line = tree.Run{}, strings.Replace(strings.Replace(r.Line, `"run":"`+young.String()+`",`, "", 1), `,"count":3`, `,"of":"`+old.String()+`"`, 1)
			}
			return is
		},
	} {
		done := false
		for i := range m.rows {
			done = change(&m.rows[i]) || done
		}
		if n, _, err := l.Erase(time.Now().Add(-90 * day)); !done || n > 0 || err == nil || !strings.Contains(err.Error(), "the log was changed") {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		m.rows = slices.Clone(rows)
	}
	keep(1, open)
	for i := range m.rows { // as if it had been cut short
		if m.rows[i].Run == old {
			m.rows[i].Key = rows[i].Key
		}
	}
	keep(1, open)
	keep(0, open)
	flushed(t, l)
	if v := s.Verify(t); !v.Complete() || v.Erased != 1 || v.Entries != int64(len(m.list(func(r tree.Row) bool { return r.Run != tree.Run{} }))+1) {
		t.Errorf("%s, ahead %v", strings.Join(v.Lines(), "\n"), ahead)
	}
	var reads []int64
	for range 3 {
		for range 3000 {
			run(0, true)
		}
		late := run(91*day, true)
		flushed(t, l)
		m.read.Store(0)
		if _, _, err := l.Erase(time.Now().Add(-90*day), late); err != nil {
			t.Fatal(err)
		}
		keep(0, open)
		reads = append(reads, m.read.Load())
	}
	if t.Logf("rows read: %d", reads); reads[2] > reads[0]+2000 || reads[0] < 100 {
		t.Errorf("the log has 18,000 entries more, and so much more is read: %d", reads)
	}
}
