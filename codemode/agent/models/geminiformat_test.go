package models_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/openai"
)

// TestGeminiInOpenAIsFormat: what Google's endpoint does in its own way in OpenAI's format. Calls come whole, all with
// the index 0; the reply with them ends with "stop"; a signature comes with a call and has to go back with it;
// thoughts are in the total of tokens only; and an error stands in a list.
func TestGeminiInOpenAIsFormat(t *testing.T) {
	d := openaiDialect()
	d.make = func(address string, c *http.Client) (agent.Model, error) {
		return openai.NewGemini(openai.Config{Model: "gemini-test", Key: agent.NewAPIKey(secret), Address: address, Client: c})
	}
	piece := func(id, name, extra string) string {
		return fmt.Sprintf(`{"choices":[{"delta":{"role":"assistant","tool_calls":[{%s"function":{"arguments":"{\"code\":\"return 1\"}","name":%s},"id":%s,"index":0,"type":"function"}]},"index":0}],"object":"chat.completion.chunk"}`, extra, quoted(name), quoted(id))
	}
	s, m := d.serve(t, d.reply([]string{
		piece("function-call-1", "execute", `"extra_content":{"google":{"thought_signature":"c2ln"}},`), piece("function-call-2", "execute", ""),
		`{"choices":[{"delta":{"role":"assistant"},"finish_reason":"stop","index":0}],"usage":{"completion_tokens":4,"prompt_tokens":100,"total_tokens":107}}`, "[DONE]"}),
		d.reply(d.text("2")), d.reply(d.text("2")),
		fault{429, nil, `[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"7s"}]}}]`}.step)
	r, err := m.Reply(t.Context(), question, nil)
	if err != nil || r.Stop != agent.StopCalls || len(r.Calls) != 2 || r.Calls[0].Opaque != "c2ln" || r.Calls[1].Opaque != "" || r.Usage.Output != 7 {
		t.Fatalf("%+v, %v", r, err)
	}
	req := *question
	req.Messages = []agent.ChatMessage{question.Messages[0], {Role: agent.RoleAssistant, Calls: r.Calls, Model: m.Name()},
		{Role: agent.RoleTool, Results: []agent.ToolResult{{ID: r.Calls[0].ID, Name: "execute", Text: `{"result":41}`}, {ID: r.Calls[1].ID, Name: "execute", Text: `{"result":42}`}}}}
	for i, want := range []string{`"extra_content":{"google":{"thought_signature":"c2ln"}}`, `"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}`} {
		if i == 1 {
			req.Messages[1].Model = "another:model"
		}
		if _, err := m.Reply(t.Context(), &req, nil); err != nil {
			t.Fatal(err)
		}
		if sent := s.sent[i+1]; strings.Count(sent, want) != 1 || strings.Count(sent, "extra_content") != 1 {
			t.Errorf("%s is not there once: %s", want, sent)
		}
	}
	if _, err := m.Reply(t.Context(), question, nil); failure(t, err).Kind != agent.RateLimited || failure(t, err).RetryAfter == 0 {
		t.Error(err)
	}
}
