package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exoagent/exoagent/internal/atomicfile"
)

// Child is this binary again, with a folder.
func Child(what, dir string, env ...string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), "EXO_STORE_CHILD="+what, "EXO_STORE_DIR="+dir), env...)
	return c
}

// changes are what Steps does, in this order: a value of "" is a Delete.
var changes = []struct{ key, value string }{{"a", "1"}, {"a", "2"}, {"b", "3"}, {"a", ""}, {"a", "4"}, {"b", "5"}, {"b", ""}}

// after is what a store has after the first n changes.
func after(n int) map[string]string {
	is := map[string]string{}
	for _, c := range changes[:n] {
		if is[c.key] = c.value; c.value == "" {
			delete(is, c.key)
		}
	}
	return is
}

// dying is a file whose process ends at a step: before or after it is made, in the middle of its text, before or after it is synced.
type dying struct {
	file
	step func()
}

func (d *dying) Write(b []byte) (int, error) {
	n, err := d.file.Write(b[:len(b)/2])
	if err != nil {
		return n, err
	}
	d.step()
	m, err := d.file.Write(b[len(b)/2:])
	d.step()
	return n + m, err
}

func (d *dying) Sync() error {
	err := d.file.Sync()
	d.step()
	return err
}

// Steps makes all changes and is killed at a step of a write.
func Steps(dir string, at int) error {
	s, err := OpenFolder(dir, nil)
	if err != nil {
		return err
	}
	n := 0
	step := func() {
		if n++; n == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	d := s.disk.(*folder)
	d.create = func(path string) (file, error) {
		step()
		f, err := create(path)
		step()
		return &dying{f, step}, err
	}
	d.sync = func(dir string) error { // what was renamed or removed has another name by now
		step()
		err := atomicfile.SyncFolder(dir)
		step()
		return err
	}
	for _, c := range changes {
		e, err := s.Get(context.Background(), c.key)
		if err != nil {
			return err
		}
		if e.Value = []byte(c.value); c.value == "" {
			err = s.Delete(context.Background(), e.Key, e.Version)
		} else {
			_, err = s.Put(context.Background(), e)
		}
		if err != nil {
			return err
		}
		fmt.Println("done")
	}
	return nil
}

// values are all entries.
func values(t *testing.T, s Store) map[string]string {
	t.Helper()
	is := map[string]string{}
	for e, err := range All(t.Context(), s, "") {
		if err != nil {
			t.Fatal(err)
		}
		is[e.Key] = string(e.Value)
	}
	return is
}

// TestKilledAtEachStep: wherever a process is killed, the next one finds each change that was reported, the one under way as a whole or not at all, and goes on.
func TestKilledAtEachStep(t *testing.T) {
	killed := 0
	for at := 1; ; at++ {
		dir := filepath.Join(t.TempDir(), "store")
		out, err := Child("steps", dir, fmt.Sprint("EXO_STORE_STEP=", at)).Output()
		done := bytes.Count(out, []byte("done\n"))
		s, open := OpenFolder(dir, nil)
		if open != nil {
			t.Fatal(at, open)
		}
		is := values(t, s)
		if err == nil && done == len(changes) {
			if !maps.Equal(is, after(done)) {
				t.Errorf("nothing was killed: %v", is)
			}
			break
		}
		killed++
		if !maps.Equal(is, after(done)) && !maps.Equal(is, after(done+1)) {
			t.Errorf("step %d, %d changes were reported: %v", at, done, is)
		}
		if _, err := s.Put(t.Context(), Entry{Key: "c", Value: []byte("6")}); err != nil {
			t.Errorf("step %d: %v", at, err)
		}
		_ = s.Close()
	}
	if killed < 30 {
		t.Errorf("%d were killed", killed)
	}
}

// TestOpenTwice: a folder that is open is open nowhere else, neither here nor in another process; the lock goes with Close. Those that share it wait.
func TestOpenTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, err := OpenFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // what was refused did not let go of the lock
		if _, err := OpenFolder(dir, nil); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "exo/store/postgres") {
			t.Error(err)
		}
		if out, err := Child("open", dir).CombinedOutput(); err == nil || !strings.Contains(string(out), "the folder is in use") {
			t.Errorf("%s, %v", out, err)
		}
	}
	if _, err := s.Put(t.Context(), Entry{Key: "a", Value: []byte("1")}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = s.Close() })
	shared, err := OpenFolder(dir, &LocalOptions{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := values(t, shared); got["a"] != "1" {
		t.Error(got)
	}
	again, err := OpenFolder(dir, nil) // shared has it only while it reads
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := shared.Get(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it is taken: %v", err)
	}
	_ = again.Close()
	if out, err := Child("open", dir).CombinedOutput(); err != nil {
		t.Errorf("%s, %v", out, err)
	}
}

// full is a file that has room for some bytes.
type full struct {
	file
	room *int
}

var errFull = errors.New("no space left on device")

func (f full) Write(b []byte) (int, error) {
	if len(b) <= *f.room {
		*f.room -= len(b)
		return f.file.Write(b)
	}
	n, _ := f.file.Write(b[:*f.room])
	*f.room = 0
	return n, errFull
}

func (f full) Sync() error {
	if *f.room == 0 { // some file systems say it only now
		return errFull
	}
	return f.file.Sync()
}

// TestFullDisk: a write that finds no room changes nothing, says so, and the store goes on when there is room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Put(t.Context(), Entry{Key: "a", Value: []byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	d := s.disk.(*folder)
	for room := range 200 {
		d.create = func(path string) (file, error) { f, err := create(path); return full{f, &room}, err }
		next, err := s.Put(t.Context(), Entry{Key: "a", Value: []byte("2"), Version: v})
		if err == nil {
			if room == 0 {
				t.Fatal("it had room")
			}
			v = next
			continue
		}
		if !errors.Is(err, errFull) || errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("%d bytes of room: %v", room, err)
		}
		if e, err := s.Get(t.Context(), "a"); err != nil || e.Version != v {
			t.Errorf("%d bytes of room: %v, %v", room, e, err)
		}
		if all, err := filepath.Glob(filepath.Join(dir, "new*")); err != nil || len(all) > 0 {
			t.Errorf("%d bytes of room: %v is left", room, all)
		}
	}
	if got := values(t, s); got["a"] != "2" {
		t.Error(got)
	}
	// A name that can't be put on the disk may be lost with the power: nobody knows.
	d.sync = func(string) error { return errFull }
	if next, err := s.Put(t.Context(), Entry{Key: "a", Value: []byte("3"), Version: v}); !errors.Is(err, ErrUnknown) || next == Absent {
		t.Error(next, err)
	}
	if err := s.Delete(t.Context(), "a", "x"); !errors.Is(err, ErrConflict) {
		t.Error(err)
	}
}

// TestDamaged: a file that is not as it was written is not taken for absent, and stays as it is.
func TestDamaged(t *testing.T) {
	whole := `{"key":"a","version":"V","until":"2999-01-02T03:04:05Z","value":{"n":1}}` + "\n"
	for text, ok := range map[string]bool{
		whole: true, `{"key":"a","version":"V","value":1}` + "\n": true,
		"": false, "\n": false, "{}\n": false, whole[:20]: false, whole[:len(whole)-1]: false, whole + whole: false, whole + "x": false, "x" + whole: false, "\x00\x00\x00": false,
		strings.Replace(whole, `"V"`, `""`, 1): false, strings.Replace(whole, `"a"`, `"b"`, 1): false, strings.Replace(whole, `"value"`, `"more":1,"value"`, 1): false, strings.Replace(whole, `{"n":1}`, ``, 1): false,
		strings.Replace(whole, "2999", "soon", 1): false, strings.Repeat(" ", maxFile+1): false,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, nameOf("a"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		e, get := s.Get(t.Context(), "a")
		_, list := s.List(t.Context(), "", "", 1)
		_, sweep := s.Sweep(t.Context())
		_, put := s.Put(t.Context(), Entry{Key: "a", Value: []byte("2")})
		if ok {
			if get != nil || list != nil || sweep != nil || e.Version != "V" || !errors.Is(put, ErrConflict) {
				t.Errorf("%.60q: %v, %v, %v, %v, %v", text, e, get, list, sweep, put)
			}
			continue
		}
		for op, err := range map[string]error{"get": get, "list": list, "sweep": sweep, "put": put, "delete": s.Delete(t.Context(), "a", "V")} {
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), nameOf("a")) {
				t.Errorf("%.60q: %s: %v", text, op, err)
			}
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("%.60q: it was changed", text)
		}
		if _, err := s.Put(t.Context(), Entry{Key: "b", Value: []byte("2")}); err != nil {
			t.Errorf("%.60q: another key: %v", text, err)
		}
	}
}

// TestOpenFolder: what is no folder is refused, and a new one is its owner's.
func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bits"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, shared := range []bool{false, true} {
		for path, want := range map[string]string{"bits": "move the file away first", "none/store": "no such file", "bits/store": "not a directory"} {
			if s, err := OpenFolder(filepath.Join(dir, path), &LocalOptions{Shared: shared}); s != nil || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	s, err := OpenFolder(filepath.Join(dir, "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), Entry{Key: "who/<ann>", Value: []byte(`{"label": ["medical"]}`)}); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{"store": 0o700, "store/lock": 0o600, "store/" + nameOf("who/<ann>"): 0o600} {
		if at, err := os.Stat(filepath.Join(dir, path)); err != nil || at.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, at, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "store", nameOf("who/<ann>"))); err != nil || !bytes.HasPrefix(text, []byte(`{"key":"who/<ann>",`)) || !bytes.HasSuffix(text, []byte(`"value":{"label":["medical"]}}`+"\n")) {
		t.Errorf("grep does not find it in %s, %v", text, err)
	}
}
