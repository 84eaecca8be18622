package queue_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exoagent/exoagent/challenge/queue"
	"pgregory.net/rapid"
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
	return x.from(queue.Sender{Address: player, Player: player}, id)
}

func (x *table) from(s queue.Sender, id string) error {
	return x.Add(s, func(bool) (string, error) { return id, nil }, func(ctx context.Context) {
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

func newTable(t *testing.T, places int) *table {
	return &table{Queue: queue.New(places), t: t, step: make(chan struct{})}
}

// TestTurns: players alternate, and the positions say so beforehand.
func TestTurns(t *testing.T) {
	x := newTable(t, 1)
	if err := x.add("z", "z0"); err != nil { // it runs
		t.Fatal(err)
	}
	for _, id := range []string{"a1", "a2", "a3", "b1", "c1", "c2", "e1", "f1", "g1"} {
		if err := x.add(id[:1], id); err != nil {
			t.Fatal(id, err)
		}
	}
	want := []string{"a1", "b1", "c1", "e1", "f1", "g1", "a2", "c2", "a3"}
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
		for range 10 {
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
	x := newTable(t, 1)
	lost := errors.New("disk full")
	if err := x.Add(queue.Sender{}, func(bool) (string, error) { return "", lost }, func(context.Context) { t.Error("it ran") }); !errors.Is(err, lost) {
		t.Error(err)
	}
	x.Close(t.Context())
}

// TestSlowKeep: while one job is being kept, others come, run and end. Close waits until the job is kept and has run.
func TestSlowKeep(t *testing.T) {
	for _, lost := range []error{nil, errors.New("disk full")} {
		x := newTable(t, 2)
		keeps, kept := make(chan struct{}), make(chan struct{})
		var ran atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := x.Add(queue.Sender{Player: "a"}, func(bool) (string, error) { close(keeps); <-kept; return "slow", lost }, func(context.Context) { ran.Store(true) }); err != lost {
				t.Error(err)
			}
		})
		<-keeps
		if err := x.add("b", "quick"); err != nil {
			t.Fatal(err)
		}
		x.step <- struct{}{}
		x.Wait(t.Context(), "quick")
		if _, ok := x.Position("slow"); ok {
			t.Error("a job that is not kept has a position")
		}
		wg.Go(func() {
			if err := x.Close(t.Context()); err != nil || ran.Load() != (lost == nil) {
				t.Error("after Close:", err, ran.Load())
			}
		})
		for !x.Paused() { // until Close has begun
			runtime.Gosched()
		}
		close(kept)
		wg.Wait()
	}
}

// TestPause stops what runs and what waits, and takes jobs again afterwards.
func TestPause(t *testing.T) {
	x := newTable(t, 2)
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
	x := newTable(t, 1)
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

// TestAddress: an address with many players has one turn, as every other has.
func TestAddress(t *testing.T) {
	x := newTable(t, 1)
	if err := x.add("z", "z0"); err != nil { // it runs
		t.Fatal(err)
	}
	const crowd = 20
	for i := range crowd { // twenty players of one address
		if err := x.from(queue.Sender{Address: "crowd", Player: fmt.Sprint(i)}, fmt.Sprint("crowd", i)); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range []string{"a", "b"} {
		if err := x.add(id, id); err != nil {
			t.Fatal(id, err)
		}
		if n, _ := x.Position(id); n != i+2 {
			t.Errorf("%s is number %d", id, n)
		}
	}
	go func() {
		for range crowd + 3 {
			x.step <- struct{}{}
		}
	}()
	x.Close(t.Context())
	if want := []string{"z0", "crowd0", "a", "b", "crowd1", "crowd2"}; !slices.Equal(x.ran[:6], want) {
		t.Error(x.ran[:6])
	}
}

// TestOrder: whoever sends what and when, a position is what it says; no address gets a
// second turn while another waits for its first, and no player one of its address's.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := newTable(t, 1)
		if err := x.add("z", "z"); err != nil { // it runs until all have come
			r.Fatal(err)
		}
		of := map[string]queue.Sender{}
		for i := range rapid.IntRange(1, 40).Draw(r, "jobs") {
			s := queue.Sender{Address: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "address"), Player: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(r, "player")}
			if x.from(s, fmt.Sprint(i)) == nil {
				of[fmt.Sprint(i)] = s
			}
		}
		said := make([]string, len(of))
		for id := range of {
			n, ok := x.Position(id)
			if !ok || n < 1 || n > len(of) || said[n-1] != "" {
				r.Fatalf("%s is number %d of %d", id, n, len(of))
			}
			said[n-1] = id
		}
		close(x.step)
		x.Close(t.Context())
		if !slices.Equal(x.ran[1:], said) {
			r.Fatalf("said %v, ran %v", said, x.ran[1:])
		}
		var addresses []string
		players := map[string][]string{}
		for _, id := range said {
			addresses = append(addresses, of[id].Address)
			players[of[id].Address] = append(players[of[id].Address], of[id].Player)
		}
		fair(r, addresses)
		for _, turns := range players {
			fair(r, turns)
		}
	})
}

// fair fails where one who had a turn has another while somebody waits who had fewer.
func fair(r *rapid.T, turns []string) {
	had, left := map[string]int{}, map[string]int{}
	for _, who := range turns {
		left[who]++
	}
	for _, who := range turns {
		for other, n := range left {
			if other != who && n > 0 && had[other] < had[who] {
				r.Fatalf("%s comes again before %s: %v", who, other, turns)
			}
		}
		had[who]++
		left[who]--
	}
}

// TestCloseLeaves: a job that does not hear that it is stopped does not hold up the
// end; those that hear it have ended.
func TestCloseLeaves(t *testing.T) {
	q := queue.New(2)
	hung, heard := make(chan struct{}), make(chan struct{})
	defer close(hung)
	for id, run := range map[string]func(context.Context){
		"deaf":  func(context.Context) { <-hung },
		"hears": func(ctx context.Context) { <-ctx.Done(); close(heard) },
	} {
		if err := q.Add(queue.Sender{Player: id}, func(bool) (string, error) { return id, nil }, run); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := q.Close(ctx); !errors.Is(err, queue.ErrRunning) {
		t.Error(err)
	}
	<-heard
}
