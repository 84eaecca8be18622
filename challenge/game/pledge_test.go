package game_test

import (
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestUnasked is the twin of the attacks on the payouts: where nobody has to agree they change them, and the host gives the key for it.
func TestUnasked(t *testing.T) {
	p := unguarded(t, tu.SQLite, "pledge", game.OpenBook, 9)
	if a := p.play("pledge", game.Program, "async (api) => { await api.me.batches().payouts().all().update({ cents: 1 }); throw new Error('x') }"); a.Leaked {
		t.Error("what was undone counts")
	}
}
