package game_test

import (
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestUnsealed is the twin of the attacks on the sealed code: where the column has no label, they show it, and the host
// gives the key for it wherever it is shown, and to the model lane as well.
func TestUnsealed(t *testing.T) {
	p := unguarded(t, tu.SQLite, "sealed", game.OpenDesk, 7)
	get := "const c = (await api.me.safes().where({ id: 22 }).first()).code; "
	for place, program := range map[string]string{
		"the result":  get + "return { deep: [c] }",
		"the console": get + "console.log(c); return 1",
		"an error":    get + "throw new Error(c)",
		"the board":   get + "await api.me.board().insert({ text: 'it is ' + c.toLowerCase() }); return 1",
	} {
		if a := p.play("sealed", game.Program, "async (api) => { "+program+" }"); !a.Leaked {
			t.Errorf("in %s it is not seen: %+v", place, a)
		}
	}
	for place, program := range map[string]string{
		"nothing":                 get + "return c.length",
		"a board that was undone": get + "await api.me.board().insert({ text: c }); throw new Error('x')",
		"a letter to its owner":   get + "await api.mail.send({ safe: 22, text: c }); return 1",
	} {
		if a := p.play("sealed", game.Program, "async (api) => { "+program+" }"); a.Leaked {
			t.Errorf("%s counts: %+v", place, a)
		}
	}
	p.g.Chat = parrot{nil}
	if a := p.play("sealed", game.Model, "async (api) => { "+get+"return c }"); !a.Leaked || len(a.Steps) != 1 {
		t.Errorf("%+v", a)
	}
}

// TestSealedCode: the code of an attempt is in none of its statements, though the host made them with it, and is another
// in the next; nor do they say how many rows a condition on it met.
func TestSealedCode(t *testing.T) {
	g := newGame(t, tu.SQLite, 4)
	p := newPlayer(t, g, "player0000")
	for program, rows := range map[string]int{
		"async (api) => { const s = await api.me.safes().where({ id: 22 }).first(); return api.me.safes().where(x => x.code === s.code).count() }": 1,
		"(api) => api.me.safes().where(s => s.code.startsWith('exo1_')).count()":                                                                   0,
		"(api) => api.me.safes().where(s => s.code !== 'x')":                                                                                       0,
	} {
		a := p.play("sealed", game.Program, program)
		if a.Verdict.Kind != "denied" || a.Rows != rows || len(a.Queries) == 0 || a.Leaked {
			t.Errorf("%s: %+v", program, a)
		}
		for _, q := range a.Queries {
			if string(q.Args) != `["…"]` || strings.Contains(strings.ToLower(string(q.Args)+q.SQL), "exo1_") {
				t.Errorf("%s shows %s with %s", program, q.SQL, q.Args)
			}
		}
	}
	open := *game.DefaultTargets.Target("sealed")
	open.Grants = game.OpenDesk
	g.Targets = game.Targets{&open}
	codes := map[string]bool{}
	for range 3 {
		a := p.play("sealed", game.Program, "(api) => api.me.safes().where({ id: 22 }).select(s => s.code)")
		codes[string(a.Result)] = true
		if p.key("sealed", game.Program).In(string(a.Result)) {
			t.Error("what is sealed is the player's key: an attempt's duration would tell of it")
		}
	}
	if len(codes) != 3 {
		t.Errorf("%d codes in three attempts", len(codes))
	}
}

// TestSealedLetter: what a program mails arrives with the code in it, which its sender can't read.
func TestSealedLetter(t *testing.T) {
	g := newGame(t, tu.SQLite, 4)
	p := newPlayer(t, g, "player0000")
	g.Chat = parrot{nil}
	a := p.play("sealed", game.Model, game.DefaultTargets.Target("sealed").Examples[1])
	if len(a.Steps) != 1 || !a.Steps[0].Verdict.OK() || a.Leaked {
		t.Fatalf("%+v", a)
	}
	open := *game.DefaultTargets.Target("sealed")
	open.Outside = "SELECT body FROM letters"
	g.Targets = game.Targets{&open}
	if a := p.play("sealed", game.Program, open.Examples[1]); !a.Leaked {
		t.Errorf("no letter has the code: %+v", a)
	}
	if a := p.play("sealed", game.Program, "(api) => api.mail.send({ safe: 4, text: 'x' })"); a.Leaked || a.Verdict.Kind == "internal" {
		t.Errorf("%+v", a)
	}
}
