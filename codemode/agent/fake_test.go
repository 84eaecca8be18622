package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exoeval"
)

// step is what a scripted model does at one request.
type step func(ctx context.Context, req *agent.ModelRequest, text func(string)) (*agent.ModelReply, error)

// scripted is a model that follows its steps and keeps what it was asked.
type scripted struct {
	t     *testing.T
	steps []step
	asked []string // the messages of each request, as JSON
	reqs  []agent.ModelRequest
	read  []string // the results of each request, as a model reads them
}

func (m *scripted) Name() string { return "test:scripted" }

func (m *scripted) Reply(ctx context.Context, req *agent.ModelRequest, text func(string)) (*agent.ModelReply, error) {
	b, err := json.Marshal(req.Messages)
	if err != nil {
		m.t.Fatal(err)
	}
	n, read := len(m.asked), ""
	for _, msg := range req.Messages {
		for _, r := range msg.Results {
			read += r.Read()
		}
	}
	m.read = append(m.read, read)
	m.asked, m.reqs = append(m.asked, string(b)), append(m.reqs, *req)
	if n >= len(m.steps) {
		m.t.Fatalf("request %d was not expected: %s", n+1, b)
	}
	return m.steps[n](ctx, req, text)
}

// says is a reply of text.
func says(s string) step {
	return func(_ context.Context, _ *agent.ModelRequest, text func(string)) (*agent.ModelReply, error) {
		text(s)
		return &agent.ModelReply{Text: s, Stop: agent.StopEnd, Usage: agent.Usage{Requests: 1, Input: 10, Output: 2}}, nil
	}
}

// runs is a reply that calls the tool with each program.
func runs(programs ...string) step {
	var calls []agent.ToolCall
	for i, p := range programs {
		args, _ := json.Marshal(map[string]string{"code": p})
		calls = append(calls, agent.ToolCall{ID: fmt.Sprintf("id%d", i), Name: "execute", Args: string(args)})
	}
	return replies(&agent.ModelReply{Calls: calls, Stop: agent.StopCalls, Usage: agent.Usage{Requests: 1, Input: 10, Output: 2}})
}

func replies(r *agent.ModelReply) step {
	return func(context.Context, *agent.ModelRequest, func(string)) (*agent.ModelReply, error) {
		out := *r
		out.Calls = append([]agent.ToolCall(nil), r.Calls...)
		return &out, nil
	}
}

func fails(err error) step {
	return func(_ context.Context, _ *agent.ModelRequest, text func(string)) (*agent.ModelReply, error) {
		text("half a sen")
		return nil, err
	}
}

// world is what programs can change.
type world struct {
	*codemode.Tool
	sent []string
	stop func() // called by mail.stop
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{stop: func() {}}
	type letter struct {
		To string `json:"to"`
	}
	mail, err := service.New("mail", "mail",
		service.Method("send", "sends one mail", func(_ context.Context, in letter) (int, error) {
			if in.To == "" {
				return 0, errors.New("no address")
			}
			w.sent = append(w.sent, in.To)
			return len(w.sent), nil
		}).Immediate(),
		service.Read("stop", "stops the run", func(ctx context.Context, _ service.None) (bool, error) {
			w.stop()
			<-ctx.Done()
			return false, ctx.Err()
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	if w.Tool, err = codemode.New(codemode.Grants{"mail": mail}, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded}); err != nil {
		t.Fatal(err)
	}
	return w
}

// reader is a tool that can change nothing.
func reader(t *testing.T) *codemode.Tool {
	t.Helper()
	s, err := service.New("numbers", "numbers", service.Read("one", "one", func(context.Context, service.None) (int, error) { return 1, nil }))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(codemode.Grants{"numbers": s}, &codemode.Options{Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// fixture is an agent with a scripted model, a chat, and what was told of it.
type fixture struct {
	*agent.Agent
	t      *testing.T
	model  *scripted
	world  *world
	chat   *agent.Chat
	events []agent.ChatEvent
}

func newFixture(t *testing.T, steps ...step) *fixture {
	t.Helper()
	f := &fixture{t: t, model: &scripted{t: t, steps: steps}, world: newWorld(t), chat: &agent.Chat{}}
	f.Agent = &agent.Agent{Model: f.model, Tools: []*codemode.Tool{f.world.Tool}}
	return f
}

func (f *fixture) on(e agent.ChatEvent) { f.events = append(f.events, e) }

func (f *fixture) ask(q string) (*agent.Answer, error) { return f.Ask(f.t.Context(), f.chat, q, f.on) }

// must asks and wants this answer.
func (f *fixture) must(q, want string) *agent.Answer {
	f.t.Helper()
	a, err := f.ask(q)
	if err != nil {
		f.t.Fatal(err)
	}
	if a.Text != want {
		f.t.Errorf("answer %q, want %q", a.Text, want)
	}
	return a
}

// results are the texts of all results in the chat.
func (f *fixture) results() (out []string) {
	for _, m := range f.chat.Messages {
		for _, r := range m.Results {
			out = append(out, r.Text)
		}
	}
	return out
}

func kind(err error) agent.ErrorKind {
	var e *agent.ModelError
	if errors.As(err, &e) {
		return e.Kind
	}
	return 255
}

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in %s", p, text)
		}
	}
}
