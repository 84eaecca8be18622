package store_test

import (
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// TestKeyOfEach: each player, target and lane has a key of its own, which stays the same.
func TestKeyOfEach(t *testing.T) {
	f := open(t, store.Options{})
	a, _ := f.player()
	b, _ := f.player()
	of := map[game.Key]string{}
	for _, player := range []string{a, b} {
		for _, target := range []string{"wallet", "notes"} {
			for _, lane := range game.Lanes {
				which := player + " " + target + " " + string(lane)
				key, _, err := f.Key(t.Context(), player, target, lane)
				if err != nil {
					t.Fatal(err)
				}
				if other := of[key]; other != "" {
					t.Errorf("%s has the key of %s", which, other)
				}
				of[key] = which
				if again, _, err := f.Key(t.Context(), player, target, lane); again != key || err != nil {
					t.Errorf("%s: asked again, another key: %v", which, err)
				}
			}
		}
	}
}
