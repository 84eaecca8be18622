package web

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/arena"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// TestHistoryKept: the history is read when something was sent, and then every two seconds at most,
// however many pages are asked for; and once in a while where nothing is sent.
func TestHistoryKept(t *testing.T) {
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	now := time.Now()
	s := &Server{arena: &arena.Arena{Store: st}, o: Options{Now: func() time.Time { return now }}}
	read := func() *store.History {
		t.Helper()
		counters, err := st.Counters(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		h, err := s.history(t.Context(), counters)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	first := read()
	player, _, err := st.NewPlayer(t.Context(), "home")
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Add(t.Context(), player, "home", &game.Attempt{Target: "wallet", Lane: game.Program, Input: "1"}, nil); err != nil {
		t.Fatal(err)
	}
	if h := read(); h == first || h.From.IsZero() {
		t.Error("the first attempt is not drawn at once")
	} else {
		first = h
	}
	if err := st.Add(t.Context(), player, "home", &game.Attempt{Target: "wallet", Lane: game.Program, Input: "1"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		again bool
	}{{time.Second, false}, {2 * time.Second, true}, {time.Second, false}, {time.Minute, false}, {10 * time.Minute, true}, {-time.Hour, true}} {
		now = now.Add(c.after)
		h := read()
		if again := h != first; again != c.again {
			t.Errorf("after %v: read again %v", c.after, again)
		}
		first = h
	}
}
