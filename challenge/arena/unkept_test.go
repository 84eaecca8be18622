package arena_test

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/exoagent/exoagent/challenge/arena"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/queue"
	"github.com/exoagent/exoagent/challenge/store"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
)

// TestUnkept: an attempt that the store does not take has ended all the same for the
// one who waits for it, and is kept when the store takes anything again.
func TestUnkept(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	copies, err := game.OpenCopies(ctx, game.CopyOptions{Dir: filepath.Join(dir, "copies")})
	if err != nil {
		t.Fatal(err)
	}
	defer copies.Close(context.Background())
	path := filepath.Join(dir, "store.db")
	st, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	bad := *game.DefaultTargets[0]
	bad.Grants = func(*exosql.DB) codemode.Grants { panic("ended") }
	ar := &arena.Arena{Game: &game.Game{Targets: game.Targets{&bad}, Copies: copies}, Store: st, Queue: queue.New(1), Room: store.Room{PerPlayer: 9, Total: 9}, Log: slog.New(slog.DiscardHandler)}
	p, _, err := st.NewPlayer(ctx, "home")
	if err != nil {
		t.Fatal(err)
	}
	disk, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	do := func(statement string) {
		t.Helper()
		if _, err := disk.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	do(`CREATE TRIGGER full BEFORE UPDATE ON attempts BEGIN SELECT RAISE(ABORT, 'disk full'); END;
		CREATE TRIGGER fuller BEFORE UPDATE OF stopped ON total BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
	a, err := ar.Submit(ctx, queue.Sender{Address: "home", Player: p}, bad.ID, game.Program, "1")
	if err != nil {
		t.Fatal(err)
	}
	v, err := ar.Wait(ctx, ctx, p, a.ID)
	if err != nil || v.State != game.Interrupted || v.Verdict.Kind != "internal" {
		t.Errorf("%+v %v", v.Attempt, err)
	}
	list, err := ar.Attempts(ctx, p, "", "", 9)
	if err != nil || len(list) != 1 || list[0].State != game.Interrupted {
		t.Errorf("%+v %v", list[0].Attempt, err)
	}
	if !st.Failing() {
		t.Error("the store does not say that it fails")
	}
	if _, err := ar.Attempt(ctx, "another", a.ID); err == nil {
		t.Error("another player's")
	}
	kept := func() game.State {
		t.Helper()
		k, err := st.Attempt(ctx, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		return k.State
	}
	ar.Tend(ctx)
	if kept() != game.Running || !st.Failing() {
		t.Error("it is kept, on a full disk")
	}
	do("DROP TRIGGER full; DROP TRIGGER fuller")
	ar.Tend(ctx)
	if kept() != game.Interrupted || st.Failing() {
		t.Error(kept(), st.Failing())
	}
	if _, err := ar.Attempts(ctx, "nobody", "", "", 9); err != nil || st.Share(ctx, "nobody", a.ID, true) == nil || st.Failing() {
		t.Error("what is refused is no failure of the store", err)
	}
}
