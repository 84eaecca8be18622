package agent

import (
	"time"

	"github.com/exoagent/exoagent/codemode"
)

// ChatEvent reports progress while a question is answered: TextDelta, CallStarted, CallEnded,
// Waiting, Added or MadeRoom. Events come one at a time, on the goroutine of Ask.
type ChatEvent interface{ event() }

// TextDelta is a piece of the model's text.
type TextDelta string

// CallStarted reports that a call begins to run.
type CallStarted struct{ Call ToolCall }

// CallEnded reports that a call has run, or could not.
type CallEnded struct {
	Call   ToolCall
	Result ToolResult
	Run    *codemode.Result // nil if no program ran
}

// Waiting reports that a request failed and will be sent again. Discard the
// text since the last Added: it belongs to a reply that did not arrive.
type Waiting struct {
	Err  error
	Wait time.Duration
}

// Added reports that the message, or one more result of it, is now in the chat. A host that stores
// chats should store the chat here: then it can be resumed after a crash, and nothing runs twice.
type Added struct{ Message ChatMessage }

// MadeRoom reports how many old results the model won't read any more.
type MadeRoom struct{ Dropped int }

func (TextDelta) event()   {}
func (CallStarted) event() {}
func (CallEnded) event()   {}
func (Waiting) event()     {}
func (Added) event()       {}
func (MadeRoom) event()    {}
