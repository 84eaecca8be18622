package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/exosql"
)

// service is a server that speaks as OpenAI does: each reply is the deltas of one.
func service(t *testing.T, replies ...[]string) (url string, sent *[]string) {
	t.Helper()
	sent = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*sent = append(*sent, string(body))
		if len(*sent) > len(replies) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"maximum context length","code":"context_length_exceeded"}}`)
			return
		}
		for _, d := range replies[len(*sent)-1] {
			if d == "" {
				return // cut off
			}
			fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s}]}\n\n", d)
		}
		fmt.Fprint(w, `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\n"+`data: {"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":3}}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL, sent
}

func asks(program string) string {
	args, _ := json.Marshal(map[string]string{"code": program})
	text, _ := json.Marshal(string(args))
	return `{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"execute","arguments":` + string(text) + `}}]}`
}

func says(text string) string {
	b, _ := json.Marshal(text)
	return `{"content":` + string(b) + `}`
}

func testAsker(t *testing.T, url string) *agentAsker {
	t.Helper()
	db, err := exosql.Open(t.Context(), "sqlite::memory:", &exosql.OpenOptions{Setup: testApp.setUp})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	tool, err := codemode.New(testGrants(db, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAsker(askerOptions{Model: "openai:test", Tool: tool, About: testApp.About}, func(name string) string {
		return map[string]string{"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-hunter2"}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	return a.(*agentAsker)
}

// told is what was told, on a line each.
func told(events *[]string) func(answerEvent) {
	return func(ev answerEvent) {
		switch ev := ev.(type) {
		case answerText:
			*events = append(*events, fmt.Sprintf("text %q", ev.Delta))
		case answerProgram:
			*events = append(*events, "program "+ev.Source)
		case answerOutcome:
			*events = append(*events, "outcome "+string(ev.Result.JSON))
		case answerWaiting:
			*events = append(*events, "waiting: "+ev.Reason)
		case answerDone:
			*events = append(*events, fmt.Sprintf("done %d %d", ev.Input, ev.Output))
		}
	}
}

func TestModelAnswers(t *testing.T) {
	url, sent := service(t, []string{says("I look."), asks("api.me.notes().count()")}, []string{says("There are"), says(" two.")}, []string{says("Yes.")})
	a := testAsker(t, url)
	var got []string
	if err := a.Ask(t.Context(), "How many notes?", told(&got)); err != nil {
		t.Fatal(err)
	}
	if err := a.Ask(t.Context(), "Sure?", told(&got)); err != nil {
		t.Fatal(err)
	}
	want := `text "I look."
program api.me.notes().count()
outcome 2
text "There are"
text " two."
done 40 6
text "Yes."
done 20 3`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	for _, part := range []string{"How many notes?", `{\"result\":2}`, "There are two.", "Sure?", testApp.About} {
		if last := (*sent)[2]; !strings.Contains(last, part) {
			t.Errorf("%q is not in %s", part, last)
		}
	}
}

func TestModelBreaksOff(t *testing.T) {
	url, _ := service(t, []string{says("There a"), ""}, []string{says("There are two.")})
	a := testAsker(t, url)
	a.agent.Limits = agent.QuestionLimits{Backoff: time.Nanosecond}
	var got []string
	if err := a.Ask(t.Context(), "How many notes?", told(&got)); err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(got, "; "); s != `text "There a"; text " …\n"; waiting: reply cut off; text "There are two."; done 20 3` {
		t.Error(s)
	}
}

// TestModelForgets: a conversation that does not fit any more is no dead end.
func TestModelForgets(t *testing.T) {
	url, sent := service(t, []string{says("Two.")})
	a := testAsker(t, url)
	var got []string
	if err := a.Ask(t.Context(), "How many notes?", told(&got)); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"And now?", "And then?"} {
		err := a.Ask(t.Context(), q, told(&got))
		if err == nil || !strings.Contains(err.Error(), "the next question begins a new one") || strings.Contains(err.Error(), "hunter2") {
			t.Error(err)
		}
	}
	if last := (*sent)[2]; strings.Contains(last, "How many") || strings.Contains(last, "And now?") {
		t.Errorf("it still sends %s", last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Ask(ctx, "x", told(&got)); !errors.Is(err, context.Canceled) || got[len(got)-1] != "done 0 0" {
		t.Errorf("%v, %v", err, got)
	}
}

func TestWhichModel(t *testing.T) {
	for _, c := range []struct {
		model, env, want string // want: of the name, or of the error
	}{
		{"", "", "no key for a model is set"},
		{"", "ANTHROPIC_API_KEY", "anthropic:claude-"},
		{"gemini:x", "ANTHROPIC_API_KEY", "gemini needs a key: set GOOGLE_GENERATIVE_AI_API_KEY"},
		{"", "GOOGLE_GENERATIVE_AI_API_KEY", "gemini:gemini-flash-"},
		{"anthropic:x", "ANTHROPIC_API_KEY", "anthropic:x"},
		{"x", "ANTHROPIC_API_KEY", `"x" is no model: want provider:name`},
	} {
		a, err := newAsker(askerOptions{Model: c.model}, func(name string) string {
			if name == c.env {
				return "sk-hunter2"
			}
			return ""
		})
		got := fmt.Sprint(err)
		if err == nil {
			got = a.(*agentAsker).agent.Model.Name()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%q with %s: %s", c.model, c.env, got)
		}
		if errors.Is(err, errNoModel) != (c.env == "") {
			t.Error(err)
		}
	}
}
