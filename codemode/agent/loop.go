package agent

import (
	"context"
	"fmt"
	"strings"
)

// run is the work for one question.
type run struct {
	*Agent
	limits    QuestionLimits
	chat      *Chat
	on        func(ChatEvent)
	model     string
	steps     int
	fruitless int // how many turns in a row were fruitless
	used      Usage
}

func (r *run) add(m ChatMessage) {
	r.chat.Messages = append(r.chat.Messages, m)
	r.on(Added{m})
}

// loop asks the model, and runs its calls, until it answers in text. cut reports that the end of the text is missing.
func (r *run) loop(ctx context.Context) (text string, cut bool, err error) {
	for r.steps < r.limits.Steps {
		if r.fruitless >= r.limits.Fruitless {
			return "", false, &ModelError{Kind: Malformed, Model: r.model, Msg: fmt.Sprintf("%d turns in a row had neither an answer nor a call that could be run: ask again, or choose another model", r.fruitless)}
		}
		last := r.steps == r.limits.Steps-1
		reply, err := r.reply(ctx, last)
		if err != nil {
			return "", false, err
		}
		r.steps++
		if n := len(reply.Calls); n > 8*r.limits.Calls { // each call has a result in the chat, even if it does not run
			return "", false, &ModelError{Kind: Malformed, Model: r.model, Msg: fmt.Sprintf("the model's reply has %d calls, more than 8 times the limit of %d (QuestionLimits.Calls): ask for less at once", n, r.limits.Calls)}
		}
		r.name(reply.Calls)
		empty := strings.TrimSpace(reply.Text) == "" && len(reply.Calls) == 0
		switch {
		case empty && reply.Stop == StopGarbled:
			r.fruitless++
			r.add(ChatMessage{Role: RoleUser, Notice: true, Text: "(Your call could not be read. Call the tool again; its arguments must be one JSON object.)"})
		case empty && reply.Stop == StopTokens:
			return "", false, &ModelError{Kind: Malformed, Model: r.model, Msg: fmt.Sprintf("the model used up its %d tokens before it wrote any text or call: allow more (QuestionLimits.Tokens)", r.limits.Tokens)}
		case empty:
			r.fruitless++ // ask again, since a chat must not have an empty message
		case len(reply.Calls) == 0:
			r.add(ChatMessage{Role: RoleAssistant, Text: reply.Text, Model: r.model, Opaque: reply.Opaque})
			return reply.Text, reply.Stop == StopTokens, nil
		default:
			r.add(ChatMessage{Role: RoleAssistant, Text: reply.Text, Calls: reply.Calls, Model: r.model, Opaque: reply.Opaque})
			if err := r.calls(ctx, reply, last); err != nil {
				return "", false, err
			}
		}
	}
	return "", false, &ModelError{Kind: Unanswered, Model: r.model, Msg: fmt.Sprintf("there is no answer after %d requests: ask for less at once, or allow more (QuestionLimits.Steps)", r.steps)}
}
