package record

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record/tree"
)

// erasedRuns lists the runs of a log that its identity can't read any more, and counts the entries that say so.
func erasedRuns(t *testing.T, log *madeLog) (gone map[exo.RunID]bool, entries int) {
	t.Helper()
	gone = map[exo.RunID]bool{}
	for x, err := range ReadLog(tree.Dir(log.dir), log.opener(t)) {
		if err != nil {
			t.Fatal(err)
		}
		if x.Leaf.Step == tree.Erased {
			entries++
		} else if x.Step == exo.Begun && x.Closed != nil {
			gone[x.RunID] = true
		}
	}
	return gone, entries
}

// TestKeep: what is older is erased when the log is opened, and what becomes older is erased later. A run that has not ended, and a young one, stay.
// Each erasure is an entry, and the log verifies.
func TestKeep(t *testing.T) {
	log := makeLog(t, filepath.Join(t.TempDir(), "log"))
	l := log.open(t)
	run := func(age time.Duration, ends bool) exo.RunID {
		id := exo.NewRunID()
		es := []exo.Entry{entry(id, exo.Begun), entry(id, exo.Ended)}
		if !ends {
			es = es[:1]
		}
		for _, e := range es {
			if e.At = time.Now().Add(-age); e.Step == exo.Ended {
				e.At = time.Now() // it is the beginning that counts
			}
			if err := l.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		return id
	}
	const day = 24 * time.Hour
	old, open, young := run(91*day, true), run(91*day, false), run(89*day, true)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = log.open(t)
	var mu sync.Mutex
	var told []string
	tell := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, err.Error())
	}
	for _, wrong := range []error{(&Folder{}).Keep(day, tell), l.Keep(0, tell), l.Keep(-day, tell), l.Keep(day, nil)} {
		if wrong == nil {
			t.Error("a Keep of nothing is accepted")
		}
	}
	if err := l.keep(90*day, time.Millisecond, tell); err != nil {
		t.Fatal(err)
	}
	if gone, n := erasedRuns(t, log); !gone[old] || len(gone) != 1 || n != 1 {
		t.Errorf("when it is opened %v are erased, by %d entries", gone, n)
	}
	if l.keep(90*day, time.Millisecond, tell) == nil {
		t.Error("it is called twice")
	}
	later := run(90*day+time.Second, true)
	var gone map[exo.RunID]bool
	for end := time.Now().Add(20 * time.Second); !gone[later] && time.Now().Before(end); time.Sleep(time.Millisecond) {
		gone, _ = erasedRuns(t, log)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	gone, n := erasedRuns(t, log)
	if !gone[old] || !gone[later] || gone[open] || gone[young] || n != 2 {
		t.Errorf("at the end %v are erased, by %d entries", gone, n)
	}
	if len(told) == 0 || !strings.Contains(told[0], "1 older runs have not ended") {
		t.Errorf("told %q", told)
	}
	if v, err := tree.Verify(tree.Dir(log.dir), log.public, ""); err != nil || !v.Complete() || v.Erased != 2 {
		t.Errorf("%+v, %v", v, err)
	}
}
