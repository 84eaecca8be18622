package models_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode/agent/models"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// TestChoice: the first key decides, a name decides over it, and an address that
// was set is in the model's name. An address and the key of another provider decide nothing.
func TestChoice(t *testing.T) {
	const google, openai, base, anthropic = "GOOGLE_GENERATIVE_AI_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"
	all := env(google, secret, openai, secret, anthropic, secret)
	for _, c := range []struct {
		name string
		env  func(string) string
		want string // how the name or the error begins
	}{
		{"", env(), "no key for a model is set: set GOOGLE_GENERATIVE_AI_API_KEY"},
		{"", all, "gemini:"},
		{"", env(openai, secret, anthropic, secret), "openai:"},
		{"", env(anthropic, secret), "anthropic:"},
		{"", env(base, "http://localhost:11434/v1"), "OPENAI_BASE_URL is set: name the model to use"},
		{"", env(base, "http://localhost:11434/v1", openai, secret), "OPENAI_BASE_URL is set: name the model to use"},
		{"", env(base, "http://localhost:11434/v1", google, secret),
			"OPENAI_BASE_URL is set together with GOOGLE_GENERATIVE_AI_API_KEY: name the model to use, as one of gemini, openai:NAME (of OPENAI_BASE_URL)"},
		{"", env(base, "http://localhost:11434/v1", google, secret, openai, secret, anthropic, secret),
			"OPENAI_BASE_URL is set together with GOOGLE_GENERATIVE_AI_API_KEY and ANTHROPIC_API_KEY: name the model to use, as one of gemini, openai:NAME (of OPENAI_BASE_URL), anthropic"},
		{"", env(base, "http://localhost:11434/v1", anthropic, secret),
			"OPENAI_BASE_URL is set together with ANTHROPIC_API_KEY: name the model to use, as one of openai:NAME (of OPENAI_BASE_URL), anthropic"},
		{"gemini", env(base, "http://localhost:11434/v1", google, secret), "gemini:"},
		{"anthropic:claude-x", all, "anthropic:claude-x"},
		{"anthropic", all, "anthropic:claude-"},
		{"openai:llama3.2:3b", env(base, "http://localhost:11434/v1"), "openai:llama3.2:3b@http://localhost:11434"},
		{"openai:gpt-x", env(openai, secret), "openai:gpt-x"},
		{"openai:x", env(base, "https://gw.test/tenantA/v1"), "openai:x@gw.test/tenantA/v1"},
		{"openai:x@localhost:11434", env(openai, secret), "openai: the name of a model can't have an @"},
		{"anthropic:x@localhost:11434", all, "anthropic: the name of a model can't have an @"},
		{"gemini:x@localhost:11434", all, "gemini: the name of a model can't have an @"},
		{"gemini", env(google, " \n"), "gemini needs a key: set GOOGLE_GENERATIVE_AI_API_KEY"},
		{"", env(google, " ", anthropic, secret), "anthropic:"},
		{"openai:gpt-x", env(openai, secret, base, "https://api.openai.com/v1/"), "openai:gpt-x"},
		{"openai", env(openai, secret, base, "http://localhost:11434/v1"), "OPENAI_BASE_URL is set: name the model to use"},
		{"openai:gpt-x", env(openai, secret, base, "https://user:hunter2@host/v1"), "openai: the address of the model's API can't have a password"},
		{"gemini:x", env(openai, secret), "gemini needs a key: set GOOGLE_GENERATIVE_AI_API_KEY"},
		{"grok:x", all, `"grok:x" is no model: want provider:name, with one of the providers gemini, openai, anthropic`},
	} {
		m, err := models.FromEnv(c.env)
		if c.name != "" {
			m, err = models.Named(c.name, c.env)
		}
		got := fmt.Sprint(err)
		if err == nil {
			got = m.Name()
		}
		if !strings.HasPrefix(got, c.want) || strings.Contains(got, secret) || c.name != "" && err == nil && strings.Contains(c.name, ":") && got != c.want {
			t.Errorf("%q: %s, want %s", c.name, got, c.want)
		}
	}
	if _, err := models.FromEnv(env()); !errors.Is(err, models.ErrNone) {
		t.Error(err)
	}
}

// TestAmong: of a list the first model that can be asked is, or the one that somebody names; none that is not on the list, nor
// one of that name on another server.
func TestAmong(t *testing.T) {
	const google, openai, base, anthropic = "GOOGLE_GENERATIVE_AI_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"
	own := "openai:llama3.2:3b@http://localhost:11434"
	list := []string{"openai:gpt-x", own, "anthropic:claude-x", "anthropic:claude-y"}
	all := env(google, secret, openai, secret, anthropic, secret)
	for _, c := range []struct {
		list []string
		name string
		env  func(string) string
		want string // the name, or how the error begins
	}{
		{list, "", all, "openai:gpt-x"},
		{list, "", env(anthropic, secret), "anthropic:claude-x"},
		{list, "", env(base, "http://localhost:11434/v1", openai, secret, anthropic, secret), own},
		{list, "", env(base, "http://elsewhere.test/v1", openai, secret), "openai:gpt-x: in this environment the model's full name is openai:gpt-x@http://elsewhere.test: list that name, or change OPENAI_BASE_URL; " + own + ": in this"},
		{list, "", env(google, secret), "openai:gpt-x: openai needs a key: set OPENAI_API_KEY; "},
		{list, "", env(), "openai:gpt-x: openai needs a key: set OPENAI_API_KEY"},
		{list, "anthropic", all, "anthropic:claude-x"},
		{list, "anthropic:claude-y", all, "anthropic:claude-y"},
		{list, "openai:llama3.2:3b", env(base, "http://localhost:11434/v1"), own},
		{list, own, env(base, "http://localhost:11434/v1"), own},
		{list, own, all, own + ": in this environment the model's full name is openai:llama3.2:3b"},
		{list, "openai:llama3.2:3b", env(base, "http://elsewhere.test/v1"), `the model "openai:llama3.2:3b" is not allowed`},
		{list, "openai:gpt-x", env(base, "http://elsewhere.test/v1"), "openai:gpt-x: in this environment the model's full name is openai:gpt-x@http://elsewhere.test"},
		{list, "openai:gpt-z", all, `the model "openai:gpt-z" is not allowed; the allowed models are: openai:gpt-x, ` + own},
		{list, "gemini", all, `the model "gemini" is not allowed`},
		{list, "anthropic:claude", all, `the model "anthropic:claude" is not allowed`},
		{list, "nope", all, `the model "nope" is not allowed`},
		{[]string{}, "", all, `the model "" is not allowed; the allowed models are: none`},
		{nil, "openai:gpt-x", all, `the model "openai:gpt-x" is not allowed`},
		{[]string{"openai"}, "", all, "openai: in this environment the model's full name is openai:gpt-"},
	} {
		m, err := models.Among(c.list, c.name, c.env)
		got := fmt.Sprint(err)
		if err == nil {
			got = m.Name()
		}
		if err == nil && got != c.want || !strings.HasPrefix(got, c.want) || strings.Contains(got, secret) {
			t.Errorf("%q of %q: %s\nwant %s", c.name, c.list, got, c.want)
		}
	}
}
