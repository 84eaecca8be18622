package agent

import (
	"bytes"
	"encoding/json"
)

// Role is the author of a message.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant" // the author is the model
	RoleTool      Role = "tool"      // the message has the results for the calls of the previous message
)

// ChatMessage is one turn of a chat.
type ChatMessage struct {
	Role    Role         `json:"role"`
	Text    string       `json:"text,omitempty"`
	Calls   []ToolCall   `json:"calls,omitempty"`   // the calls that the model makes
	Results []ToolResult `json:"results,omitempty"` // the results of tools: one for each call, in order
	Model   string       `json:"model,omitempty"`   // the name of the model that wrote the message
	Notice  bool         `json:"notice,omitempty"`  // the agent wrote the message under the user's role
	// Opaque is data that the model's provider needs back unchanged, such as signed thoughts.
	// Models of other providers must ignore it (the field Model).
	Opaque json.RawMessage `json:"opaque,omitempty"`
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string `json:"id"` // an id that is unique in the chat
	Name string `json:"name"`
	Args string `json:"args"` // the arguments as the model wrote them, which may not be JSON
	// Opaque is a signature for this call, which the model's provider needs back unchanged.
	Opaque string `json:"opaque,omitempty"`
}

// Object returns Args, or {} if Args is no JSON object, since an API would refuse that.
func (c ToolCall) Object() json.RawMessage {
	b := bytes.TrimSpace([]byte(c.Args))
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return json.RawMessage("{}")
	}
	return b
}

// Program returns the program that the call would run, or "" if there is none.
func (c ToolCall) Program() string {
	if p := c.program(); p != nil {
		return *p
	}
	return ""
}

func (c ToolCall) program() *string {
	var in struct{ Code *string }
	if json.Unmarshal([]byte(c.Args), &in) != nil {
		return nil
	}
	return in.Code
}

// ToolResult is the result of a call in the form that the model reads.
type ToolResult struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Text string `json:"text"` // the result as JSON
	// Failed reports that the call returned an error. Effects reports that it changed something or
	// may have, even if it failed.
	Failed  bool `json:"failed,omitempty"`
	Effects bool `json:"effects,omitempty"`
	// Label has the tags that values in Text may have: the tags of everything that the program read, if the tool admits them.
	Label []string `json:"label,omitempty"`
	// Dropped reports that the model no longer reads Text, to make room in its context. The chat keeps Text.
	Dropped bool `json:"dropped,omitempty"`
}

// dropped is the text that the model reads instead of a dropped result.
const dropped = `{"notice":"this result was left out because the conversation is too long for the model; if you need the result, run the program again, but only if the program changes nothing"}`

// Read returns the text that the model reads: Text, or a notice if the result was dropped.
func (r ToolResult) Read() string {
	if r.Dropped {
		return dropped
	}
	return r.Text
}
