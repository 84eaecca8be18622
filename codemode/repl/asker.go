package repl

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/models"
)

// asker is a model that answers questions about what one tool reaches. It keeps
// the conversation: each question follows the ones before it.
//
// Ask calls on for every answerEvent in the order in which things happen, never two at a
// time, and never after it has returned. When ctx ends, Ask ends soon after, with an
// error that wraps ctx's; the question and what was answered so far may be forgotten
// or kept, but the asker stays usable. Its errors are shown to whoever sits at the
// terminal: they hold no key.
type asker interface {
	Ask(ctx context.Context, question string, on func(answerEvent)) error
}

// answerEvent is one of answerText, answerProgram, answerOutcome, answerWaiting and answerDone.
type answerEvent interface{ event() }

// answerText is more of the answer. Its pieces joined are the whole.
type answerText struct{ Delta string }

// answerProgram is one that the model wrote and that starts now.
type answerProgram struct{ Source string }

// answerOutcome is how the last answerProgram ended.
type answerOutcome struct{ Result *codemode.Result }

// answerWaiting says that the model's service made us wait, and why: "rate limit".
type answerWaiting struct {
	Reason string
	For    time.Duration
}

// answerDone ends an answer, once, also one that failed half way.
type answerDone struct {
	Model         string  // provider:name
	Input, Output int     // tokens, over all calls for this question; 0: not known
	Cost          float64 // US dollars; 0: not known
	Cut           bool    // the model reached its bound of tokens: the answer ends in the middle
}

func (answerText) event()    {}
func (answerProgram) event() {}
func (answerOutcome) event() {}
func (answerWaiting) event() {}
func (answerDone) event()    {}

// askerOptions are for App.asker.
type askerOptions struct {
	Model string         // -model provider:name; "": the first key in the environment decides
	Tool  *codemode.Tool // what the model is given; it acts for one principal
	About string         // App.About, for the model's instructions
	Among []string       // App.Models

	Distrust agent.Distrust // App.Distrust, or -distrust
}

// errNoModel is what App.asker fails with when no model was named and the
// environment holds no key: then whoever types is the model.
var errNoModel = models.ErrNone
