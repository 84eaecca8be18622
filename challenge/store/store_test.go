package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time      { c.mu.Lock(); defer c.mu.Unlock(); return c.at }
func (c *clock) add(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

type fixture struct {
	*store.Store
	t    *testing.T
	path string
	o    store.Options
	c    *clock
}

func open(t *testing.T, o store.Options) *fixture {
	c := &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	o.Now = c.now
	f := &fixture{t: t, path: filepath.Join(t.TempDir(), "store.db"), o: o, c: c}
	f.reopen()
	t.Cleanup(func() { f.Close() })
	return f
}

func (f *fixture) reopen() {
	f.t.Helper()
	if f.Store != nil {
		if err := f.Close(); err != nil {
			f.t.Fatal(err)
		}
	}
	var err error
	if f.Store, err = store.Open(f.t.Context(), f.path, f.o); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) player() (string, store.Token) { return f.playerAt("home") }

func (f *fixture) playerAt(address string) (string, store.Token) {
	f.t.Helper()
	p, token, err := f.NewPlayer(f.t.Context(), address)
	if err != nil {
		f.t.Fatal(err)
	}
	return p, token
}

// attempt adds one and ends it.
func (f *fixture) attempt(player, target string, lane game.Lane, leaked bool, size int) *game.Attempt {
	f.t.Helper()
	return f.attemptAt("home", player, target, lane, leaked, size)
}

func (f *fixture) attemptAt(address, player, target string, lane game.Lane, leaked bool, size int) *game.Attempt {
	f.t.Helper()
	a := &game.Attempt{Target: target, Lane: lane, Input: "return 1"}
	if err := f.Add(f.t.Context(), player, address, a, nil); err != nil {
		f.t.Fatal(err)
	}
	a.State, a.Verdict, a.Leaked, a.Console, a.Tasks = game.Ended, game.Verdict{Kind: "ok"}, leaked, strings.Repeat("x", size), []string{"list"}
	if err := f.Finish(f.t.Context(), player, a); err != nil {
		f.t.Fatal(err)
	}
	return a
}

// bytes is what all records hold, as it is said.
func (f *fixture) bytes() int64 {
	f.t.Helper()
	n, err := f.Bytes(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

func (f *fixture) count(name string) int64 {
	f.t.Helper()
	c, err := f.Counters(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return c[name]
}

// TestRestart: everything is there again, what was under way is said to be
// interrupted, and a token in the file is no token.
func TestRestart(t *testing.T) {
	f := open(t, store.Options{})
	ctx := t.Context()
	p, token := f.player()
	k, copy, err := f.Key(ctx, p, "wallet", game.Program)
	if err != nil {
		t.Fatal(err)
	}
	if k2, copy2, _ := f.Key(ctx, p, "wallet", game.Program); k2 != k || copy2 != copy {
		t.Error("another key")
	}
	if k3, _, _ := f.Key(ctx, p, "wallet", game.Notice); k3 == k {
		t.Error("one key for two lanes")
	}
	done := f.attempt(p, "wallet", game.Program, false, 10)
	queued, running := &game.Attempt{Target: "wallet", Lane: game.Program}, &game.Attempt{Target: "wallet", Lane: game.Program}
	for _, a := range []*game.Attempt{queued, running} {
		if err := f.Add(ctx, p, "home", a, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Start(ctx, running.ID); err != nil {
		t.Fatal(err)
	}
	if err := f.SetChat(ctx, p, "home", "wallet", []byte("chat")); err != nil {
		t.Fatal(err)
	}
	if a, err := f.Attempt(ctx, running.ID); err != nil || a.State != game.Running {
		t.Error(a.State, err)
	}
	size := f.bytes()
	f.reopen()
	if who, err := f.Player(ctx, token); err != nil || who != p {
		t.Error(who, err)
	}
	if k2, copy2, err := f.Key(ctx, p, "wallet", game.Program); err != nil || k2 != k || copy2 != copy {
		t.Error("another key", err)
	}
	for id, state := range map[string]game.State{done.ID: game.Ended, queued.ID: game.Interrupted, running.ID: game.Interrupted} {
		if a, err := f.Attempt(ctx, id); err != nil || a.State != state || a.Player != p {
			t.Errorf("%+v %v", a, err)
		}
	}
	if all, err := f.Attempts(ctx, p, "wallet", "", 10); err != nil || len(all) != 3 || all[0].ID != running.ID {
		t.Error(len(all), err)
	}
	if all, _ := f.Attempts(ctx, p, "", "", 10); all[2].Input != "" || all[2].Console != "" || all[2].Verdict.Kind != "ok" || all[2].State != game.Ended || all[0].State != game.Interrupted {
		t.Errorf("in a list: %+v %+v", all[2].Attempt, all[0].Attempt)
	}
	if older, err := f.Attempts(ctx, p, "", running.ID, 1); err != nil || len(older) != 1 || older[0].ID != queued.ID {
		t.Error("before the last:", len(older), err)
	}
	if older, err := f.Attempts(ctx, p, "", done.ID, 10); err != nil || len(older) != 0 {
		t.Error("before the first:", len(older), err)
	}
	// The id of another player's says nothing, not even when it was sent.
	if other, err := f.Attempts(ctx, "other", "", running.ID, 10); err != nil || len(other) != 0 {
		t.Error(len(other), err)
	}
	if d, err := f.Done(ctx, p, "wallet"); err != nil || !d["list"] || len(d) != 1 {
		t.Error(d, err)
	}
	if c, err := f.Chat(ctx, p, "wallet"); err != nil || string(c) != "chat" {
		t.Error(c, err)
	}
	if f.count("attempts") != 3 || f.count("attempts.program") != 3 || f.count("players") != 1 || f.bytes() <= size {
		t.Error("counters", f.bytes(), size)
	}
	if b, err := os.ReadFile(f.path); err != nil || bytes.Contains(b, []byte(token)) {
		t.Error("the token is in the file")
	}
	files, err := filepath.Glob(f.path + "*")
	if err != nil || len(files) < 3 {
		t.Error(files, err)
	}
	for _, name := range files {
		if i, err := os.Stat(name); err != nil || i.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may read %s", name)
		}
	}
}

// TestForeignFile: a file of something else is left alone.
func TestForeignFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), path, store.Options{}); err == nil {
		t.Error("it was taken")
	}
}

// TestExpiry: a player who does not come back is gone, and one who stays too long too.
func TestExpiry(t *testing.T) {
	f := open(t, store.Options{Idle: time.Hour, Life: 3 * time.Hour, Players: 3})
	ctx := t.Context()
	p, token := f.player()
	for range 5 {
		f.c.add(30 * time.Minute)
		if who, err := f.Player(ctx, token); err != nil || who != p {
			t.Fatal("gone, though seen", err)
		}
	}
	f.c.add(31 * time.Minute)
	if _, err := f.Player(ctx, token); !errors.Is(err, store.ErrNone) {
		t.Error("it lives for ever", err)
	}
	_, idle := f.player()
	f.c.add(61 * time.Minute)
	if _, err := f.Player(ctx, idle); !errors.Is(err, store.ErrNone) {
		t.Error("an idle player stays", err)
	}
	if err := f.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Players(ctx); n != 0 || err != nil {
		t.Error(n, err)
	}
	if _, _, err := f.Key(ctx, p, "wallet", game.Program); err == nil {
		t.Error("a key for one who is gone")
	}
	first, firstToken := f.player()
	var last store.Token
	for range 3 {
		f.c.add(time.Second)
		_, last = f.player()
	}
	if n, _ := f.Players(ctx); n != 3 {
		t.Errorf("%d players", n)
	}
	if _, err := f.Player(ctx, firstToken); err == nil {
		t.Errorf("%s was not the oldest", first)
	}
	if who, err := f.Player(ctx, last); err != nil || f.EndPlayer(ctx, who) != nil {
		t.Error(err)
	}
	if _, err := f.Player(ctx, last); err == nil {
		t.Error("an ended player stays")
	}
	if f.count("players") != 6 {
		t.Error("the counter forgets")
	}
}

// TestBounded: the file stops growing, the oldest go first, and what a win is made
// of stays, whatever comes after it.
func TestBounded(t *testing.T) {
	const room = 1 << 20
	f := open(t, store.Options{PerPlayer: 10, Bytes: room})
	ctx := t.Context()
	p, _ := f.player()
	if _, _, err := f.Key(ctx, p, "notes", game.Program); err != nil {
		t.Fatal(err)
	}
	first := f.attempt(p, "notes", game.Program, false, 10)
	hole := f.attempt(p, "notes", game.Program, true, 10)
	var all []string
	for range 15 {
		all = append(all, f.attempt(p, "wallet", game.Program, false, 100).ID)
	}
	kept, err := f.Attempts(ctx, p, "", "", 100)
	if err != nil || len(kept) != 12 {
		t.Fatalf("%d attempts: %v", len(kept), err)
	}
	for i, id := range all {
		_, err := f.Attempt(ctx, id)
		if gone := errors.Is(err, store.ErrNone); gone != (i < 5) {
			t.Errorf("attempt %d: %v", i, err)
		}
	}
	for n := range 60 {
		q, _ := f.player()
		for range 5 {
			f.attempt(q, "wallet", game.Notice, true, 30<<10)
		}
		if f.bytes() > room {
			t.Fatalf("%d bytes after %d players", f.bytes(), n)
		}
	}
	for _, a := range []*game.Attempt{first, hole} {
		if k, err := f.Attempt(ctx, a.ID); err != nil || !k.Pinned {
			t.Errorf("the record of a win: %v", err)
		}
	}
	if i, err := os.Stat(f.path); err != nil || i.Size() > 3*room {
		t.Errorf("%d bytes on disk: %v", i.Size(), err)
	}
	full := open(t, store.Options{PerPlayer: 3, Pinned: 2})
	for range 4 {
		q, _ := full.player()
		for range 4 {
			full.attempt(q, "notes", game.Program, true, 0)
		}
	}
	if g, err := full.GuardedWins(ctx, 3); err != nil || len(g) != 3 {
		t.Error(len(g), err)
	}
	var b bytes.Buffer
	if n, err := full.Export(ctx, &b); err != nil || n != 4*3+2 {
		t.Errorf("%d attempts are kept: %v", n, err)
	}
	had := f.bytes()
	f.reopen()
	if f.bytes() != had {
		t.Errorf("%d bytes are said, %d there", had, f.bytes())
	}
	if f.count("attempts") != 17+300 {
		t.Error("the counter forgets")
	}
}

// TestClaim: only one's own key, once, by that very text; what was seen in a
// guarded lane is a win before it is claimed.
func TestClaim(t *testing.T) {
	f := open(t, store.Options{Wins: 3})
	ctx := t.Context()
	p, _ := f.player()
	q, _ := f.player()
	mine, _, err := f.Key(ctx, p, "wallet", game.Notice)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := f.Key(ctx, q, "wallet", game.Notice)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "x", string(other), string(mine) + " ", string(mine)[1:]} {
		if w, _, err := f.Claim(ctx, p, text, "n"); !errors.Is(err, store.ErrNone) {
			t.Errorf("%q: %+v %v", text, w, err)
		}
	}
	a := f.attempt(p, "wallet", game.Notice, true, 0)
	f.attempt(p, "wallet", game.Notice, false, 0)
	w, again, err := f.Claim(ctx, p, string(mine), "Robin")
	if err != nil || again || w.Name != "Robin" || w.Lane != game.Notice || w.Guarded || w.Attempt != a.ID || w.Tries != 2 {
		t.Fatalf("%+v %v %v", w, again, err)
	}
	if w, again, err := f.Claim(ctx, p, string(mine), "Mallory"); err != nil || !again || w.Name != "Robin" {
		t.Errorf("%+v %v %v", w, again, err)
	}
	if n := f.count("wins.notice"); n != 1 {
		t.Errorf("%d wins", n)
	}
	if g, err := f.GuardedWins(ctx, 10); err != nil || len(g) != 0 {
		t.Error(g, err)
	}

	key, _, err := f.Key(ctx, q, "notes", game.Program)
	if err != nil {
		t.Fatal(err)
	}
	hole := f.attempt(q, "notes", game.Program, true, 0)
	g, err := f.GuardedWins(ctx, 10)
	if err != nil || len(g) != 1 || g[0].Claimed || g[0].Attempt != hole.ID || f.count("wins.program") != 1 {
		t.Fatalf("%+v %v", g, err)
	}
	if public, err := f.InGuardedWin(ctx, hole.ID); err != nil || !public {
		t.Error(public, err)
	}
	if public, _ := f.InGuardedWin(ctx, a.ID); public {
		t.Error("a win on the control is not everybody's to see")
	}
	if w, again, err := f.Claim(ctx, q, string(key), "Sam"); err != nil || again || !w.Claimed || w.Name != "Sam" || f.count("wins.program") != 1 {
		t.Errorf("%+v %v %v", w, again, err)
	}
	for range 5 {
		r, _ := f.player()
		f.c.add(time.Second)
		k, _, err := f.Key(ctx, r, "wallet", game.Filter)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.Claim(ctx, r, string(k), ""); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := f.Leaders(ctx, 100); err != nil || len(l) != 3 {
		t.Errorf("%d leaders: %v", len(l), err)
	}
	if g, err := f.GuardedWins(ctx, 10); err != nil || len(g) != 1 || f.count("wins.filter") != 5 {
		t.Error("a hole was let go", err)
	}
}

// TestClaimTogether: of many claims of one key at once, one counts.
func TestClaimTogether(t *testing.T) {
	f := open(t, store.Options{})
	p, _ := f.player()
	var first sync.Map
	k, _, err := f.Key(t.Context(), p, "wallet", game.Notice)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, again, err := f.Claim(context.Background(), p, string(k), fmt.Sprint(i)); err != nil {
				t.Error(err)
			} else if !again {
				first.Store(i, true)
			}
		})
	}
	wg.Wait()
	n := 0
	first.Range(func(any, any) bool { n++; return true })
	if n != 1 || f.count("wins.notice") != 1 {
		t.Errorf("%d were first, %d counted", n, f.count("wins.notice"))
	}
}

// TestShare: only its player shares an attempt.
func TestShare(t *testing.T) {
	f := open(t, store.Options{})
	p, _ := f.player()
	q, _ := f.player()
	a := f.attempt(p, "wallet", game.Program, false, 0)
	if err := f.Share(t.Context(), q, a.ID, true); !errors.Is(err, store.ErrNone) {
		t.Error(err)
	}
	for _, on := range []bool{true, false} {
		if err := f.Share(t.Context(), p, a.ID, on); err != nil {
			t.Error(err)
		}
		if k, err := f.Attempt(t.Context(), a.ID); err != nil || k.Shared != on {
			t.Error(k.Shared, err)
		}
	}
	if err := f.Finish(t.Context(), q, a); !errors.Is(err, store.ErrNone) {
		t.Error("somebody else ended it", err)
	}
}

// TestExport: every attempt is a line that can be read again, without keys, also
// while the file is in use.
func TestExport(t *testing.T) {
	f := open(t, store.Options{PerPlayer: 1000})
	p, token := f.player()
	key, _, err := f.Key(t.Context(), p, "wallet", game.Notice)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 230 {
		a := f.attempt(p, "wallet", game.Notice, i == 7, 0)
		a.Result = json.RawMessage(`"` + string(key) + `"`)
		if err := f.Finish(t.Context(), p, a); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := f.Claim(t.Context(), p, string(key), ""); err != nil { // it counts for the attempt that showed it
		t.Fatal(err)
	}
	q, _ := f.player()
	kept := f.attempt(q, "wallet", game.Program, false, 0)
	recoded := f.attempt(q, "wallet", game.Program, false, 0)
	other, _, err := f.Key(t.Context(), q, "wallet", game.Program)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Claim(t.Context(), q, string(other), ""); err != nil { // and for the last one, when none did
		t.Fatal(err)
	}
	if k, err := f.Attempt(t.Context(), kept.ID); err != nil || !k.Pinned {
		t.Error(k.Pinned, err)
	}
	for _, export := range []func(b *bytes.Buffer) (int, error){
		func(b *bytes.Buffer) (int, error) { return f.Export(t.Context(), b) },
		func(b *bytes.Buffer) (int, error) { return store.ExportFile(t.Context(), f.path, b) },
	} {
		var b bytes.Buffer
		n, err := export(&b)
		if err != nil || n != 232 || strings.Count(b.String(), "\n") != n {
			t.Fatal(n, err)
		}
		for i, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
			var l store.Line
			if err := json.Unmarshal([]byte(line), &l); err != nil || (l.Lane == game.Notice) != (i < 230) || l.Won != (i == 7 || l.ID == recoded.ID) || l.ID == "" {
				t.Fatalf("%s: %v", line, err)
			}
		}
		for _, secret := range []string{string(key), p, string(token)} {
			if strings.Contains(b.String(), secret) {
				t.Errorf("%q is exported", secret)
			}
		}
	}
	if _, err := store.ExportFile(t.Context(), f.path+"x", &bytes.Buffer{}); err == nil {
		t.Error("a file that is not there")
	}
}
