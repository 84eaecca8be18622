package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/challenge/queue"
)

// table is a queue whose jobs wait until they are told to end.
type table struct {
	*queue.Queue
	t    *testing.T
	mu   sync.Mutex
	ran  []string
	gone []string // whose context ended
	step chan struct{}
}

func (x *table) add(player, id string) error {
	return x.Add(player, func() (string, error) { return id, nil }, func(ctx context.Context) {
		select {
		case <-x.step:
		case <-ctx.Done():
			x.mu.Lock()
			x.gone = append(x.gone, id)
			x.mu.Unlock()
		}
		x.mu.Lock()
		x.ran = append(x.ran, id)
		x.mu.Unlock()
	})
}

func newTable(t *testing.T, places, perPlayer, total int) *table {
	return &table{Queue: queue.New(places, perPlayer, total), t: t, step: make(chan struct{})}
}

// TestTurns: players alternate, the positions say so beforehand, and the bounds hold.
func TestTurns(t *testing.T) {
	x := newTable(t, 1, 3, 6)
	if err := x.add("z", "z0"); err != nil { // it runs
		t.Fatal(err)
	}
	for _, id := range []string{"a1", "a2", "a3", "b1", "c1", "c2"} {
		if err := x.add(id[:1], id); err != nil {
			t.Fatal(id, err)
		}
	}
	if err := x.add("a", "a4"); !errors.Is(err, queue.ErrYours) {
		t.Error(err)
	}
	if err := x.add("d", "d1"); !errors.Is(err, queue.ErrFull) {
		t.Error(err)
	}
	want := []string{"a1", "b1", "c1", "a2", "c2", "a3"}
	for i, id := range want {
		if n, ok := x.Position(id); n != i+1 || !ok {
			t.Errorf("%s is number %d", id, n)
		}
	}
	if n, ok := x.Position("z0"); n != 0 || !ok {
		t.Error(n, ok)
	}
	if _, ok := x.Position("none"); ok {
		t.Error("none")
	}
	go func() {
		for range 7 {
			x.step <- struct{}{}
		}
	}()
	x.Wait(t.Context(), "a3")
	x.Close(t.Context())
	if !slices.Equal(x.ran, append([]string{"z0"}, want...)) {
		t.Error(x.ran)
	}
	if w, r := x.Length(); w+r != 0 {
		t.Error(w, r)
	}
	if err := x.add("a", "a5"); !errors.Is(err, queue.ErrClosed) {
		t.Error(err)
	}
}

// TestKeep: a job that could not be kept is not run.
func TestKeep(t *testing.T) {
	x := newTable(t, 1, 1, 1)
	lost := errors.New("disk full")
	if err := x.Add("a", func() (string, error) { return "", lost }, func(context.Context) { t.Error("it ran") }); !errors.Is(err, lost) {
		t.Error(err)
	}
	x.Close(t.Context())
}

// TestPause stops what runs and what waits, and takes jobs again afterwards.
func TestPause(t *testing.T) {
	x := newTable(t, 2, 9, 9)
	for i := range 5 {
		if err := x.add("a", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	x.Pause()
	if err := x.add("a", "late"); !errors.Is(err, queue.ErrPaused) || !x.Paused() {
		t.Error(err)
	}
	for i := range 5 {
		x.Wait(t.Context(), fmt.Sprint(i))
	}
	if len(x.gone) != 5 {
		t.Errorf("stopped: %s", strings.Join(x.gone, " "))
	}
	x.Resume()
	if err := x.add("a", "again"); err != nil || x.Paused() {
		t.Error(err)
	}
	x.step <- struct{}{}
	x.Close(t.Context())
	if x.ran[len(x.ran)-1] != "again" || len(x.gone) != 5 {
		t.Error(x.ran, x.gone)
	}
}

// TestCloseStops: what does not end in time is stopped.
func TestCloseStops(t *testing.T) {
	x := newTable(t, 1, 9, 9)
	for i := range 3 {
		if err := x.add("a", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x.Close(ctx)
	if len(x.gone) != 3 || len(x.ran) != 3 {
		t.Error(x.gone, x.ran)
	}
}
