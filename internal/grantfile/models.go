package grantfile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// ModelProviders are those whose models a file can name; package models asks them.
var ModelProviders = []string{"anthropic", "gemini", "openai"}

// models are names in whole: a provider alone would let its next model in.
func (f *File) models(r *reader, n *yaml.Node) {
	f.Models = r.names(n, "models")
	for _, m := range f.Models {
		provider, name, _ := strings.Cut(m.Text, ":")
		switch {
		case !slices.Contains(ModelProviders, provider):
			r.at(m.Pos, "models: want a provider and a model, like openai:gpt-5.4-mini, and `%s` is no provider%s", provider, or(provider, ModelProviders))
		case name == "" || name == "*":
			r.at(m.Pos, "models: `%s` names no model: there is no wildcard, so that a model that its provider adds is not asked", m.Text)
		}
	}
}

// ModelNames are the models that may be asked; nil: any.
func (f *File) ModelNames() []string { return texts(f.Models) }
