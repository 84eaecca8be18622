package grantfile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// ModelProviders are the providers of models that a file may name. Package models calls them.
var ModelProviders = []string{"anthropic", "gemini", "openai"}

// models reads full names of models, because a provider's name alone would admit its future models.
func (f *File) models(r *reader, n *yaml.Node) {
	f.Models = r.Names(n, "models")
	for _, m := range f.Models {
		provider, name, _ := strings.Cut(m.Text, ":")
		switch {
		case !slices.Contains(ModelProviders, provider):
			r.At(m.Pos, "models: want PROVIDER:MODEL, like openai:gpt-5.4-mini; `%s` is not a provider%s", provider, or(provider, ModelProviders))
		case name == "" || name == "*":
			r.At(m.Pos, "models: `%s` names no model: write PROVIDER:MODEL with the full name of one model, so that models that the provider adds later are excluded", m.Text)
		}
	}
}

// ModelNames returns the models that may be called; nil means all.
func (f *File) ModelNames() []string { return texts(f.Models) }
