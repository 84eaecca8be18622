package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
)

const sendAndFail = "await mail.send({to: 'a'})\nnull.x"

// TestEffectsAreNotRepeated: a program that changed something and failed does not
// run again as it is, and the model is told why.
func TestEffectsAreNotRepeated(t *testing.T) {
	f := newFixture(t,
		runs(sendAndFail),
		runs(" await  mail.send({to: 'a'}) null.x"), // the same, spaced otherwise
		runs(sendAndFail+" //", "/* again */ "+sendAndFail+";"),
		runs("return 'only what is missing'"),
		says("Sent."),
		runs(sendAndFail), // a new question may want it once more
		says("Sent again."))
	f.must("Send.", "Sent.")
	if len(f.world.sent) != 1 {
		t.Errorf("sent %v", f.world.sent)
	}
	rs := f.results()
	wantIn(t, rs[0], "mail.send took effect and will not be undone")
	wantIn(t, rs[1], "the call was not run: this program has failed before")
	wantIn(t, rs[2], "was not run")
	wantIn(t, rs[3], "was not run")
	wantIn(t, rs[4], "only what is missing")
	f.must("Send again.", "Sent again.")
	if len(f.world.sent) != 2 {
		t.Errorf("sent %v", f.world.sent)
	}
}

// TestGarbledTurnsAreNoQuestion: what the agent itself says to the model does not
// make a repetition legitimate.
func TestGarbledTurnsAreNoQuestion(t *testing.T) {
	f := newFixture(t, runs(sendAndFail), replies(&agent.ModelReply{Stop: agent.StopGarbled}), runs(sendAndFail), says("Sent."))
	f.must("Send.", "Sent.")
	if len(f.world.sent) != 1 {
		t.Errorf("sent %v", f.world.sent)
	}
}

// TestRetryBeforeEffects: what failed before it changed anything may be tried again.
func TestRetryBeforeEffects(t *testing.T) {
	broken := "const x = null.y; await mail.send({to: 'a'})"
	f := newFixture(t, runs(broken), runs(broken), runs("await mail.send({to: 'b'}); return 1"), runs("await mail.send({to: 'b'}); return 1"), says("Sent."))
	f.must("Send.", "Sent.")
	// The last one succeeded before, and a model may want two mails.
	if strings.Join(f.world.sent, "") != "bb" {
		t.Errorf("sent %v", f.world.sent)
	}
}

// TestCrash: a chat that was kept while a call ran goes on without running it
// again, and the same program does not run either, unless it can change nothing.
func TestCrash(t *testing.T) {
	args, _ := json.Marshal(map[string]string{"code": sendAndFail})
	kept := func() *agent.Chat {
		c := &agent.Chat{}
		text := `{"messages":[{"role":"user","text":"Send."},{"role":"assistant","calls":[{"id":"a","name":"execute","args":` + string(mustJSON(string(args))) +
			`},{"id":"b","name":"execute","args":"{}"}]},{"role":"tool","results":[]}]}`
		if err := json.Unmarshal([]byte(text), c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	f := newFixture(t, runs("// once more\n"+sendAndFail+";"), says("Look whether it was sent."))
	f.chat = kept()
	if _, err := f.Resume(t.Context(), f.chat, f.on); err != nil {
		t.Fatal(err)
	}
	rs := f.results()
	if len(f.world.sent) != 0 || len(rs) != 3 {
		t.Fatalf("sent %v, %q", f.world.sent, rs)
	}
	wantIn(t, rs[0], "interrupted")
	wantIn(t, rs[1], "interrupted")
	wantIn(t, rs[2], "was not run")

	f = newFixture(t, runs(sendAndFail), says("One."))
	f.Tools = []*codemode.Tool{reader(t)}
	f.chat = kept()
	if _, err := f.Resume(t.Context(), f.chat, f.on); err != nil {
		t.Fatal(err)
	}
	if rs := f.results(); strings.Contains(rs[2], "was not run") {
		t.Errorf("a program that only reads was refused: %s", rs[2])
	}
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// TestEveryKeptChatGoesOn: a host that kept the chat at any Added has one that goes on.
func TestEveryKeptChatGoesOn(t *testing.T) {
	f := newFixture(t, runs(sendAndFail, "return 2"), says("Sent."))
	var kept []string
	_, err := f.Ask(t.Context(), f.chat, "Send.", func(e agent.ChatEvent) {
		if _, ok := e.(agent.Added); ok {
			kept = append(kept, string(mustJSON(f.chat)))
		}
	})
	if err != nil || len(kept) != 5 {
		t.Fatal(err, len(kept))
	}
	for i, k := range kept[:4] {
		g := newFixture(t, runs(sendAndFail), says("So."))
		if err := json.Unmarshal([]byte(k), g.chat); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Resume(t.Context(), g.chat, nil); err != nil {
			t.Fatalf("kept %d: %v in %s", i, err, k)
		}
		if want := map[bool]int{true: 1, false: 0}[i == 0]; len(g.world.sent) != want { // at first nothing had been called yet
			t.Errorf("kept %d: sent %v", i, g.world.sent)
		}
	}
}

// TestStoppedInACall: a program that is stopped has a result which says what it did.
func TestStoppedInACall(t *testing.T) {
	f := newFixture(t, runs("await mail.send({to: 'a'}); await mail.stop()", "await mail.send({to: 'b'})"))
	ctx, cancel := context.WithCancel(t.Context())
	f.world.stop = cancel
	if _, err := f.Ask(ctx, f.chat, "Send.", f.on); err == nil || ctx.Err() == nil {
		t.Fatal(err)
	}
	rs := f.results()
	if len(rs) != 2 || len(f.world.sent) != 1 {
		t.Fatalf("%q, sent %v", rs, f.world.sent)
	}
	wantIn(t, rs[0], "mail.send took effect", `"cancelled"`)
	wantIn(t, rs[1], "was not run")
	f.model.steps = append(f.model.steps, says("One was sent."))
	if a, err := f.Resume(t.Context(), f.chat, nil); err != nil || a.Text != "One was sent." || len(f.world.sent) != 1 {
		t.Error(a, err)
	}
}

func TestChatsThatCantBe(t *testing.T) {
	for name, text := range map[string]string{
		"role":         `[{"role":"system","text":"x"}]`,
		"user's call":  `[{"role":"user","calls":[{"id":"a","name":"execute","args":"{}"}]}]`,
		"no calls":     `[{"role":"user","text":"x"},{"role":"tool","results":[{"id":"a"}]}]`,
		"first":        `[{"role":"tool"}]`,
		"more results": `[{"role":"assistant","calls":[{"id":"a"}]},{"role":"tool","results":[{"id":"a"},{"id":"b"}]}]`,
		"other ids":    `[{"role":"assistant","calls":[{"id":"a"},{"id":"b"}]},{"role":"tool","results":[{"id":"b"},{"id":"a"}]}]`,
		"id twice":     `[{"role":"assistant","calls":[{"id":"a"},{"id":"a"}]}]`,
		"no id":        `[{"role":"assistant","calls":[{"id":""}]}]`,
		"model's":      `[{"role":"assistant","text":"x","results":[{"id":"a"}]}]`,
	} {
		f := newFixture(t)
		if err := json.Unmarshal([]byte(text), &f.chat.Messages); err != nil {
			t.Fatal(err)
		}
		if _, err := f.ask("x"); err == nil || len(f.model.asked) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
