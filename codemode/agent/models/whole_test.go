package models_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode/agent"
)

// wholes are replies as endpoints send them that ignore "stream": true, in the
// shapes of each provider's documentation: text, and calls with a reason for the end.
var wholes = map[string]struct {
	text, calls, unended string
	reasons              map[string]agent.Stop
}{
	"openai": {
		text:    `{"id":"chatcmpl-1","object":"chat.completion","created":1790000000,"model":"gpt-test","choices":[{"index":0,"message":{"role":"assistant","content":"Two of them: ✓","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":{"cached_tokens":40}}}`,
		calls:   `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"execute","arguments":"{\"code\":\"1\"}"}},{"id":"","type":"function","function":{"name":"execute","arguments":"{\"code\":\"2\"}"}}]},"finish_reason":"REASON"}]}`,
		unended: `{"choices":[{"index":0,"message":{"role":"assistant","content":"Two"},"finish_reason":null}]}`,
		reasons: map[string]agent.Stop{"tool_calls": agent.StopCalls, "length": agent.StopTokens},
	},
	"anthropic": {
		text:    `{"id":"msg_1","type":"message","role":"assistant","model":"claude-test","content":[{"type":"thinking","thinking":"Hm.","signature":"c2ln"},{"type":"text","text":"Two of them: ✓"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":60,"cache_creation_input_tokens":0,"cache_read_input_tokens":40,"output_tokens":7}}`,
		calls:   `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"execute","input":{"code":"1"}},{"type":"tool_use","id":"c2","name":"execute","input":{"code":"2"}}],"stop_reason":"REASON"}`,
		unended: `{"type":"message","role":"assistant","content":[{"type":"text","text":"Two"}],"stop_reason":null}`,
		reasons: map[string]agent.Stop{"tool_use": agent.StopCalls, "max_tokens": agent.StopTokens},
	},
	"gemini": {
		text:    `{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true},{"text":"Two of them: ✓"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":40,"candidatesTokenCount":4,"totalTokenCount":107}}`,
		calls:   `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"execute","args":{"code":"1"}}},{"functionCall":{"name":"execute","args":{"code":"2"}}}],"role":"model"},"finishReason":"REASON","index":0}]}`,
		unended: `{"candidates":[{"content":{"parts":[{"text":"Two"}],"role":"model"},"index":0}]}`,
		reasons: map[string]agent.Stop{"STOP": agent.StopCalls, "MAX_TOKENS": agent.StopTokens},
	},
}

// wholeReply asks d's model, whose endpoint answers with a body.
func wholeReply(t *testing.T, d dialect, body string, text func(string)) (*agent.ModelReply, error) {
	t.Helper()
	_, m := d.serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	})
	req := *question
	req.MaxBytes = 8 << 20
	return m.Reply(t.Context(), &req, text)
}

// TestWholeReply: an endpoint that ignores that a stream was asked for has answered
// all the same, and what it said counts like what streams say.
func TestWholeReply(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		of := wholes[d.name]
		for _, lead := range []string{"", " \r\n\n\t"} {
			said := ""
			r, err := wholeReply(t, d, lead+of.text, func(p string) { said += p })
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != "Two of them: ✓" || said != r.Text || r.Stop != agent.StopEnd || len(r.Calls) != 0 {
				t.Errorf("%+v, told as %q", r, said)
			}
			if want := (agent.Usage{Requests: 1, Input: 100, CacheRead: 40, Output: 7}); r.Usage != want {
				t.Errorf("usage %+v, want %+v", r.Usage, want)
			}
			if d.name == "anthropic" && string(r.Opaque) != `[{"signature":"c2ln","thinking":"Hm.","type":"thinking"}]` {
				t.Errorf("the thought became %s", r.Opaque)
			}
		}
		for reason, stop := range of.reasons {
			r, err := wholeReply(t, d, strings.ReplaceAll(of.calls, "REASON", reason), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Calls) != 2 || r.Calls[0].Name != "execute" || r.Calls[0].Args != `{"code":"1"}` || r.Calls[1].Args != `{"code":"2"}` || r.Stop != stop {
				t.Errorf("%s: %+v", reason, r)
			}
		}
	})
}

// TestWholeReplyFails: half of one is no reply, wherever it is cut; nor is one that
// says not why it ended, or that is too large, or an error with the status of success.
func TestWholeReplyFails(t *testing.T) {
	forAll(t, func(t *testing.T, d dialect) {
		of := wholes[d.name]
		for n := 1; n < len(of.text); n += 7 {
			r, err := wholeReply(t, d, of.text[:n], nil)
			if err == nil {
				t.Fatalf("cut at %d: %+v", n, r)
			}
			if e := failure(t, err); e.Kind != agent.Truncated {
				t.Fatalf("cut at %d: %v", n, err)
			}
		}
		many := strings.Repeat("{},", 1025) + "{}"
		for _, c := range []struct {
			name, body string
			kind       agent.ErrorKind
		}{
			{"no reason for its end", of.unended, map[string]agent.ErrorKind{"gemini": agent.Truncated}[d.name]},
			{"an error", d.overload.body, agent.Overloaded},
			{"too large", `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, agent.Malformed},
			{"too many parts", `{"type":"message","stop_reason":"end_turn","content":[` + many + `],"choices":[` + many + `],"candidates":[` + many + `]}`, agent.Malformed},
			{"a name too long", `{"type":"message","stop_reason":"tool_use","content":[{"type":"tool_use","name":"` + strings.Repeat("a", 300) + `","input":{}}],` +
				`"choices":[{"finish_reason":"stop","message":{"tool_calls":[{"function":{"name":"` + strings.Repeat("a", 300) + `"}}]}}],"candidates":7}`, agent.Malformed},
			{"more behind it", of.text + of.text, agent.Malformed},
			{"nothing in it", `{}`, map[string]agent.ErrorKind{"gemini": agent.Truncated}[d.name]},
		} {
			if c.kind == agent.Other {
				c.kind = agent.Malformed
			}
			if d.name == "gemini" && c.name == "an error" {
				c.body = strings.Trim(c.body, "[]")
			}
			r, err := wholeReply(t, d, c.body, nil)
			if err == nil {
				t.Errorf("%s: %+v", c.name, r)
				continue
			}
			if e := failure(t, err); e.Kind != c.kind {
				t.Errorf("%s: %v, want %v", c.name, err, c.kind)
			}
		}
	})
}
