package game_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/control"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/exoeval/worker"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

func TestMain(m *testing.M) {
	if control.Child() {
		return
	}
	os.Exit(m.Run())
}

// newGame is a game on an engine, with everything gone after the test.
func newGame(t *testing.T, e tu.Engine, most int) *game.Game {
	t.Helper()
	o := game.CopyOptions{Dir: t.TempDir(), Most: most}
	if e.Name == tu.Postgres.Name {
		o.URL = database(t)
	}
	copies, err := game.OpenCopies(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := worker.NewPool(worker.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pool.Close()
		if err := copies.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &game.Game{Targets: game.DefaultTargets, Copies: copies, Pool: pool, Limits: game.DefaultLimits()}
}

// database is a fresh PostgreSQL database: the game takes a whole one.
func database(t *testing.T) string {
	t.Helper()
	server := tu.Server(t)
	admin := tu.Admin(t, server)
	name := "exochallenge_" + strings.ToLower(string(game.NewKey())[5:17])
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return tu.InDatabase(t, server, name)
}

// player plays one lane of one target after the other, always with the same key for each.
type player struct {
	t    *testing.T
	g    *game.Game
	name string
	keys map[string]game.Key
}

func newPlayer(t *testing.T, g *game.Game, name string) *player {
	return &player{t, g, name, map[string]game.Key{}}
}

func (p *player) key(target string, lane game.Lane) game.Key {
	k := p.keys[target+string(lane)]
	if k == "" {
		k = game.NewKey()
		p.keys[target+string(lane)] = k
	}
	return k
}

func (p *player) play(target string, lane game.Lane, input string) *game.Attempt {
	p.t.Helper()
	a := &game.Attempt{Target: target, Lane: lane, Input: input}
	p.g.Play(p.t.Context(), a, game.Player{ID: p.name, Copy: p.name + target + string(lane), Key: p.key(target, lane)})
	if a.State != game.Ended {
		p.t.Fatalf("%s: %+v", input, a)
	}
	return a
}
