package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestReplace: a new file is made and never written over; a file is replaced whole, with its mode, and a file that can't be is as it was. What is behind a link beside it stays.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "file"), filepath.Join(t.TempDir(), "other")
	for _, p := range []string{path, other} {
		if err := os.WriteFile(p, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"file.new", ".file-new", ".file-"} { // names that somebody may guess
		if err := os.Symlink(other, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Replace(path, []byte("new"), 0o640); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	info, err := os.Stat(path)
	if err != nil || string(text) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q %v %v", text, info, err)
	}
	if text, _ := os.ReadFile(other); string(text) != "old" {
		t.Errorf("behind a link: %q", text)
	}
	if err := Replace(filepath.Join(dir, "none", "file"), nil, 0o600); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := Create(filepath.Join(dir, "made"), []byte("new"), 0o640); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "made")); err != nil || info.Size() != 3 || info.Mode().Perm() != 0o640 {
		t.Error(info, err)
	}
	for _, name := range []string{"made", "file.new"} {
		if err := Create(filepath.Join(dir, name), []byte("newer"), 0o640); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	full := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(full, []byte("new"), 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".folder-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
