package record

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/postgres"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// slow is a database that takes no group until it is let go.
type slow struct {
	*postgres.Table
	held   atomic.Bool
	groups atomic.Int64
}

func (s *slow) Group(ctx context.Context, sizes []int64, runs []tree.Run, next func(tree.State) ([]tree.Row, error)) error {
	for s.held.Load() {
		time.Sleep(time.Millisecond)
	}
	s.groups.Add(1)
	return s.Table.Group(ctx, sizes, runs, next)
}

// TestShared: entries of a read don't wait for the database, and nothing that can't be undone happens, nor does a run end, before all that
// was recorded is committed. What a killed process left is settled once it was silent.
func TestShared(t *testing.T) {
	url := tu.WithParam(t, tu.Postgres.URL(t), "synchronous_commit", "on") // the server of the tests has it off
	k := treetest.NewKeys(t, false)
	if err := postgres.Create(t.Context(), url, k.About, k.Private); err != nil {
		t.Fatal(err)
	}
	open := func(dead time.Duration) (*Folder, *slow) {
		t.Helper()
		table, err := postgres.Connect(url)
		if err != nil {
			t.Fatal(err)
		}
		s := &slow{Table: table}
		l, err := tree.OpenShared(t.Context(), s, k.Private, &tree.SharedOptions{Dead: dead})
		if err != nil {
			t.Fatal(err)
		}
		f, err := OnShared(l)
		if err != nil {
			t.Fatal(err)
		}
		return f, s
	}
	f, s := open(0)
	id, left := exo.NewRunID(), exo.NewRunID()
	begun := func(id exo.RunID) exo.Entry {
		return exo.Entry{RunID: id, Step: exo.Begun, At: time.Now(), Start: &exo.Start{Program: "x", Principal: "ann", Clock: time.Now()}}
	}
	committed := func() (n int) {
		for x, err := range ReadLog(f.from, k.Opener(t)) {
			if err != nil {
				t.Fatal(err)
			}
			if x.RunID == id {
				n++
			}
		}
		return n
	}
	s.held.Store(true)
	for _, e := range []exo.Entry{begun(id), {RunID: id, Step: exo.Intent, Call: 1, Op: "orders.count", At: time.Now()}, {RunID: id, Step: exo.Outcome, Call: 1, At: time.Now()}} {
		if err := f.Record(t.Context(), e); err != nil { // it would wait for ever
			t.Fatal(err)
		}
	}
	want := 3
	for _, e := range []exo.Entry{{Step: exo.Intent, Call: 2, Op: "mail.send", Effect: message.Immediate}, {Step: exo.Committing, Prepared: &exo.Prepared{Changed: 1, Witnessed: 1}}, {Step: exo.Acting, Call: 3, Effect: message.Held}, {Step: exo.Committed, State: exo.StateUnknown}, {Step: exo.Ended}} {
		s.held.Store(e.Step != exo.Committed) // which is a fact already, and does not wait
		if n := committed(); n >= want+1 {
			t.Errorf("%d entries", n)
		}
		done := make(chan error, 1)
		e.RunID, e.At = id, time.Now()
		go func() { done <- f.Record(t.Context(), e) }()
		select {
		case err := <-done:
			if e.Step != exo.Committed || err != nil {
				t.Errorf("%v did not wait: %v", e.Step, err)
			}
			done <- err
		case <-time.After(20 * time.Millisecond):
		}
		s.held.Store(false)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if want++; e.Step != exo.Committed && committed() != want {
			t.Errorf("%v: %d entries are committed, want %d", e.Step, committed(), want)
		}
	}
	if err := f.Record(t.Context(), begun(left)); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	careful, _ := open(0)
	if runs, err := careful.Unsettled(); err != nil || len(runs)+len(careful.UnsettledAtOpen()) > 0 {
		t.Errorf("%v, %v", runs, err)
	}
	other, _ := open(time.Nanosecond)
	runs, err := other.Unsettled()
	if err != nil || len(runs) != 2 || len(other.UnsettledAtOpen()) != 2 { // the first one ended with effects of which nobody knows
		t.Errorf("%v, %v", runs, err)
	}
	before := committed()
	if err := Reconcile(t.Context(), careful, runs); err != nil || committed() != before || careful.Err() == nil {
		t.Errorf("runs that may be alive were settled: %v", err)
	}
	if err := Reconcile(t.Context(), other, runs); err != nil {
		t.Error(err)
	}
	if runs, err := other.Unsettled(); err != nil || len(runs) > 0 {
		t.Errorf("%v, %v", runs, err)
	}
	if err := errors.Join(careful.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	if v, err := tree.Verify(tree.In(s.Table), k.About.Key, ""); err != nil || !v.Complete() || len(v.Unended) > 0 {
		t.Errorf("%v, %v", v, err)
	}
}
