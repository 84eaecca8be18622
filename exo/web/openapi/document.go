package openapi

// This file reads a document into plain maps, and follows its references. It uses no library for OpenAPI: one doubled the time that every process of
// exo needs to start.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// object is a JSON object in a document.
type object = map[string]any

// maxNodes limits how many values a document has when its YAML aliases are expanded.
const maxNodes = 1_000_000

// maxDepth limits how deep YAML values are nested.
const maxDepth = 1000

// load reads a document in JSON or YAML.
func load(text []byte) (object, error) {
	var out any
	if strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&out); err != nil {
			return nil, err
		}
	} else {
		var n yaml.Node
		if err := yaml.Unmarshal(text, &n); err != nil {
			return nil, err
		}
		left := maxNodes
		var err error
		if out, err = plain(&n, &left, nil); err != nil {
			return nil, err
		}
	}
	o, ok := out.(object)
	if _, isPaths := o["paths"].(object); !ok || !isPaths {
		return nil, errors.New("the file is no OpenAPI document: want one that has paths")
	}
	return o, nil
}

// plain returns the value of a YAML node: a map, a list, a truth value or a text.
func plain(n *yaml.Node, left *int, in []*yaml.Node) (any, error) {
	switch *left--; {
	case *left < 0:
		return nil, fmt.Errorf("the document has more than %d values, where each YAML alias counts its values anew", maxNodes)
	case len(in) > maxDepth:
		return nil, fmt.Errorf("the document is nested deeper than %d levels", maxDepth)
	case n.Kind == yaml.AliasNode && slices.Contains(in, n.Alias):
		return nil, fmt.Errorf("line %d: the YAML alias *%s is a part of its own value: write the value out", n.Line, n.Value)
	}
	in = append(in, n)
	switch n.Kind {
	case yaml.AliasNode:
		return plain(n.Alias, left, in)
	case yaml.DocumentNode:
		return plain(n.Content[0], left, in)
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			v, err := plain(c, left, in)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case yaml.MappingNode:
		out := object{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if _, twice := out[key]; twice {
				return nil, fmt.Errorf("line %d: the key %q is given twice: remove one", n.Content[i].Line, key)
			} else if key == "<<" {
				return nil, fmt.Errorf("line %d: YAML merges (<<) are not supported: write the merged fields out", n.Content[i].Line)
			}
			v, err := plain(n.Content[i+1], left, in)
			if err != nil {
				return nil, err
			}
			out[key] = v
		}
		return out, nil
	case yaml.ScalarNode:
		if n.Tag == "!!bool" {
			return strings.EqualFold(n.Value, "true"), nil
		}
		return n.Value, nil
	}
	return nil, nil
}

// check refuses a reference that leads out of the document, or to nothing. It skips examples, which may contain texts that look like references.
func (d Document) check(v any) error {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if err := d.check(x); err != nil {
				return err
			}
		}
	case object:
		if ref, ok := v["$ref"].(string); ok {
			if d.at(v) == nil {
				return fmt.Errorf("the reference %.100q names no object of this document: want one like #/components/schemas/NAME", ref)
			}
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains([]string{"example", "examples", "default", "enum", "const"}, name) || strings.HasPrefix(name, "x-") {
				continue
			}
			if err := d.check(v[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// at returns the object v, or the object that v's reference leads to, or nil.
func (d Document) at(v any) object {
	for range 100 {
		o, _ := v.(object)
		ref, ok := o["$ref"].(string)
		if !ok {
			return o
		}
		path, ok := strings.CutPrefix(ref, "#/")
		if !ok {
			return nil
		}
		v = any(d.t)
		for _, part := range strings.Split(path, "/") {
			o, _ := v.(object)
			v = o[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
		}
	}
	return nil
}

// each calls f with each member of an object that is an object, in the order of their names.
func (d Document) each(v any, f func(name string, o object)) {
	o := d.at(v)
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if x := d.at(o[name]); x != nil {
			f(name, x)
		}
	}
}

// text returns a text member of an object, or "".
func text(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

// list returns a list member of an object. A single text counts as a list of one.
func list(o object, name string) []any {
	switch v := o[name].(type) {
	case []any:
		return v
	case string:
		return []any{v}
	}
	return nil
}

// has reports whether a list contains a text.
func has(l []any, text string) bool { return slices.Contains(l, any(text)) }

// same reports whether two objects are identical.
func same(a, b object) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }
