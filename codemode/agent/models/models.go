// Package models chooses a model by its name, or by the key in the environment. It uses Gemini in OpenAI's
// format, since Gemini's own adapter, package gemini, is large.
package models

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/codemode/agent"
	"github.com/exoagent/exoagent/codemode/agent/anthropic"
	"github.com/exoagent/exoagent/codemode/agent/openai"
)

// ErrNone means that the environment names no model, because no key is set.
var ErrNone = errors.New("no key for a model is set: set GOOGLE_GENERATIVE_AI_API_KEY, OPENAI_API_KEY or ANTHROPIC_API_KEY, " +
	"or OPENAI_BASE_URL for a server of your own")

// provider is an adapter with the variables for its key and address.
type provider struct {
	name, key, address string
	model              string // the default model, as of November 2026
	make               func(name string, key agent.APIKey, address string, client *http.Client) (agent.Model, error)
}

var providers = []provider{
	{"gemini", "GOOGLE_GENERATIVE_AI_API_KEY", "", "gemini-flash-latest", func(name string, key agent.APIKey, address string, c *http.Client) (agent.Model, error) {
		return openai.NewGemini(openai.Config{Model: name, Key: key, Address: address, Client: c})
	}},
	{"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-5.4-mini", func(name string, key agent.APIKey, address string, c *http.Client) (agent.Model, error) {
		return openai.New(openai.Config{Model: name, Key: key, Address: address, Client: c})
	}},
	{"anthropic", "ANTHROPIC_API_KEY", "", "claude-sonnet-5", func(name string, key agent.APIKey, address string, c *http.Client) (agent.Model, error) {
		return anthropic.New(anthropic.Config{Model: name, Key: key, Address: address, Client: c})
	}},
}

// FromEnv returns the model of the first provider with a key in the environment, in the order
// Gemini, OpenAI, Anthropic, or ErrNone. If the address of one provider and the key of another are
// set, it returns an error with the choices: questions for the user's own server must not go to
// another party. Pass os.Getenv as getenv.
func FromEnv(getenv func(string) string) (agent.Model, error) {
	var set []provider
	var address *provider
	for _, p := range providers {
		here := p.address != "" && getenv(p.address) != ""
		if here {
			address = &p
		}
		if here || !agent.NewAPIKey(getenv(p.key)).IsZero() {
			set = append(set, p)
		}
	}
	switch {
	case len(set) == 0:
		return nil, ErrNone
	case address == nil:
		return set[0].make(set[0].model, agent.NewAPIKey(getenv(set[0].key)), "", nil)
	case len(set) == 1:
		return nil, address.nameless()
	}
	var keys, choices []string
	for _, p := range set {
		if p.name == address.name {
			choices = append(choices, p.name+":NAME (of "+p.address+")")
			continue
		}
		keys = append(keys, p.key)
		choices = append(choices, p.name)
	}
	return nil, fmt.Errorf("%s is set together with %s: name the model to use, as one of %s",
		address.address, strings.Join(keys, " and "), strings.Join(choices, ", "))
}

// Among returns a model from a list of names like "openai:gpt-5.4-mini", or with the address of a server after an @
// (Name in [agent.Model]). It is the first model with a key in the environment, or the one that name gives, which
// may be only a provider. A name that is not in the list is an error, so an empty list allows no model.
func Among(list []string, name string, getenv func(string) string) (agent.Model, error) {
	var why []string
	for _, one := range list {
		if provider, _, _ := strings.Cut(one, ":"); name != "" && name != one && name != provider {
			continue
		}
		bare, _, _ := strings.Cut(one, "@")
		m, err := Named(bare, getenv)
		if err == nil && m.Name() != one {
			err = fmt.Errorf("in this environment the model's full name is %s: list that name, or change OPENAI_BASE_URL", m.Name())
		}
		if err == nil {
			return m, nil
		}
		why = append(why, one+": "+err.Error())
	}
	if len(why) > 0 {
		return nil, errors.New(strings.Join(why, "; "))
	}
	if m, err := Named(name, getenv); name != "" && err == nil && slices.Contains(list, m.Name()) {
		return m, nil // the name leaves out the address, which is in the environment
	}
	return nil, fmt.Errorf("the model %q is not allowed; the allowed models are: %s", name, cmp.Or(strings.Join(list, ", "), "none"))
}

// nameless returns the error for an address without a model's name, since the models of that server
// are unknown.
func (p provider) nameless() error {
	return fmt.Errorf("%s is set: name the model to use, as %s:NAME", p.address, p.name)
}

// Named returns the model "provider:name", or the default model of "provider", with its key from
// getenv.
func Named(name string, getenv func(string) string) (agent.Model, error) {
	which, model, _ := strings.Cut(name, ":")
	var names []string
	for _, p := range providers {
		if names = append(names, p.name); p.name != which {
			continue
		}
		address := ""
		if p.address != "" {
			address = getenv(p.address)
		}
		if model == "" && address != "" {
			return nil, p.nameless()
		}
		model = cmp.Or(model, p.model)
		key := agent.NewAPIKey(getenv(p.key))
		if key.IsZero() && address == "" {
			return nil, fmt.Errorf("%s needs a key: set %s", which, p.key)
		}
		return p.make(model, key, address, nil)
	}
	return nil, fmt.Errorf("%q is no model: want provider:name, with one of the providers %s", name, strings.Join(names, ", "))
}
