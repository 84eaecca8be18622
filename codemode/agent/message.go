package agent

import (
	"bytes"
	"encoding/json"
)

// Role says who wrote a message.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant" // the model
	RoleTool      Role = "tool"      // results of the calls of the message before
)

// ChatMessage is one turn of a chat.
type ChatMessage struct {
	Role    Role         `json:"role"`
	Text    string       `json:"text,omitempty"`
	Calls   []ToolCall   `json:"calls,omitempty"`   // the calls of an assistant
	Results []ToolResult `json:"results,omitempty"` // the results of tools: one for each call, in order
	Model   string       `json:"model,omitempty"`   // the name of the model that wrote it
	Notice  bool         `json:"notice,omitempty"`  // the agent wrote it under the user's role
	// Opaque is what the model's provider wants back unchanged, such as signed
	// thoughts. Other providers' models must ignore it: see Model.
	Opaque json.RawMessage `json:"opaque,omitempty"`
}

// ToolCall is a model's wish to run a tool.
type ToolCall struct {
	ID   string `json:"id"` // unique in a chat
	Name string `json:"name"`
	Args string `json:"args"` // as the model wrote them: they need not be JSON
	// Opaque is like ChatMessage.Opaque: a signature that belongs to this call.
	Opaque string `json:"opaque,omitempty"`
}

// Object is Args, or {} if they are no JSON object, which an API would refuse.
func (c ToolCall) Object() json.RawMessage {
	b := bytes.TrimSpace([]byte(c.Args))
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return json.RawMessage("{}")
	}
	return b
}

// Program is the program that the call would run, or "" where it has none.
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

// ToolResult is what became of a call, as the model reads it.
type ToolResult struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Text string `json:"text"` // JSON
	// Failed says that the call gave an error, Effects that it changed something all
	// the same, or may have.
	Failed  bool `json:"failed,omitempty"`
	Effects bool `json:"effects,omitempty"`
	// Label has the tags of what the program read, as far as Text may show it.
	Label []string `json:"label,omitempty"`
	// Dropped says that the model no longer reads Text, to make room. The chat keeps it.
	Dropped bool `json:"dropped,omitempty"`
}

// dropped is what the model reads in the place of a result that made room.
const dropped = `{"notice":"this result was left out because the conversation is too long for the model; run a program again that only reads if you need it"}`

// Read is what the model reads of the result: Text, or a notice in its place.
func (r ToolResult) Read() string {
	if r.Dropped {
		return dropped
	}
	return r.Text
}
