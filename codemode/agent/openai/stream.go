package openai

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/internal/wire"
)

// chunk is one event of a stream.
type chunk struct {
	Choices wire.Few[choice] `json:"choices"`
	Usage   *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Total      int64 `json:"total_tokens"`
		Details    struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type choice struct {
	Delta   delta  `json:"delta"`
	Message *delta `json:"message"` // the whole message, if the reply is not a stream
	Finish  string `json:"finish_reason"`
}

type delta struct {
	Content string         `json:"content"`
	Refusal string         `json:"refusal"`
	Calls   wire.Few[call] `json:"tool_calls"`
}

// building is a call that arrives in pieces.
type building struct {
	id, name  string
	args      strings.Builder
	signature string
}

type stream struct {
	*model
	text          func(string)
	said, refusal strings.Builder
	calls         []*building
	open          map[int]*building // the calls that are not complete, by index
	finish        string
	usage         agent.Usage
}

func (s *stream) read(events *wire.Events) (*agent.ModelReply, error) {
	s.usage.Requests = 1
	if data, ok, err := events.Whole(); err != nil {
		return nil, s.fail(s.Ended(err))
	} else if ok {
		return s.whole(data)
	}
	for {
		data, err := events.Next()
		if err == nil && string(data) == "[DONE]" {
			err = io.EOF
		}
		// Without [DONE], which some endpoints never send, a finish reason means that the reply is complete. But
		// some send the reason early, so a stream must also end with EOF between two events.
		if err != nil && (s.finish == "" || err != io.EOF) {
			return nil, s.fail(s.Ended(err))
		}
		if err != nil {
			break
		}
		var c chunk
		if json.Unmarshal(data, &c) != nil {
			return nil, s.fail(s.Garbled("the server sent an event that OpenAI's API does not have: check the address of the API"))
		}
		if len(c.Error) > 0 && string(c.Error) != "null" {
			return nil, s.fail(s.Interruption(data))
		}
		if err := s.take(&c); err != nil {
			return nil, s.fail(err)
		}
	}
	return s.reply()
}

// whole reads a reply that is not a stream, since some endpoints can't stream.
func (s *stream) whole(data []byte) (*agent.ModelReply, error) {
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		return nil, s.fail(s.Garbled("the reply is not in the form of OpenAI's API: check the address of the API"))
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return nil, s.fail(s.Interruption(data))
	}
	if len(c.Choices) == 0 || c.Choices[0].Message == nil || c.Choices[0].Finish == "" {
		return nil, s.fail(s.Garbled("the reply needs a message and a finish_reason, as in OpenAI's API: check the address of the API"))
	}
	one := &c.Choices[0]
	one.Delta = *one.Message
	for i := range one.Delta.Calls { // calls are numbered by their place here, and may lack an id
		one.Delta.Calls[i].Index = i
	}
	if err := s.take(&c); err != nil {
		return nil, s.fail(err)
	}
	return s.reply()
}

func (s *stream) take(c *chunk) error {
	if u := c.Usage; u != nil {
		// For Gemini, only the total count includes thoughts.
		s.usage.Input, s.usage.Output, s.usage.CacheRead = u.Prompt, max(u.Completion, u.Total-u.Prompt), u.Details.Cached
	}
	if len(c.Choices) == 0 {
		return nil
	}
	one := c.Choices[0]
	if one.Finish != "" {
		s.finish = one.Finish
	}
	s.refusal.WriteString(one.Delta.Refusal)
	if t := one.Delta.Content; t != "" {
		s.said.WriteString(t)
		if s.text != nil {
			s.text(t)
		}
	}
	for _, d := range one.Delta.Calls {
		b := s.call(d)
		// Names come in pieces. Joining very many pieces would take quadratic time.
		if len(b.name)+len(d.Function.Name) > wire.MaxName {
			return s.Garbled(wire.LongName)
		}
		b.name += d.Function.Name
		b.args.WriteString(d.Function.Arguments)
		if d.Extra != nil && d.Extra.Google.Signature != "" {
			b.signature = d.Extra.Google.Signature
		}
	}
	if len(s.calls) > wire.MaxParts {
		return s.Garbled(wire.ManyCalls)
	}
	return nil
}

// call returns the call that a piece belongs to. OpenAI numbers calls by index. Some other
// endpoints give all calls the index 0, each with its own id.
func (s *stream) call(d call) *building {
	b := s.open[d.Index]
	if b == nil || d.ID != "" && b.id != "" && b.id != d.ID {
		b = &building{}
		if s.open == nil {
			s.open = map[int]*building{}
		}
		s.open[d.Index] = b
		s.calls = append(s.calls, b)
	}
	b.id = cmp.Or(b.id, d.ID)
	return b
}

func (s *stream) reply() (*agent.ModelReply, error) {
	out := &agent.ModelReply{Text: s.said.String(), Usage: s.usage}
	for _, b := range s.calls {
		out.Calls = append(out.Calls, agent.ToolCall{ID: b.id, Name: b.name, Args: b.args.String(), Opaque: b.signature})
	}
	switch s.finish {
	case "stop":
		if out.Stop = agent.StopEnd; len(out.Calls) > 0 { // Gemini sends this reason even after calls
			out.Stop = agent.StopCalls
		}
	case "tool_calls", "function_call":
		out.Stop = agent.StopCalls
	case "length":
		out.Stop = agent.StopTokens
	case "error": // routers in front of other endpoints send this
		return nil, s.fail(&agent.ModelError{Kind: agent.Overloaded, Model: s.Model, Msg: "the server ended the reply with an error"})
	case "content_filter":
		return nil, s.fail(&agent.ModelError{Kind: agent.Refused, Model: s.Model, Msg: "the provider's filter stopped the reply: ask in other words"})
	}
	if s.refusal.Len() > 0 {
		return nil, s.fail(&agent.ModelError{Kind: agent.Refused, Model: s.Model, Msg: s.Quote(s.refusal.String())})
	}
	return out, nil
}

// fail adds to an error the tokens that the request has used, as far as known.
func (s *stream) fail(err error) error {
	if e, ok := err.(*agent.ModelError); ok {
		e.Usage = s.usage
	}
	return err
}
