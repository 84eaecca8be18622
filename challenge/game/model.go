package game

import (
	"context"
	"errors"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/exo/fail"
)

// Chatter is a model that answers questions with one tool. Several goroutines call Ask, each with its own chat.
type Chatter interface {
	// Name returns the name of the model.
	Name() string
	// Ask asks the question in the chat that an earlier Ask returned; a nil chat begins a new one. It calls ran for each program that the model
	// ran, one at a time. Its error is only for the host.
	Ask(ctx context.Context, chat []byte, question string, tool *codemode.Tool, ran func(program string, res *codemode.Result)) (answer string, next []byte, err error)
}

// Spender is a Chatter that counts what its host pays for: tokens in and out since the start.
type Spender interface {
	Tokens() (in, out int64)
}

// MaxChat bounds a stored chat, in bytes. After a longer one a new chat begins.
const MaxChat = 256 << 10

// model lets the model answer, with the tool that the player's own programs get.
func (g *Game) model(ctx context.Context, a *Attempt, t *Target, by Player) (chat []byte, err error) {
	if failed := g.with(ctx, a, t, by, func(tool *codemode.Tool) { chat, err = g.ask(ctx, a, by, tool) }); failed != nil {
		return nil, failed
	}
	return chat, err
}

func (g *Game) ask(ctx context.Context, a *Attempt, by Player, tool *codemode.Tool) (chat []byte, err error) {
	a.Verdict = Verdict{Kind: "ok"}
	a.Answer, chat, err = g.Chat.Ask(ctx, by.Chat, a.Input, tool, func(program string, res *codemode.Result) {
		g.security(a, res)
		used := usedBy(res)
		a.Steps = append(a.Steps, Step{Program: program, Verdict: verdictOf(res), Result: res.JSON, Millis: millis(res.Took), Used: used})
		a.Used = Used{a.CPUMillis + used.CPUMillis, max(a.Memory, used.Memory)}
		a.Console = cut(a.Console+res.Console, maxText)
	})
	if err != nil && ctx.Err() == nil && a.Answer == "" {
		if g.Log != nil {
			// The log never gets the error's text, because providers quote what they were sent.
			kind, status := "", 0
			if e, ok := errors.AsType[*agent.ModelError](err); ok {
				kind, status = e.Kind.String(), e.Status
			}
			g.Log.Error("the model failed", "attempt", a.ID, "kind", kind, "status", status)
		}
		a.Verdict, err = Verdict{Kind: fail.Other.String(), Message: "the model did not answer; try again"}, nil
	}
	if len(chat) > MaxChat {
		chat = nil
	}
	return chat, err
}
