package tree_test

// This file tests logs that several processes share with a witness over HTTP.

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/exo/record/tree/treetest"
)

// TestSharedHTTPWitness: a witness over HTTP cosigns the checkpoints of a log in a database, which two processes append to at the same time. A cut end,
// an old copy that went on, and a witness that has lost what it knew are found.
func TestSharedHTTPWitness(t *testing.T) {
	w := tree.NewWitness(t)
	s, m := madeAt(t, w.Place())
	a, b := shared(t, m, s, nil), shared(t, m, s, nil)
	for range 5 {
		var all sync.WaitGroup
		for _, l := range []*tree.Shared{a, b} {
			all.Go(func() { treetest.Run(t, l, 5, "what it says") })
		}
		all.Wait()
		if v := s.Verify(t); !v.Complete() || v.Unasked != nil || v.Seen != v.Entries { // while both have the log open
			t.Fatalf("%s", strings.Join(v.Lines(), "\n"))
		}
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	if m.witnessed == "" {
		t.Fatal("nothing is kept")
	}
	old, seen := slices.Clone(m.rows), m.witnessed
	last := slices.IndexFunc(old, func(r tree.Row) bool { return r.Checkpoint && r.Number > 20 })
	l := shared(t, m, s, nil) // a process that has other's cosigned checkpoint goes on from there
	treetest.Run(t, l, 5, "later")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, later := slices.Clone(m.rows), m.witnessed
	refused := func(want string) {
		t.Helper()
		if v := s.Verify(t); v.Intact() || !strings.Contains(v.Changed[0], want) {
			t.Errorf("%s", strings.Join(v.Lines(), "\n"))
		}
	}
	m.rows = old[:last+1]
	refused("missing at the end: the witness has seen them")
	if _, err := tree.OpenShared(t.Context(), m, s.Private, nil); err == nil || !strings.Contains(err.Error(), "missing at the end") {
		t.Error(err)
	}
	m.rows, m.witnessed = old, seen // all of the database is an old copy
	refused("unless the witness lies: the answer says that the witness's last checkpoint has 55 entries")
	l = shared(t, m, s, nil)
	treetest.Run(t, l, 9, "another history")
	if err := l.Close(); err == nil {
		t.Error("an old copy went on, and the witness has cosigned it")
	}
	refused("an old copy of the log was put back")
	m.witnessed = later
	if _, err := tree.OpenShared(t.Context(), m, s.Private, nil); err == nil || !strings.Contains(err.Error(), "entries were changed, or an old copy of the log was put back") {
		t.Error(err)
	}
	m.rows = whole
	if v := s.Verify(t); !v.Complete() || v.Unasked != nil || v.Seen != 55 {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
	for i, has := range []int64{0, 50} { // its database was made again, or is an old one
		size, root := w.Set(has, tree.Hash{})
		if v := s.Verify(t); v.Unasked == nil || !strings.Contains(v.Unasked.Error(), "the witness has lost its data") || !strings.Contains(v.Unasked.Error(), "keep a copy") || v.Seen != size {
			t.Errorf("%d: %s", i, strings.Join(v.Lines(), "\n"))
		}
		w.Set(size, root)
	}
	m.witnessed = strings.Replace(later, "w1", "w2", 1)
	if _, err := tree.OpenShared(t.Context(), m, s.Private, nil); err == nil || !strings.Contains(err.Error(), "holds no checkpoint that both this log and this witness have signed") {
		t.Error(err)
	}
}
