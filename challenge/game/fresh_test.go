package game_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestUnguardedWrites is the twin of the attacks on the target that programs write to: where the grant is of every
// row, they change rows of others, and the host gives the key for it, to the model lane as well.
func TestUnguardedWrites(t *testing.T) {
	p := unguarded(t, tu.SQLite, "spend", game.OpenSpends, 4)
	if a := p.play("spend", game.Program, "async (api) => { await api.me.spends().insert({ tabId: 41, cents: 1, memo: 'x' }); throw new Error('x') }"); a.Leaked {
		t.Error("what was undone counts")
	}
	p.g.Chat = parrot{nil}
	if a := p.play("spend", game.Model, "(api) => api.me.spends().insert({ tabId: 41, cents: 1, memo: 'x' })"); !a.Leaked || len(a.Steps) != 1 {
		t.Errorf("%+v", a)
	}
}

// TestFresh: what an attempt changes no other sees, be it of the same player at the same time, and
// nothing of it stays.
func TestFresh(t *testing.T) {
	dir := t.TempDir()
	g := newGame(t, tu.SQLite, 4)
	copies, err := game.OpenCopies(t.Context(), game.CopyOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer copies.Close(context.Background())
	g.Copies = copies
	p := newPlayer(t, g, "player0000")
	p.key("spend", game.Program)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			a := p.play("spend", game.Program, fmt.Sprintf("async (api) => { await api.me.spends().where({ id: 501 }).delete(); await api.me.spends().insert({ tabId: 31, cents: %d, memo: 'x' }); await api.me.tabs().all().update({ name: 'x%d' }); return [await api.me.spends().count(), await api.me.tabs().where(t => t.name === 'x%d').count()] }", i+1, i, i))
			if !a.Verdict.OK() || string(a.Result) != "[3,2]" || a.Leaked || a.Engine != "sqlite" {
				t.Errorf("%+v %s", a.Verdict, a.Result)
			}
		})
	}
	wg.Wait()
	if a := p.play("spend", game.Program, "(api) => api.me.spends()"); !strings.Contains(string(a.Result), "Tea and cake") || a.Rows != 3 {
		t.Errorf("an earlier attempt is seen: %s", a.Result)
	}
	if a := p.play("spend", game.Notice, "SELECT * FROM tabs WHERE name LIKE 'x%'"); string(a.Result) != "[]" {
		t.Errorf("the control sees a program: %s", a.Result)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v %v", left, err)
	}
	// What a process that was killed has left is removed by the next.
	if err := os.WriteFile(filepath.Join(dir, "copy-try-x.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	next, err := game.OpenCopies(t.Context(), game.CopyOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close(context.Background())
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left of before: %v", left)
	}
}
