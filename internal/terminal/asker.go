package terminal

import (
	"context"
	"errors"
	"time"

	"github.com/exoagent/exoagent/codemode"
)

// Asker is a model that answers questions about what one tool reaches. It keeps
// the conversation: each question follows the ones before it.
//
// Ask calls on for every Event in the order in which things happen, never two at a
// time, and never after it has returned. When ctx ends, Ask ends soon after, with an
// error that wraps ctx's; the question and what was answered so far may be forgotten
// or kept, but the Asker stays usable. Its errors are shown to whoever sits at the
// terminal: they hold no key.
type Asker interface {
	Ask(ctx context.Context, question string, on func(Event)) error
}

// Event is one of Text, Program, Outcome, Waiting and Done.
type Event interface{ event() }

// Text is more of the answer. Its pieces joined are the whole.
type Text struct{ Delta string }

// Program is one that the model wrote and that starts now.
type Program struct{ Source string }

// Outcome is how the last Program ended.
type Outcome struct{ Result *codemode.Result }

// Waiting says that the model's service made us wait, and why: "rate limit".
type Waiting struct {
	Reason string
	For    time.Duration
}

// Done ends an answer, once, also one that failed half way.
type Done struct {
	Model         string  // provider:name
	Input, Output int     // tokens, over all calls for this question; 0: not told
	Cost          float64 // US dollars; 0: not known
	Cut           bool    // the model reached its bound of tokens: the answer ends in the middle
}

func (Text) event()    {}
func (Program) event() {}
func (Outcome) event() {}
func (Waiting) event() {}
func (Done) event()    {}

// AskerOptions are for App.Asker.
type AskerOptions struct {
	Model string         // -model provider:name; "": the first key in the environment decides
	Tool  *codemode.Tool // what the model is given; it acts for one principal
	About string         // App.About, for the model's instructions
}

// ErrNoModel is what App.Asker fails with when no model was named and the
// environment holds no key: then whoever types is the model.
var ErrNoModel = errors.New("no key for a model is set")
