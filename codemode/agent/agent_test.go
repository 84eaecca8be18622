package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exoeval"
)

func TestAnswer(t *testing.T) {
	f := newFixture(t, runs("return 1 + 1"), says("Two."))
	f.Prices = agent.Prices{"test:scripted": {Input: 1e5, Output: 1e6}}
	a := f.must("How many?", "Two.")
	if a.Steps != 2 || a.Usage != (agent.Usage{Requests: 2, Input: 20, Output: 4}) || a.Cost != 6 || !a.Priced {
		t.Errorf("%+v", a)
	}
	wantIn(t, f.model.asked[1], "How many?", `return 1 + 1`, `{\"result\":2}`)
	if f.model.reqs[0].System == "" || f.model.reqs[0].Tools[0].Name != "execute" || f.model.reqs[0].NoCalls {
		t.Errorf("%+v", f.model.reqs[0])
	}
	var said []string
	for _, e := range f.events {
		said = append(said, reflect.TypeOf(e).Name())
	}
	if got := strings.Join(said, " "); got != "Added Added CallStarted CallEnded Added TextDelta Added" {
		t.Error(got)
	}
	if cost, ok := f.chat.Cost(f.Prices); cost != 6 || !ok {
		t.Error(cost, ok)
	}
	if _, ok := f.chat.Cost(nil); ok {
		t.Error("a cost without prices")
	}
}

// TestChatIsData: a chat goes on after it was kept as JSON.
func TestChatIsData(t *testing.T) {
	f := newFixture(t, runs("return 1"), says("One."), says("Still one."))
	f.must("How many?", "One.")
	b, err := json.Marshal(f.chat)
	if err != nil {
		t.Fatal(err)
	}
	f.chat = &agent.Chat{}
	if err := json.Unmarshal(b, f.chat); err != nil {
		t.Fatal(err)
	}
	f.must("And now?", "Still one.")
	wantIn(t, f.model.asked[2], "How many?", `{\"result\":1}`, "One.", "And now?")
	if f.chat.Usage["test:scripted"].Requests != 3 {
		t.Error(f.chat.Usage)
	}
	if _, err := f.Resume(t.Context(), f.chat, nil); err == nil {
		t.Error("there was nothing to go on with")
	}
}

func TestSeveralCallsInATurn(t *testing.T) {
	f := newFixture(t, runs("await mail.send({to: 'a'}); return 'first'", "null.x", "await mail.send({to: 'c'}); return 'third'"), says("Done."))
	f.must("Do it.", "Done.")
	if got := strings.Join(f.world.sent, ""); got != "ac" {
		t.Errorf("sent %s", got)
	}
	rs := f.results()
	if len(rs) != 3 {
		t.Fatal(rs)
	}
	wantIn(t, rs[0], "first")
	wantIn(t, rs[1], `"kind":"program"`, "none: nothing took effect")
	wantIn(t, rs[2], "third")
}

// TestSteps: the last request must be answered in text, and calls in it do not run.
func TestSteps(t *testing.T) {
	send := runs("await mail.send({to: 'a'})")
	f := newFixture(t, send, send, send)
	f.Limits.Steps = 3
	_, err := f.ask("Go on for ever.")
	if kind(err) != agent.Unanswered || len(f.world.sent) != 2 {
		t.Errorf("%v, sent %v", err, f.world.sent)
	}
	for i, r := range f.model.reqs {
		if last := i == 2; r.NoCalls != last || strings.Contains(r.System, "No more programs") != last {
			t.Errorf("request %d: %v %s", i, r.NoCalls, r.System)
		}
	}
	f.model.steps = append(f.model.steps, says("Enough."))
	if a, err := f.Resume(t.Context(), f.chat, nil); err != nil || a.Text != "Enough." {
		t.Errorf("%+v %v", a, err)
	}
}

func TestNothingUseful(t *testing.T) {
	empty := replies(&agent.ModelReply{Stop: agent.StopEnd, Text: " \n"})
	garbled := replies(&agent.ModelReply{Stop: agent.StopGarbled})
	noJSON := replies(&agent.ModelReply{Stop: agent.StopCalls, Calls: []agent.ToolCall{{ID: "x", Name: "execute", Args: `{"code": "retu`}}})
	for _, c := range []struct {
		name  string
		steps []step
		kind  agent.ErrorKind // 255: an answer
		reads string          // in the last request
	}{
		{"once empty", []step{empty, says("One.")}, 255, "How many?"},
		{"garbled", []step{garbled, says("One.")}, 255, "Your call could not be read"},
		{"no JSON", []step{noJSON, says("One.")}, 255, "the input is not JSON"},
		{"always", []step{empty, garbled, noJSON}, agent.Malformed, ""},
		{"not in a row", []step{empty, garbled, runs("return 1"), empty, noJSON, says("One.")}, 255, ""},
		{"nothing but thoughts", []step{replies(&agent.ModelReply{Stop: agent.StopTokens})}, agent.Malformed, ""},
		{"neither reply nor error", []step{func(context.Context, *agent.ModelRequest, func(string)) (*agent.ModelReply, error) { return nil, nil }}, agent.Malformed, ""},
		{"refused", []step{fails(&agent.ModelError{Kind: agent.Refused})}, agent.Refused, ""},
		{"an error of another type", []step{fails(errors.New("x"))}, agent.Other, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, c.steps...)
			a, err := f.ask("How many?")
			if kind(err) != c.kind || err == nil && a.Text != "One." || len(f.model.asked) != len(c.steps) {
				t.Errorf("%+v, %v after %d requests", a, err, len(f.model.asked))
			}
			wantIn(t, f.model.asked[len(f.model.asked)-1], c.reads)
		})
	}
}

// TestCallsThatDoNotRun: whatever a reply holds, half a call is never run.
func TestCallsThatDoNotRun(t *testing.T) {
	send := `{"code":"await mail.send({to: 'a'})"}`
	f := newFixture(t,
		replies(&agent.ModelReply{Stop: agent.StopTokens, Calls: []agent.ToolCall{{ID: "a", Name: "execute", Args: send}}}),
		replies(&agent.ModelReply{Stop: agent.StopCalls, Calls: []agent.ToolCall{{Name: "nonsense", Args: send}, {Name: "", Args: send}, {Name: strings.Repeat("x", 500), Args: send}}}),
		says("No."))
	f.must("Send.", "No.")
	rs := strings.Join(f.results(), "\n")
	wantIn(t, rs, "the reply was cut at 8192 tokens", `there is no tool \"nonsense\"; there is execute`)
	if len(f.world.sent) != 0 || strings.Contains(rs, strings.Repeat("x", 100)) {
		t.Errorf("sent %v, %s", f.world.sent, rs)
	}

	var many []string
	for range 10 {
		many = append(many, "await mail.send({to: 'a'})")
	}
	f = newFixture(t, runs(many...), says("Eight."))
	f.must("Send ten.", "Eight.")
	if len(f.world.sent) != 8 || len(f.results()) != 10 {
		t.Errorf("sent %d, %d results", len(f.world.sent), len(f.results()))
	}
}

// TestAFloodOfCalls: nobody fills the chat with calls that do not run.
func TestAFloodOfCalls(t *testing.T) {
	calls := make([]agent.ToolCall, 1000)
	f := newFixture(t, replies(&agent.ModelReply{Stop: agent.StopCalls, Calls: calls}))
	if _, err := f.ask("x"); kind(err) != agent.Malformed || len(f.chat.Messages) != 1 {
		t.Errorf("%v, %d messages", err, len(f.chat.Messages))
	}
}

// TestIDs: an endpoint that gives an id twice, or a strange one, can't have one
// call's result taken for another's.
func TestIDs(t *testing.T) {
	call := func(id string) agent.ToolCall {
		return agent.ToolCall{ID: id, Name: "execute", Args: `{"code":"return 1"}`}
	}
	f := newFixture(t,
		replies(&agent.ModelReply{Stop: agent.StopCalls, Calls: []agent.ToolCall{call("a"), call("a"), call(""), call("call_3"), call("x\ny")}}),
		replies(&agent.ModelReply{Stop: agent.StopCalls, Calls: []agent.ToolCall{call("a"), call(strings.Repeat("z", 65))}}),
		says("One."))
	f.must("How many?", "One.")
	seen := map[string]bool{}
	for i, m := range f.chat.Messages {
		for k, c := range m.Calls {
			if seen[c.ID] || c.ID == "" || strings.Contains(c.ID, "\n") || len(c.ID) > 64 || f.chat.Messages[i+1].Results[k].ID != c.ID {
				t.Errorf("id %q", c.ID)
			}
			seen[c.ID] = true
		}
	}
	if len(seen) != 7 || !seen["a"] {
		t.Error(seen)
	}
}

// plainCall is what every API takes as the name of a tool and as the id of a call.
var plainCall = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// names checks those of all calls in a chat, and gives them.
func (f *fixture) names() (names []string) {
	f.t.Helper()
	ids := map[string]bool{}
	for i, m := range f.chat.Messages {
		for k, c := range m.Calls {
			r := f.chat.Messages[i+1].Results[k]
			if !plainCall.MatchString(c.Name) || !plainCall.MatchString(c.ID) || ids[c.ID] || r.ID != c.ID || r.Name != c.Name {
				f.t.Errorf("call %q %q, result %q %q", c.ID, c.Name, r.ID, r.Name)
			}
			ids[c.ID] = true
			names = append(names, c.Name)
		}
	}
	return names
}

// TestStrangeNames: a name that no API takes back does not end the conversation, and
// does not become a tool's.
func TestStrangeNames(t *testing.T) {
	var calls []agent.ToolCall
	for _, name := range []string{"functions.execute", "exe cute", "", "9", "-x", strings.Repeat("x", 300), "é\n\x00\xff", "$_", "execute\n", strings.Repeat("é", 40), "plain-1"} {
		calls = append(calls, agent.ToolCall{Name: name, Args: `{"code":"await mail.send({to: 'a'})"}`})
	}
	f := newFixture(t, replies(&agent.ModelReply{Stop: agent.StopCalls, Calls: calls}), says("No."), says("Yes."))
	one, err := service.New("one", "one", service.Read("get", "one", func(context.Context, service.None) (int, error) { return 1, nil }))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := codemode.New(codemode.Grants{"one": one}, &codemode.Options{Name: "exe_cute", Evaluator: exoeval.InProcess{}})
	if err != nil {
		t.Fatal(err)
	}
	f.Tools = append(f.Tools, tool)
	f.Limits.Calls = 20
	f.must("Send.", "No.")
	f.must("And now?", "Yes.")
	names := f.names()
	if len(names) != len(calls) || names[0] != "functions_execute" || names[1] != "exe_cute_" || names[10] != "plain-1" {
		t.Error(names)
	}
	for i, text := range f.results() {
		wantIn(t, text, "there is no tool", names[i])
	}
	if len(f.world.sent) != 0 {
		t.Errorf("sent %v", f.world.sent)
	}
}

// TestStrangeNamesInChats: nor does one in a chat that was kept elsewhere.
func TestStrangeNamesInChats(t *testing.T) {
	f := newFixture(t, says("Yes."))
	const kept = `{"messages":[{"role":"user","text":"x"},
		{"role":"assistant","calls":[{"id":"a b\n","name":"functions.execute","args":"{}"},{"id":"call_1","name":"execute","args":"{}"},{"id":"é","name":"","args":"{}"}]},
		{"role":"tool","results":[{"id":"a b\n","name":"other","text":"{}"}]},
		{"role":"assistant","calls":[{"id":"a  b","name":"execute","args":"{}"}]}]}`
	if err := json.Unmarshal([]byte(kept), f.chat); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Resume(t.Context(), f.chat, nil); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.names(), " "); got != "functions_execute execute _ execute" {
		t.Error(got)
	}
	if f.chat.Messages[1].Calls[1].ID != "call_1" {
		t.Error("an id that was fit is another now")
	}
}

// TestAllow: a model that is not on the list is shown nothing at all.
func TestAllow(t *testing.T) {
	for _, allow := range [][]string{{}, {"test:other", "scripted"}} {
		f := newFixture(t)
		f.Allow = allow
		if _, err := f.ask("How many?"); kind(err) != agent.NotAllowed {
			t.Error(err)
		}
		if len(f.model.asked) != 0 || len(f.chat.Messages) != 0 {
			t.Error("it was asked")
		}
	}
	f := newFixture(t, says("One."))
	f.Allow = []string{"test:other", "test:scripted"}
	f.must("How many?", "One.")
}

func TestWrongUse(t *testing.T) {
	tool := newWorld(t).Tool
	m := &scripted{t: t}
	for name, f := range map[string]func() error{
		"zero agent": func() error { _, err := (&agent.Agent{}).Ask(t.Context(), &agent.Chat{}, "x", nil); return err },
		"no chat":    func() error { _, err := (&agent.Agent{Model: m}).Ask(t.Context(), nil, "x", nil); return err },
		"no question": func() error {
			_, err := (&agent.Agent{Model: m}).Ask(t.Context(), &agent.Chat{}, " \n", nil)
			return err
		},
		"a book": func() error {
			_, err := (&agent.Agent{Model: m, Limits: agent.QuestionLimits{Question: 10}}).Ask(t.Context(), &agent.Chat{}, "a long question", nil)
			return err
		},
		"zero tool": func() error {
			_, err := (&agent.Agent{Model: m, Tools: []*codemode.Tool{{}}}).Ask(t.Context(), &agent.Chat{}, "x", nil)
			return err
		},
		"nil tool": func() error {
			_, err := (&agent.Agent{Model: m, Tools: []*codemode.Tool{nil}}).Ask(t.Context(), &agent.Chat{}, "x", nil)
			return err
		},
		"two of a name": func() error {
			_, err := (&agent.Agent{Model: m, Tools: []*codemode.Tool{tool, tool}}).Ask(t.Context(), &agent.Chat{}, "x", nil)
			return err
		},
		"nothing to resume": func() error { _, err := (&agent.Agent{Model: m}).Resume(t.Context(), &agent.Chat{}, nil); return err },
	} {
		if err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if len(m.asked) != 0 {
		t.Error("a model was asked")
	}
}
