package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
	"pgregory.net/rapid"
)

// TestCrowd: one address that makes players without end ends its own.
func TestCrowd(t *testing.T) {
	f := open(t, store.Options{Players: 20})
	var quiet []store.Token
	for i := range 10 {
		_, token := f.playerAt(fmt.Sprint("quiet", i))
		quiet = append(quiet, token)
	}
	f.c.add(time.Hour)
	for range 100 {
		f.playerAt("crowd")
	}
	if n, err := f.Players(t.Context()); err != nil || n != 20 {
		t.Error(n, err)
	}
	for i, token := range quiet {
		if _, err := f.Player(t.Context(), token); err != nil {
			t.Errorf("player %d was logged out by another address: %v", i, err)
		}
	}
}

// TestFlush: one address that fills the room, with however many players, with
// records or chats, loses its own and nobody else's.
func TestFlush(t *testing.T) {
	const room = 1 << 20
	f := open(t, store.Options{Bytes: room})
	ctx := t.Context()
	var quiet, kept []string
	for i := range 10 {
		at := fmt.Sprint("quiet", i)
		p, _ := f.playerAt(at)
		if err := f.SetChat(ctx, p, at, "wallet", []byte(strings.Repeat("c", 10<<10))); err != nil {
			t.Fatal(err)
		}
		quiet, kept = append(quiet, p), append(kept, f.attemptAt(at, p, "wallet", game.Program, false, 1<<10).ID)
	}
	for range 30 {
		q, _ := f.playerAt("crowd")
		for range 3 {
			f.attemptAt("crowd", q, "wallet", game.Program, false, 30<<10)
		}
		for _, target := range []string{"wallet", "notes"} {
			if err := f.SetChat(ctx, q, "crowd", target, []byte(strings.Repeat("c", 100<<10))); err != nil {
				t.Fatal(err)
			}
		}
		if n := f.bytes(); n > room {
			t.Fatalf("%d bytes", n)
		}
	}
	for _, id := range kept {
		if _, err := f.Attempt(ctx, id); err != nil {
			t.Errorf("a record was flushed by another address: %v", err)
		}
	}
	for _, p := range quiet {
		if c, err := f.Chat(ctx, p, "wallet"); err != nil || len(c) != 10<<10 {
			t.Error("a chat was flushed by another address", err)
		}
	}
	q, _ := f.playerAt("crowd")
	if a := f.attemptAt("crowd", q, "wallet", game.Program, false, 1<<10); a.ID == "" {
		t.Error("the crowd can't play any more")
	}
}

// TestRoom: whatever comes and goes, what the file says it holds is what is there, and
// it is never more than it may.
func TestRoom(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const room = 60 << 10
		f := open(t, store.Options{Bytes: room, PerPlayer: 4, Players: 5, Pinned: 3})
		ctx := t.Context()
		addresses := rapid.SampledFrom([]string{"a", "b", "c"})
		type who struct{ id, address string }
		var players []who
		var waiting []struct {
			*game.Attempt
			player string
		}
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			at := addresses.Draw(r, "address")
			if len(players) == 0 {
				id, _ := f.playerAt(at)
				players = append(players, who{id, at})
			}
			p := rapid.SampledFrom(players).Draw(r, "player")
			size := rapid.SampledFrom([]int{0, 1 << 10, 9 << 10}).Draw(r, "size")
			switch rapid.IntRange(0, 7).Draw(r, "step") {
			case 0:
				id, _ := f.playerAt(at)
				players = append(players, who{id, at})
			case 1:
				if err := f.EndPlayer(ctx, p.id); err != nil {
					r.Fatal(err)
				}
			case 2:
				if err := f.SetChat(ctx, p.id, at, "wallet", []byte(strings.Repeat("c", size))); err != nil {
					r.Fatal(err)
				}
			case 3:
				if len(waiting) < 3 { // those that are not over stay
					a := &game.Attempt{Target: "wallet", Lane: game.Program, Input: strings.Repeat("<", size/2)}
					if err := f.Add(ctx, p.id, at, a, nil); err != nil {
						r.Fatal(err)
					}
					waiting = append(waiting, struct {
						*game.Attempt
						player string
					}{a, p.id})
				}
			case 4:
				if len(waiting) > 0 {
					a := waiting[0]
					waiting = waiting[1:]
					a.State, a.Leaked = game.Ended, rapid.Bool().Draw(r, "leaked")
					if err := f.Finish(ctx, a.player, a.Attempt); err != nil {
						r.Fatal(err)
					}
				}
			default:
				f.attemptAt(at, p.id, "wallet", game.Program, false, size)
			}
			for _, a := range waiting {
				if _, err := f.Attempt(ctx, a.ID); err != nil {
					r.Fatal("an attempt that is not over is gone", err)
				}
			}
			said, there := f.Holders()
			if said != there || f.bytes() > room {
				r.Fatalf("said %s, there %s, bound %d", said, there, room)
			}
		}
	})
}

// TestPinned: the records of holes stay, and leave room for everybody's.
func TestPinned(t *testing.T) {
	const room = 400 << 10
	f := open(t, store.Options{Bytes: room})
	for range 10 {
		p, _ := f.player()
		for i := range 5 {
			f.attempt(p, "wallet", game.Program, i == 4, 20<<10)
		}
	}
	p, _ := f.player()
	for range 5 {
		f.attempt(p, "wallet", game.Notice, false, 20<<10)
	}
	if k, err := f.Attempts(t.Context(), p, "", "", 9); err != nil || len(k) != 5 || f.bytes() > room {
		t.Error(len(k), f.bytes(), err)
	}
}

// TestTries counts attempts that are not kept any more, and those of one's own lane only.
func TestTries(t *testing.T) {
	f := open(t, store.Options{PerPlayer: 3})
	p, _ := f.player()
	k, _, err := f.Key(t.Context(), p, "wallet", game.Notice)
	if err != nil {
		t.Fatal(err)
	}
	for range 9 {
		f.attempt(p, "wallet", game.Notice, false, 0)
	}
	f.attempt(p, "wallet", game.Filter, false, 0)
	w, _, err := f.Claim(t.Context(), p, string(k), "")
	if err != nil || w.Tries != 9 {
		t.Fatalf("%+v %v", w, err)
	}
	for range 3 {
		f.attempt(p, "wallet", game.Filter, false, 0)
	}
	if ws, err := f.Won(t.Context(), p); err != nil || len(ws) != 1 || ws[0].Attempt != "" {
		t.Errorf("an attempt that is gone is linked: %+v %v", ws, err)
	}
}

// TestStopped: what the host has stopped is stopped after a restart.
func TestStopped(t *testing.T) {
	f := open(t, store.Options{})
	for _, want := range []bool{false, true, false} {
		if err := f.SetStopped(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		f.reopen()
		if on, err := f.Stopped(t.Context()); err != nil || on != want {
			t.Error(on, err)
		}
	}
}

// TestSmaller: a file that was filled under a larger bound holds to a smaller one from
// its opening on, and takes attempts; of the records of holes the first stays.
func TestSmaller(t *testing.T) {
	f := open(t, store.Options{})
	ctx := t.Context()
	hacker, _ := f.player()
	holes := []*game.Attempt{f.attempt(hacker, "wallet", game.Program, true, 100<<10), f.attempt(hacker, "notes", game.Program, true, 100<<10)}
	for i := range 10 {
		p, _ := f.playerAt(fmt.Sprint(i))
		for range 20 {
			f.attemptAt(fmt.Sprint(i), p, "wallet", game.Program, false, 100<<10)
		}
	}
	f.o.Bytes = 500 << 10
	f.reopen()
	if n := f.bytes(); n > f.o.Bytes {
		t.Errorf("%d bytes", n)
	}
	p, _ := f.player()
	for range 10 {
		a := f.attempt(p, "wallet", game.Program, false, 100<<10)
		if k, err := f.Attempt(ctx, a.ID); err != nil || k.State != game.Ended {
			t.Error(k.State, err)
		}
	}
	for i, a := range holes {
		if k, err := f.Attempt(ctx, a.ID); (err == nil && k.Pinned) != (i == 0) {
			t.Errorf("the record of hole %d: %+v %v", i, k, err)
		}
	}
}

// TestFull: a file that can't grow takes what is new in the room of what is old.
func TestFull(t *testing.T) {
	f := open(t, store.Options{Bytes: 1 << 20})
	p, _ := f.player()
	for range 100 {
		f.attempt(p, "wallet", game.Program, false, 30<<10)
	}
	if err := f.SetChat(t.Context(), p, "home", "wallet", []byte("chat")); err != nil {
		t.Fatal(err)
	}
	if err := f.Full(); err != nil {
		t.Fatal(err)
	}
	if err := f.SetChat(t.Context(), p, "home", "wallet", []byte(strings.Repeat("x", 500<<10))); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		a := &game.Attempt{Target: "wallet", Lane: game.Program, Input: strings.Repeat("x", 64<<10)}
		if err := f.Add(t.Context(), p, "home", a, nil); err != nil {
			t.Fatal(i, err)
		}
		a.State, a.Console = game.Ended, strings.Repeat("x", 30<<10)
		if err := f.Finish(t.Context(), p, a); err != nil {
			t.Fatal(i, err)
		}
		if err := f.SetChat(t.Context(), p, "home", "wallet", []byte(strings.Repeat("x", 200<<10*(i%2)))); err != nil {
			t.Fatal(i, err)
		}
	}
}

// TestJustEnded: an attempt that has just ended is there for the one who waits for
// it, however little room there is.
func TestJustEnded(t *testing.T) {
	f := open(t, store.Options{Bytes: 50 << 10})
	p, _ := f.player()
	for range 3 {
		a := f.attempt(p, "wallet", game.Program, false, 60<<10)
		if k, err := f.Attempt(t.Context(), a.ID); err != nil || k.State != game.Ended {
			t.Error(k.State, err)
		}
	}
}

// TestPinFirst: however much led to a hole, the attempt that leaked stays; and so does
// that of the next hole.
func TestPinFirst(t *testing.T) {
	f := open(t, store.Options{Bytes: 1 << 20})
	var leaked []string
	for range 4 {
		p, _ := f.player()
		for range 20 {
			f.attempt(p, "wallet", game.Program, false, 30<<10)
		}
		leaked = append(leaked, f.attempt(p, "wallet", game.Program, true, 30<<10).ID)
	}
	p, _ := f.player()
	for range 100 {
		f.attempt(p, "wallet", game.Notice, false, 30<<10)
	}
	for i, id := range leaked {
		if k, err := f.Attempt(t.Context(), id); err != nil || !k.Pinned {
			t.Errorf("hole %d: %v", i, err)
		}
	}
	if n := f.pinned(); n < 6 || n > 8 {
		t.Errorf("%d records stay", n)
	}
}

// pinned is how many records stay.
func (f *fixture) pinned() (n int) {
	f.t.Helper()
	if _, err := f.Export(f.t.Context(), writer(func(b []byte) {
		var l store.Line
		if err := json.Unmarshal(b, &l); err != nil {
			f.t.Fatal(err)
		}
		if k, err := f.Attempt(f.t.Context(), l.ID); err != nil {
			f.t.Fatal(err)
		} else if k.Pinned {
			n++
		}
	})); err != nil {
		f.t.Fatal(err)
	}
	return n
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }
