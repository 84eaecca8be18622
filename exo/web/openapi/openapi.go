// Package openapi makes methods of package web from an OpenAPI document (3.0, 3.1) that is pinned by its digest. It is a package of its own,
// so that a host that declares its methods in Go does not link a reader of such documents.
//
// A document grants nothing: the host names the operations that become methods. The document's servers, security and limits are not used; the API
// checks the latter itself.
package openapi

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Document is an OpenAPI document. The zero Document has no operations.
type Document struct{ t *openapi3.T }

// Digest returns the digest by which a document is pinned.
func Digest(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }

// Parse reads a document that has this digest. It follows no reference to another document.
func Parse(text []byte, digest string) (d Document, err error) {
	if got := Digest(text); got != digest {
		return d, fmt.Errorf("openapi: the document has the digest %s and not %.80q: read what has changed, then pin it", got, digest)
	}
	if d.t, err = openapi3.NewLoader().LoadFromData(text); err != nil {
		return Document{}, fmt.Errorf("openapi: %w", err)
	}
	return d, nil
}

// Method makes a method for the operation with this operationId, or with this route, like "GET /issues/{id}". Its argument has a field for each
// parameter of the path and the query that can be sent, and for each property of a JSON body. If the answer lacks a property that the document
// does not require, the result has null there, or an empty list if the property is a list.
func (d Document) Method(name, operation string) (m web.Method, err error) {
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
				m.Route, item, op = verb+" "+path, i, o
			}
		}
	}
	bad := func(format string, args ...any) (web.Method, error) {
		return web.Method{}, fmt.Errorf("openapi: %.80q: %w", operation, fmt.Errorf(format, args...))
	}
	if op == nil {
		return bad("the document has no such operation")
	}
	m.Name, m.Doc = name, cmp.Or(op.Summary, op.Description)
	r := &reader{left: 1000}
	var in []field
	var seen []*openapi3.Parameter // an operation's own take the place of its path's
	for _, ref := range slices.Concat(op.Parameters, item.Parameters) {
		p := ref.Value
		if p == nil || slices.ContainsFunc(seen, func(q *openapi3.Parameter) bool { return q.Name == p.Name && q.In == p.In }) {
			continue
		}
		seen = append(seen, p)
		sendable := p.In == "path" || p.In == "query" && p.Content == nil && (p.Style == "" || p.Style == "form") && (p.Explode == nil || *p.Explode)
		switch {
		case !sendable && p.Required:
			return bad("the operation requires the parameter `%s` in the %s: only parameters of the path, and of the query as name=value, can be sent", p.Name, p.In)
		case p.In == "query" && sendable:
			m.Query = append(m.Query, p.Name)
			fallthrough
		case sendable:
			in = append(in, field{p.Name, p.Description, p.Required, r.typeOf(p.Schema)})
		}
	}
	if op.RequestBody != nil && op.RequestBody.Value != nil {
		var fields []field
		if body := op.RequestBody.Value.Content["application/json"]; body != nil {
			fields = r.fields(body.Schema)
		}
		if in = append(in, fields...); len(fields) == 0 {
			return bad("its body is no JSON object with properties")
		}
	}
	if m.In, err = structOf(in, ",omitempty"); err != nil {
		return bad("%w", err)
	}
	m.Out = reflect.TypeFor[any]()
	for _, status := range []string{"200", "201", "202", "2XX", "default"} {
		if a := op.Responses.Value(status); a != nil && a.Value != nil && a.Value.Content["application/json"] != nil {
			m.Out = r.typeOf(a.Value.Content["application/json"].Schema)
			break
		}
	}
	return m, nil
}

type field struct {
	name, doc string
	required  bool
	of        reflect.Type
}

// structOf returns a struct with these fields. One that is not required is a pointer, with the option, which results do not have.
func structOf(fields []field, option string) (t reflect.Type, err error) {
	out, names := []reflect.StructField{}, []string{}
	for _, f := range fields {
		switch {
		case slices.Contains(names, f.name):
			return nil, fmt.Errorf("`%s` is there twice, as in its address and in its body", f.name)
		case scalar.ReservedName(f.name) && (option == "" || !f.required):
			continue // no program could name it
		case scalar.ReservedName(f.name):
			return nil, fmt.Errorf("%.80q can't be the name of a field: want letters, digits and _", f.name)
		}
		names = append(names, f.name)
		tag := f.name
		if !f.required {
			tag += option
			f.of = orNull(f.of)
		}
		tag = "json:" + strconv.Quote(tag)
		if doc := strings.Join(strings.Fields(strings.ReplaceAll(f.doc, "=", ":")), " "); doc != "" {
			tag += " jsonschema:" + strconv.Quote(strings.ToValidUTF8(doc[:min(len(doc), 200)], ""))
		}
		out = append(out, reflect.StructField{Name: "F" + strconv.Itoa(len(out)), Type: f.of, Tag: reflect.StructTag(tag)})
	}
	return reflect.StructOf(out), nil
}

// reader makes Go types of schemas. What is within itself, is one of several, or is beyond a thousand parts, is any data.
type reader struct {
	left int
	in   []*openapi3.Schema
}

var types = map[string]reflect.Type{"string": reflect.TypeFor[string](), "integer": reflect.TypeFor[int64](), "number": reflect.TypeFor[float64](), "boolean": reflect.TypeFor[bool]()}

func (r *reader) typeOf(ref *openapi3.SchemaRef) reflect.Type {
	t := reflect.TypeFor[any]()
	if r.left--; r.left < 0 || ref != nil && slices.Contains(r.in, ref.Value) { // a list of itself would have no end
		return t
	}
	if ref == nil || ref.Value == nil || len(ref.Value.OneOf) > 0 || len(ref.Value.AnyOf) > 0 {
		return t
	}
	s := ref.Value
	kinds := slices.DeleteFunc(slices.Clone(s.Type.Slice()), func(k string) bool { return k == "null" })
	switch {
	case len(kinds) > 1:
	case s.Type.Includes("array"):
		r.in = append(r.in, s)
		t = reflect.SliceOf(r.typeOf(s.Items))
		r.in = r.in[:len(r.in)-1]
	case len(kinds) == 0 || kinds[0] == "object":
		if fields := r.fields(ref); len(fields) > 0 {
			if o, err := structOf(fields, ""); err == nil {
				t = o
			}
		}
	case kinds[0] == "string" && s.Format == "date-time":
		t = reflect.TypeFor[time.Time]()
	case types[kinds[0]] != nil:
		t = types[kinds[0]]
	}
	if s.Nullable || s.Type.Includes("null") {
		t = orNull(t)
	}
	return t
}

// orNull returns a type that has null besides the values of t. A list that is null is empty.
func orNull(t reflect.Type) reflect.Type {
	if k := t.Kind(); k == reflect.Interface || k == reflect.Slice || k == reflect.Pointer {
		return t
	}
	return reflect.PointerTo(t)
}

// fields returns the properties of an object, with those of its allOf, sorted.
func (r *reader) fields(ref *openapi3.SchemaRef) (out []field) {
	if r.left--; ref == nil || ref.Value == nil || r.left < 0 || slices.Contains(r.in, ref.Value) {
		return nil
	}
	s := ref.Value
	r.in = append(r.in, s)
	defer func() { r.in = r.in[:len(r.in)-1] }()
	for _, part := range s.AllOf {
		out = append(out, r.fields(part)...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		f := field{name, "", slices.Contains(s.Required, name), r.typeOf(s.Properties[name])}
		if p := s.Properties[name].Value; p != nil {
			if f.doc = p.Description; len(p.Enum) > 0 && len(p.Enum) < 20 {
				f.doc = strings.TrimSpace(fmt.Sprintf("one of %v. ", p.Enum) + f.doc)
			}
		}
		out = append(slices.DeleteFunc(out, func(o field) bool { return o.name == name }), f)
	}
	for i := range out {
		out[i].required = out[i].required || slices.Contains(s.Required, out[i].name)
	}
	return out
}
