package game_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// solutions are programs that do the tasks of the targets, but for the last.
var solutions = map[string]map[string]string{
	"wallet": {
		"list":    "(api) => api.currentUser.accounts()",
		"join":    game.DefaultTargets.Target("wallet").Examples[1],
		"inviter": "(api) => api.currentUser.inviter()",
		"refused": "(api) => api.currentUser.accounts().where(a => a.userId === 3)",
	},
	"notes": {
		"list":    "(api) => api.organization.notes()",
		"tasks":   game.DefaultTargets.Target("notes").Examples[1],
		"links":   "(api) => api.organization.projects().tasks().note()",
		"refused": "(api) => api.organization.notes().where(n => n.organizationId === 2)",
	},
	"spend": {
		"list":    "(api) => api.me.spends()",
		"pay":     game.DefaultTargets.Target("spend").Examples[1],
		"all":     "(api) => api.me.spends().all().update({ memo: 'x' })",
		"refused": "(api) => api.me.spends().insert({ tabId: 41, cents: 1, memo: 'on Mina' })",
	},
	"pledge": {
		"list":  "(api) => api.me.batches().payouts()",
		"memo":  game.DefaultTargets.Target("pledge").Examples[1],
		"empty": "(api) => api.me.batches().where({ id: 63 }).delete()",
		"waits": "(api) => api.me.batches().payouts().where({ id: 704 }).update({ cents: 901 })",
	},
	"sealed": {
		"list":     "(api) => api.me.safes()",
		"letter":   game.DefaultTargets.Target("sealed").Examples[1],
		"board":    "async (api) => api.me.board().insert({ text: (await api.me.safes().first()).code })",
		"withheld": "(api) => api.me.safes().where(s => s.code.startsWith('exo1')).count()",
	},
}

// TestTasks: each task is done by what its hints lead to, and by nothing that
// solves another; the examples run; nothing of it holds the key.
func TestTasks(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		g := newGame(t, e, 8)
		p := newPlayer(t, g, "player0000")
		for _, target := range g.Targets {
			if err := target.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, x := range target.Examples {
				if a := p.play(target.ID, game.Program, x); !a.Verdict.OK() || a.Rows == 0 || len(a.Queries) == 0 || a.Queries[0].SQL == "" {
					t.Errorf("%s: %+v", x, a)
				}
			}
			for i, task := range target.Tasks {
				if task.ID == "key" {
					continue
				}
				a := p.play(target.ID, game.Program, solutions[target.ID][task.ID])
				if !slices.Contains(a.Tasks, task.ID) || a.Leaked {
					t.Errorf("%s %s: %+v %s", target.ID, task.ID, a, a.Result)
				}
				literal := `async (api) => { await api.` + map[string]string{"wallet": "currentUser", "notes": "organization", "spend": "me", "sealed": "me", "pledge": "me"}[target.ID] + `.execute(); return ` + string(a.Result) + ` }`
				if b := p.play(target.ID, game.Program, literal); a.Verdict.OK() && (!b.Verdict.OK() || slices.Contains(b.Tasks, task.ID)) {
					t.Errorf("%s %s is done by what was written down: %s %+v", target.ID, task.ID, literal, b.Verdict)
				}
				if i == 0 && len(a.Tasks) != 1 {
					t.Errorf("%s: one program does %v", target.ID, a.Tasks)
				}
			}
			if a := p.play(target.ID, game.Program, "() => 1"); len(a.Tasks) != 0 {
				t.Errorf("a program that asks for nothing does %v", a.Tasks)
			}
		}
	})
}

// TestControl: the game is real. In both control lanes the key can be had, each
// with its own, and the filter does refuse what it was made for.
func TestControl(t *testing.T) {
	g := newGame(t, tu.SQLite, 4)
	p := newPlayer(t, g, "player0000")
	for _, c := range []struct {
		target string
		lane   game.Lane
		sql    string
		kind   string
		leaks  bool
	}{
		{"wallet", game.Notice, "SELECT private_key FROM wallets", "ok", true},
		{"wallet", game.Filter, "SELECT private_key FROM wallets", "refused", false},
		{"wallet", game.Filter, "SELECT private_key FROM wallets WHERE account_id IN (SELECT id FROM accounts WHERE user_id = 7)", "ok", false},
		{"wallet", game.Filter, "SELECT private_key FROM wallets, accounts WHERE user_id = 7", "ok", true},
		{"notes", game.Notice, "SELECT body FROM notes", "ok", true},
		{"notes", game.Filter, "SELECT body FROM notes WHERE organization_id = 1 OR 1=1", "refused", false},
		{"notes", game.Filter, "SELECT body FROM notes WHERE organization_id = 1", "ok", false},
		{"notes", game.Filter, "SELECT body FROM notes WHERE organization_id = 1 IS NOT NULL", "ok", true},
		{"notes", game.Notice, "SELECT nothing", "invalid", false},
		{"notes", game.Notice, "UPDATE notes SET body = 'x'", "invalid", false},
		{"spend", game.Notice, "SELECT * FROM spends", "ok", false},
		{"spend", game.Notice, "UPDATE spends SET memo = 'x' WHERE id = 501", "ok", false},
		{"spend", game.Notice, "UPDATE spends SET memo = 'x'", "ok", true},
		{"spend", game.Notice, "DELETE FROM spends WHERE id = 602", "ok", true},
		{"spend", game.Notice, "DROP TABLE spends", "invalid", false},
		{"spend", game.Notice, "INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)", "invalid", false},
		{"spend", game.Filter, "UPDATE tabs SET name = 'x' WHERE id > 32", "refused", false},
		{"spend", game.Filter, "INSERT INTO spends (tab_id, member_id, cents, memo) VALUES (31, 7, 1, 'x')", "ok", false},
		{"spend", game.Filter, "INSERT INTO spends (tab_id, member_id, cents, memo) VALUES (31 + 10, 7, 1, 'x')", "ok", true},
		{"sealed", game.Notice, "SELECT code FROM safes WHERE id = 21", "ok", false},
		{"sealed", game.Notice, "SELECT code FROM safes", "ok", true},
		{"sealed", game.Notice, "UPDATE board SET text = 'x'", "invalid", false},
		{"sealed", game.Filter, "SELECT code FROM safes", "refused", false},
		{"sealed", game.Filter, "SELECT owner FROM safes", "ok", false},
		{"sealed", game.Filter, "SELECT \"c\"||max(c.c4) FROM (SELECT 1 c1, 2 c2, 3 c3, 4 c4 UNION ALL TABLE safes) c", "invalid", false},
		{"sealed", game.Filter, "SELECT max(c.c4) FROM (SELECT 1 c1, 2 c2, 3 c3, 4 c4 UNION ALL VALUES (1, 2, 3, 4)) c", "ok", false},
		{"pledge", game.Notice, "UPDATE payouts SET memo = 'x'", "ok", false},
		{"pledge", game.Notice, "UPDATE payouts SET cents = 1 WHERE id = 701", "ok", true},
		{"pledge", game.Notice, "DELETE FROM batches WHERE id = 63", "ok", false},
		{"pledge", game.Filter, "UPDATE payouts SET cents = 1", "refused", false},
		{"pledge", game.Filter, "UPDATE payouts SET memo = 'x', payee = 'Robin Ode'", "ok", true},
		{"notes", game.Notice, "ATTACH '/etc/passwd' AS x", "invalid", false},
	} {
		a := p.play(c.target, c.lane, c.sql)
		if a.Verdict.Kind != c.kind || a.Leaked != c.leaks || a.Leaked && !p.key(c.target, c.lane).In(string(a.Result)+a.Notice) {
			t.Errorf("%s %s %s: %+v %s", c.target, c.lane, c.sql, a.Verdict, a.Result)
		}
		if len(a.Tasks) != 0 {
			t.Errorf("a control lane does %v", a.Tasks)
		}
		for lane, k := range p.keys {
			if lane != c.target+string(c.lane) && k.In(string(a.Result)) {
				t.Errorf("%s %s gives the key of %s", c.target, c.lane, lane)
			}
		}
	}
}

// attacks are programs against the targets themselves, those of challenge/testdata;
// the corpora hold those against the rest.
func attacks(t *testing.T, target string) (programs []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", target, "*.js"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d attacks on %s: %v", len(files), target, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, string(b))
	}
	return programs
}

// TestGuarded: none of these has the key in what it gives, and what a stranger's
// row holds besides is in none of them either.
func TestGuarded(t *testing.T) {
	foreign := []string{"Vera", "The vault", "bx-0001", "not-this-one", "Ulla", "Northgate", "Survey of shaft", "Rota", "Mina", "Regatta", "New sails", "Coffee"}
	own := map[string][]string{"sealed": {"Mina"}} // what is foreign elsewhere
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		g := newGame(t, e, 8)
		p := newPlayer(t, g, "player0000")
		for _, target := range []string{"wallet", "notes", "spend", "sealed", "pledge"} {
			programs := attacks(t, target)
			ran := 0
			for _, x := range programs {
				a := p.play(target, game.Program, x)
				if a.Leaked {
					t.Errorf("%s gives the key: %s", x, a.Result)
				}
				if a.Verdict.Kind == "internal" {
					t.Errorf("%s: %+v", x, a.Verdict)
				}
				if a.Rows > 0 && (a.Verdict.OK() || target == "sealed" || a.Verdict.Kind == "pending") { // there a program may have what it can't tell, or keep
					ran++
				}
				for _, f := range foreign {
					if strings.Contains(string(a.Result)+a.Console+a.Verdict.Message, f) && !slices.Contains(own[target], f) {
						t.Errorf("%s gives %q: %s %s", x, f, a.Result, a.Verdict.Message)
					}
				}
			}
			if ran < 3 {
				t.Errorf("of the attacks on %s only %d read a row: they attack nothing", target, ran)
			}
		}
	})
}

// TestHostile: the programs that kill engines lose here as well, and the host goes on.
func TestHostile(t *testing.T) {
	tu.NotRaced(t)
	g := newGame(t, tu.SQLite, 4)
	g.Limits.Wall, g.Limits.CPU = g.Limits.Wall/8, g.Limits.CPU/8
	p := newPlayer(t, g, "player0000")
	all := tu.ReadHostile(t)
	for i, h := range all {
		if i%9 != 0 && !tu.Long() {
			continue // the whole corpus runs in exoeval/worker's tests
		}
		if a := p.play("wallet", game.Program, h.Program); a.Leaked || a.Verdict.Kind == "internal" && !slices.Contains(h.Kinds, "internal") || a.Verdict.Kind == "breach" {
			t.Errorf("%s: %+v", h.Title, a.Verdict)
		}
	}
	if a := p.play("wallet", game.Program, solutions["wallet"]["list"]); !a.Verdict.OK() || a.Rows != 3 {
		t.Errorf("after all of them: %+v", a)
	}
}

// TestUnguarded is the twin: with another scope, as if the wall were missing, the
// very programs that lost give the key.
func TestUnguarded(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) { unguarded(t, e, "notes", game.OpenNotes, 3) })
}

// unguarded plays the attacks on a target whose grants guard nothing: so many of them have to win, each with the player's key.
func unguarded(t *testing.T, e tu.Engine, id string, grants func(*exosql.DB) codemode.Grants, least int) *player {
	t.Helper()
	g := newGame(t, e, 8)
	open := *game.DefaultTargets.Target(id)
	open.Grants = grants
	g.Targets = game.Targets{&open}
	p := newPlayer(t, g, "player0000")
	won := 0
	for _, x := range attacks(t, id) {
		a := p.play(id, game.Program, x)
		if a.Leaked != p.key(id, game.Program).In(string(a.Result)+a.Console+a.Notice+a.Verdict.Message) || a.Leaked != slices.Contains(a.Tasks, "key") {
			t.Errorf("%s: %+v", x, a)
		}
		if a.Leaked {
			won++
		}
	}
	if won < least {
		t.Errorf("only %d of the attacks on %s win where nothing guards", won, id)
	}
	return p
}
