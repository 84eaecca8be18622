package service

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/value"
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
	return fromSchema(s, at)
}

// ownSchemas collects the types with a schema that their Go kind does not determine.
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

// fromSchema converts those schemas that Go types can have.
func fromSchema(s *jsonschema.Schema, at string) (*message.Type, error) {
	t := &message.Type{}
	kind := s.Type
	for _, k := range s.Types {
		if k == "null" {
			t.Null = true
		} else {
			kind = k
		}
	}
	var err error
	switch kind {
	case "":
		t.Name = value.TypeData
	case "boolean":
		t.Name = value.TypeBool
	case "integer":
		t.Name = value.TypeInt
	case "number":
		t.Name = value.TypeFloat
	case "string":
		t.Name = value.TypeText
		if s.Format == "date-time" {
			t.Name = value.TypeTime
		}
	case "array":
		t.Name, t.Null = value.TypeList, false // never null, since a nil slice becomes an empty list
		t.Args = map[string]*message.Type{}
		t.Args["of"], err = fromSchema(s.Items, at+"[]")
	case "object":
		if a := s.AdditionalProperties; a != nil && a.Not == nil {
			t.Name = value.TypeData // the Go type is a map
			break
		}
		t.Name = value.TypeRecord
		for _, n := range s.PropertyOrder {
			p := s.Properties[n]
			ft, err := fromSchema(p, at+"."+n)
			if err != nil {
				return nil, err
			}
			t.Fields = append(t.Fields, message.TypeField{Name: n, Type: ft, Opt: !slices.Contains(s.Required, n), Doc: p.Description})
		}
	default:
		return nil, fmt.Errorf("%s: no Go type has a schema of type %q", at, kind)
	}
	return t, err
}
