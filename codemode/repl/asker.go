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
// Ask calls on for every answerEvent in order, one at a time, and never after it has
// returned. When ctx ends, Ask ends soon after, with an error that wraps ctx's. Then
// the question and the part of its answer may be forgotten or kept, and the asker
// stays usable. Its errors are shown to the person at the terminal, so they must not
// have a key in them.
type asker interface {
	Ask(ctx context.Context, question string, on func(answerEvent)) error
}

// answerEvent is one of answerText, answerProgram, answerOutcome, answerWaiting and answerDone.
type answerEvent interface{ event() }

// answerText is the next piece of the answer. All pieces joined are the answer.
type answerText struct{ Delta string }

// answerProgram is a program that the model wrote. It starts now.
type answerProgram struct{ Source string }

// answerOutcome is how the last answerProgram ended.
type answerOutcome struct{ Result *codemode.Result }

// answerWaiting reports that the model's service makes us wait, and why: "rate limit".
type answerWaiting struct {
	Reason string
	For    time.Duration
}

// answerDone ends an answer. It comes once, even if the answer failed before its end.
type answerDone struct {
	Model         string  // provider:name
	Input, Output int     // tokens of all calls for this question; 0: unknown
	Cost          float64 // US dollars; 0: unknown
	Cut           bool    // the model reached its bound of tokens: the answer ends in the middle
}

func (answerText) event()    {}
func (answerProgram) event() {}
func (answerOutcome) event() {}
func (answerWaiting) event() {}
func (answerDone) event()    {}

// askerOptions are the options of App.asker.
type askerOptions struct {
	Model string         // the value of -model, provider:name; "": the first key in the environment decides
	Tool  *codemode.Tool // the tool that the model gets; it acts for one principal
	About string         // App.About, for the model's instructions
	Among []string       // App.Models

	Distrust agent.Distrust // App.Distrust, or -distrust
}

// errNoModel is the error of App.asker if no model was named and the
// environment has no key. Then the person who types takes the model's part.
var errNoModel = models.ErrNone
