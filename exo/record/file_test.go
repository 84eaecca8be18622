package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
)

// Wherever the last line was torn, what stands before it is kept, the rest is cut off, and
// the record goes on.
func TestTornLineIsCutOff(t *testing.T) {
	var b []byte
	var ends []int
	ids := []exo.RunID{exo.NewRunID(), exo.NewRunID(), exo.NewRunID()}
	for _, id := range ids {
		e := entry(id, exo.Begun)
		e.Op = "a\nline"
		b, _ = appendLine(b, &e, &runs{})
		ends = append(ends, len(b))
	}
	for n := range len(b) + 1 {
		path := filepath.Join(t.TempDir(), "record")
		if err := os.WriteFile(path, b[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		whole := 0
		for whole < len(ends) && ends[whole] <= n {
			whole++
		}
		kept := 0
		if whole > 0 {
			kept = ends[whole-1]
		}
		f, err := Open(path)
		if err != nil || f.Torn() != int64(n-kept) {
			t.Fatalf("%d bytes: %v", n, err)
		}
		for i, id := range ids {
			if err := f.Record(t.Context(), entry(id, exo.Begun)); (err == nil) != (i >= whole) {
				t.Errorf("%d bytes: run %d begins: %v", n, i, err)
			}
		}
		if runs, err := f.Unsettled(); err != nil || len(runs) != 3 {
			t.Errorf("%d bytes: %v, %v", n, runs, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		text, _ := os.ReadFile(path)
		if !bytes.HasPrefix(text, b[:kept]) || len(all(t, bytes.NewReader(text))) != 3 {
			t.Errorf("%d bytes: %s", n, text)
		}
		if err := f.Record(t.Context(), entry(exo.NewRunID(), exo.Begun)); err == nil {
			t.Error("a file that was closed")
		}
	}
}

// A whole line that is none is somebody's, and no reason to lose what stands behind it:
// the file stays as it is.
func TestOpenTouchesNoWholeLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	a, b := entry(exo.NewRunID(), exo.Begun), entry(exo.NewRunID(), exo.Begun)
	line, _ := appendLine(nil, &a, &runs{})
	text := string(line) + "{\"v\":2}\n"
	line, _ = appendLine(nil, &b, &runs{})
	text += string(line) + "half"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(path); f != nil || err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
	if now, _ := os.ReadFile(path); string(now) != text {
		t.Errorf("the file is %q", now)
	}
	if _, err := Open(filepath.Join(path, "x")); err == nil {
		t.Error("a file within a file")
	}
}

// Half a line that could not be finished is taken back, and the record goes on.
func TestHalfALineIsTakenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := f.w
	a, b := entry(exo.NewRunID(), exo.Begun), entry(exo.NewRunID(), exo.Begun)
	if err := f.Record(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	f.w = &writer{fail: func(b []byte) (int, error) { f.f.Write(b[:9]); return 9, errDisk }}
	if err := f.Record(t.Context(), b); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	f.w = w
	if err := f.Record(t.Context(), b); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(path)
	if es := all(t, bytes.NewReader(text)); len(es) != 2 || es[1].RunID != b.RunID || !errors.Is(f.Err(), errDisk) {
		t.Errorf("%s, %v", text, f.Err())
	}
}

// A record that is open is nobody else's: neither the same process opens it again nor
// another one, which would cut off what this one appends meanwhile. What was refused
// touches nothing, and the lock goes with Close and with the process, killed or not.
func TestOpenTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(who string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), path+": the file is open elsewhere") || !strings.Contains(err.Error(), "close it there") {
			t.Errorf("%s: %v", who, err)
		}
	}
	here := func() {
		t.Helper()
		g, err := Open(path)
		if refused("this process", err); g != nil || !errors.Is(err, ErrInUse) {
			t.Errorf("%v, %v", g, err)
		}
	}
	here()
	out, _ := child("open", path).CombinedOutput()
	refused("another process", errors.New(string(out)))
	here() // what was refused did not let go of the lock
	if err := f.Record(t.Context(), entry(exo.NewRunID(), exo.Begun)); err != nil {
		t.Fatal(err)
	}
	if runs, err := f.Unsettled(); err != nil || len(runs) != 1 {
		t.Errorf("%v, %v", runs, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	c := child("open", path)
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(stdout)
	in.Scan() // it is open, and something is appended
	here()
	c.Process.Kill()
	for in.Scan() {
	}
	if c.Wait() == nil {
		t.Error("it was not killed")
	}
	if f, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := f.Unsettled()
	if err != nil || len(runs) < 2 || !reflect.DeepEqual(runs, f.UnsettledAtOpen()) {
		t.Errorf("%v, %v, at Open %v", runs, err, f.UnsettledAtOpen())
	}
}

// child is this binary again, with a record.
func child(what, path string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "EXO_RECORD_CHILD="+what, "EXO_RECORD_PATH="+path)
	return c
}

// A host that dropped the error of Open has a record that refuses, and no panic: the gate
// begins nothing.
func TestNilRecords(t *testing.T) {
	var file *File
	var lines *Lines
	for name, to := range map[string]exo.Recorder{"a nil File": file, "a nil Lines": lines, "the zero File": &File{}, "the zero Lines": &Lines{}} {
		if err := to.Record(t.Context(), entry(exo.NewRunID(), exo.Begun)); !errors.Is(err, errNowhere) {
			t.Errorf("%s: %v", name, err)
		}
		if r, ok := to.(interface{ Err() error }); !ok || !errors.Is(r.Err(), errNowhere) {
			t.Errorf("%s: its first error", name)
		}
		gate, err := exo.NewGate(exo.Config{Record: to})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gate.Begin(t.Context(), exo.Run{}, "1", nil); !errors.Is(err, errNowhere) {
			t.Errorf("%s: a run begins: %v", name, err)
		}
	}
	for name, f := range map[string]*File{"nil": nil, "zero": {}} {
		if runs, err := f.Unsettled(); runs != nil || !errors.Is(err, errNowhere) {
			t.Errorf("%s: %v, %v", name, runs, err) // as if nothing were left to settle
		}
		if err := f.Close(); !errors.Is(err, errNowhere) || f.Torn() != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A process that is killed while it records loses nothing that was acknowledged.
func TestKilledWhileItRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	acknowledged := 0
	for range 5 {
		c := child("fill", path)
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(out)
		for n := 0; in.Scan(); n++ { // what is still in the pipe was acknowledged, too
			acknowledged++
			if n == 200 {
				c.Process.Kill()
			}
		}
		c.Wait()
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := f.Unsettled()
	if err != nil || acknowledged < 1000 || len(runs) < acknowledged || len(runs) > acknowledged+5 {
		t.Errorf("%d entries of %d acknowledged, %v", len(runs), acknowledged, err)
	}
}

// opened appends one entry, and has the record open until its input ends.
func opened(path string) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	if err := f.Record(context.Background(), entry(exo.NewRunID(), exo.Begun)); err != nil {
		return err
	}
	fmt.Println("recorded")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// fill records until it is killed, and says of each entry that it was.
func fill(path string) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	time.AfterFunc(20*time.Second, func() { os.Exit(1) })
	for {
		e := entry(exo.NewRunID(), exo.Begun)
		e.Op = strings.Repeat("x", 10_000)
		if err := f.Record(context.Background(), e); err != nil {
			return err
		}
		fmt.Println("recorded")
	}
}
