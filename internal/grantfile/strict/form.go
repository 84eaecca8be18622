package strict

// This file has the parts of the schema, which is a JSON Schema (draft 2020-12).

import (
	"maps"

	"github.com/exoagent/exoagent/internal/scalar"
)

// Node is a part of the schema. JSON has the keys of a map in alphabetical order.
type Node map[string]any

// Form makes a part of the schema. Reading a file makes none.
type Form func() Node

func AText() Node   { return Node{"type": "string", "minLength": 1} }
func ABool() Node   { return Node{"type": "boolean"} }
func ANumber() Node { return Node{"type": "integer", "minimum": 1} }
func ATime() Node   { return Pattern("^[0-9]")() }
func ADays() Node   { return Pattern("^[1-9][0-9]*d$")() }
func APlace() Node  { return Pattern("^(env|file):.")() }
func AURL() Node    { return Pattern("^(env|file|sqlite):.")() }
func ASize() Node {
	return Node{"type": []string{"integer", "string"}, "minimum": 1, "pattern": `^[0-9]+ *(KiB|MiB)?$`}
}

// SomeTexts is a list of texts, or a single text.
func SomeTexts() Node { return Either(AText, ListOf(AText))() }

// Pattern is a text that a regular expression matches.
func Pattern(p string) Form { return func() Node { return Node{"type": "string", "pattern": p} } }

// Words is one of the items of a list.
func Words(list any) Form { return Only("enum", list) }

// Only is a value of which the schema says one thing.
func Only(keyword string, v any) Form { return func() Node { return Node{keyword: v} } }

// With adds entries to what a form makes.
func (f Form) With(more Node) Form {
	return func() Node {
		n := f()
		maps.Copy(n, more)
		return n
	}
}

// Needs adds that a map must have one of the keys. The keyword is anyOf or oneOf.
func (f Form) Needs(keyword string, keys ...string) Form {
	one := func(k string) Node { return Node{"required": []string{k}} }
	return func() Node { return f.With(Node{"type": "object", keyword: scalar.Each(keys, one)})() }
}

// Some are the entries of a map that must have at least one key.
var Some = Node{"type": "object", "minProperties": 1}

// ListOf is a list that has at least one item, and none twice.
func ListOf(f Form) Form {
	return func() Node { return Node{"type": "array", "items": f(), "minItems": 1, "uniqueItems": true} }
}

// Exactly is a list of n items.
func Exactly(n int, f Form) Form {
	return func() Node { return Node{"type": "array", "items": f(), "minItems": n, "maxItems": n} }
}

// Either is a value of one of the forms.
func Either(fs ...Form) Form {
	return func() Node { return Node{"anyOf": scalar.Each(fs, func(f Form) Node { return f() })} }
}

// Named is a map with keys that the file's author chooses.
func Named(f Form) Form {
	return func() Node { return Node{"type": mapOrNothing, "additionalProperties": f()} }
}

// Short is FormOf, or the first of the keys alone.
func Short[R any](keys func(R) []Key, r R) Form {
	return func() Node { return Either(keys(r)[0].Form, FormOf(keys, r).With(Node{"type": "object"}))() }
}

var mapOrNothing = []string{"object", "null"}

// FormOf is a map with keys that the format defines. It refuses every other key.
func FormOf[R any](keys func(R) []Key, r R) Form {
	return func() Node {
		fields, n := map[string]Node{}, Node{"type": mapOrNothing, "additionalProperties": false}
		var required []string
		for _, k := range keys(r) {
			if fields[k.Name] = k.Form.With(Node{"description": k.about})(); k.must != "" {
				required = append(required, k.Name)
			}
		}
		if n["properties"] = fields; required != nil {
			n["type"], n["required"] = "object", required
		}
		return n
	}
}
