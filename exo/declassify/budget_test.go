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
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// kinds are budgets of so many bits a day, in memory and in a file.
func kinds(t *testing.T, bits int) map[string]exo.BitBudget {
	t.Helper()
	f, err := declassify.Open(filepath.Join(t.TempDir(), "bits"), bits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return map[string]exo.BitBudget{"in memory": declassify.New(bits), "in a file": f}
}

// TestBudget: each principal has its bits a day of UTC, and no clock gives back what was taken.
func TestBudget(t *testing.T) {
	for kind, b := range kinds(t, 5) {
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
		if _, err := b.Take("ann", noon.Add(24*time.Hour), 9); err == nil || !strings.Contains(fail.GuestText(err), "the limit is 5 bits of sealed values a day (UTC)") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestBudgetAtOnce: calls at one time take no more than there is.
func TestBudgetAtOnce(t *testing.T) {
	for kind, b := range kinds(t, 100) {
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
	for what, b := range map[string]exo.BitBudget{"zero": &declassify.Budget{}, "nil": (*declassify.Budget)(nil), "a zero file": &declassify.File{}, "a nil file": (*declassify.File)(nil), "none": declassify.New(0), "fewer": declassify.New(-1)} {
		_, err := b.Take("ann", noon, 1)
		made := what == "none" || what == "fewer"
		if err == nil || (fail.KindOf(err) == fail.Limit) != made {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestRestart: what was taken is taken after a restart. The twin in memory gives it back.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bits")
	open := func() *declassify.File {
		t.Helper()
		f, err := declassify.Open(path, 8)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := open()
	for _, at := range []time.Time{noon, noon.Add(24 * time.Hour)} {
		if left, err := f.Take("ann \u2028\"", at, 6); left != 2 || err != nil {
			t.Fatal(left, err)
		}
	}
	if _, err := declassify.Open(path, 8); !errors.Is(err, declassify.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	if f.Close() != nil {
		t.Error("close")
	}
	if _, err := f.Take("ann \u2028\"", noon.Add(24*time.Hour), 1); err == nil {
		t.Error("closed, and it has bits")
	}
	f = open()
	if _, err := f.Take("ann \u2028\"", noon.Add(24*time.Hour), 3); fail.KindOf(err) != fail.Limit {
		t.Errorf("after a restart: %v", err)
	}
	if _, err := f.Take("ann \u2028\"", noon, 3); fail.KindOf(err) != fail.Limit {
		t.Errorf("after a restart with a clock that is a day behind: %v", err)
	}
	if left, err := f.Take("bob", noon, 1); left != 7 || err != nil {
		t.Error(left, err)
	}
	_ = f.Close()
	if left, err := declassify.New(8).Take("ann \u2028\"", noon, 3); left != 5 || err != nil {
		t.Error("the twin", left, err)
	}
}

// TestFile: half a line is of a process that ended while it wrote; any other line that can't be read may be bits that were taken.
func TestFile(t *testing.T) {
	line := `{"day":"2026-03-01","principal":"ann","bits":6}` + "\n"
	for what, c := range map[string]struct {
		text string
		ok   bool
		left int
	}{
		"a line": {line, true, 2}, "half a line after it": {line + line[:20], true, 2}, "half a line": {line[:20], true, 8},
		"another line": {line + "x\n" + line, false, 0}, "a field more": {`{"day":"2026-03-01","principal":"ann","bits":6,"x":1}` + "\n", false, 0}, "no day": {`{"day":"soon","principal":"ann","bits":6}` + "\n", false, 0},
		"bits that were given": {line + `{"day":"2026-03-01","principal":"ann","bits":-6}` + "\n", false, 0}, "an empty line": {"\n" + line, false, 0},
	} {
		path := filepath.Join(t.TempDir(), "bits")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := declassify.Open(path, 8)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
		if err != nil {
			if b, _ := os.ReadFile(path); string(b) != c.text {
				t.Errorf("%s: it was changed", what)
			}
			continue
		}
		left, err := f.Take("ann", noon, 2)
		if err != nil || left != c.left-2 {
			t.Errorf("%s: %d left, %v", what, left, err)
		}
		// A principal that JSON has no spelling for would be another one after a restart.
		if _, err := f.Take("\xff", noon, 1); err == nil || fail.KindOf(err) == fail.Limit {
			t.Errorf("%s: a principal that is not UTF-8: %v", what, err)
		}
		_ = f.Close()
		if f, err = declassify.Open(path, 8); err != nil {
			t.Errorf("%s, again: %v", what, err)
			continue
		}
		_ = f.Close()
	}
	if _, err := declassify.Open(t.TempDir(), 8); err == nil {
		t.Error("a folder was opened")
	}
}
