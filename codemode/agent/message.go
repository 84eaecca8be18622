package agent

import (
	"bytes"
	"encoding/json"
)

// Role is the author of a message.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant" // the model
	RoleTool      Role = "tool"      // results for the calls of the message before
)

// ChatMessage is one turn of a chat.
type ChatMessage struct {
	Role    Role         `json:"role"`
	Text    string       `json:"text,omitempty"`
	Calls   []ToolCall   `json:"calls,omitempty"`   // the calls of an assistant
	Results []ToolResult `json:"results,omitempty"` // the results of tools: one for each call, in order
	Model   string       `json:"model,omitempty"`   // the name of the model that wrote it
	Notice  bool         `json:"notice,omitempty"`  // the agent wrote it under the user's role
	// Opaque is data that the model's provider wants back unchanged, such as
	// signed thoughts. Other providers' models must ignore it: see Model.
	Opaque json.RawMessage `json:"opaque,omitempty"`
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string `json:"id"` // unique in a chat
	Name string `json:"name"`
	Args string `json:"args"` // as the model wrote them, which may not be JSON
	// Opaque is like ChatMessage.Opaque: a signature for this call.
	Opaque string `json:"opaque,omitempty"`
}

// Object returns Args, or {} if they are no JSON object, which an API would refuse.
func (c ToolCall) Object() json.RawMessage {
	b := bytes.TrimSpace([]byte(c.Args))
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return json.RawMessage("{}")
	}
	return b
}

// Program returns the program that the call would run, "" if it has none.
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
	Text string `json:"text"` // JSON
	// Failed reports that the call returned an error, Effects
	// that it changed something, even if it failed, or may have.
	Failed  bool `json:"failed,omitempty"`
	Effects bool `json:"effects,omitempty"`
	// Label has the tags that values in Text may have: those of what the program read, without those that the tool does not admit.
	Label []string `json:"label,omitempty"`
	// Dropped reports that the model no longer reads Text, to make room. The chat keeps it.
	Dropped bool `json:"dropped,omitempty"`
}

// dropped is what the model reads instead of a dropped result.
const dropped = `{"notice":"this result was left out because the conversation is too long for the model; run a program again that only reads if you need it"}`

// Read returns what the model reads of the result: Text, or a notice instead.
func (r ToolResult) Read() string {
	if r.Dropped {
		return dropped
	}
	return r.Text
}
