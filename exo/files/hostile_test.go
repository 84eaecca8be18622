//go:build unix

package files_test

// This file attacks the object. Each attack has a twin without the guard, which succeeds.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/files"
	"github.com/exoagent/exoagent/exo/value"
)

// world is a folder for programs, with files that no glob names, and a folder that is outside.
func world(t *testing.T) (dir, outside string) {
	t.Helper()
	dir, outside = t.TempDir(), t.TempDir()
	put(t, dir, "open/a.txt", "public")
	put(t, dir, "closed/secret.txt", "SECRET")
	put(t, outside, "secret.txt", "SECRET")
	return dir, outside
}

// TestReadAttacks: no spelling and no kind of file lets a program read what no glob names. The twin reads by os.ReadFile, or by an os.Root where
// that is no wall, after the same glob.
func TestReadAttacks(t *testing.T) {
	for i, a := range []struct {
		what, path string
		make       func(dir, outside string) error
		root       bool // an os.Root reads it too
	}{
		{"a walk up", "open/../closed/secret.txt", nil, true},
		{"a walk up, out", "open/../../OUTSIDE/secret.txt", nil, false},
		{"an absolute path", "/ABSOLUTE/secret.txt", nil, false},
		{"an empty part", "open//../closed/secret.txt", nil, true},
		{"a dot", "./closed/secret.txt", nil, true},
		{"a link out of the folder", "open/link.txt", func(dir, outside string) error {
			return os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(dir, "open/link.txt"))
		}, false},
		{"a link within the folder", "open/link.txt", func(dir, _ string) error {
			return os.Symlink("../closed/secret.txt", filepath.Join(dir, "open/link.txt"))
		}, true},
		{"a link on the way", "open/sub/secret.txt", func(dir, _ string) error { return os.Symlink("../closed", filepath.Join(dir, "open/sub")) }, true},
		{"a link on the way out", "open/sub/secret.txt", func(dir, outside string) error { return os.Symlink(outside, filepath.Join(dir, "open/sub")) }, false},
		{"a link to a link", "open/b/secret.txt", func(dir, _ string) error {
			_ = os.Symlink("../closed", filepath.Join(dir, "open/a"))
			return os.Symlink("a", filepath.Join(dir, "open/b"))
		}, true},
		{"a hard link made outside", "open/hard.txt", func(dir, outside string) error {
			return os.Link(filepath.Join(outside, "secret.txt"), filepath.Join(dir, "open/hard.txt"))
		}, true},
		{"a link with a slash at the end", "open/sub/", func(dir, outside string) error { return os.Symlink(outside, filepath.Join(dir, "open/sub")) }, false},
		{"what waits for another run", "open/.exo-00112233445566778899aabbccddeeff-1", func(dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "open/.exo-00112233445566778899aabbccddeeff-1"), []byte("SECRET"), 0o600)
		}, true},
	} {
		t.Run(fmt.Sprint(i+1, " ", a.what), func(t *testing.T) {
			dir, outside := world(t)
			path := strings.NewReplacer("OUTSIDE", filepath.Base(outside), "/ABSOLUTE", outside).Replace(a.path)
			if a.make != nil {
				if err := a.make(dir, outside); err != nil {
					t.Fatal(err)
				}
			}
			if filepath.Dir(outside) != filepath.Dir(dir) && strings.Contains(a.path, "OUTSIDE") {
				path = strings.Replace(path, "../../", "../../../"+filepath.Base(filepath.Dir(outside))+"/", 1)
			}
			r := begin(t, open(t, dir, files.Config{Read: []string{"open/**", "*.txt", "open/.*"}}))
			if v, err := call(r, "read", "path", path); err == nil {
				t.Errorf("it read %v", v)
			}
			if v, err := call(r, "list"); err != nil || fmt.Sprint(paths(v)) != "[open/a.txt]" {
				t.Errorf("it lists %v, %v", paths(v), err)
			}
			if strings.HasSuffix(path, "/") { // the name of a folder: the twin lists what is behind
				if all, err := os.ReadDir(filepath.Join(dir, path)); err != nil || len(all) != 1 {
					t.Errorf("the twin lists %v, %v", all, err)
				}
				return
			}
			at := filepath.Join(dir, filepath.FromSlash(path))
			if strings.HasPrefix(path, "/") {
				at = path
			}
			if b, err := os.ReadFile(at); err != nil || string(b) != "SECRET" {
				t.Errorf("the twin read %q, %v", b, err)
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			if b, err := root.ReadFile(path); (err == nil && string(b) == "SECRET") != a.root {
				t.Errorf("an os.Root read %q, %v", b, err)
			}
		})
	}
}

// TestPipesAndDevices: neither is opened: a pipe would make the host wait, and a device has no end. The twins wait, and read on.
func TestPipesAndDevices(t *testing.T) {
	dir, _ := world(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "open/pipe.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(socket)
	if err := syscall.Bind(socket, &syscall.SockaddrUnix{Name: filepath.Join(dir, "open/socket.txt")}); err != nil {
		t.Skip("no socket can be made here:", err)
	}
	f := open(t, dir, files.Config{Admits: value.NewLabel(value.Untrusted)})
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := begin(t, f)
		for _, path := range []string{"open/pipe.txt", "open/socket.txt"} {
			if v, err := call(r, "read", "path", path); err == nil || !strings.Contains(err.Error(), "no plain file") {
				t.Errorf("%s: %v, %v", path, v, err)
			}
			if _, err := call(r, "write", "path", path, "text", "x"); err == nil || !strings.Contains(err.Error(), "no plain file") {
				t.Errorf("%s: %v", path, err)
			}
		}
		if v, err := call(r, "list", "glob", "open/*"); err != nil || fmt.Sprint(paths(v)) != "[open/a.txt]" {
			t.Errorf("%v, %v", paths(v), err)
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for the pipe")
	}
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		if twin, err := os.Open(filepath.Join(dir, "open/pipe.txt")); err == nil {
			twin.Close()
		}
	}()
	select {
	case <-opened:
		t.Error("the twin did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	if w, err := os.OpenFile(filepath.Join(dir, "open/pipe.txt"), os.O_WRONLY, 0); err == nil {
		w.Close()
	}
	<-opened
}

// TestWriteAttacks: a write lands where a glob allows it, or nowhere, also if a folder becomes a link after the program ended. The twin, which
// renames by path, writes into the closed folder.
func TestWriteAttacks(t *testing.T) {
	for i, a := range []struct {
		what, path string
		make       func(dir, outside string) error
	}{
		{"a link on the way", "out/sub/new.txt", func(dir, _ string) error { return os.Symlink("../closed", filepath.Join(dir, "out/sub")) }},
		{"a link on the way out", "out/sub/new.txt", func(dir, outside string) error { return os.Symlink(outside, filepath.Join(dir, "out/sub")) }},
		{"a link in the place of the folder", "out/new.txt", func(dir, _ string) error {
			return os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "was"))
		}},
	} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprint(i+1, " ", a.what, " ", late), func(t *testing.T) {
				dir, outside := world(t)
				put(t, dir, "out/a.txt", "a")
				if late && !strings.HasPrefix(a.what, "a link in") {
					if err := os.Mkdir(filepath.Join(dir, "out", "sub"), 0o755); err != nil {
						t.Fatal(err)
					}
				}
				attack := func() {
					if err := a.make(dir, outside); err != nil && !late {
						t.Fatal(err)
					}
					if strings.HasPrefix(a.what, "a link in") {
						_ = os.Symlink("closed", filepath.Join(dir, "out"))
					} else if late { // the folder is there by now
						_ = os.Rename(filepath.Join(dir, "out/sub"), filepath.Join(dir, "out/was"))
						_ = a.make(dir, outside)
					}
				}
				f := open(t, dir, files.Config{Write: []string{"out/**"}})
				rec := &steps{}
				r := beginOn(t, f, rec)
				if !late {
					attack()
				} else {
					rec.at = whenCommitted(attack)
				}
				_, err := call(r, "write", "path", a.path, "text", "MINE")
				if err == nil {
					err = r.Finish(true)
				}
				if !late && err == nil {
					t.Error("it was not refused")
				}
				for _, at := range []string{filepath.Join(dir, "closed/new.txt"), filepath.Join(outside, "new.txt")} {
					if b, err := os.ReadFile(at); err == nil {
						t.Errorf("it wrote %s: %q", at, b)
					}
				}
				if os.WriteFile(filepath.Join(dir, filepath.FromSlash(a.path)), []byte("MINE"), 0o600) != nil || has(dir, "closed/new.txt")+has(outside, "new.txt") != "MINE" {
					t.Error("the twin wrote nothing")
				}
			})
		}
	}
}
