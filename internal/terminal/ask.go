package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/models"
)

// Models is for App.Asker: a model that -model names, or the first one for which
// the environment has a key.
func Models(_ context.Context, opt AskerOptions) (Asker, error) { return newAsker(opt, os.Getenv) }

func newAsker(opt AskerOptions, getenv func(string) string) (Asker, error) {
	m, err := models.FromEnv(getenv)
	if opt.Model != "" {
		m, err = models.Named(opt.Model, getenv)
	}
	if errors.Is(err, models.ErrNone) {
		err = ErrNoModel
	}
	if err != nil {
		return nil, err
	}
	return &asker{agent: &agent.Agent{Model: m, Tools: []*codemode.Tool{opt.Tool}, System: opt.About}}, nil
}

// asker is an agent and its conversation.
type asker struct {
	agent *agent.Agent
	chat  agent.Chat
}

// Ask implements Asker. After an error the conversation goes on with the next
// question, which the model reads after what happened.
func (a *asker) Ask(ctx context.Context, question string, on func(Event)) error {
	name := a.agent.Model.Name()
	before := a.chat.Usage[name]
	said := false // something that the end of the reply has not come to yet
	answer, err := a.agent.Ask(ctx, &a.chat, question, func(ev agent.Event) {
		switch ev := ev.(type) {
		case agent.Text:
			said = true
			on(Text{Delta: string(ev)})
		case agent.Added:
			said = false
		case agent.Waiting:
			if said {
				on(Text{Delta: " …\n"}) // it comes again from its beginning
			}
			said = false
			on(Waiting{Reason: reason(ev.Err), For: ev.Wait})
		case agent.Started:
			on(Program{Source: ev.Call.Program()})
		case agent.Ended:
			if ev.Run != nil {
				on(Outcome{Result: ev.Run})
			}
		}
	})
	after := a.chat.Usage[name]
	on(Done{Model: name, Input: int(after.Input - before.Input), Output: int(after.Output - before.Output), Cut: err == nil && answer.Cut})
	var e *agent.Error
	if errors.As(err, &e) && e.Kind == agent.TooLong {
		a.chat = agent.Chat{}
		return fmt.Errorf("%w (it is forgotten now: the next question begins a new conversation)", err)
	}
	return err
}

// reason is in a word or two why a request is sent again.
func reason(err error) string {
	var e *agent.Error
	if errors.As(err, &e) {
		return e.Kind.String()
	}
	return "failed"
}
