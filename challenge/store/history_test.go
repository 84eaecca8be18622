package store_test

import (
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// TestHistory: every attempt and every win is in the part of its time, also when its record is
// gone, and a clock that was set back loses none.
func TestHistory(t *testing.T) {
	f := open(t, store.Options{PerPlayer: 1})
	if h, err := f.History(t.Context(), 10); err != nil || !h.From.IsZero() || len(h.Attempts)+len(h.Wins) != 0 {
		t.Errorf("before the first: %+v %v", h, err)
	}
	begin := f.c.now()
	p, _ := f.player()
	f.attempt(p, "wallet", game.Program, false, 1)
	f.c.add(30 * time.Hour)
	f.attempt(p, "wallet", game.Program, false, 1)
	f.attempt(p, "wallet", game.Notice, true, 1)
	k, _, err := f.Key(t.Context(), p, "wallet", game.Notice)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Claim(t.Context(), p, string(k), "Robin"); err != nil {
		t.Fatal(err)
	}
	f.c.add(-100 * time.Hour)
	f.attempt(p, "wallet", game.Filter, false, 1)
	f.c.add(110 * time.Hour)
	h, err := f.History(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(ns []int64) (n int64) {
		for _, x := range ns {
			n += x
		}
		return n
	}
	if got := []int64{sum(h.Attempts[game.Program]), sum(h.Attempts[game.Notice]), sum(h.Attempts[game.Filter]), sum(h.Wins[game.Notice]), sum(h.Wins[game.Program])}; got[0] != 2 || got[1] != 1 || got[2] != 1 || got[3] != 1 || got[4] != 0 {
		t.Errorf("%v", got)
	}
	if !h.From.Equal(begin.Add(-70*time.Hour)) || !h.To.Equal(f.c.now().Add(time.Hour)) || h.Attempts[game.Filter][0] != 1 || h.Attempts[game.Program][0] != 0 || h.Wins[game.Notice][9] != 1 || h.Attempts[game.Program][6] != 1 {
		t.Errorf("%+v", h)
	}
}
