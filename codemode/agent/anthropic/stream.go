package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/internal/wire"
)

// event is one event of a stream.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	Block json.RawMessage `json:"content_block"`
	Delta struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		JSON      string `json:"partial_json"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
		Stop      string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// usage counts input in three parts: outside of the cache, read from it, and written to it. Later
// events may lack unchanged counts.
type usage struct {
	Input   *int64 `json:"input_tokens"`
	Read    *int64 `json:"cache_read_input_tokens"`
	Written *int64 `json:"cache_creation_input_tokens"`
	Output  *int64 `json:"output_tokens"`
}

// part is a content block that arrives in pieces.
type part struct {
	Type      string          `json:"type"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Text      string          `json:"text,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Data      string          `json:"data,omitempty"` // encrypted thoughts that are not shown
	text      strings.Builder // the text, the arguments of a call, or a thought
	signature strings.Builder
	closed    bool
}

type stream struct {
	*model
	text                         func(string)
	parts                        []*part
	stop                         string
	input, read, written, output int64
}

func (s *stream) count(u usage) {
	for _, c := range []struct{ to, from *int64 }{{&s.input, u.Input}, {&s.read, u.Read}, {&s.written, u.Written}, {&s.output, u.Output}} {
		if c.from != nil {
			*c.to = *c.from
		}
	}
}

func (s *stream) used() agent.Usage {
	return agent.Usage{Requests: 1, Input: agent.SumTokens(s.input, s.read, s.written), CacheRead: s.read, CacheWritten: s.written, Output: s.output}
}

func (s *stream) receive(events *wire.Events) (*agent.ModelReply, error) {
	if data, ok, err := events.Whole(); err != nil {
		return nil, s.Ended(err)
	} else if ok {
		return s.whole(data)
	}
	for {
		data, err := events.Next()
		if err != nil {
			return nil, s.Ended(err)
		}
		var e event
		if json.Unmarshal(data, &e) != nil {
			return nil, s.Garbled("the server sent an event that Anthropic's API does not have: check the address of the API")
		}
		switch e.Type {
		case "message_start":
			s.count(e.Message.Usage)
		case "content_block_start":
			p := &part{}
			if e.Index != len(s.parts) || json.Unmarshal(e.Block, p) != nil {
				return nil, s.Garbled("the server began a part of the reply as Anthropic's API does not: check the address of the API")
			}
			if len(s.parts) == wire.MaxParts {
				return nil, s.Garbled(fmt.Sprintf("the reply has more than %d parts, the limit: ask for less at once", wire.MaxParts))
			}
			if len(p.Name) > wire.MaxName {
				return nil, s.Garbled(wire.LongName)
			}
			s.parts = append(s.parts, p)
			s.say(p, p.Text)
		case "content_block_delta", "content_block_stop":
			if e.Index < 0 || e.Index >= len(s.parts) || s.parts[e.Index].closed {
				return nil, s.Garbled("the server continued a part of the reply that had not begun or was complete: check the address of the API")
			}
			s.piece(s.parts[e.Index], &e)
		case "message_delta":
			s.count(e.Usage)
			s.stop = e.Delta.Stop
		case "message_stop":
			return s.reply()
		case "error":
			return nil, s.Interruption(data)
		} // other events, like ping, may come at any time and are ignored
	}
}

// whole reads a reply that is not a stream, since some endpoints can't stream.
func (s *stream) whole(data []byte) (*agent.ModelReply, error) {
	var m struct {
		Type    string `json:"type"`
		Content wire.Few[struct {
			part
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
		}] `json:"content"`
		Stop  string          `json:"stop_reason"`
		Usage usage           `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	switch {
	case json.Unmarshal(data, &m) != nil:
		return nil, s.Garbled("the reply is not in the form of Anthropic's API: check the address of the API")
	case m.Type == "error" || len(m.Error) > 0 && string(m.Error) != "null":
		return nil, s.Interruption(data)
	case m.Stop == "":
		return nil, s.Garbled("the reply has no stop_reason, which Anthropic's API always sends: check the address of the API")
	}
	s.count(m.Usage)
	for i := range m.Content {
		b := &m.Content[i]
		if len(b.Name) > wire.MaxName {
			return nil, s.Garbled(wire.LongName)
		}
		p := &b.part
		p.closed = true
		s.parts = append(s.parts, p)
		s.say(p, p.Text)
		p.signature.WriteString(b.Signature)
		if p.Type == "thinking" {
			p.text.WriteString(b.Thinking)
		}
	}
	s.stop = m.Stop
	return s.reply()
}

func (s *stream) piece(p *part, e *event) {
	switch {
	case e.Type == "content_block_stop":
		p.closed = true
	case e.Delta.Type == "text_delta":
		s.say(p, e.Delta.Text)
	case e.Delta.Type == "input_json_delta":
		p.text.WriteString(e.Delta.JSON)
	case e.Delta.Type == "thinking_delta":
		p.text.WriteString(e.Delta.Thinking)
	case e.Delta.Type == "signature_delta":
		p.signature.WriteString(e.Delta.Signature)
	}
}

func (s *stream) say(p *part, t string) {
	if p.Type != "text" || t == "" {
		return
	}
	p.text.WriteString(t)
	if s.text != nil {
		s.text(t)
	}
}

func (s *stream) reply() (*agent.ModelReply, error) {
	out := &agent.ModelReply{Usage: s.used()}
	var thoughts []map[string]any
	var said strings.Builder
	for _, p := range s.parts {
		switch p.Type {
		case "text":
			said.WriteString(p.text.String())
		case "tool_use":
			if !p.closed {
				return nil, s.Ended(io.EOF)
			}
			args := p.text.String()
			if args == "" && len(p.Input) > 0 {
				args = string(p.Input)
			}
			out.Calls = append(out.Calls, agent.ToolCall{ID: p.ID, Name: p.Name, Args: args})
		case "thinking":
			thoughts = append(thoughts, map[string]any{"type": p.Type, "thinking": p.text.String(), "signature": p.signature.String()})
		case "redacted_thinking":
			thoughts = append(thoughts, map[string]any{"type": p.Type, "data": p.Data})
		}
	}
	out.Text = said.String()
	if len(thoughts) > 0 {
		out.Opaque, _ = json.Marshal(thoughts) // no error: maps of text can always be marshalled
	}
	switch s.stop {
	case "end_turn", "stop_sequence", "pause_turn":
		out.Stop = agent.StopEnd
	case "tool_use":
		out.Stop = agent.StopCalls
	case "max_tokens":
		out.Stop = agent.StopTokens
	case "refusal":
		return nil, &agent.ModelError{Kind: agent.Refused, Model: s.Model, Msg: "the model refused to answer"}
	case "model_context_window_exceeded":
		return nil, &agent.ModelError{Kind: agent.TooLong, Model: s.Model, Msg: "the question and the reply are longer than the model's context"}
	case "":
		return nil, s.Ended(io.EOF)
	}
	return out, nil
}

// readAll reads the reply. If it fails, it adds the tokens that the request has used, as far as known, to the error.
func (s *stream) readAll(events *wire.Events) (*agent.ModelReply, error) {
	out, err := s.receive(events)
	if e, ok := err.(*agent.ModelError); ok {
		e.Usage = s.used()
	}
	return out, err
}
