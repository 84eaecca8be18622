package agent

import (
	"time"

	"github.com/exoagent/exoagent/codemode"
)

// ChatEvent is what happens while a question is answered: TextDelta, CallStarted, CallEnded,
// Waiting, Added or MadeRoom. Events come on the goroutine of Ask, one at a time.
type ChatEvent interface{ event() }

// TextDelta is a piece of what the model says.
type TextDelta string

// CallStarted says that a call begins to run.
type CallStarted struct{ Call ToolCall }

// CallEnded says that a call has run, or could not.
type CallEnded struct {
	Call   ToolCall
	Result ToolResult
	Run    *codemode.Result // nil if nothing ran
}

// Waiting says that a request failed and will be sent again. The text since the
// last Added was of a reply that did not arrive, and counts for nothing.
type Waiting struct {
	Err  error
	Wait time.Duration
}

// Added says that the message, or one more result of it, is in the chat now: a host that stores
// chats stores it here. After a crash a chat that was kept at each Added can go on, and nothing of
// it runs twice.
type Added struct{ Message ChatMessage }

// MadeRoom says how many old results the model does not read any more.
type MadeRoom struct{ Dropped int }

func (TextDelta) event()   {}
func (CallStarted) event() {}
func (CallEnded) event()   {}
func (Waiting) event()     {}
func (Added) event()       {}
func (MadeRoom) event()    {}
