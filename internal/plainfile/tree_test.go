package plainfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLoad: a name has one spelling, also on a file system that finds a file under several.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "In"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "In", "Caf\u00e9.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := OpenTree(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for p, ok := range map[string]bool{"In/Caf\u00e9.txt": true, "in/Caf\u00e9.txt": false, "IN/Caf\u00e9.txt": false, "In/CAF\u00c9.TXT": false, "In/Cafe\u0301.txt": false, "In/Caf\u00e9.txt.": false, "In/Caf\u00e9.txt ": false} {
		b, err := tree.Load(strings.Split(p, "/"))
		if (err == nil) != ok || !ok && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrSpelling) {
			t.Errorf("%s: %q, %v", p, b, err)
		}
	}
}

// TestSpelling: a name that the folder finds and does not list is refused. A folder whose listing lacks the name stands for a file system that
// folds letters, since this one may not.
func TestSpelling(t *testing.T) {
	d := &Dir{Root: root(t)}
	if err := os.WriteFile(filepath.Join(d.Name(), "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"a": nil, "./a": ErrSpelling, "b": fs.ErrNotExist} { // ./a is a name that is found and not listed
		if err := d.listed(name); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

func root(t testing.TB) *os.Root {
	t.Helper()
	r, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestListAndLoadAgree: a program reads what a list has, and the list has what it can read, in any tree of folders, files and links.
func TestListAndLoadAgree(t *testing.T) {
	names := []string{"a", "b", ".c", "d.csv", "e\u0301", "\u00e9"}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "tree")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		at := func(label string) []string { return rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(t, label) }
		for i := range rapid.IntRange(0, 8).Draw(t, "n") {
			p := at(fmt.Sprint("path", i))
			full := filepath.Join(append([]string{dir}, p...)...)
			_ = os.MkdirAll(filepath.Dir(full), 0o755)
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				_ = os.Symlink(filepath.Join(append([]string{dir}, at("target")...)...), full)
			case 1:
				_ = os.Mkdir(full, 0o755)
			default:
				_ = os.WriteFile(full, []byte(strings.Join(p, "/")), 0o600)
			}
		}
		tree, err := OpenTree(dir, 1000)
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		g, err := ParseGlob(rapid.SampledFrom([]string{"**", "a/**", "**/d.csv", "*", "*/b", ".c/**", "**/.c"}).Draw(t, "glob"))
		if err != nil {
			t.Fatal(err)
		}
		all, err := tree.List([]Glob{g})
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		for _, x := range all {
			listed[x.Path] = true
		}
		var try func(path []string)
		try = func(path []string) {
			if len(path) > 0 {
				b, err := tree.Load(path)
				p := strings.Join(path, "/")
				if (err == nil && g.Matches(path)) != listed[p] {
					t.Fatalf("%s: %q, %v, listed %v", p, b, err, listed[p])
				}
			}
			for _, name := range names {
				if len(path) < 3 {
					try(append(path[:len(path):len(path)], name))
				}
			}
		}
		try(nil)
	})
}

// TestMode: while a text is written, only those who may read the file later may read it.
func TestMode(t *testing.T) {
	dir := t.TempDir()
	tree, err := OpenTree(dir, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := tree.Folder([]string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- d.Create("x", bytes.Repeat([]byte("s3cret"), 5<<20), 0o600) }()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
		if is, err := os.Stat(filepath.Join(dir, "x")); err == nil && is.Size() > 0 && is.Mode().Perm() != 0o600 {
			t.Errorf("others read it: %v", is.Mode())
			<-done
			return
		}
	}
}
