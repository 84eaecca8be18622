package tree_test

// This file tests the times of a log that several processes share.

import (
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
)

// TestSharedTimes: the time of a row, which nothing signs, is no reason to settle a run whose last entry is younger. Verify finds a time that was moved. The
// twin, whose entries are old, is settled.
func TestSharedTimes(t *testing.T) {
	const long = 2 * time.Hour
	s, m := made(t, false)
	l := shared(t, m, s, nil)
	live, dead := treetest.NewRun(), treetest.NewRun()
	for r, ago := range map[tree.Run]time.Duration{live: 0, dead: long} {
		e := treetest.LeafOf(r, tree.Begun)
		e.At = e.At.Add(-ago)
		if err := l.Append(e, []byte("x"), true); err != nil {
			t.Fatal(err)
		}
	}
	for n := range m.at { // all at once, so that their order tells nothing
		m.at[n] = m.at[n].Add(-long)
	}
	other := shared(t, m, s, nil)
	if leaves, err := other.Silent(t.Context(), 0); err != nil || len(leaves) != 1 || leaves[0].Run != dead || len(other.Tail) != 1 {
		t.Error(leaves, err)
	}
	for r, want := range map[tree.Run]string{live: "its process may be alive", dead: ""} {
		e := treetest.LeafOf(r, tree.Ended)
		e.Asked = true
		if err := other.Append(e, nil, false); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	treetest.Run(t, other, 5, "later")
	flushed(t, other)
	if v := s.Verify(t); !v.Complete() {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
	for _, by := range []time.Duration{long, -2 * long} {
		for n := int64(0); n < 8; n++ {
			was := m.at[n]
			m.at[n] = was.Add(by)
			fits := n == 0 && by < 0 || n == 1 && by > 0 // it is between those of the rows beside it
			if v := s.Verify(t); v.Intact() != fits || !fits && !strings.Contains(v.Changed[0], "the times of rows") {
				t.Errorf("row %d by %v: %s", n, by, strings.Join(v.Lines(), "\n"))
			}
			m.at[n] = was
		}
	}
}

// flushed waits until all entries of a log are committed.
func flushed(t *testing.T, l *tree.Shared) {
	t.Helper()
	if _, _, err := l.Erase(time.Time{}); err != nil {
		t.Fatal(err)
	}
}
