//go:build unix

package files_test

// This file kills processes at each step of a write, and starts the next one.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/files"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
)

// TestMain is the process that is killed, too.
func TestMain(m *testing.M) {
	if dir := os.Getenv("EXO_FILES_CHILD"); dir != "" {
		if err := child(dir, os.Getenv("EXO_FILES_AT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// dying is a journal whose process ends before or after the nth change.
type dying struct {
	store.Store
	at string
	n  int
}

func (d *dying) Put(ctx context.Context, e store.Entry) (store.Version, error) {
	d.n++
	if d.at == fmt.Sprint("before put ", d.n) {
		die()
	}
	v, err := d.Store.Put(ctx, e)
	if d.at == fmt.Sprint("after put ", d.n) {
		die()
	}
	return v, err
}

// folderOf opens the folder of a test with its journal.
func folderOf(dir, at string) (*files.Files, error) {
	j, err := store.OpenFolder(filepath.Join(dir, "journal"), &store.LocalOptions{Shared: true})
	if err != nil {
		return nil, err
	}
	return files.Open("files", "", files.Config{Dir: filepath.Join(dir, "root"), Read: []string{"**"}, Write: []string{"**"}, Journal: &dying{Store: j, at: at}, Undo: 1e15})
}

// child writes two files in one run, and is killed at a step.
func child(dir, at string) error {
	f, err := folderOf(dir, at)
	if err != nil {
		return err
	}
	to, err := record.Open(filepath.Join(dir, "record"))
	if err != nil {
		return err
	}
	seen := map[string]int{}
	rec := exo.RecordFunc(func(e exo.Entry) error {
		step := e.Step.String()
		seen[step]++
		if at == fmt.Sprint("before ", step, seen[step]) {
			die()
		}
		err := to.Record(context.Background(), e)
		if at == fmt.Sprint("after ", step, seen[step]) {
			die()
		}
		return err
	})
	gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"files": f}, Record: rec})
	if err != nil {
		return err
	}
	s, err := gate.Begin(context.Background(), exo.Run{Principal: "ann"}, "two writes", nil)
	if err != nil {
		return err
	}
	for i, name := range []string{"old.txt", "new.txt"} {
		x := message.Expr{Nodes: []message.WireNode{{Op: message.OpRef, Recv: -1}, {Op: message.OpLit, Recv: -1, Lit: arg("path", name, "text", "NEW")}, {Op: message.OpCall, Name: "write", Recv: 0, Args: []int32{1}}}}
		if err := s.Submit(exo.Call{ID: uint64(i + 1), Expr: x}); err != nil {
			return err
		}
		if r, _, err := s.Next(context.Background()); err != nil || r.Err != nil {
			return errors.Join(err, r.Err)
		}
	}
	if err := s.Finish(context.Background(), value.Null(), nil); err != nil {
		return err
	}
	if at == "the end" {
		die()
	}
	return errors.New("it was not killed")
}

// TestKilled: wherever a process is killed, the next one completes what was committed and nothing else, and the record says of each file what
// became of it.
func TestKilled(t *testing.T) {
	var points []string
	for _, when := range []string{"before", "after"} {
		for _, step := range []exo.Step{exo.Begun, exo.Released, exo.Committing, exo.Committed, exo.Ended} {
			points = append(points, fmt.Sprint(when, " ", step.String(), 1))
		}
		for _, step := range []exo.Step{exo.Intent, exo.Outcome, exo.Acting, exo.Acted} {
			points = append(points, fmt.Sprint(when, " ", step.String(), 1), fmt.Sprint(when, " ", step.String(), 2))
		}
		points = append(points, when+" put 1", when+" put 2")
	}
	states := map[exo.State]int{}
	for _, at := range append(points, "the end") {
		dir := t.TempDir()
		put(t, dir, "root/old.txt", "OLD")
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "EXO_FILES_CHILD="+dir, "EXO_FILES_AT="+at)
		if out, err := c.CombinedOutput(); err == nil || c.ProcessState.ExitCode() != -1 {
			t.Fatalf("%s: it was not killed: %v %s", at, err, out)
		}
		rec, err := record.Open(filepath.Join(dir, "record"))
		if err != nil {
			t.Fatal(err)
		}
		runs, err := rec.Unsettled()
		if err != nil {
			t.Fatal(err)
		}
		f, err := folderOf(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := (record.Settlers{Objects: map[string]record.Settler{"files": f}}).Reconcile(t.Context(), rec, runs); err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		text, _ := os.ReadFile(filepath.Join(dir, "record"))
		became, committed := map[uint64]exo.State{}, false
		for e, err := range record.Read(bytes.NewReader(text)) {
			if err != nil {
				t.Fatal(err)
			}
			committed = committed || e.Step == exo.Committed && e.State == exo.StateApplied
			if e.Call > 0 {
				became[e.Call] = e.State
			}
		}
		for call, path := range map[uint64]string{1: "old.txt", 2: "new.txt"} {
			before := map[uint64]string{1: "OLD"}[call]
			want := before
			if committed {
				want = "NEW"
			}
			states[became[call]]++
			if got := has(dir, "root/"+path); got != want || committed != (became[call] == exo.StateApplied) {
				t.Errorf("%s: %s is %q and recorded as %v, want %q", at, path, got, became[call], want)
			}
		}
		if open, err := rec.Unsettled(); err != nil || len(open) > 0 {
			t.Errorf("%s: still open: %v, %v", at, open, err)
		}
		rec.Close()
		f.Close()
	}
	if states[exo.StateApplied] < 20 || states[exo.StateRolledBack] < 15 {
		t.Errorf("%v", states)
	}
}
