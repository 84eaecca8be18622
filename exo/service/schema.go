package service

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/internal/scalar"
)

// typeOf returns the catalogue's type for a Go type, made from its JSON schema.
func typeOf(t reflect.Type, at string) (*message.Type, error) {
	f, err := formOf(t, at)
	if err != nil {
		return nil, err
	}
	own := map[reflect.Type]*jsonschema.Schema{}
	f.ownSchemas(own)
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: own})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return fromSchema(s, ofGo, 0), nil
}

// ownSchemas collects the types with a schema that does not follow from their Go kind.
func (f *form) ownSchemas(to map[reflect.Type]*jsonschema.Schema) {
	switch f.kind {
	case formTime:
		to[f.typ] = &jsonschema.Schema{Type: "string", Format: "date-time"}
	case formText:
		to[f.typ] = &jsonschema.Schema{Type: "string"}
	}
	if f.elem != nil {
		f.elem.ownSchemas(to)
	}
	for _, x := range f.fields {
		x.form.ownSchemas(to)
	}
}

// use is what a schema is read for.
type use uint8

const (
	ofGo       use = iota // a Go type
	ofArgument            // an argument of a Schema
	ofResult              // a result of a Schema: what it does not require may be null
)

// mostDoc is the length of a field's description that is not the host's own, mostNested how deep a schema is read.
const mostDoc, mostNested = 200, 8

// fromSchema returns the type of a schema. What has no type here, such as anyOf, is plain data.
func fromSchema(s *jsonschema.Schema, u use, depth int) *message.Type {
	data := &message.Type{Name: value.TypeData}
	if s == nil || u != ofGo && (depth > mostNested || s.Ref != "" || s.DynamicRef != "" || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil || s.Not != nil || s.If != nil) {
		return data
	}
	t, kinds := &message.Type{}, slices.Clone(s.Types)
	if s.Type != "" {
		kinds = []string{s.Type}
	}
	n := len(kinds)
	kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "null" })
	if t.Null = len(kinds) < n; len(kinds) == 0 && t.Null {
		return &message.Type{Name: value.TypeNull}
	} else if len(kinds) != 1 {
		return data
	}
	switch kinds[0] {
	case "boolean":
		t.Name = value.TypeBool
	case "integer":
		if t.Name = value.TypeInt; u == ofArgument && s.Minimum != nil && s.Maximum != nil && *s.Minimum < *s.Maximum && max(-*s.Minimum, *s.Maximum) < scalar.SafeInteger {
			t.Min, t.Max = int64(math.Ceil(*s.Minimum)), int64(math.Floor(*s.Maximum))
		}
	case "number":
		t.Name = value.TypeFloat
	case "string":
		if t.Name = value.TypeText; s.Format == "date-time" {
			t.Name = value.TypeTime
			break
		}
		for _, x := range s.Enum {
			if text, ok := x.(string); ok && u == ofArgument {
				t.Enum = append(t.Enum, text)
			}
		}
	case "array":
		t.Name, t.Null = value.TypeList, t.Null && u != ofGo // a nil slice is an empty list, never null
		t.Args = map[string]*message.Type{"of": fromSchema(s.Items, u, depth+1)}
	case "object":
		names := s.PropertyOrder
		if len(names) == 0 {
			names = slices.Sorted(maps.Keys(s.Properties))
		}
		if closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil; len(names) == 0 && !closed || slices.Contains(names, "__proto__") {
			return data // a map
		}
		t.Name = value.TypeRecord
		for _, n := range names {
			f := message.TypeField{Name: n, Type: fromSchema(s.Properties[n], u, depth+1), Doc: s.Properties[n].Description}
			if u != ofGo {
				f.Doc = scalar.Clip(strings.Join(strings.Fields(f.Doc), " "), mostDoc)
			}
			if required := slices.Contains(s.Required, n); u != ofResult {
				f.Opt = !required
			} else if !required && f.Type.Name != value.TypeData {
				f.Type.Null = true
			}
			t.Fields = append(t.Fields, f)
		}
	default:
		return data
	}
	return t
}
