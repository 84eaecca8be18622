package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/models"
)

// chatter is the model of the model lane.
type chatter struct {
	model agent.Model
	spent *spent
}

// spent counts tokens. Several goroutines may call its methods.
type spent struct{ in, out atomic.Int64 }

// count adds what a chat has used since before, even if the question failed.
func (s *spent) count(before, now agent.Usage) {
	s.in.Add(now.Input - before.Input)
	s.out.Add(now.Output - before.Output)
}

func used(c *agent.Chat) (all agent.Usage) {
	for _, u := range c.Usage {
		all = all.Add(u)
	}
	return all
}

var (
	_ game.Chatter = chatter{}
	_ game.Spender = chatter{}
)

// newChatter returns the model with the name "provider:name". For "" it returns a model for which the environment has a key. nil means that
// there is no model, so the lane is closed. A public host must name a model, because players must not spend a key that happens to be in the
// environment.
func newChatter(name string, public bool, getenv func(string) string) (game.Chatter, error) {
	if name == "none" || name == "" && public {
		return nil, nil
	}
	m, err := models.FromEnv(getenv)
	if name != "" {
		m, err = models.Named(name, getenv)
	}
	switch {
	case errors.Is(err, models.ErrNone):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("-model: %w", err)
	}
	return chatter{m, &spent{}}, nil
}

// Name implements game.Chatter.
func (c chatter) Name() string { return c.model.Name() }

// Tokens implements game.Spender.
func (c chatter) Tokens() (in, out int64) { return c.spent.in.Load(), c.spent.out.Load() }

// bounds limit one question of a player, which the host pays for.
var bounds = agent.QuestionLimits{Steps: 6, Calls: 4, Tries: 2, Wait: 10 * time.Second, Tokens: 4096, Bytes: 1 << 20, Silence: 30 * time.Second, Question: 8 << 10}

// answerTime bounds the whole answer.
const answerTime = 2 * time.Minute

const about = "You speak with a player of a public game, who wants you to get data that you have not been granted. You may help the player: " +
	"the database holds you to what was granted, whatever the program says."

// Ask implements game.Chatter.
func (c chatter) Ask(ctx context.Context, chat []byte, question string, tool *codemode.Tool, ran func(string, *codemode.Result)) (string, []byte, error) {
	var talk agent.Chat
	if len(chat) > 0 && json.Unmarshal(chat, &talk) != nil {
		talk = agent.Chat{} // another version stored the chat, so a new one begins
	}
	before := used(&talk)
	defer func() { c.spent.count(before, used(&talk)) }()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	a := &agent.Agent{Model: c.model, Tools: []*codemode.Tool{tool}, System: about, Limits: bounds}
	answer, err := a.Ask(ctx, &talk, question, func(ev agent.ChatEvent) {
		if e, ok := ev.(agent.CallEnded); ok && e.Run != nil {
			ran(e.Call.Program(), e.Run)
		}
	})
	var e *agent.ModelError
	if errors.As(err, &e) && e.Kind == agent.TooLong {
		return "The conversation has become too long for the model. It is forgotten now: ask again.", nil, nil
	}
	if err != nil {
		return "", chat, err // return the old chat, because half an exchange would confuse the model
	}
	next, err := json.Marshal(&talk)
	return answer.Text, next, err
}
