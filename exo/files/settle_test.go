package files_test

// This file has what becomes of writes later: they are settled, taken back, or dropped.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/files"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/store"
)

// wrote writes texts in a run of their own, and returns the keys of the calls.
func wrote(t *testing.T, f *files.Files, path string, texts ...string) (keys []string) {
	t.Helper()
	rec := &steps{}
	r := beginOn(t, f, rec)
	for _, text := range texts {
		if _, err := call(r, "write", "path", path, "text", text); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Finish(true); err != nil {
		t.Fatal(err)
	}
	for _, e := range rec.all {
		if e.Step == exo.Acted {
			if e.State != exo.StateApplied {
				t.Fatalf("%s: %v, %v", path, e.State, e.Err)
			}
			keys = append(keys, e.RunID.KeyOf(e.Call))
		}
	}
	return keys
}

// TestUndo: a write is taken back exactly, or not at all, and a second time is no error.
func TestUndo(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "zero")
	f := open(t, dir, files.Config{Undo: time.Hour})
	undo := func(key string) error { return f.Compensate(t.Context(), "write", key, key+"-undo") }
	first := wrote(t, f, "a.txt", "one", "two")
	for i, want := range []string{"one", "zero"} {
		key := first[len(first)-1-i]
		for range 2 {
			if err := undo(key); err != nil || has(dir, "a.txt") != want {
				t.Errorf("undone %d: %v, %q, want %q", i, err, has(dir, "a.txt"), want)
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "new"), 0o755); err != nil {
		t.Fatal(err)
	}
	made := wrote(t, f, "new/b.txt", "b")[0]
	for range 2 {
		if err := undo(made); err != nil || has(dir, "new/b.txt") != "" {
			t.Errorf("%v, %q", err, has(dir, "new/b.txt"))
		}
	}
	changed := wrote(t, f, "a.txt", "three")[0]
	put(t, dir, "a.txt", "another's")
	if err := undo(changed); !errors.Is(err, exo.ErrNothingDone) || has(dir, "a.txt") != "another's" {
		t.Errorf("%v, %q", err, has(dir, "a.txt"))
	}
	kept := wrote(t, f, "a.txt", "four")[0]
	for _, at := range hidden(t, dir) {
		if strings.Contains(at, kept) {
			if err := os.WriteFile(at, []byte("forged"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := undo(kept); !errors.Is(err, exo.ErrNothingDone) || has(dir, "a.txt") != "four" {
		t.Errorf("%v, %q", err, has(dir, "a.txt"))
	}
	if err := undo("none"); !errors.Is(err, exo.ErrNothingDone) {
		t.Error(err)
	}
	if f := open(t, dir, files.Config{}); f.Compensates("write") {
		t.Error("nothing is kept, and it takes back")
	}
}

// TestUndoing: the undo of a run takes back what it has written, by its record.
func TestUndoing(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "zero")
	f := open(t, dir, files.Config{Undo: time.Hour})
	rec := &steps{}
	r := beginOn(t, f, rec)
	if _, err := call(r, "write", "path", "a.txt", "text", "one"); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(true); err != nil {
		t.Fatal(err)
	}
	id := rec.all[0].RunID
	left, err := record.LeftOf(func(yield func(exo.Entry, error) bool) {
		for _, e := range rec.all {
			if !yield(e, nil) {
				return
			}
		}
	}, id, map[string]record.Compensator{"files": f})
	if err != nil || len(left) != 1 || !left[0].Compensated() {
		t.Fatal(left, err)
	}
	undoing := record.Undoing{Of: id, As: exo.NewRunID(), Left: left}
	if err := undoing.Run(t.Context(), rec, func(context.Context) (exo.State, error) { return exo.StateApplied, nil }); err != nil || has(dir, "a.txt") != "zero" {
		t.Error(err, has(dir, "a.txt"))
	}
}

// TestSettle: a write is completed only if its text is what was kept and the file is what it was. What nothing shows is unknown.
func TestSettle(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir, hidden string)
		write  []string // the globs of the next process
		want   exo.State
		has    string
	}{
		"nothing happened":          {func(string, string) {}, nil, exo.StateApplied, "new"},
		"it has its name":           {func(dir, hidden string) { _ = os.Rename(hidden, filepath.Join(dir, "a.txt")) }, nil, exo.StateApplied, "new"},
		"the text was changed":      {func(_, hidden string) { _ = os.WriteFile(hidden, []byte("forged"), 0o600) }, nil, exo.StateFailed, "old"},
		"the text is gone":          {func(_, hidden string) { _ = os.Remove(hidden) }, nil, exo.StateUnknown, "old"},
		"the text is a link":        {func(_, hidden string) { _ = os.Remove(hidden); _ = os.Symlink("a.txt", hidden) }, nil, exo.StateFailed, "old"},
		"the file was changed":      {func(dir, _ string) { put(t, dir, "a.txt", "another's") }, nil, exo.StateFailed, "another's"},
		"the file is gone":          {func(dir, _ string) { _ = os.Remove(filepath.Join(dir, "a.txt")) }, nil, exo.StateFailed, ""},
		"it may be written no more": {func(string, string) {}, []string{"b.txt"}, exo.StateFailed, "old"},
		"the folder is another file": {func(dir, _ string) {
			_ = os.Rename(dir, dir+"-was")
			put(t, filepath.Dir(dir), filepath.Base(dir), "x")
		}, nil, exo.StateUnknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "sub")
			put(t, dir, "a.txt", "old")
			j := journal(t)
			stopped := errors.New("the process ends here")
			f := open(t, root, files.Config{Write: []string{"**"}, Journal: j})
			var kept []byte
			var at, key string
			rec := exo.RecordFunc(func(e exo.Entry) error {
				if e.Step == exo.Acting {
					at = hidden(t, dir)[0]
					kept, _ = os.ReadFile(at)
					key = e.RunID.KeyOf(e.Call)
					return stopped
				}
				return nil
			})
			r := beginOn(t, f, rec)
			if _, err := call(r, "write", "path", "sub/a.txt", "text", "new"); err != nil {
				t.Fatal(err)
			}
			ended := r.Finish(true)
			if left := hidden(t, root); left != nil {
				t.Errorf("left: %v", left)
			}
			if has(dir, "a.txt") != "old" || key == "" {
				t.Fatal(ended, has(dir, "a.txt"))
			}
			if err := os.WriteFile(at, kept, 0o600); err != nil {
				t.Fatal(err)
			}
			journalled(t, j, key)
			c.change(dir, at)
			if c.write == nil {
				c.write = []string{"**"}
			}
			next := open(t, root, files.Config{Write: c.write, Journal: j})
			state, err := next.Settle(t.Context(), "write", key)
			if err != nil || state != c.want || has(dir, "a.txt") != c.has {
				t.Errorf("%v, %v, %q, want %v, %q", state, err, has(dir, "a.txt"), c.want, c.has)
			}
			if again, err := next.Settle(t.Context(), "write", key); err == nil && c.want == exo.StateApplied && again != c.want {
				t.Errorf("asked again: %v, %v", again, err)
			}
		})
	}
	if state, err := open(t, t.TempDir(), files.Config{}).Settle(t.Context(), "write", "none"); state != exo.StateUnknown || err != nil {
		t.Errorf("%v, %v", state, err)
	}
}

// journalled puts the entry of a write of sub/a.txt from old to new into a journal, as its run did.
func journalled(t *testing.T, j store.Store, key string) {
	t.Helper()
	text := fmt.Sprintf(`{"Path":"sub/a.txt","Sum":"%s","Was":"%s","At":%q}`, sumOf("new"), sumOf("old"), time.Now().Format(time.RFC3339Nano))
	if _, err := j.Put(t.Context(), store.Entry{Key: store.Key("files", "files", key), Value: []byte(text)}); err != nil {
		t.Fatal(err)
	}
}

// TestTidy: what waits for no run is removed at the next write, and what a run may still need is not.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	j := journal(t)
	for key, age := range map[string]time.Duration{"old-1": 2 * time.Hour, "young-1": time.Minute, "done-1": 2 * time.Hour, "ancient-1": 9 * 24 * time.Hour} {
		text := fmt.Sprintf(`{"Path":"%s.txt","Sum":"%s","Was":"","At":%q}`, key, sumOf(key), time.Now().Add(-age).Format(time.RFC3339Nano))
		if _, err := j.Put(t.Context(), store.Entry{Key: store.Key("files", "files", key), Value: []byte(text)}); err != nil {
			t.Fatal(err)
		}
		if key == "done-1" || key == "ancient-1" {
			put(t, dir, key+".txt", key)
			put(t, dir, ".exo-"+key+"-before", "x")
			continue
		}
		put(t, dir, ".exo-"+key, key)
	}
	f := open(t, dir, files.Config{Write: []string{"**"}, Journal: j})
	wrote(t, f, "a.txt", "a")
	if got := fmt.Sprint(hidden(t, dir)); got != fmt.Sprintf("[%s %s]", filepath.Join(dir, ".exo-done-1-before"), filepath.Join(dir, ".exo-young-1")) {
		t.Errorf("left: %v", got)
	}
	for key, want := range map[string]exo.State{"old-1": exo.StateUnknown, "young-1": exo.StateApplied, "done-1": exo.StateApplied, "ancient-1": exo.StateUnknown} {
		if state, err := f.Settle(t.Context(), "write", key); state != want || err != nil {
			t.Errorf("%s: %v, %v", key, state, err)
		}
	}
}

// TestTidyAgain: a process that runs for long tidies again, at most once an hour.
func TestTidyAgain(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		j := journal(t)
		f := open(t, dir, files.Config{Write: []string{"**"}, Journal: j, Undo: 24 * time.Hour})
		left := func() (names []string, entries int) {
			for _, at := range hidden(t, dir) {
				names = append(names, filepath.Base(at))
			}
			for _, err := range store.All(t.Context(), j, "") {
				if err != nil {
					t.Fatal(err)
				}
				entries++
			}
			return names, entries
		}
		put(t, dir, "a.txt", "zero")
		wrote(t, f, "a.txt", "one")
		time.Sleep(8*24*time.Hour - 59*time.Minute)
		second := wrote(t, f, "a.txt", "two")[0]
		if names, entries := left(); len(names) != 1 || names[0] != ".exo-"+second+"-before" || entries != 1 {
			t.Errorf("after a week %v and %d entries are left, want those of %s alone", names, entries, second)
		}
		put(t, dir, ".exo-old", "x")
		text := fmt.Sprintf(`{"Path":"b.txt","Sum":"%s","At":"2000-01-01T00:00:00Z"}`, sumOf("x"))
		if _, err := j.Put(t.Context(), store.Entry{Key: store.Key("files", "files", "old"), Value: []byte(text)}); err != nil {
			t.Fatal(err)
		}
		for _, wait := range []time.Duration{59 * time.Minute, time.Minute} {
			time.Sleep(wait)
			wrote(t, f, "a.txt", fmt.Sprint(wait))
			if is := has(dir, ".exo-old") != ""; is != (wait > time.Minute) {
				t.Errorf("%v later: it is there: %v", wait, is)
			}
		}
	})
}

// TestFolderGone: an entry of the journal whose folder was removed does not stay.
func TestFolderGone(t *testing.T) {
	dir, j := t.TempDir(), journal(t)
	text := fmt.Sprintf(`{"Path":"gone/a.txt","Sum":"%s","At":%q}`, sumOf("x"), time.Now().Add(-9*24*time.Hour).Format(time.RFC3339Nano))
	if _, err := j.Put(t.Context(), store.Entry{Key: store.Key("files", "files", "k"), Value: []byte(text)}); err != nil {
		t.Fatal(err)
	}
	wrote(t, open(t, dir, files.Config{Write: []string{"**"}, Journal: j}), "b.txt", "b")
	if e, err := j.Get(t.Context(), store.Key("files", "files", "k")); err != nil || e.Version != store.Absent {
		t.Error(e, err)
	}
}
