// Package gemini uses Google's Gemini API through github.com/google/generative-ai-go. That library is deprecated
// and older than today's models. Only this file imports it. Newer features are added to its requests and removed
// from its responses on their way (transport.go, filter.go).
//
// The library is large, and the process of each program initialises parts of it. The commands use
// openai.NewGemini, which asks the same models in OpenAI's format.
package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/generative-ai-go/genai"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/api/option/internaloption"
	connections "google.golang.org/api/transport/grpc"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/internal/wire"
)

// Address is the address of Google's own API.
const Address = "https://generativelanguage.googleapis.com"

// Config has the model and its address.
type Config struct {
	Model   string // the model's name, without an @
	Key     agent.APIKey
	Address string       // the address before /v1beta; "": Address
	Client  *http.Client // only its transport is used; nil: the default one. Redirects are not followed
}

// none is a pool without connections.
type none struct{ connections.ConnPool }

type model struct {
	wire.Endpoint
	name   string
	client *genai.Client
}

// New makes a model. It sends no request.
func New(c Config) (agent.Model, error) {
	name, base, err := wire.Name("gemini", c.Model, c.Address, Address)
	if err != nil {
		return nil, err
	}
	m := &model{Endpoint: wire.Endpoint{Model: name, Client: wire.Client(c.Client), Key: c.Key}, name: c.Model}
	m.client, err = genai.NewClient(context.Background(),
		// The library would put a key into the address, but our transport puts it into a header.
		option.WithHTTPClient(&http.Client{Transport: transport{m}}),
		option.WithEndpoint(base),
		// The library also wants a connection pool for cached contents, and would dial with the
		// machine's credentials. So it gets none{}, which has no connection and is never used.
		connections.WithConnPool(none{}),
		internaloption.SkipDialSettingsValidation(),
	)
	if err != nil {
		return nil, errors.New("gemini: Google's client library can't use the address of the API: check it")
	}
	return wire.Redacted(m, c.Key), nil
}

func (m *model) Name() string   { return m.Model }
func (m *model) String() string { return m.Model }

// Reply implements agent.Model.
func (m *model) Reply(ctx context.Context, req *agent.ModelRequest, text func(string)) (out *agent.ModelReply, err error) {
	x := &exchange{bounds: req, signatures: m.signatures(req.Messages)}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, exchangeKey{}, x))
	defer cancel(nil)
	defer x.close()
	var usage agent.Usage
	defer func() {
		// The library panics on some parts. The filter removes them, but recover makes sure that an
		// endpoint can't end the process.
		if p := recover(); p != nil {
			out, err = nil, m.Garbled(m.Quote(fmt.Sprint("Google's client library failed at a part of the reply: ", p)))
		}
		if x.body != nil {
			usage.Requests = 1
		}
		if out != nil {
			out.Usage = usage
		} else if e, ok := err.(*agent.ModelError); ok {
			e.Usage = usage
		}
	}()
	history := m.contents(req.Messages)
	if len(history) == 0 {
		return nil, &agent.ModelError{Kind: agent.Invalid, Model: m.Model, Msg: "the request has no message to reply to: add a question"}
	}
	chat := m.generative(req).StartChat()
	chat.History = history[:len(history)-1]
	out = &agent.ModelReply{}
	var said strings.Builder
	var finish genai.FinishReason
	for it := chat.SendMessageStream(ctx, history[len(history)-1].Parts...); ; {
		resp, err := it.Next()
		if err == iterator.Done {
			break
		}
		if err != nil {
			return nil, m.failure(ctx, err)
		}
		if u := resp.UsageMetadata; u != nil {
			// Only the total count includes thoughts.
			usage.Input, usage.CacheRead = int64(u.PromptTokenCount), int64(u.CachedContentTokenCount)
			usage.Output = max(int64(u.CandidatesTokenCount), int64(u.TotalTokenCount)-usage.Input)
		}
		if len(resp.Candidates) == 0 {
			continue
		}
		c := resp.Candidates[0]
		if c.FinishReason != genai.FinishReasonUnspecified {
			finish = c.FinishReason
		}
		if c.Content != nil {
			take(out, &said, c.Content.Parts, text)
		}
	}
	out.Text = said.String()
	x.sign(out.Calls)
	if err := m.finish(out, finish); err != nil {
		return nil, err
	}
	return out, nil
}

func take(out *agent.ModelReply, said *strings.Builder, parts []genai.Part, text func(string)) {
	for _, p := range parts {
		switch p := p.(type) {
		case genai.Text:
			said.WriteString(string(p))
			if text != nil && p != "" {
				text(string(p))
			}
		case genai.FunctionCall:
			if p.Args == nil {
				p.Args = map[string]any{}
			}
			args, _ := json.Marshal(p.Args) // no error: Args was decoded from JSON
			out.Calls = append(out.Calls, agent.ToolCall{Name: p.Name, Args: string(args)})
		}
	}
}

// finish returns the error for a finish reason, or nil if there is none. The library knows the first six reasons.
func (m *model) finish(out *agent.ModelReply, f genai.FinishReason) error {
	switch f {
	case genai.FinishReasonUnspecified:
		return &agent.ModelError{Kind: agent.Truncated, Model: m.Model, Msg: "the connection ended before the reply was complete"}
	case genai.FinishReasonStop:
		if out.Stop = agent.StopEnd; len(out.Calls) > 0 {
			out.Stop = agent.StopCalls
		}
	case genai.FinishReasonMaxTokens:
		out.Stop = agent.StopTokens
	case malformedCall, unexpectedCall:
		out.Stop = agent.StopGarbled
	default:
		return &agent.ModelError{Kind: agent.Refused, Model: m.Model, Msg: "the model ended the reply for the reason " + reasonName(int(f))}
	}
	return nil
}

func (m *model) failure(ctx context.Context, err error) error {
	var known *agent.ModelError
	var blocked *genai.BlockedError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &known):
		return known
	case errors.As(err, &blocked):
		e := &agent.ModelError{Kind: agent.Refused, Model: m.Model, Msg: "the provider blocked the question: ask in other words"}
		if blocked.Candidate != nil {
			e.Msg = "the provider blocked the reply for the reason " + reasonName(int(blocked.Candidate.FinishReason))
		}
		return e
	}
	return m.Garbled(notGoogle) // the library's error is left out, since it may quote addresses
}

func (m *model) generative(req *agent.ModelRequest) *genai.GenerativeModel {
	g := m.client.GenerativeModel(m.name)
	if req.MaxTokens > 0 {
		g.SetMaxOutputTokens(int32(min(req.MaxTokens, 1<<30)))
	}
	if req.System != "" {
		g.SystemInstruction = genai.NewUserContent(genai.Text(req.System))
	}
	if len(req.Tools) == 0 {
		return g
	}
	t := &genai.Tool{}
	for _, s := range req.Tools {
		t.FunctionDeclarations = append(t.FunctionDeclarations, &genai.FunctionDeclaration{Name: s.Name, Description: s.Description, Parameters: schema(s.Schema)})
	}
	g.Tools = []*genai.Tool{t}
	if req.NoCalls {
		g.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{Mode: genai.FunctionCallingNone}}
	}
	return g
}

func (m *model) contents(messages []agent.ChatMessage) (out []*genai.Content) {
	for i := range messages {
		in := &messages[i]
		c := &genai.Content{Role: "user"}
		if in.Role == agent.RoleAssistant {
			c.Role = "model"
		}
		if in.Text != "" {
			c.Parts = append(c.Parts, genai.Text(in.Text))
		}
		for _, call := range in.Calls {
			c.Parts = append(c.Parts, genai.FunctionCall{Name: call.Name, Args: object(call.Object())})
		}
		for _, r := range in.Results {
			c.Parts = append(c.Parts, genai.FunctionResponse{Name: r.Name, Response: object(json.RawMessage(r.Read()))})
		}
		if len(c.Parts) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// object returns a text as a JSON object. A text that is no object becomes the field result of one, since the API wants objects.
func object(text json.RawMessage) map[string]any {
	var o map[string]any
	if json.Unmarshal(text, &o) != nil || o == nil {
		return map[string]any{"result": strings.ToValidUTF8(string(text), "\uFFFD")}
	}
	return o
}

var types = map[string]genai.Type{"string": genai.TypeString, "number": genai.TypeNumber, "integer": genai.TypeInteger, "boolean": genai.TypeBoolean, "array": genai.TypeArray, "object": genai.TypeObject}

// schema converts a JSON schema, keeping the parts that the API accepts. It returns nil for a text that is no schema.
func schema(text json.RawMessage) *genai.Schema {
	var s struct {
		Type        string                     `json:"type"`
		Description string                     `json:"description"`
		Enum        []string                   `json:"enum"`
		Items       json.RawMessage            `json:"items"`
		Properties  map[string]json.RawMessage `json:"properties"`
		Required    []string                   `json:"required"`
	}
	if json.Unmarshal(text, &s) != nil {
		return nil
	}
	out := &genai.Schema{Type: types[s.Type], Description: s.Description, Enum: s.Enum, Required: s.Required}
	if len(s.Items) > 0 {
		out.Items = schema(s.Items)
	}
	for name, p := range s.Properties {
		if out.Properties == nil {
			out.Properties = map[string]*genai.Schema{}
		}
		out.Properties[name] = schema(p)
	}
	return out
}
