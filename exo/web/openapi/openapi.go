// Package openapi makes methods of package web from an OpenAPI document (3.0, 3.1) that is pinned by its digest. It is a separate package, so
// that a host that declares its methods in Go need not link it.
//
// A document grants nothing: the host names the operations that become methods. The document's servers, security and limits are not used; the API
// checks its limits itself.
package openapi

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Document is an OpenAPI document. The zero Document has no operations.
type Document struct{ t object }

// Digest returns the digest with which a document is pinned.
func Digest(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }

// Parse reads a document in JSON or YAML, which must have this digest. It follows no reference to another document.
func Parse(text []byte, digest string) (d Document, err error) {
	if got := Digest(text); got != digest {
		return d, fmt.Errorf("openapi: the document has the digest %s, and the pinned one is %.80q: read what has changed, then pin the new digest", got, digest)
	}
	if d.t, err = load(text); err == nil {
		err = d.check(d.t)
	}
	if err != nil {
		return Document{}, fmt.Errorf("openapi: %w", err)
	}
	return d, nil
}

var verbs = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// operations calls f with each operation and the path to which it belongs.
func (d Document) operations(f func(route string, op, path object)) {
	d.each(d.t["paths"], func(path string, item object) {
		for _, verb := range verbs {
			if op := d.at(item[verb]); op != nil {
				f(strings.ToUpper(verb)+" "+path, op, item)
			}
		}
	})
}

// Method makes a method for the operation with this operationId, or this route, like "GET /issues/{id}". Its argument has a field for each parameter in
// the path and the query, and for each property of a JSON body. If the answer lacks an optional property, the result has null for it, or an empty list.
func (d Document) Method(name, operation string) (m web.Method, err error) {
	found := 0
	var op, path object
	d.operations(func(route string, o, p object) {
		if operation != "" && (text(o, "operationId") == operation || route == operation) {
			found++
			m.Route, op, path = route, o, p
		}
	})
	bad := func(format string, args ...any) (web.Method, error) {
		return web.Method{}, fmt.Errorf("openapi: %.80q: %w", operation, fmt.Errorf(format, args...))
	}
	switch found {
	case 0:
		return bad("the document has no such operation: want an operationId, or a route like GET /issues/{id}")
	case 1:
	default:
		return bad("the document has several operations with this operationId: give a route like GET /issues/{id} instead")
	}
	m.Name, m.Doc = name, cmp.Or(text(op, "summary"), text(op, "description"))
	r := &reader{d: d, left: 1000}
	in, err := r.parameters(op, path, &m)
	if err != nil {
		return bad("%w", err)
	}
	if body := d.at(op["requestBody"]); body != nil {
		fields := r.fields(r.content(body))
		if in = append(in, fields...); len(fields) == 0 {
			return bad("the request body is no JSON object with properties, and only such a body can be sent")
		}
	}
	if m.In, err = structOf(in, ",omitempty"); err != nil {
		return bad("%w", err)
	}
	m.Out = reflect.TypeFor[any]()
	answers := d.at(op["responses"])
	for _, status := range []string{"200", "201", "202", "2XX", "default"} {
		if schema := r.content(d.at(answers[status])); schema != nil {
			m.Out = r.typeOf(schema)
			break
		}
	}
	return m, nil
}

// content returns the schema of a body in JSON, or nil.
func (r *reader) content(body object) any {
	return r.d.at(r.d.at(body["content"])["application/json"])["schema"]
}

// parameters returns the fields of an operation's address. An operation's own parameters replace those of its path.
func (r *reader) parameters(op, path object, m *web.Method) (in []field, err error) {
	seen := map[[2]string]bool{}
	for _, x := range slices.Concat(list(op, "parameters"), list(path, "parameters")) {
		p := r.d.at(x)
		name, place := text(p, "name"), text(p, "in")
		if p == nil || seen[[2]string{place, name}] {
			continue
		}
		seen[[2]string{place, name}] = true
		style, explode := text(p, "style"), p["explode"]
		sendable := place == "path" || place == "query" && p["content"] == nil && (style == "" || style == "form") && (explode == nil || explode == true)
		required := p["required"] == true
		switch {
		case !sendable && required:
			return nil, fmt.Errorf("the operation requires the parameter `%s` in the %s: only parameters of the path, and of the query as name=value, can be sent", name, place)
		case !sendable:
			continue
		case place == "query":
			m.Query = append(m.Query, name)
		}
		in = append(in, field{name, text(p, "description"), required, r.typeOf(p["schema"])})
	}
	return in, nil
}

type field struct {
	name, doc string
	required  bool
	of        reflect.Type
}

// structOf returns a struct with these fields. A field that is not required is a pointer. Its tag ends in option: ",omitempty" for arguments, "" for results.
func structOf(fields []field, option string) (t reflect.Type, err error) {
	out, names := []reflect.StructField{}, []string{}
	for _, f := range fields {
		switch {
		case slices.Contains(names, f.name):
			return nil, fmt.Errorf("the operation has two fields named `%s`, for example in the address and in the body, so it can't be called", f.name)
		case scalar.ReservedName(f.name) && (option == "" || !f.required):
			continue // left out, since no program could name such a field
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

// reader makes Go types from schemas. A schema that contains itself, offers alternatives, or comes after a thousand parts becomes any data.
type reader struct {
	d    Document
	left int
	in   []object
}

var types = map[string]reflect.Type{"string": reflect.TypeFor[string](), "integer": reflect.TypeFor[int64](), "number": reflect.TypeFor[float64](), "boolean": reflect.TypeFor[bool]()}

// within reports whether schema s is being read already.
func (r *reader) within(s object) bool {
	return slices.ContainsFunc(r.in, func(o object) bool { return same(o, s) })
}

func (r *reader) typeOf(schema any) reflect.Type {
	t, s := reflect.TypeFor[any](), r.d.at(schema)
	if r.left--; r.left < 0 || s == nil || r.within(s) { // a list that contains itself would have no end
		return t
	}
	kinds := slices.DeleteFunc(slices.Clone(list(s, "type")), func(k any) bool { return k == "null" })
	null := len(kinds) < len(list(s, "type")) || s["nullable"] == true
	some := slices.DeleteFunc(slices.Concat(list(s, "oneOf"), list(s, "anyOf")), func(x any) bool { return text(r.d.at(x), "type") == "null" })
	switch all := len(list(s, "oneOf")) + len(list(s, "anyOf")); {
	case all > 0 && len(some) != 1:
	case all > 0: // there is only one alternative, or one and null
		r.in = append(r.in, s)
		t, null = r.typeOf(some[0]), null || all > 1
		r.in = r.in[:len(r.in)-1]
	case len(kinds) > 1:
	case has(kinds, "array"):
		r.in = append(r.in, s)
		t = reflect.SliceOf(r.typeOf(s["items"]))
		r.in = r.in[:len(r.in)-1]
	case len(kinds) == 0 || kinds[0] == "object":
		if fields := r.fields(s); len(fields) > 0 {
			if o, err := structOf(fields, ""); err == nil {
				t = o
			}
		}
	case kinds[0] == "string" && text(s, "format") == "date-time":
		t = reflect.TypeFor[time.Time]()
	default:
		if kind, _ := kinds[0].(string); types[kind] != nil {
			t = types[kind]
		}
	}
	if null {
		t = orNull(t)
	}
	return t
}

// orNull returns a type that has null in addition to the values of t. For a list, null becomes empty.
func orNull(t reflect.Type) reflect.Type {
	if k := t.Kind(); k == reflect.Interface || k == reflect.Slice || k == reflect.Pointer {
		return t
	}
	return reflect.PointerTo(t)
}

// fields returns the properties of an object, including those of its allOf, sorted.
func (r *reader) fields(schema any) (out []field) {
	s := r.d.at(schema)
	if r.left--; s == nil || r.left < 0 { // limited, since each part may repeat others
		return nil
	}
	r.in = append(r.in, s)
	defer func() { r.in = r.in[:len(r.in)-1] }()
	add := func(f field) { // add adds a field; of two fields with one name, the last counts
		out = append(slices.DeleteFunc(out, func(o field) bool { return o.name == f.name }), f)
	}
	for _, part := range list(s, "allOf") {
		for _, f := range r.fields(part) {
			add(f)
		}
	}
	required := list(s, "required")
	r.d.each(s["properties"], func(name string, p object) {
		f := field{name, text(p, "description"), has(required, name), r.typeOf(p)}
		if values := list(p, "enum"); len(values) > 0 && len(values) < 20 {
			f.doc = strings.TrimSpace(fmt.Sprintf("one of %v. ", values) + f.doc)
		}
		add(f)
	})
	for i := range out {
		out[i].required = out[i].required || has(required, out[i].name)
	}
	return out
}
