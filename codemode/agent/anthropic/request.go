package anthropic

import (
	"cmp"
	"encoding/json"

	"github.com/exoagent/exoagent/codemode/agent"
)

type request struct {
	Model     string          `json:"model"`
	MaxTokens int             `json:"max_tokens"`
	System    []block         `json:"system,omitempty"`
	Messages  []message       `json:"messages"`
	Tools     []tool          `json:"tools,omitempty"`
	Choice    json.RawMessage `json:"tool_choice,omitempty"`
	Stream    bool            `json:"stream"`
}

type message struct {
	Role    string            `json:"role"`
	Content []json.RawMessage `json:"content"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

// block is a part of a message.
type block struct {
	Type   string          `json:"type"`
	Text   string          `json:"text,omitempty"`
	ID     string          `json:"id,omitempty"`
	Name   string          `json:"name,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	CallID string          `json:"tool_use_id,omitempty"`
	Result string          `json:"content,omitempty"`
	Failed bool            `json:"is_error,omitempty"`
	Cache  *cache          `json:"cache_control,omitempty"`
}

type cache struct {
	Type string `json:"type"`
}

func (b block) raw() json.RawMessage {
	text, _ := json.Marshal(b) // no error: Input is valid JSON (ToolCall.Object)
	return text
}

// defaultTokens limits a reply if the request has no limit, since the API requires a number.
const defaultTokens = 4096

func (m *model) request(req *agent.ModelRequest) *request {
	out := &request{Model: m.name, MaxTokens: req.MaxTokens, Stream: true}
	out.MaxTokens = cmp.Or(out.MaxTokens, defaultTokens)
	if req.System != "" {
		// Everything up to here is cached, since it is the same in every request of a chat. The
		// tools, the largest part, come before the system prompt.
		out.System = []block{{Type: "text", Text: req.System, Cache: &cache{"ephemeral"}}}
	}
	for i := range req.Messages {
		if w := m.message(&req.Messages[i]); len(w.Content) > 0 {
			out.Messages = append(out.Messages, w)
		}
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool{t.Name, t.Description, t.Schema})
	}
	if req.NoCalls && len(out.Tools) > 0 {
		out.Choice = json.RawMessage(`{"type":"none"}`)
	}
	return out
}

func (m *model) message(in *agent.ChatMessage) message {
	out := message{Role: "user"}
	add := func(b block) { out.Content = append(out.Content, b.raw()) }
	if in.Role == agent.RoleAssistant {
		out.Role = "assistant"
		if in.Model == m.Model && len(in.Opaque) > 0 {
			var thoughts []json.RawMessage
			if json.Unmarshal(in.Opaque, &thoughts) == nil {
				out.Content = append(out.Content, thoughts...)
			}
		}
	}
	if in.Text != "" {
		add(block{Type: "text", Text: in.Text})
	}
	for _, c := range in.Calls {
		add(block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: c.Object()})
	}
	for _, r := range in.Results {
		add(block{Type: "tool_result", CallID: r.ID, Result: r.Read(), Failed: r.Failed && !r.Dropped})
	}
	return out
}
