package game_test

import (
	"fmt"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestAttemptsKeepNothing plays attempts whose programs put a megabyte into all that a
// host could keep of them: names of a plan, names that don't exist, literals, errors, the
// console. Four of these took a host from 36 MB to 3.3 GB. Afterwards the heap is the one
// before, with the bounds of the player's copy.
func TestAttemptsKeepNothing(t *testing.T) {
	rounds := tu.Amount(10, 60)
	programs := []string{
		"return await list.reduce((q, x) => q.where((a) => a.name.ne(x)), accounts).select((a) => ({ [big.slice(-8)]: a.id })).execute()",
		"return await list.reduce((q, x) => q.where((a) => a.name.ne(x)), accounts).select((a) => ({ [big.slice(-9)]: a.id })).execute()",
		"return await accounts.as(big.slice(-8)).execute()",
		"return await accounts[big]()",
		"return await accounts.where((a) => a[big.slice(-8)].eq(1)).execute()",
		"return await accounts.where((a) => a.id.eq(big)).count()",
		"console.log(big.slice(-8)); throw new Error(big)",
		"console.log(big); return { [big.slice(-8)]: big.slice(-9) }",
		"return big",
	}
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		g := newGame(t, e, 4)
		p := newPlayer(t, g, "player0000")
		ended := map[string]int{}
		round := func(i int) {
			for k, x := range programs {
				a := p.play("wallet", game.Program, fmt.Sprintf("const accounts = api.currentUser.accounts(), big = 'x'.repeat(250_000) + 'n%06d', list = ['a', 'b', 'c', 'd'].map((x) => x + big); %s", i*len(programs)+k, x))
				ended[a.Verdict.Kind]++
			}
		}
		round(0)
		tu.KeepsNothing(t, 4<<20, func() {
			for i := range rounds {
				round(i + 1)
			}
		})
		if ended["ok"] == 0 || len(ended) < 3 {
			t.Errorf("they ended as %v: nothing is tried", ended)
		}
	})
}
