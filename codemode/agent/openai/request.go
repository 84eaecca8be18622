package openai

import (
	"encoding/json"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/internal/wire"
)

type request struct {
	Model     string         `json:"model"`
	Messages  []message      `json:"messages"`
	Tools     []tool         `json:"tools,omitempty"`
	Choice    string         `json:"tool_choice,omitempty"`
	Stream    bool           `json:"stream"`
	Options   map[string]any `json:"stream_options"`
	MaxOwn    int            `json:"max_completion_tokens,omitempty"`
	MaxOthers int            `json:"max_tokens,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content *string `json:"content"` // null if a model made only calls
	Calls   []call  `json:"tool_calls,omitempty"`
	CallID  string  `json:"tool_call_id,omitempty"`
}

type call struct {
	Index    int      `json:"index,omitempty"` // set only in streams
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
	Extra    *extra   `json:"extra_content,omitempty"`
}

// extra is data that Gemini sends with a call and needs back: its newer models refuse the next request without the signature.
type extra struct {
	Google struct {
		Signature string `json:"thought_signature"`
	} `json:"google"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

func (m *model) request(req *agent.ModelRequest) *request {
	out := &request{Model: m.name, Stream: true, Options: map[string]any{"include_usage": true}}
	// OpenAI's reasoning models refuse max_tokens, and other endpoints do not know its replacement.
	if m.own {
		out.MaxOwn = req.MaxTokens
	} else {
		out.MaxOthers = req.MaxTokens
	}
	if req.System != "" {
		out.Messages = append(out.Messages, message{Role: "system", Content: &req.System})
	}
	for i := range req.Messages {
		out.Messages = append(out.Messages, m.messages(&req.Messages[i])...)
	}
	for _, t := range req.Tools {
		w := tool{Type: "function"}
		w.Function.Name, w.Function.Description, w.Function.Parameters = t.Name, t.Description, t.Schema
		out.Tools = append(out.Tools, w)
	}
	if req.NoCalls && len(out.Tools) > 0 {
		out.Choice = "none"
	}
	return out
}

func (m *model) messages(in *agent.ChatMessage) []message {
	switch in.Role {
	case agent.RoleTool:
		var out []message
		for _, r := range in.Results {
			text := r.Read()
			out = append(out, message{Role: "tool", CallID: r.ID, Content: &text})
		}
		return out
	case agent.RoleAssistant:
		w := message{Role: "assistant"}
		if in.Text != "" {
			w.Content = &in.Text
		}
		for i, c := range in.Calls {
			out := call{ID: c.ID, Type: "function", Function: function{c.Name, string(c.Object())}}
			if s := m.signature(in, i); s != "" {
				out.Extra = &extra{}
				out.Extra.Google.Signature = s
			}
			w.Calls = append(w.Calls, out)
		}
		return []message{w}
	}
	return []message{{Role: "user", Content: &in.Text}}
}

// signature returns the signature that the endpoint sent with a call. For Gemini it may be the fixed text of wire.Signature.
func (m *model) signature(in *agent.ChatMessage, i int) string {
	if m.gemini {
		return wire.Signature(m.Model, in, i)
	}
	if in.Model == m.Model {
		return in.Calls[i].Opaque
	}
	return ""
}
