package agent

import (
	"time"

	"github.com/exoagent/exoagent/codemode"
)

// Event is what happens while a question is answered: Text, Started, Ended,
// Waiting, Added or MadeRoom. Events are told on the goroutine of Ask, one at a time.
type Event interface{ event() }

// Text is a piece of what the model says.
type Text string

// Started says that a call begins to run.
type Started struct{ Call Call }

// Ended says that a call has run, or could not.
type Ended struct {
	Call   Call
	Result Result
	Run    *codemode.Result // nil if nothing ran
}

// Waiting says that a request failed and will be sent again. The Text since the
// last Added was of a reply that did not arrive, and counts for nothing.
type Waiting struct {
	Err  error
	Wait time.Duration
}

// Added says that the message, or one more result of it, is in the chat now: who
// keeps chats keeps it here. After a crash a chat that was kept at each Added can
// go on, and nothing of it runs twice.
type Added struct{ Message Message }

// MadeRoom says how many old results the model does not read any more.
type MadeRoom struct{ Dropped int }

func (Text) event()     {}
func (Started) event()  {}
func (Ended) event()    {}
func (Waiting) event()  {}
func (Added) event()    {}
func (MadeRoom) event() {}
