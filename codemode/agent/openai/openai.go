// Package openai uses the chat completions API of OpenAI and its imitations: Gemini, Ollama, vLLM,
// llama.cpp, OpenRouter and others.
package openai

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/internal/wire"
)

// Address is the address of OpenAI's own API. GeminiAddress is Google's address for Gemini in this format.
const (
	Address       = "https://api.openai.com/v1"
	GeminiAddress = "https://generativelanguage.googleapis.com/v1beta/openai"
)

// Config has the model and its address.
type Config struct {
	Model   string       // the model's name, without an @
	Key     agent.APIKey // zero: no Authorization header is sent, for local servers
	Address string       // the address including /v1; "": Address, or GeminiAddress
	Client  *http.Client // only its transport is used; nil: the default one. Redirects are not followed
}

type model struct {
	wire.Endpoint
	name, address string
	own           bool // the endpoint is OpenAI itself
	gemini        bool // the endpoint is Gemini
}

// New makes a model. It sends no request.
func New(c Config) (agent.Model, error) { return newModel("openai", Address, c) }

// NewGemini makes a model of Gemini, with the name that package gemini uses. It sends no request.
func NewGemini(c Config) (agent.Model, error) { return newModel("gemini", GeminiAddress, c) }

func newModel(provider, own string, c Config) (agent.Model, error) {
	name, base, err := wire.Name(provider, c.Model, c.Address, own)
	if err != nil {
		return nil, err
	}
	m := &model{Endpoint: wire.Endpoint{Model: name, Client: wire.Client(c.Client), Key: c.Key}, name: c.Model, address: base, own: base == Address, gemini: own == GeminiAddress}
	return wire.Redacted(m, c.Key), nil
}

func (m *model) Name() string   { return m.Model }
func (m *model) String() string { return m.Model }

// Reply implements agent.Model.
func (m *model) Reply(ctx context.Context, req *agent.ModelRequest, text func(string)) (*agent.ModelReply, error) {
	body, err := json.Marshal(m.request(req))
	if err != nil {
		return nil, &agent.ModelError{Kind: agent.Invalid, Model: m.Model, Err: err}
	}
	header := map[string]string{}
	if !m.Key.IsZero() {
		header["Authorization"] = "Bearer " + m.Key.Reveal()
	}
	resp, err := m.Post(ctx, m.address+"/chat/completions", header, body, req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	s := &stream{model: m, text: text}
	return s.read(wire.NewEvents(resp.Body))
}
