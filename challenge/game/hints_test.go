package game_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestHintCode: what a hint calls its code is there, under the name that a link has to have.
func TestHintCode(t *testing.T) {
	n := 0
	for _, target := range game.DefaultTargets {
		for _, task := range target.Tasks {
			for _, h := range task.Hints {
				if h.Code == "" {
					continue
				}
				n++
				if h.Code != filepath.ToSlash(filepath.Clean(h.Code)) || !filepath.IsLocal(h.Code) {
					t.Errorf("%s %s: %q is no path", target.ID, task.ID, h.Code)
				}
				if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(h.Code))); err != nil {
					t.Errorf("%s %s: %v", target.ID, task.ID, err)
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("%d hints have code", n)
	}
}

// TestHintSpelling: a hint says that an answer depends on the spelling of a column and
// not on whether it is hidden. So it does.
func TestHintSpelling(t *testing.T) {
	g := newGame(t, tu.SQLite, 8)
	p := newPlayer(t, g, "player0000")
	for target, c := range map[string]struct{ program, hidden, missing string }{
		"wallet": {solutions["wallet"]["refused"], "userId", "userIx"},
		"notes":  {solutions["notes"]["refused"], "organizationId", "organizationIx"},
	} {
		said := false
		for _, task := range game.DefaultTargets.Target(target).Tasks {
			for _, h := range task.Hints {
				said = said || strings.Contains(h.Text, "try `"+c.missing+"`, which never was")
			}
		}
		if !said {
			t.Errorf("%s: no hint names %s", target, c.missing)
		}
		hidden := p.play(target, game.Program, c.program).Verdict
		missing := p.play(target, game.Program, strings.Replace(c.program, c.hidden, c.missing, 1)).Verdict
		if !strings.Contains(hidden.Message, c.hidden) || strings.ReplaceAll(hidden.Message, c.hidden, c.missing) != missing.Message || hidden.Kind != missing.Kind || hidden.Column != missing.Column {
			t.Errorf("%s:\n%+v\n%+v", target, hidden, missing)
		}
		if other := p.play(target, game.Program, strings.Replace(c.program, c.hidden, "zzz", 1)).Verdict; strings.ReplaceAll(other.Message, "zzz", c.missing) == missing.Message {
			t.Errorf("%s: the spelling is nothing: %+v", target, other)
		}
	}
}
