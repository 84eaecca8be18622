package declassify_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/declassify"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// folder opens the store at path.
func folder(t *testing.T, path string) *store.Local {
	t.Helper()
	s, err := store.OpenFolder(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// in is a budget in a store.
func in(t *testing.T, s store.Store, bits int) *declassify.Budget {
	t.Helper()
	b, err := declassify.In(s, bits)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// budgets are those of so many bits a day, in memory and in a folder.
func budgets(t *testing.T, bits int) map[string]exo.BitBudget {
	t.Helper()
	return map[string]exo.BitBudget{"in memory": declassify.New(bits), "in a folder": in(t, folder(t, filepath.Join(t.TempDir(), "bits")), bits)}
}

// TestBudget: each principal has its bits a day of UTC, and no clock gives back what was taken.
func TestBudget(t *testing.T) {
	for kind, b := range budgets(t, 5) {
		for k, c := range []struct {
			who  exo.Principal
			at   time.Time
			bits int
			left int
			ok   bool
		}{
			{"ann", noon, 2, 3, true}, {"ann", noon, 4, 3, false}, {"ann", noon, 3, 0, true}, {"ann", noon, 1, 0, false},
			{"bob", noon, 5, 0, true}, {"", noon, 4, 1, true}, {"", noon, 2, 1, false},
			{"ann", noon.Add(11 * time.Hour), 1, 0, false},
			{"ann", time.Date(2026, 3, 2, 1, 0, 0, 0, time.FixedZone("", 2*3600)), 1, 0, false}, // of UTC it is the day before
			{"ann", noon.Add(12 * time.Hour), 1, 4, true},
			{"ann", noon, 5, 4, false}, {"ann", noon.Add(-240 * time.Hour), 4, 0, true}, {"ann", noon.Add(13 * time.Hour), 1, 0, false}, // a clock that was set back
			{"bob", noon.Add(24 * time.Hour), 0, 5, false}, {"bob", noon.Add(24 * time.Hour), -1, 5, false},
		} {
			left, err := b.Take(c.who, c.at, c.bits)
			if left != c.left || (err == nil) != c.ok || err != nil && fail.KindOf(err) != fail.Limit {
				t.Errorf("%s, %d: %d left, %v", kind, k, left, err)
			}
		}
		if _, err := b.Take("ann", noon.Add(24*time.Hour), 9); err == nil || !strings.Contains(fail.GuestText(err), "of 5 bits are left") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestBudgetAtOnce: calls at one time take no more than there is.
func TestBudgetAtOnce(t *testing.T) {
	for kind, b := range budgets(t, 100) {
		var took atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 40 {
					if _, err := b.Take("ann", noon, 3); err == nil {
						took.Add(3)
					}
				}
			})
		}
		all.Wait()
		if took.Load() != 99 {
			t.Errorf("%s: %d", kind, took.Load())
		}
	}
}

// TestZeroBudget: a budget that nobody made tells nothing.
func TestZeroBudget(t *testing.T) {
	for what, b := range map[string]exo.BitBudget{"zero": &declassify.Budget{}, "nil": (*declassify.Budget)(nil), "none": declassify.New(0), "fewer": declassify.New(-1)} {
		_, err := b.Take("ann", noon, 1)
		made := what == "none" || what == "fewer"
		if err == nil || (fail.KindOf(err) == fail.Limit) != made || strings.Contains(err.Error(), "the zero Budget") == made {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestRestart: what was taken is taken after a restart. The twin in memory gives it back.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bits")
	const ann = "ann \u2028\"/\x00\xff"
	s := folder(t, path)
	b := in(t, s, 8)
	for _, at := range []time.Time{noon, noon.Add(24 * time.Hour)} {
		if left, err := b.Take(ann, at, 6); left != 2 || err != nil {
			t.Fatal(left, err)
		}
	}
	if _, err := store.OpenFolder(path, nil); !errors.Is(err, store.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	if s.Close() != nil {
		t.Error("close")
	}
	if _, err := b.Take(ann, noon.Add(24*time.Hour), 1); !errors.Is(err, store.ErrClosed) {
		t.Errorf("closed, and it has bits: %v", err)
	}
	b = in(t, folder(t, path), 8)
	if _, err := b.Take(ann, noon, 3); fail.KindOf(err) != fail.Limit {
		t.Errorf("after a restart with a clock that is a day behind: %v", err)
	}
	if _, err := b.Take(ann, noon.Add(24*time.Hour), 3); fail.KindOf(err) != fail.Limit {
		t.Errorf("after a restart: %v", err)
	}
	if left, err := b.Take("bob", noon, 1); left != 7 || err != nil {
		t.Error(left, err)
	}
	if left, err := b.Take(ann, noon.Add(48*time.Hour), 8); left != 0 || err != nil {
		t.Errorf("the day after: %d, %v", left, err)
	}
	if left, err := declassify.New(8).Take(ann, noon, 3); left != 5 || err != nil {
		t.Error("the twin", left, err)
	}
}

// TestShared: processes that share a store share the budget, and one whose clock is behind has no more of it.
func TestShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bits")
	var all []*declassify.Budget
	for range 3 {
		s, err := store.OpenFolder(path, &store.LocalOptions{Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, in(t, s, 100))
	}
	var took atomic.Int64
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for range 20 {
				if _, err := all[i%2].Take("ann", noon, 3); err == nil {
					took.Add(3)
				}
			}
		})
	}
	wait.Wait()
	if took.Load() != 99 {
		t.Errorf("%d", took.Load())
	}
	if left, err := all[2].Take("ann", noon.Add(-72*time.Hour), 2); left != 1 || fail.KindOf(err) != fail.Limit {
		t.Errorf("a clock that is behind: %d, %v", left, err)
	}
}

// TestEntries: any entry that can't be read may be bits that were taken, so nothing is revealed, and it stays.
func TestEntries(t *testing.T) {
	for text, left := range map[string]int{
		`{"day":"2026-03-01","bits":6}`: 2, `{"day":"2026-02-28","bits":6}`: 8, `{"day":"2026-03-02","bits":6}`: 2,
		`{"day":"2026-03-01","bits":6,"x":1}`: 0, `{"day":"soon","bits":6}`: 0, `{"day":"2026-03-01","bits":-6}`: 0, `{"day":"2026-03-01","bits":0}`: 0, `{}`: 0, `null`: 0, `"x"`: 0, `{"day":"2026-03-01","bits":6.5}`: 0,
	} {
		s := store.NewMemory(nil)
		v, err := s.Put(t.Context(), store.Entry{Key: "bits/ann", Value: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := in(t, s, 8).Take("ann", noon, 1)
		if left > 0 {
			if got != left-1 || err != nil {
				t.Errorf("%s: %d left, %v", text, got, err)
			}
			continue
		}
		if err == nil || fail.KindOf(err) == fail.Limit || !strings.Contains(err.Error(), `"bits/ann"`) {
			t.Errorf("%s: %d left, %v", text, got, err)
		}
		if e, err := s.Get(t.Context(), "bits/ann"); err != nil || e.Version != v {
			t.Errorf("%s: it was changed", text)
		}
	}
	// A folder with a torn file gives no bits, and what an earlier version wrote is refused.
	path := filepath.Join(t.TempDir(), "bits")
	b := in(t, folder(t, path), 8)
	if _, err := b.Take("ann", noon, 6); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(path, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Truncate(files[0], 30); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Take("ann", noon, 1); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("a torn file: %v", err)
	}
	if left, err := b.Take("bob", noon, 1); left != 7 || err != nil {
		t.Errorf("another principal: %d, %v", left, err)
	}
	for what, f := range map[string]func() (*declassify.Budget, error){"no store": func() (*declassify.Budget, error) { return declassify.In(nil, 8) }, "no bits": func() (*declassify.Budget, error) { return declassify.In(store.NewMemory(nil), 0) }} {
		if b, err := f(); b != nil || err == nil {
			t.Error(what)
		}
	}
}
