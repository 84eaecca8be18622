package models_test

import (
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exoeval"
)

func goroutines() int { return runtime.NumGoroutine() }

// settle waits until no more goroutines run than before. It fails by the test's own deadline.
func settle(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); goroutines() > before; runtime.Gosched() {
		if time.Now().After(end) {
			b := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before: %s", goroutines(), before, b[:runtime.Stack(b, true)])
		}
	}
}

// mailer is a tool that changes something, and how often it did.
func mailer(t *testing.T) (*codemode.Tool, *int) {
	t.Helper()
	sent := new(int)
	mail, err := service.New("mail", "mail", service.Method("send", "sends one mail", func(_ context.Context, in struct {
		To string `json:"to"`
	}) (int, error) {
		*sent++
		return *sent, nil
	}).Immediate())
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(codemode.Grants{"mail": mail}, &codemode.Options{Evaluator: exoeval.InProcess{}, Record: exo.Unrecorded})
	if err != nil {
		t.Fatal(err)
	}
	return tool, sent
}

// TestLoop is one question through the agent over each wire format, with
// everything that can go wrong on the way: each call runs once.
func TestLoop(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		tool, sent := mailer(t)
		two := d.calls(call{"c1", "execute", `{"code":"return await mail.send({to: 'a'})"}`}, call{"c2", "nonsense", `{"x":1}`})
		s, m := d.serve(t,
			d.overload.step,
			d.reply(two),
			d.overload.step, // after the calls: they must not run again
			func(w http.ResponseWriter, _ *http.Request) { // torn in the middle of a call
				es := d.calls(call{"c3", "execute", wholeProgram})
				d.write(w, es[:len(es)/2], false)
			},
			d.reply(d.cutText()), // cut by the bound of tokens
			d.reply(d.garbled()),
			d.reply(d.empty()),
			d.tooLong.step,
			d.reply(d.text("Sent", ".")),
		)
		chat := &agent.Chat{}
		a := &agent.Agent{Model: m, Tools: []*codemode.Tool{tool}, Limits: agent.QuestionLimits{Backoff: 1, Fruitless: 4}}
		// The bulk of an earlier question makes room when the endpoint asks for it.
		chat.Messages = []agent.ChatMessage{{Role: agent.RoleUser, Text: "before"}, {Role: agent.RoleAssistant, Calls: []agent.ToolCall{{ID: "old", Name: "execute", Args: "{}"}}},
			{Role: agent.RoleTool, Results: []agent.ToolResult{{ID: "old", Name: "execute", Text: `{"result":"` + strings.Repeat("bulk ", 200) + `"}`}}}, {Role: agent.RoleAssistant, Text: "So."}}
		var text string
		out, err := a.Ask(t.Context(), chat, "Send it.", func(ev agent.ChatEvent) {
			switch ev := ev.(type) {
			case agent.TextDelta:
				text += string(ev)
			case agent.Waiting:
				text = ""
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if out.Text != "Sent." || text != "Sent." || *sent != 1 {
			t.Errorf("%q, streamed %q, sent %d times", out.Text, text, *sent)
		}
		// What a torn reply used counts where it is known.
		used := map[string]agent.Usage{"openai": {Requests: 6, Input: 500, Output: 35, CacheRead: 200}, "anthropic": {Requests: 6, Input: 600, Output: 36, CacheRead: 240},
			"gemini": {Requests: 6, Input: 600, Output: 42, CacheRead: 240}}[d.name]
		if out.Steps != 5 || out.Usage != used || chat.Usage[m.Name()] != used {
			t.Errorf("%+v", out)
		}
		last := s.sent[len(s.sent)-1]
		for _, want := range []string{"there is no tool", "the reply was cut at", "left out because the conversation is too long"} {
			if !strings.Contains(last, want) {
				t.Errorf("the model does not read %q in %s", want, last)
			}
		}
		if strings.Contains(last, "bulk bulk") {
			t.Errorf("no room was made: %s", last)
		}
		j, err := json.Marshal(chat)
		if err != nil || strings.Contains(string(j), "5ecre7") {
			t.Errorf("%v, or the key is in the chat", err)
		}
	})
}
