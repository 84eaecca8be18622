package services

// This file makes the transport for a service's requests, and notes each use of a secret in the record.

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// sentFor is the context key under which a request has the message that causes it.
type sentFor struct{}

// recorded is an MCP server that notes each use of a secret in the record of the message.
type recorded struct{ *mcpclient.Object }

// Eval implements exo.Object.
func (o recorded) Eval(ctx context.Context, m *exo.Message) (value.Value, error) {
	return o.Object.Eval(context.WithValue(ctx, sentFor{}, m), m)
}

// config returns what requests to an address may do: their verbs and networks, and the secrets in their headers.
func (s *Service) config(address string, verbs ...string) (web.Config, error) {
	u, err := url.Parse(address)
	if err != nil {
		return web.Config{}, err
	}
	h := web.Host{Name: u.Hostname(), Plain: u.Scheme == "http", Networks: s.Networks, Headers: []string{"Mcp-Protocol-Version", "Mcp-Session-Id", "Last-Event-Id", "Mcp-Method", "Mcp-Name"}}
	if u.Port() != "" {
		if h.Port, err = strconv.Atoi(u.Port()); err != nil {
			return web.Config{}, err
		}
	}
	for _, verb := range verbs {
		h.Allow = append(h.Allow, verb+" "+cmp.Or(u.EscapedPath(), "/"))
	}
	for _, x := range s.Secrets {
		b, err := s.binding(x)
		if err != nil {
			return web.Config{}, err
		}
		h.Secrets = append(h.Secrets, b)
	}
	return web.Config{Hosts: []web.Host{h}, Bounds: web.Bounds{Body: int64(s.Answer), Time: cmp.Or(s.Time, time.Minute)}, Used: func(ctx context.Context, u web.Use) {
		if m, ok := ctx.Value(sentFor{}).(*exo.Message); ok {
			m.AddDetail(u)
		}
	}}, nil
}

func (s *Service) transport(address string, verbs ...string) (*web.Transport, error) {
	c, err := s.config(address, verbs...)
	if err != nil {
		return nil, err
	}
	return web.NewTransport(c)
}

// binding is a secret with its header.
func (s *Service) binding(x Secret) (b web.Binding, err error) {
	b = web.Binding{Header: http.CanonicalHeaderKey(x.Text), Prefix: x.Prefix}
	switch {
	case x.Command != nil:
		b.Secret = web.FromCommand(x.Command[0], x.Command[1:]...)
	case x.From.Kind == "file":
		b.Secret = web.FromFile(strict.Beside(x.From.Dir, x.From.Name))
	default:
		b.Secret = web.FromVariable(x.From.Name)
	}
	if x.OAuth.Text != "" {
		b.Prefix = "Bearer "
		b.Secret, err = web.FromOAuth(web.OAuth{TokenURL: x.OAuth.Text, Client: x.Client, Secret: b.Secret, Scopes: x.Scopes, Resource: s.MCP.Text, Networks: x.Networks})
	}
	return b, err
}
