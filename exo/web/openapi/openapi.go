// Package openapi makes methods of package web from an OpenAPI document (3.0, 3.1) that is pinned by its digest. It is a package of its own,
// so that a host that declares its methods in Go does not link a reader of such documents.
//
// A document grants nothing: the host names the operations that become methods. Servers, security and callbacks of the document are not used.
package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/exoagent/exoagent/exo/web"
)

// Document is an OpenAPI document. The zero Document has no operations.
type Document struct{ t *openapi3.T }

// Digest returns the digest by which a document is pinned.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Parse reads a document that has this digest. It follows no reference to another document.
func Parse(text []byte, digest string) (d Document, err error) {
	if got := Digest(text); got != digest {
		return d, fmt.Errorf("openapi: the document has the digest %s and not %.80q: read what has changed, then pin it", got, digest)
	}
	if len(text) > 32<<20 {
		return d, errors.New("openapi: the document has more than 32 MiB")
	}
	if d.t, err = openapi3.NewLoader().LoadFromData(text); err != nil {
		return Document{}, fmt.Errorf("openapi: %w", err)
	}
	return d, nil
}

// Method makes a method of the operation with this operationId, or with this route, like "GET /issues/{id}". The fields of a JSON body are fields of
// the argument, besides those of the path and the query.
func (d Document) Method(name, operation string) (m web.Method, err error) {
	var at string
	var item *openapi3.PathItem
	var op *openapi3.Operation
	if d.t != nil {
		for path, i := range d.t.Paths.Map() {
			for verb, o := range i.Operations() {
				if o.OperationID != operation && verb+" "+path != operation {
					continue
				}
				if op != nil {
					return m, fmt.Errorf("openapi: the document has %.80q twice", operation)
				}
				at, item, op = verb+" "+path, i, o
			}
		}
	}
	if op == nil {
		return m, fmt.Errorf("openapi: the document has no operation %.80q", operation)
	}
	bad := func(format string, args ...any) (web.Method, error) {
		return web.Method{}, fmt.Errorf("openapi: %.80q: %w", operation, fmt.Errorf(format, args...))
	}
	in := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	add := func(name string, s *jsonschema.Schema, required bool) bool {
		if in.Properties[name] != nil {
			return false
		}
		if in.Properties[name] = s; required {
			in.Required = append(in.Required, name)
		}
		return true
	}
	m = web.Method{Name: name, Doc: strings.TrimSpace(op.Summary), Route: at, In: in}
	if m.Doc == "" {
		m.Doc = op.Description
	}
	var params []*openapi3.Parameter // an operation's own take the place of its path's
	for _, p := range slices.Concat(op.Parameters, item.Parameters) {
		if p.Value != nil && !slices.ContainsFunc(params, func(q *openapi3.Parameter) bool { return q.Name == p.Value.Name && q.In == p.Value.In }) {
			params = append(params, p.Value)
		}
	}
	for _, p := range params {
		s, plain := schemaOf(p.Schema), p.Content == nil && (p.Style == "" || p.Style == "form" || p.Style == "simple") && (p.Explode == nil || *p.Explode || p.In == "path")
		switch {
		case (p.In != "path" && p.In != "query" || !plain) && !p.Required:
			continue
		case p.In != "path" && p.In != "query" || !plain:
			return bad("it requires `%s` in the %s, in a form that can't be sent", p.Name, p.In)
		case !add(p.Name, s, p.Required):
			return bad("it has two parameters `%s`", p.Name)
		}
		if s.Description == "" {
			s.Description = p.Description
		}
		if p.In == "query" {
			m.Query = append(m.Query, p.Name)
		}
	}
	if op.RequestBody != nil && op.RequestBody.Value != nil {
		s := jsonOf(op.RequestBody.Value.Content)
		if s == nil || s.Type != "object" || len(s.Properties) == 0 {
			return bad("its body is no JSON object with properties")
		}
		for n, p := range s.Properties {
			if !add(n, p, slices.Contains(s.Required, n)) {
				return bad("`%s` is in its address and in its body", n)
			}
		}
	}
	slices.Sort(in.Required)
	for _, status := range []string{"200", "201", "202", "203", "2XX", "default"} {
		if r := op.Responses.Value(status); r != nil && r.Value != nil {
			m.Out = jsonOf(r.Value.Content)
			break
		}
	}
	return m, nil
}

// jsonOf returns the schema of the JSON form of a content, nil if there is none.
func jsonOf(c openapi3.Content) *jsonschema.Schema {
	if m := c["application/json"]; m != nil && m.Schema != nil {
		return schemaOf(m.Schema)
	}
	return nil
}

func schemaOf(ref *openapi3.SchemaRef) *jsonschema.Schema { return (&reader{left: 1000}).schema(ref) }

// reader converts a schema with its references. What is within itself, or beyond a thousand parts, is any data.
type reader struct {
	left int
	in   []*openapi3.Schema
}

// schema leaves out what it can't express: the API checks that itself, and a program then reads a status and not a reason.
func (r *reader) schema(ref *openapi3.SchemaRef) *jsonschema.Schema {
	out := &jsonschema.Schema{}
	if r.left--; ref == nil || ref.Value == nil || r.left < 0 || slices.Contains(r.in, ref.Value) {
		return out
	}
	s := ref.Value
	r.in = append(r.in, s)
	defer func() { r.in = r.in[:len(r.in)-1] }()
	if out.Description = s.Description; len(s.OneOf) > 0 || len(s.AnyOf) > 0 || s.Not != nil || s.If != nil {
		return out
	}
	if s.Type != nil {
		out.Types = slices.Clone(s.Type.Slice())
	}
	out.Format, out.Enum, out.Required, out.Minimum, out.Maximum = s.Format, slices.Clone(s.Enum), slices.Clone(s.Required), s.Min, s.Max
	if s.MaxLength != nil && *s.MaxLength < 1<<31 {
		out.MaxLength = jsonschema.Ptr(int(*s.MaxLength))
	}
	if _, err := regexp.Compile(s.Pattern); err == nil {
		out.Pattern = s.Pattern
	}
	if s.Items != nil {
		out.Items = r.schema(s.Items)
	}
	parts := map[string]*jsonschema.Schema{}
	for _, part := range s.AllOf {
		p := r.schema(part)
		maps.Copy(parts, p.Properties)
		if out.Required = append(out.Required, p.Required...); len(out.Types) == 0 && p.Type != "" {
			out.Types = []string{p.Type}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(s.Properties)) {
		parts[n] = r.schema(s.Properties[n])
	}
	if len(parts) > 0 {
		if out.Properties = parts; len(out.Types) == 0 {
			out.Types = []string{"object"}
		}
	}
	slices.Sort(out.Required)
	out.Required = slices.Compact(out.Required)
	if s.Nullable && len(out.Types) > 0 && !slices.Contains(out.Types, "null") {
		if out.Types = append(out.Types, "null"); len(out.Enum) > 0 && !slices.Contains(out.Enum, nil) {
			out.Enum = append(out.Enum, nil)
		}
	}
	if len(out.Types) == 1 {
		out.Type, out.Types = out.Types[0], nil
	}
	return out
}
