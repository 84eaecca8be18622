package services

// This file lists what a service offers, for a person who decides what programs may call.

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/web/openapi"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// Offer is one call that a service offers. Its texts are the service's own: nothing in them need be true.
type Offer struct {
	Name        string          `json:"name"` // as the lists of the file have it
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`  // the schema of its argument
	Output      json.RawMessage `json:"output,omitempty"` // the schema of its answer
	Use         string          `json:"use,omitempty"`    // reads, acts or immediate; "": programs can't call it
}

// Offers lists all calls that a service offers, and calls none.
func (s *Service) Offers(ctx context.Context, env func(string) string) (out []Offer, err error) {
	if s.API.Text != "" {
		text, err := os.ReadFile(strict.Beside(s.dir, s.OpenAPI))
		if err != nil {
			return nil, err
		}
		doc, err := openapi.Parse(text, openapi.Digest(text))
		if err != nil {
			return nil, err
		}
		for _, o := range doc.Operations() {
			out = append(out, Offer{Name: o.Name, Description: o.Route + " " + o.Doc})
		}
	} else {
		server, wrote, err := s.server(ctx, env)
		if err != nil {
			return nil, err
		}
		defer wrote.close()
		text, err := mcpclient.Tools(ctx, server)
		if err != nil {
			return nil, wrote.after(err)
		}
		if err := json.Unmarshal(text, &out); err != nil {
			return nil, err
		}
	}
	for i := range out {
		for use, list := range map[string][]Call{"reads": s.Reads, "acts": s.Acts, "immediate": s.Immediate} {
			for _, c := range list {
				if c.Of == out[i].Name {
					out[i].Use = use
				}
			}
		}
	}
	return out, nil
}

// Digest is the pin that the calls of the file want, and whether the file has it. It is "" if the file lists no call.
func (s *Service) Digest(ctx context.Context, env func(string) string) (digest string, pinned bool, err error) {
	o, err := s.Open(ctx, env)
	if wrong, ok := errors.AsType[*PinError](err); ok {
		return wrong.Digest, false, nil
	}
	if err != nil {
		return "", false, err
	}
	o.Close()
	return s.Pin.Text, true, nil
}
