package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// another opens the same file as another process does.
func (f *fixture) another() *store.Store {
	f.t.Helper()
	s, err := store.Open(f.t.Context(), f.path, f.o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { s.Close() })
	return s
}

// TestInterruptDead: the attempts of a process that lives are left alone. When the process is gone, any other one ends them.
func TestInterruptDead(t *testing.T) {
	f := open(t, store.Options{})
	ctx := t.Context()
	p, _ := f.player()
	a := &game.Attempt{Target: "wallet", Lane: game.Program}
	if err := f.Add(ctx, p, "home", a, nil); err != nil {
		t.Fatal(err)
	}
	second, third := f.another(), f.another()
	state := func() game.State {
		t.Helper()
		if err := errors.Join(second.InterruptDead(ctx), third.InterruptDead(ctx)); err != nil {
			t.Fatal(err)
		}
		k, err := third.Attempt(ctx, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		return k.State
	}
	if got := state(); got != game.Running || !second.Alive(f.ID()) {
		t.Errorf("while its process lives: %s", got)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != game.Interrupted || second.Alive(f.ID()) || !second.Alive(third.ID()) {
		t.Errorf("after the end of its process: %s", got)
	}
	if left, err := filepath.Glob(f.path + ".*.live"); err != nil || len(left) != 2 {
		t.Error(left, err)
	}
}

// TestSecretOfAll: processes know an address by one digest. When none lives any more, the next one has another key, which is in no backup.
func TestSecretOfAll(t *testing.T) {
	f := open(t, store.Options{})
	second := f.another()
	was := f.Secret("x")
	if !bytes.Equal(was, second.Secret("x")) || bytes.Equal(was, f.Secret("y")) {
		t.Error("two keys for one use, or one for two")
	}
	f.reopen()
	if !bytes.Equal(was, f.Secret("x")) {
		t.Error("another key, though a process lives")
	}
	copied := filepath.Join(t.TempDir(), "backup.db")
	if err := store.BackupFile(t.Context(), f.path, copied); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", f.path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var key []byte
	if err := db.QueryRow("SELECT key FROM secret").Scan(&key); err != nil || len(key) != 32 {
		t.Error(len(key), err)
	}
	if b, err := os.ReadFile(copied); err != nil || bytes.Contains(b, key) {
		t.Error("a backup has the key of addresses", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	f.reopen()
	if bytes.Equal(was, f.Secret("x")) {
		t.Error("the key outlives the processes")
	}
}

// TestEarlierVersion: an earlier version, which has the file for itself, and this one are not mixed.
func TestEarlierVersion(t *testing.T) {
	defer store.SetJoinWait(0)()
	path := filepath.Join(t.TempDir(), "store.db")
	db, err := sql.Open("sqlite", path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	if s, err := store.Open(t.Context(), path, store.Options{}); err == nil || !strings.Contains(err.Error(), "earlier version") || !strings.Contains(err.Error(), "wait if it is starting") {
		if err == nil {
			s.Close()
		}
		t.Error(err)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// TestBoundsOfAll: what waits, the buckets of rates and the host's stop count in all processes together.
func TestBoundsOfAll(t *testing.T) {
	f := open(t, store.Options{})
	ctx := t.Context()
	both := []*store.Store{f.Store, f.another()}
	room := &store.Room{PerPlayer: 3, Total: 10}
	add := func(i int, player, address string, lane game.Lane, room *store.Room) error {
		return both[i%2].Add(ctx, player, address, &game.Attempt{Target: "wallet", Lane: lane}, room)
	}
	for i := range 5 {
		want := map[bool]error{true: store.ErrYours}[i >= 3]
		if err := add(i, "p", "home", game.Program, room); !errors.Is(err, want) {
			t.Errorf("attempt %d of a player: %v", i, err)
		}
	}
	if err := add(0, "p", "home", game.Program, nil); err != nil {
		t.Error("one that need not wait:", err)
	}
	if err := add(0, "p", "home", game.Model, room); err != nil {
		t.Error("in the other queue:", err)
	}
	for i := range 4 { // five of one address leave room for five
		want := map[bool]error{true: store.ErrYours}[i >= 2]
		if err := add(i, fmt.Sprint("p", i), "home", game.Notice, room); !errors.Is(err, want) {
			t.Errorf("attempt %d of an address: %v", i, err)
		}
	}
	for i := range 7 {
		want := map[bool]error{true: store.ErrFull}[i >= 5]
		if err := add(i, fmt.Sprint("q", i), fmt.Sprint("away", i), game.Notice, room); !errors.Is(err, want) {
			t.Errorf("attempt %d of all: %v", i, err)
		}
	}
	if w, r, err := both[1].Length(ctx); err != nil || w != 11 || r != 1 {
		t.Error(w, r, err)
	}

	var took atomic.Int64
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if err := both[i%2].Take(ctx, "attempts", "home", func(b *store.Bucket) {
				if b.At.IsZero() {
					b.Tokens = 25
				}
				if b.At, b.Full = f.c.now(), f.c.now().Add(time.Hour); b.Tokens >= 1 {
					b.Tokens--
					took.Add(1)
				}
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := took.Load(); n != 25 {
		t.Errorf("%d took one of 25 tokens", n)
	}
	known := func() (ok bool) {
		t.Helper()
		if err := errors.Join(both[0].SweepBuckets(ctx), both[1].Take(ctx, "attempts", "home", func(b *store.Bucket) { ok, b.Full = !b.At.IsZero(), f.c.now().Add(time.Hour) })); err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !known() {
		t.Error("a bucket that is not full was forgotten")
	}
	if f.c.add(2 * time.Hour); known() {
		t.Error("a full bucket is kept")
	}

	if err := both[0].SetStopped(ctx, true); err != nil {
		t.Fatal(err)
	}
	if err := add(1, "r", "there", game.Program, nil); !errors.Is(err, store.ErrStopped) || both[1].Failing() {
		t.Error("an attempt after another process has stopped the game:", err)
	}
}

// TestTakeEnds: taking a token ends, though the second file gives no answer. A request whose client has gone counts.
func TestTakeEnds(t *testing.T) {
	f := open(t, store.Options{})
	release, err := f.HoldShared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = f.Take(t.Context(), "attempts", "home", func(*store.Bucket) { t.Error("a bucket without the file") })
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), f.path+".lock") {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Take(gone, "attempts", "home", func(b *store.Bucket) { b.Full = f.c.now() }); err != nil {
		t.Error("a request whose client has gone:", err)
	}
}

// TestOnePrize: of all claims of a key, in whichever process, one is the first, and of all first visits one makes the key.
func TestOnePrize(t *testing.T) {
	f := open(t, store.Options{})
	ctx := t.Context()
	both := []*store.Store{f.Store, f.another()}
	p, _ := f.player()
	var wg sync.WaitGroup
	var mu sync.Mutex
	keys := map[game.Key]bool{}
	for i := range 20 {
		wg.Go(func() {
			k, _, err := both[i%2].Key(ctx, p, "wallet", game.Notice)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			keys[k] = true
		})
	}
	wg.Wait()
	if len(keys) != 1 {
		t.Fatalf("%d keys for one player and lane", len(keys))
	}
	first := 0
	for k := range keys {
		for i := range 20 {
			wg.Go(func() {
				w, again, err := both[i%2].Claim(ctx, p, string(k), fmt.Sprint("name ", i))
				if err != nil || w == nil {
					t.Error(w, err)
				}
				mu.Lock()
				defer mu.Unlock()
				if !again {
					first++
				}
			})
		}
	}
	wg.Wait()
	if first != 1 || f.count("wins.notice") != 1 {
		t.Errorf("%d first claims, %d wins", first, f.count("wins.notice"))
	}
}
