package mcpclient

// This file makes types from JSON schemas. A type may be wider than its schema, since the server checks its arguments itself.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

const (
	maxDepth  = 16    // how deep types are nested
	maxNodes  = 2_000 // how many parts one schema may have, with those that its references repeat
	maxValues = 100   // how many values an enumeration may have; with more it becomes plain text
)

var scalars = map[string]string{"boolean": value.TypeBool, "integer": value.TypeInt, "number": value.TypeFloat, "string": value.TypeText}

// anything returns the type of any plain data.
func anything() *message.Type { return &message.Type{Name: value.TypeData, Null: true} }

// typeOf makes the type of a whole argument or answer, which must be a record.
func typeOf(schema any, at string) (*message.Type, error) {
	root, _ := schema.(map[string]any)
	y := &typer{root: root, left: maxNodes}
	t, err := y.typ(schema, at, 0)
	switch {
	case err != nil:
		return nil, err
	case t.Name == value.TypeData && root["type"] == "object": // the schema does not describe the fields of the object
		return &message.Type{Name: value.TypeRecord}, nil
	case t.Name != value.TypeRecord || t.Null:
		return nil, fmt.Errorf("%s: the schema must describe an object with named fields", at)
	}
	return t, nil
}

// typer makes the types for one schema.
type typer struct {
	root map[string]any
	left int
}

func (y *typer) typ(schema any, at string, depth int) (*message.Type, error) {
	if y.left--; y.left < 0 {
		return nil, fmt.Errorf("%s: the tool's schema has more than %d parts, where each $ref counts its parts anew", at, maxNodes)
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("%s: the tool's schema is nested deeper than %d levels, perhaps because it refers to itself", at, maxDepth)
	}
	s, ok := schema.(map[string]any)
	if !ok && schema != true {
		return nil, fmt.Errorf("%s: a part of the schema is neither a JSON object nor true", at)
	}
	if ref, ok := s["$ref"].(string); ok {
		to, err := y.resolve(ref)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		return y.typ(to, at, depth+1)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[word].([]any); ok && s["type"] == nil {
			return y.union(list, at, depth)
		}
	}
	if c, ok := s["const"]; ok {
		return constants([]any{c}), nil
	}
	if list, ok := s["enum"].([]any); ok {
		return constants(list), nil
	}
	kinds, ok := s["type"].([]any)
	if word := s["type"]; !ok && word != nil {
		kinds = []any{word}
	} else if s["properties"] != nil && word == nil {
		kinds = []any{"object"}
	}
	null := slices.Contains(kinds, any("null"))
	kinds = slices.DeleteFunc(slices.Clone(kinds), func(k any) bool { return k == "null" })
	if len(kinds) == 0 && null {
		return &message.Type{Name: value.TypeNull}, nil
	} else if len(kinds) != 1 {
		return anything(), nil
	}
	t, err := &message.Type{Null: null}, error(nil)
	switch k, _ := kinds[0].(string); {
	case k == "object":
		err = y.record(t, s, at, depth)
	case k == "array":
		t.Name, t.Args = value.TypeList, map[string]*message.Type{"of": anything()}
		if items, ok := s["items"].(map[string]any); ok {
			t.Args["of"], err = y.typ(items, at+"[]", depth+1)
		}
	case scalars[k] == "":
		err = fmt.Errorf("%s: the tool's schema has the unknown type %.40q: want object, array, string, number, integer, boolean or null", at, fmt.Sprint(kinds[0]))
	default:
		t.Name = scalars[k]
	}
	return t, err
}

// record makes the type of an object: a record of its properties, or plain data if it may have other properties.
func (y *typer) record(t *message.Type, s map[string]any, at string, depth int) error {
	properties, _ := s["properties"].(map[string]any)
	if t.Name = value.TypeRecord; len(properties) == 0 && s["additionalProperties"] != false {
		t.Name = value.TypeData
		return nil
	}
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		f, err := y.typ(properties[name], at+"."+name, depth+1)
		if why := scalar.BadName(name); err == nil && why != "" {
			err = fmt.Errorf("%s: %s", at, why)
		}
		if err != nil {
			return err
		}
		p, _ := properties[name].(map[string]any)
		doc, _ := p["description"].(string)
		t.Fields = append(t.Fields, message.TypeField{Name: name, Type: f, Opt: !slices.Contains(required, any(name)), Doc: scalar.Clip(doc, maxText)})
	}
	return nil
}

// union makes the type of alternatives: a nullable type if one of two is null, otherwise plain data.
func (y *typer) union(list []any, at string, depth int) (one *message.Type, err error) {
	null := false
	for _, x := range list {
		t, err := y.typ(x, at, depth+1)
		switch {
		case err != nil:
			return nil, err
		case t.Name == value.TypeNull:
			null = true
		case one != nil:
			one = anything()
		default:
			one = t
		}
	}
	if one == nil {
		return &message.Type{Name: value.TypeNull}, nil
	}
	one.Null = one.Null || null
	return one, nil
}

// constants makes the type of a list of values: an enumeration if all are texts.
func constants(list []any) *message.Type {
	t := &message.Type{Name: value.TypeText, Null: slices.Contains(list, nil)}
	for _, x := range list {
		if s, ok := x.(string); ok {
			t.Enum = append(t.Enum, s)
		} else if x != nil {
			return anything()
		}
	}
	if len(t.Enum) > maxValues {
		t.Enum = nil
	}
	return t
}

// resolve returns the part of the schema that a reference names.
func (y *typer) resolve(ref string) (any, error) {
	path, ok := strings.CutPrefix(ref, "#")
	var to any = y.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if in, _ := to.(map[string]any); ok && part != "" {
			to, ok = in[part]
		}
	}
	if !ok {
		return nil, fmt.Errorf("the schema has the $ref %.100q, which leads to no part of it", ref)
	}
	return to, nil
}
