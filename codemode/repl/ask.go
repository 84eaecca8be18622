package repl

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/models"
)

// modelNamed is the default of App.asker. It returns the model that
// -model names, or the first one for which the environment has a key.
func modelNamed(_ context.Context, opt askerOptions) (asker, error) { return newAsker(opt, os.Getenv) }

func newAsker(opt askerOptions, getenv func(string) string) (asker, error) {
	var m agent.Model
	var err error
	switch {
	case opt.Among != nil:
		m, err = models.Among(opt.Among, opt.Model, getenv)
	case opt.Model != "":
		m, err = models.Named(opt.Model, getenv)
	default:
		m, err = models.FromEnv(getenv)
	}
	if err != nil {
		return nil, err
	}
	return &agentAsker{agent: &agent.Agent{Model: m, Tools: []*codemode.Tool{opt.Tool}, System: opt.About, Allow: opt.Among, Distrust: opt.Distrust}}, nil
}

// agentAsker is an agent with its conversation.
type agentAsker struct {
	agent *agent.Agent
	chat  agent.Chat
}

// Name returns the name of the model.
func (a *agentAsker) Name() string { return a.agent.Model.Name() }

// Ask implements asker. After an error the conversation continues with the next question, and the
// model reads what happened before.
func (a *agentAsker) Ask(ctx context.Context, question string, on func(answerEvent)) error {
	if a.chat.ID == "" {
		a.chat.ID = rand.Text()
	}
	name := a.agent.Model.Name()
	before := a.chat.Usage[name]
	said := false // the reply that is still coming has had some text
	answer, err := a.agent.Ask(ctx, &a.chat, question, func(ev agent.ChatEvent) {
		switch ev := ev.(type) {
		case agent.TextDelta:
			said = true
			on(answerText{Delta: string(ev)})
		case agent.Added:
			said = false
		case agent.Waiting:
			if said {
				on(answerText{Delta: " …\n"}) // mark that the text begins again
			}
			said = false
			on(answerWaiting{Reason: reason(ev.Err), For: ev.Wait})
		case agent.CallStarted:
			on(answerProgram{Source: ev.Call.Program()})
		case agent.CallEnded:
			if ev.Run != nil {
				on(answerOutcome{Result: ev.Run})
			}
		}
	})
	after := a.chat.Usage[name]
	on(answerDone{Model: name, Input: int(after.Input - before.Input), Output: int(after.Output - before.Output), Cut: err == nil && answer.Cut})
	var e *agent.ModelError
	if errors.As(err, &e) && e.Kind == agent.TooLong {
		a.chat = agent.Chat{}
		return fmt.Errorf("%w. This conversation is forgotten now: the next question begins a new one", err)
	}
	return err
}

// reason returns in a word or two why a request is sent again.
func reason(err error) string {
	var e *agent.ModelError
	if errors.As(err, &e) {
		return e.Kind.String()
	}
	return "failed"
}
