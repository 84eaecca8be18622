// Package anthropic uses Anthropic's messages API.
package anthropic

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/internal/wire"
)

// Address is the address of Anthropic's own API.
const Address = "https://api.anthropic.com"

// version is the version of the API that this package uses.
const version = "2023-06-01"

// Config has the model and its address.
type Config struct {
	Model   string // the model's name, without an @
	Key     agent.APIKey
	Address string       // the address before /v1; "": Address
	Client  *http.Client // only its transport is used; nil: the default one. Redirects are not followed
}

type model struct {
	wire.Endpoint
	name, address string
}

// New makes a model. It sends no request.
func New(c Config) (agent.Model, error) {
	name, base, err := wire.Name("anthropic", c.Model, c.Address, Address)
	if err != nil {
		return nil, err
	}
	m := &model{Endpoint: wire.Endpoint{Model: name, Client: wire.Client(c.Client), Key: c.Key}, name: c.Model, address: base}
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
	header := map[string]string{"anthropic-version": version}
	if !m.Key.IsZero() {
		header["x-api-key"] = m.Key.Reveal()
	}
	resp, err := m.Post(ctx, m.address+"/v1/messages", header, body, req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	s := &stream{model: m, text: text}
	return s.readAll(wire.NewEvents(resp.Body))
}
