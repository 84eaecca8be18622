package services

// This file lists what a service offers, for the person who decides what programs may call.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/mcpclient"
	"github.com/exoagent/exoagent/exo/web/openapi"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// Offer is one call that a service offers. The service wrote the texts, so they may be false.
type Offer struct {
	Name        string          `json:"name"`            // the name in the lists of the file
	Route       string          `json:"route,omitempty"` // the route, for an API
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`  // the JSON schema of the argument
	Output      json.RawMessage `json:"output,omitempty"` // the JSON schema of the answer
	Use         string          `json:"use,omitempty"`    // "reads", "acts" or "immediate"; "" if programs can't call it
}

// Offers lists all calls that a service offers, and the digest of the calls that the file uses. The list and the digest come from the same
// answer of the service. Offers calls none of the listed calls.
func (s *Service) Offers(ctx context.Context, env func(string) string) (out []Offer, digest string, err error) {
	if s.Sink() { // the method is part of exo, so there is nothing to pin
		return []Offer{{Name: s.Acts[0].Text, Use: "acts"}}, "", nil
	}
	if s.Files.Text != "" {
		return slices.DeleteFunc(slices.Clone(fileCalls), func(o Offer) bool {
			return (o.Use == "acts") && len(s.Write) == 0 || o.Use == "reads" && len(s.Read) == 0
		}), "", nil
	}
	if s.API.Text != "" {
		out, digest, err = s.operations()
	} else {
		out, digest, err = s.tools(ctx, env)
	}
	if err != nil {
		return nil, "", err
	}
	var missing []string
	for _, list := range []struct {
		use   string
		calls []Call
	}{{"reads", s.Reads}, {"acts", s.Acts}, {"immediate", s.Immediate}} {
		for _, c := range list.calls {
			if i := slices.IndexFunc(out, func(o Offer) bool { return c.Of == o.Name || c.Of == o.Route }); i >= 0 {
				out[i].Use = list.use
			} else {
				missing = append(missing, fmt.Sprintf("the service offers no `%s`: take it out of `%s`, or correct its name", c.Of, list.use))
			}
		}
	}
	switch {
	case missing != nil:
		return out, "", errors.New(strings.Join(missing, "; "))
	case len(s.Reads)+len(s.Acts)+len(s.Immediate) == 0:
		return out, "", errors.New("the file allows none of these calls: list some under `reads`, `acts` or `immediate`, and run the command again for the text of `pin`")
	}
	return out, digest, nil
}

func (s *Service) operations() (out []Offer, digest string, err error) {
	text, err := os.ReadFile(strict.Beside(s.dir, s.OpenAPI))
	if err != nil {
		return nil, "", err
	}
	digest = openapi.Digest(text)
	doc, err := openapi.Parse(text, digest)
	for _, o := range doc.Operations() {
		out = append(out, Offer{Name: o.Name, Route: o.Route, Description: o.Doc})
	}
	return out, digest, err
}

func (s *Service) tools(ctx context.Context, env func(string) string) (out []Offer, digest string, err error) {
	c, err := s.connection(ctx, env)
	if err != nil {
		return nil, "", err
	}
	defer c.close()
	text, digest, err := mcpclient.Tools(ctx, c.server)
	if err != nil {
		return nil, "", c.failed(err)
	}
	return out, digest, json.Unmarshal(text, &out)
}
