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
	if _, _, err := tree.Folder([]string{"folder", "x", "y"}); !errors.Is(err, ErrNotPlain) {
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
	for i := range 10 { // what waits counts for nothing
		if err := os.WriteFile(filepath.Join(dir, "a", Ours+strings.Repeat("x", i+1)), nil, 0o600); err != nil {
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

// TestReplacedMeanwhile: what has taken the place of a file or a folder after it was looked at is not opened, and a pipe makes nobody wait.
func TestReplacedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	at := func(p string) string { return filepath.Join(dir, p) }
	for p, text := range map[string]string{"a": "public", "secret": "SECRET", "sub/a": "public", "closed/a": "SECRET"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(at(p)), 0o755), os.WriteFile(at(p), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	file, err := root.Lstat("a")
	if err != nil {
		t.Fatal(err)
	}
	sub, err := root.Lstat("sub")
	if err != nil {
		t.Fatal(err)
	}
	for what, put := range map[string]func() error{"a link": func() error { return os.Symlink("secret", at("a")) }, "a pipe": func() error { return syscall.Mkfifo(at("a"), 0o600) }, "a file": func() error { return os.WriteFile(at("a"), []byte("SECRET"), 0o600) }} {
		if err := errors.Join(os.Rename(at("a"), at("was")), put()); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, _, err := openSeen(root, "a", file)
			done <- err
		}()
		select {
		case err := <-done:
			if !errors.Is(err, ErrNotPlain) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: it waits", what)
		}
		if what != "a pipe" { // where the twin would wait
			if b, err := root.ReadFile("a"); string(b) != "SECRET" {
				t.Errorf("%s: the twin read %q, %v", what, b, err)
			}
		}
		if err := os.Rename(at("was"), at("a")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Rename(at("sub"), at("was")), os.Symlink("closed", at("sub"))); err != nil {
		t.Fatal(err)
	}
	if _, err := folderSeen(root, "sub", sub); !errors.Is(err, ErrNotPlain) {
		t.Errorf("a folder: %v", err)
	}
	if b, err := root.ReadFile("sub/a"); string(b) != "SECRET" {
		t.Errorf("the twin read %q, %v", b, err)
	}
}

// TestSwaps: while a file is exchanged for a link or a pipe and back, and a folder for a link, a reader gets the file that was there or nothing,
// and does not wait. The twin looks at the name and then opens it.
func TestSwaps(t *testing.T) {
	for name, c := range map[string]struct {
		path  string
		leaks bool
		swap  func(at func(string) string)
	}{
		"a link to a hidden file": {"open/a.txt", true, func(at func(string) string) {
			_ = os.Symlink(".secret.txt", at("open/tmp"))
			_ = os.Rename(at("open/tmp"), at("open/a.txt"))
			_ = os.WriteFile(at("open/tmp"), []byte("public"), 0o600)
			_ = os.Rename(at("open/tmp"), at("open/a.txt"))
		}},
		"a pipe": {"open/a.txt", false, func(at func(string) string) {
			_ = os.Link(at("pipe"), at("open/tmp"))
			_ = os.Rename(at("open/tmp"), at("open/a.txt"))
			_ = os.Link(at("plain"), at("open/tmp"))
			_ = os.Rename(at("open/tmp"), at("open/a.txt"))
		}},
		"a folder": {"open/sub/a.txt", true, func(at func(string) string) {
			_ = os.Rename(at("open/sub"), at("open/away"))
			_ = os.Symlink("../closed", at("open/sub"))
			_ = os.Remove(at("open/sub"))
			_ = os.Symlink("away", at("open/sub"))
			_ = os.Remove(at("open/sub"))
			_ = os.Symlink(".hidden", at("open/sub"))
			_ = os.Remove(at("open/sub"))
			_ = os.Rename(at("open/away"), at("open/sub"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(p string) string { return filepath.Join(dir, p) }
			for p, text := range map[string]string{"open/a.txt": "public", "open/.secret.txt": "SECRET", "open/sub/a.txt": "public", "closed/a.txt": "SECRET", "open/.hidden/a.txt": "SECRET", "plain": "public"} {
				if err := errors.Join(os.MkdirAll(filepath.Dir(at(p)), 0o755), os.WriteFile(at(p), []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
			var stop atomic.Bool
			swapped, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(swapped)
				for !stop.Load() {
					c.swap(at)
				}
			}()
			tree, err := OpenTree(dir, 1000)
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			read, leaked := 0, 0
			go func() {
				defer close(ended)
				// On a busy machine the reader may meet none of the moments that count for long.
				for from := time.Now(); time.Since(from) < 700*time.Millisecond || time.Since(from) < time.Minute && (read == 0 || c.leaks && leaked == 0); {
					b, err := tree.Load(strings.Split(c.path, "/"))
					if err == nil && string(b) != "public" {
						t.Errorf("it read %q", b)
					} else if err == nil || errors.Is(err, ErrLinked) {
						read++
					}
					if is, err := os.Lstat(at(c.path)); err == nil && is.Mode().IsRegular() {
						if twin, err := os.OpenFile(at(c.path), os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
							b := make([]byte, 10)
							if n, _ := twin.Read(b); string(b[:n]) == "SECRET" {
								leaked++
							}
							twin.Close()
						}
					}
				}
			}()
			select {
			case <-ended:
			case <-time.After(90 * time.Second):
				t.Fatal("it waits at a pipe")
			}
			stop.Store(true)
			<-swapped
			if read == 0 || c.leaks && leaked == 0 {
				t.Errorf("it read %d times, and the twin leaked %d times: the race tests nothing", read, leaked)
			}
			t.Logf("%d reads, and the twin leaked %d times", read, leaked)
		})
	}
}
