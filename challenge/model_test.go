package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/exoeval/worker"
)

// scripted is a model that writes the last question as a program, and then answers
// with what that returned.
type scripted struct{ fail error }

func (scripted) Name() string { return "test:scripted" }

func (m scripted) Reply(_ context.Context, req *agent.ModelRequest, text func(string)) (*agent.ModelReply, error) {
	last := req.Messages[len(req.Messages)-1]
	switch {
	case m.fail != nil:
		return nil, m.fail
	case last.Role == agent.RoleUser && strings.HasPrefix(last.Text, "run "):
		args, err := json.Marshal(map[string]string{"code": strings.TrimPrefix(last.Text, "run ")})
		return &agent.ModelReply{Calls: []agent.ToolCall{{ID: "c" + string(rune('a'+len(req.Messages))), Name: req.Tools[0].Name, Args: string(args)}}, Stop: agent.StopCalls}, err
	}
	said := "after " + string(rune('0'+len(req.Messages)))
	for _, r := range last.Results {
		said += " " + r.Text
	}
	return &agent.ModelReply{Text: said, Stop: agent.StopEnd, Usage: agent.Usage{Input: 100, Output: 10}}, nil
}

// TestChatter: a model plays through the agent; its chat goes on; what it ran is on
// record; a failure of the model leaves the chat as it was.
func TestChatter(t *testing.T) {
	copies, err := game.OpenCopies(t.Context(), game.CopyOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer copies.Close(context.Background())
	pool, err := worker.NewPool(worker.PoolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	g := &game.Game{Targets: game.DefaultTargets, Copies: copies, Pool: pool, Chat: chatter{scripted{}, &spent{}}}
	try := game.Player{ID: "p", Copy: "player0000", Key: game.NewKey()}
	ask := func(q string) *game.Attempt {
		a := &game.Attempt{Target: "wallet", Lane: game.Model, Input: q}
		try.Chat = g.Play(t.Context(), a, try)
		return a
	}
	if a := ask("run (api) => api.currentUser.accounts().count()"); !a.Verdict.OK() || a.Answer != `after 3 {"result":3}` || len(a.Steps) != 1 || a.Steps[0].Program != "(api) => api.currentUser.accounts().count()" || len(a.Queries) != 1 {
		t.Errorf("%+v", a)
	}
	if a := ask("hello"); a.Answer != "after 5" || len(a.Steps) != 0 {
		t.Errorf("%+v", a)
	}
	if in, out := g.Chat.(game.Spender).Tokens(); in != 200 || out != 20 {
		t.Errorf("%d tokens in, %d out", in, out)
	}
	kept := string(try.Chat)
	g.Chat = chatter{scripted{fail: errors.New("no such key sk-secret")}, &spent{}}
	if a := ask("hello"); a.Verdict.OK() || strings.Contains(a.Verdict.Message, "sk-secret") || string(try.Chat) != kept {
		t.Errorf("%+v %s", a, try.Chat)
	}
	g.Chat = chatter{scripted{fail: &agent.ModelError{Kind: agent.TooLong, Usage: agent.Usage{Input: 7}}}, &spent{}}
	if a := ask("hello"); !strings.Contains(a.Answer, "forgotten") || try.Chat != nil {
		t.Errorf("%+v %s", a, try.Chat)
	}
	if in, _ := g.Chat.(game.Spender).Tokens(); in < 7 {
		t.Errorf("a question that failed cost %d", in)
	}
}

// TestNewChatter: a public host has a model only when one is named.
func TestNewChatter(t *testing.T) {
	env := func(name string) string { return map[string]string{"OPENAI_API_KEY": "sk-test"}[name] }
	none := func(string) string { return "" }
	for _, c := range []struct {
		name         string
		public, have bool
		env          func(string) string
		fails        bool
	}{
		{"", false, false, none, false}, {"", false, true, env, false}, {"", true, false, env, false}, {"openai", true, true, env, false},
		{"none", false, false, env, false}, {"openai", true, false, none, true}, {"other:x", false, false, env, true},
	} {
		m, err := newChatter(c.name, c.public, c.env)
		if (m != nil) != c.have || (err != nil) != c.fails {
			t.Errorf("%q, public %t: %v %v", c.name, c.public, m, err)
		}
	}
}
