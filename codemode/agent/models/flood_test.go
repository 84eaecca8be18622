package models_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode/agent"
)

// TestFloods: what is small on the wire and large, or slow, in memory is refused
// while it is read, within the bound of bytes that an agent has.
func TestFloods(t *testing.T) {
	all := map[string]dialect{}
	for _, d := range dialects(t) {
		all[d.name] = d
	}
	const element = `{"candidates":[{"content":{"role":"model","parts":[%s]}}]},`
	choice := func(calls string) string {
		return `data: {"choices":[{"delta":{"tool_calls":[` + calls + `]},"finish_reason":"stop"}]}` + "\n\n"
	}
	var blocks strings.Builder
	for i := range 1025 {
		fmt.Fprintf(&blocks, `data: {"type":"content_block_start","index":%d,"content_block":{"type":"text"}}`+"\n\n", i)
	}
	for _, c := range []struct{ dialect, name, body, says string }{
		{"openai", "pieces of a name", choice(strings.Repeat(`{"function":{"name":"aaaaaaaa"}},`, 64) + "{}"), "name of more than 256 bytes"},
		{"openai", "a name over many events", strings.Repeat(choice(`{"function":{"name":"aaaaaaaa"}}`), 64), "name of more than 256 bytes"},
		{"openai", "pieces in one event", choice(strings.Repeat("{},", 1025) + "{}"), "an event that OpenAI's API does not have"},
		{"openai", "choices", `data: {"choices":[` + strings.Repeat("{},", 1025) + "{}]}\n\n", "an event that OpenAI's API does not have"},
		{"openai", "calls", strings.Repeat(choice(`{"id":"a"},{"id":"b"}`), 513), "more than 1024 calls"},
		{"openai", "an event", choice(`{"function":{"arguments":"` + strings.Repeat("a", 1<<20) + `"}}`), "an event of more than 1048576 bytes"},
		{"anthropic", "blocks", blocks.String(), "more than 1024 parts"},
		{"anthropic", "a name", `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"` + strings.Repeat("a", 300) + `"}}` + "\n\n", "name of more than 256 bytes"},
		{"anthropic", "an event", "data: " + strings.Repeat(" ", 1<<20) + "\n\n", "an event of more than 1048576 bytes"},
		{"gemini", "parts", fmt.Sprintf("["+element, strings.Repeat(`{},`, 1025)+"{}"), "not in the form of Google's API"},
		{"gemini", "candidates", `[{"candidates":[` + strings.Repeat("{},", 1025) + `{}]},`, "not in the form of Google's API"},
		{"gemini", "calls", "[" + strings.Repeat(fmt.Sprintf(element, strings.Repeat(`{"functionCall":{"name":"x"}},`, 99)+`{}`), 11), "more than 1024 calls"},
		{"gemini", "arguments", "[" + strings.Repeat(fmt.Sprintf(element, `{"functionCall":{"name":"x","args":{"a":"`+strings.Repeat("a", 600<<10)+`"}}}`), 2), "more than 1048576 bytes"},
		{"gemini", "an element", fmt.Sprintf("["+element, `{"text":"`+strings.Repeat("a", 1<<20)+`"}`), "an event of more than 1048576 bytes"},
		{"gemini", "text and many pieces", "[" + strings.Repeat(fmt.Sprintf(element, `{"text":"`+strings.Repeat("a", 900<<10)+`"}`), 3) +
			strings.Repeat(fmt.Sprintf(element, `{"text":"a"}`), 250), "too many pieces"},
	} {
		t.Run(c.dialect+"/"+c.name, func(t *testing.T) {
			d := all[c.dialect]
			_, m := d.serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.body) })
			req := *question
			req.MaxBytes = 8 << 20
			r, err := m.Reply(t.Context(), &req, nil)
			if err == nil {
				t.Fatalf("a reply with %d calls", len(r.Calls))
			}
			if e := failure(t, err); e.Kind != agent.Malformed || !strings.Contains(e.Msg, c.says) {
				t.Errorf("%v, want %s", err, c.says)
			}
		})
	}
}
