package arena_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/exoagent/exoagent/challenge/arena"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// TestOthers: an attempt is read by its player only, until the player shares it.
func TestOthers(t *testing.T) {
	ctx := t.Context()
	st, err := store.Open(ctx, filepath.Join(t.TempDir(), "store.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	ar := &arena.Arena{Store: st, Log: slog.New(slog.DiscardHandler)}
	var players []string
	for range 2 {
		p, _, err := st.NewPlayer(ctx, "home")
		if err != nil {
			t.Fatal(err)
		}
		players = append(players, p)
	}
	a := &game.Attempt{ID: store.NewID(), Target: "wallet", Lane: game.Program, Input: "1", State: game.Queued}
	if err := st.Add(ctx, players[0], "home", a, nil); err != nil {
		t.Fatal(err)
	}
	a.State = game.Ended
	if err := st.Finish(ctx, players[0], a); err != nil {
		t.Fatal(err)
	}
	if v, err := ar.Attempt(ctx, players[0], a.ID); err != nil || !v.Mine {
		t.Errorf("its player: %+v %v", v, err)
	}
	for _, other := range []string{players[1], ""} {
		if v, err := ar.Attempt(ctx, other, a.ID); err == nil {
			t.Errorf("%q reads another player's attempt: %+v", other, v)
		}
	}
	if err := ar.Share(ctx, players[0], a.ID, true); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{players[1], ""} {
		if v, err := ar.Attempt(ctx, other, a.ID); err != nil || v.Mine {
			t.Errorf("%q, when it is shared: %+v %v", other, v, err)
		}
	}
}
