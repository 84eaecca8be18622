package repl

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "x.history")
	h, err := openHistory(path)
	if err != nil || len(h.entries) != 0 {
		t.Fatal(h, err)
	}
	for _, s := range []string{"a", "a", " a\n", "", "  ", "b\nc", "a", strings.Repeat("x", maxEntry+1)} {
		if err := h.add(s); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"a", "b\nc", "a"}
	again, err := openHistory(path)
	if err != nil || !slices.Equal(h.entries, want) || !slices.Equal(again.entries, want) {
		t.Errorf("%q %q %v", h.entries, again.entries, err)
	}
	if fi, err := os.Stat(filepath.Dir(path)); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", fi, err)
	}
}

// TestHistoryIsBounded: what was typed long ago is forgotten, in the file as well.
func TestHistoryIsBounded(t *testing.T) {
	dir := t.TempDir()
	path, victim := filepath.Join(dir, "x.history"), filepath.Join(dir, "victim")
	if err := errors.Join(os.WriteFile(victim, []byte("precious"), 0o644), os.Symlink(victim, path+".new")); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range 2*maxEntries + 1 {
		b.WriteString(strconv.Quote(strconv.Itoa(i)) + "\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := openHistory(path)
	if err != nil || len(h.entries) != maxEntries || h.entries[0] != strconv.Itoa(maxEntries+1) {
		t.Fatalf("%d entries from %.20q: %v", len(h.entries), h.entries, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("it left %v behind: %v", left, err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
		t.Errorf("through a link it wrote %.20q: %v", text, err)
	}
	if fi, err := os.Lstat(path); err != nil || fi.Mode() != 0o600 {
		t.Errorf("the file is %v: %v", fi.Mode(), err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != maxEntries {
		t.Errorf("the file has %d lines: %v", strings.Count(string(text), "\n"), err)
	}
}

// TestHistoryOfSomebodyElse: a file that is no history is left as it is.
func TestHistoryOfSomebodyElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.history")
	long := strings.Repeat("x", 9*maxEntry)
	if err := os.WriteFile(path, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := openHistory(path)
	if err == nil || h.add("1") != nil {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != long {
		t.Errorf("the file was changed to %.20q", text)
	}
}
