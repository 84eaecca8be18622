package repl

import (
	"context"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/models"
)

// asker is a model that answers questions with one tool. It keeps the conversation, so each
// question follows the earlier ones.
//
// Ask calls on for every answerEvent in order, one at a time, and never after it has returned. When
// ctx ends, Ask ends soon after, with an error that wraps ctx's. Then the asker stays usable, and
// may keep the question and the part of its answer. Errors are shown to the person at the terminal,
// so they must not contain a key.
type asker interface {
	Ask(ctx context.Context, question string, on func(answerEvent)) error
}

// answerEvent is one of answerText, answerProgram, answerOutcome, answerWaiting and answerDone.
type answerEvent interface{ event() }

// answerText is the next piece of the answer. The pieces joined are the whole answer.
type answerText struct{ Delta string }

// answerProgram is a program that the model wrote and that starts now.
type answerProgram struct{ Source string }

// answerOutcome is the result of the last answerProgram.
type answerOutcome struct{ Result *codemode.Result }

// answerWaiting reports that the model's service makes us wait, and for what reason, like "rate limit".
type answerWaiting struct {
	Reason string
	For    time.Duration
}

// answerDone ends an answer. It comes once, even if the answer failed before its end.
type answerDone struct {
	Model         string  // the model's name, as provider:name
	Input, Output int     // the tokens of all calls for this question; 0: unknown
	Cost          float64 // the cost in US dollars; 0: unknown
	Cut           bool    // the model reached its token limit, so the answer is incomplete
}

func (answerText) event()    {}
func (answerProgram) event() {}
func (answerOutcome) event() {}
func (answerWaiting) event() {}
func (answerDone) event()    {}

// askerOptions are the options of App.asker.
type askerOptions struct {
	Model string         // the value of -model, like provider:name; "": the first key in the environment decides
	Tool  *codemode.Tool // the tool for the model, which acts for one principal
	About string         // the value of App.About, for the model's instructions
	Among []string       // the value of App.Models

	Distrust agent.Distrust // the value of App.Distrust, or of -distrust
}

// errNoModel is the error of App.asker if no model was named and the environment has no key. Then
// only programs can be typed.
var errNoModel = models.ErrNone
