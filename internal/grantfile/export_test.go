package grantfile

import (
	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/internal/grantfile/strict"
)

// Forms are the names that the reader knows in each map of ours of a file.
func Forms(text []byte) (map[*yaml.Node][]string, *yaml.Node, error) {
	forms := map[*yaml.Node][]string{}
	var root *yaml.Node
	_, err := parse("exo.yaml", text, &reader{strict.Reader{Saw: func(n *yaml.Node, names []string) {
		if root == nil {
			root = n
		}
		forms[n] = names
	}}})
	return forms, root, err
}

// ParseScope reads a scope that is not in a file.
func ParseScope(text string) (Scope, error) {
	r := &reader{}
	s := r.scope(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: 1, Column: 1})
	return s, r.Err("scope")
}
