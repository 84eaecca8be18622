//go:build unix

package plainfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestKinds: what is no plain file is neither opened nor listed. An os.Root reads three of them, and waits at the pipe.
func TestKinds(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for p, text := range map[string]string{dir + "/a": "a", dir + "/sub/b": "b", outside + "/c": "SECRET"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("a", dir+"/link"), os.Symlink("sub", dir+"/folder"), os.Symlink(outside, dir+"/out"), os.Link(outside+"/c", dir+"/hard"), syscall.Mkfifo(dir+"/pipe", 0o600)); err != nil {
		t.Fatal(err)
	}
	tree, err := OpenTree(dir, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for p, want := range map[string]error{"a": nil, "sub/b": nil, "link": ErrNotPlain, "folder/b": ErrNotPlain, "out/c": ErrNotPlain, "hard": ErrLinked, "pipe": ErrNotPlain, "sub": ErrNotPlain, "a/b": ErrNotPlain} {
		if b, err := tree.Load(strings.Split(p, "/")); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %q, %v, want %v", p, b, err, want)
		}
		if want == nil || p != "link" && p != "folder/b" && p != "hard" {
			continue
		}
		if b, err := tree.root.ReadFile(p); err != nil {
			t.Errorf("the twin does not read %s: %q, %v", p, b, err)
		}
	}
	g, _ := ParseGlob("**")
	if all, err := tree.List([]Glob{g}); err != nil || len(all) != 2 || all[0].Path != "a" || all[1].Path != "sub/b" {
		t.Errorf("%v, %v", all, err)
	}
	if _, _, err := tree.Folder([]string{"folder", "x", "y"}, true); !errors.Is(err, ErrNotPlain) {
		t.Errorf("it makes a folder behind a link: %v", err)
	}
}

// TestGrows: a file that has more than its size said is refused, and not cut.
func TestGrows(t *testing.T) {
	tree, err := OpenTree("/proc/self", 10)
	if err != nil {
		t.Skip("there is no file here that is larger than its size:", err)
	}
	defer tree.Close()
	if b, err := tree.Load([]string{"status"}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%q, %v", b, err)
	}
}

// TestListBounds: a list looks at a bounded number of names in all folders together, and says so.
func TestListBounds(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"a/1", "a/2", "b/1", "b/2", "b/3"} {
		if err := os.MkdirAll(filepath.Join(dir, p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := OpenTree(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for text, want := range map[string]error{"*/*": ErrLooked, "a/*": nil} {
		g, _ := ParseGlob(text)
		l := listing{of: [][]Glob{{g}}, most: 5}
		if err := l.walk(&Dir{Root: tree.root}, nil); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}

// TestSwaps: while a file and a folder are exchanged for links, pipes and back, a reader gets the file that was there or nothing. The twin checks the
// path and then opens it.
func TestSwaps(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	put := func(in, p, text string) {
		_ = os.MkdirAll(filepath.Dir(filepath.Join(in, p)), 0o755)
		if err := os.WriteFile(filepath.Join(in, p), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(dir, "open/a.txt", "public")
	put(dir, "real/a.txt", "public")
	put(outside, "secret.txt", "SECRET")
	at := func(p string) string { return filepath.Join(dir, p) }
	if err := os.Symlink(filepath.Join(outside, "secret.txt"), at("open/link")); err != nil {
		t.Fatal(err)
	}
	put(outside, "a.txt", "SECRET")
	put(dir, "closed/a.txt", "SECRET")
	if err := syscall.Mkfifo(at("open/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i++ {
			switch i % 3 {
			case 0: // a file becomes a link
				_ = os.Symlink(filepath.Join(outside, "secret.txt"), at("tmp"))
			case 1:
				_ = os.Symlink("../closed/a.txt", at("tmp"))
			default:
				_ = syscall.Mkfifo(at("tmp"), 0o600)
			}
			_ = os.Rename(at("tmp"), at("open/a.txt"))
			_ = os.WriteFile(at("tmp"), []byte("public"), 0o600)
			_ = os.Rename(at("tmp"), at("open/a.txt"))
			_ = os.Rename(at("real"), at("away")) // a folder becomes a link
			_ = os.Symlink([]string{outside, "closed"}[i%2], at("real"))
			_ = os.Remove(at("real"))
			_ = os.Rename(at("away"), at("real"))
		}
	}()
	tree, err := OpenTree(dir, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	read, leaked := 0, 0
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
			for _, path := range []string{"open/a.txt", "real/a.txt"} {
				b, err := tree.Load(strings.Split(path, "/"))
				switch {
				case err == nil && string(b) != "public":
					t.Errorf("%s: it read %q", path, b)
				case err == nil:
					read++
				}
				if is, err := os.Lstat(at(path)); err == nil && is.Mode().IsRegular() {
					if twin, err := os.OpenFile(at(path), os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
						b := make([]byte, 10)
						if n, _ := twin.Read(b); string(b[:n]) == "SECRET" {
							leaked++
						}
						twin.Close()
					}
				}
			}
		}
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits at a pipe")
	}
	stop.Store(true)
	<-done
	if read == 0 || leaked == 0 {
		t.Errorf("it read %d times, and the twin leaked %d times: the race tests nothing", read, leaked)
	}
	t.Logf("%d reads, and the twin leaked %d times", read, leaked)
}
