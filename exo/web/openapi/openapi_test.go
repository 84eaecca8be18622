package openapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/exo/web/openapi"
)

const doc = `
openapi: 3.0.3
info: {title: Tracker, version: "1"}
servers: [{url: https://evil.example}]
paths:
  /repos/{owner}/issues:
    parameters:
      - {name: owner, in: path, required: true, schema: {type: string}}
    get:
      operationId: list
      summary: the issues of a repository
      parameters:
        - {name: state, in: query, schema: {type: string, enum: [open, closed]}}
        - {name: labels, in: query, schema: {type: array, items: {type: string}}}
        - {name: "odd[]", in: query, schema: {type: string}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses:
        "200":
          description: ok
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Issue"}}}}
    post:
      operationId: create
      parameters: [{name: notify, in: query, schema: {type: boolean}}]
      requestBody:
        content: {application/json: {schema: {allOf: [{$ref: "#/components/schemas/Draft"}, {type: object, required: [kind], properties: {kind: {type: string}}}]}}}
      responses: {"201": {description: made}}
  /search:
    get:
      operationId: search
      parameters: [{name: X-Key, in: header, required: true, schema: {type: string}}]
      responses: {"200": {description: ok}}
  /odd/{repo-id}:
    get:
      operationId: dash
      parameters: [{name: repo-id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: ok}}
  /upload:
    post:
      operationId: upload
      requestBody: {content: {text/plain: {schema: {type: string}}}}
      responses: {"200": {description: ok}}
  /items/{id}:
    put:
      operationId: clash
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}
      responses: {"200": {description: ok}}
  /files/{name}.json:
    get:
      operationId: odd
      parameters: [{name: name, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: ok}}
components:
  schemas:
    Draft:
      type: object
      required: [title]
      properties: {title: {type: string, maxLength: 10}, body: {type: string, nullable: true}}
    Issue:
      type: object
      required: [id]
      properties:
        id: {type: integer}
        title: {type: string}
        "+1": {type: integer}
        constructor: {type: string}
        parent: {$ref: "#/components/schemas/Issue"}
        closed: {type: string, format: date-time, nullable: true}
`

func parse(t *testing.T, text string) openapi.Document {
	t.Helper()
	d, err := openapi.Parse([]byte(text), openapi.Digest([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMethods: operations of a document become methods with its types, and the host is the file's, not the document's.
func TestMethods(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.RequestURI + " " + string(b)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `[{"id": 1, "title": "x", "parent": {"id": 2}, "closed": null, "other": 1}]`)
	}))
	defer server.Close()
	d := parse(t, doc)
	var methods []web.Method
	for _, name := range []string{"list", "create"} {
		m, err := d.Method(name, name)
		if err != nil {
			t.Fatal(err)
		}
		methods = append(methods, m)
	}
	if methods[0].Doc != "the issues of a repository" {
		t.Error(methods[0].Doc)
	}
	h := web.Host{Name: "localhost", Port: server.Listener.Addr().(*net.TCPAddr).Port, Plain: true, Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	api, err := web.New("tracker", "", web.Config{Hosts: []web.Host{h}, Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}}, methods...)
	if err != nil {
		t.Fatal(err)
	}
	v, err := exotest.Send(t, api, "list", map[string]any{"owner": "ann", "state": "open", "labels": []any{"a", "b"}})
	if err != nil || got != "GET /repos/ann/issues?labels=a&labels=b&state=open " {
		t.Fatalf("%v: %s", err, got)
	}
	if j, _ := json.Marshal(v); string(j) != `[{"closed":null,"id":1,"parent":{"id":2},"title":"x"}]` {
		t.Errorf("%s", j)
	}
	if _, err := exotest.Send(t, api, "create", map[string]any{"owner": "ann", "title": "x", "kind": "bug", "notify": true}); err != nil || got != `POST /repos/ann/issues?notify=true {"kind":"bug","title":"x"}` {
		t.Errorf("%v: %s", err, got)
	}
	for _, bad := range []map[string]any{{"owner": "ann", "title": "x"}, {"owner": "ann", "title": "x", "kind": "bug", "X-Trace": "1"}, {"title": "x", "kind": "bug"}} {
		if _, err := exotest.Send(t, api, "create", bad); fail.KindOf(err) != fail.Invalid {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestLargeSchemas: a schema that is within itself many times over is read in no time.
func TestLargeSchemas(t *testing.T) {
	var b strings.Builder
	b.WriteString("openapi: 3.0.3\ninfo: {title: x, version: x}\npaths: {/x: {get: {operationId: x, responses: {'200': {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}}}}}\ncomponents:\n  schemas:\n")
	for i := range 12 {
		fmt.Fprintf(&b, "    S%d: {type: object, properties: {", i)
		for j := range 12 {
			fmt.Fprintf(&b, "p%d: {$ref: '#/components/schemas/S%d'}, ", j, j)
		}
		b.WriteString("z: {type: string}}}\n")
	}
	start := time.Now()
	m, err := parse(t, b.String()).Method("x", "x")
	if err != nil || time.Since(start) > 5*time.Second {
		t.Fatalf("%v after %v", err, time.Since(start))
	}
	if n := len(m.Out.String()); n > 400<<10 {
		t.Errorf("the type has %d bytes", n)
	}
}

// TestPartsOfParts: a schema whose parts have each two parts, and so on, or that is a part of itself, is read in no time.
func TestPartsOfParts(t *testing.T) {
	var b strings.Builder
	b.WriteString("paths: {/x: {post: {operationId: x, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S0'}}}}}}, /y: {post: {operationId: y, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Self'}}}}}}}\ncomponents:\n  schemas:\n    Self: {allOf: [{$ref: '#/components/schemas/Self'}], properties: {a: {type: string}}}\n")
	for i := range 40 {
		fmt.Fprintf(&b, "    S%d: {allOf: [{$ref: '#/components/schemas/S%d'}, {$ref: '#/components/schemas/S%[2]d'}], properties: {p%[1]d: {type: string}}}\n", i, i+1)
	}
	b.WriteString("    S40: {type: object, properties: {z: {type: string}}}\n")
	d := parse(t, b.String())
	ended := make(chan error, 1)
	go func() {
		_, err := d.Method("x", "x")
		if m, err2 := d.Method("y", "y"); err2 != nil || m.In.NumField() != 1 {
			err = err2
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
}

// TestRefused: what can't become a method says why, and a document other than the pinned one is none.
func TestRefused(t *testing.T) {
	d := parse(t, doc)
	for operation, want := range map[string]string{
		"nothing": "no such operation", "search": "requires the parameter `X-Key`", "dash": "can't be the name of a field", "upload": "is no JSON", "clash": "in the address and in the body", "DELETE /search": "no such operation", "": "no such operation",
	} {
		if _, err := d.Method("x", operation); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", operation, err, want)
		}
	}
	if m, err := d.Method("x", "GET /repos/{owner}/issues"); err != nil || m.Route != "GET /repos/{owner}/issues" || m.In.NumField() != 3 {
		t.Errorf("by its route: %v", err)
	}
	if m, err := d.Method("x", "odd"); err == nil {
		if _, err = web.New("x", "", web.Config{Hosts: []web.Host{{Name: "api.example.com"}}}, m); err == nil {
			t.Error("a parameter in a part of a segment was taken")
		}
	}
	if _, err := new(openapi.Document).Method("x", "list"); err == nil {
		t.Error("the zero Document has an operation")
	}
	for _, digest := range []string{"", "sha256:", openapi.Digest([]byte(doc + " ")), strings.ToUpper(openapi.Digest([]byte(doc)))} {
		if _, err := openapi.Parse([]byte(doc), digest); err == nil || !strings.Contains(err.Error(), "pin the new digest") {
			t.Errorf("%s: %v", digest, err)
		}
	}
	twice := strings.Replace(doc, "operationId: search", "operationId: list", 1)
	if _, err := parse(t, twice).Method("x", "list"); err == nil || !strings.Contains(err.Error(), "several operations") {
		t.Errorf("an operation that is there twice: %v", err)
	}
	for what, text := range map[string]string{
		"another file": strings.Replace(doc, `"#/components/schemas/Draft"`, `"/etc/passwd#/x"`, 1), "another host": strings.Replace(doc, `"#/components/schemas/Draft"`, `"http://127.0.0.1:1/x.yaml#/x"`, 1),
		"no document": "x", "a reference to nothing": strings.Replace(doc, `"#/components/schemas/Draft"`, `"#/components/schemas/None"`, 1),
	} {
		if _, err := openapi.Parse([]byte(text), openapi.Digest([]byte(text))); err == nil {
			t.Errorf("%s was read", what)
		}
	}
}

// TestSpellings: JSON, numbers as keys, an anchor, the null of OpenAPI 3.1, and an example that looks like a reference are read as they are meant.
func TestSpellings(t *testing.T) {
	for what, text := range map[string]string{
		"YAML": "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      operationId: a\n      responses:\n        200:\n          content: {application/json: {schema: {type: object, required: [n, l], example: {$ref: 'x'}, properties: {n: &n {anyOf: [{type: string}, {type: 'null'}]}, l: {type: [array, 'null'], items: *n}, o: {type: [integer, 'null']}}}}}\n",
		"JSON": `{"openapi":"3.1.0","paths":{"\/a":{"get":{"operationId":"a","responses":{"200":{"content":{"application/json":{"schema":{"type":"object","required":["n","l"],"properties":{"n":{"oneOf":[{"type":"null"},{"type":"string"}]},"l":{"type":["array","null"],"items":{"type":["string","null"]}},"o":{"type":["integer","null"]}}}}}}}}}}}`,
	} {
		m, err := parse(t, text).Method("a", "GET /a")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		var got []string
		for i := range m.Out.NumField() {
			got = append(got, m.Out.Field(i).Tag.Get("json")+" "+m.Out.Field(i).Type.String())
		}
		if s := strings.Join(got, ", "); s != "l []*string, n *string, o *int64" {
			t.Errorf("%s: %s", what, s)
		}
	}
}

// TestHostileDocuments: a document that is endless, or far larger than its text, is an error and takes no time.
func TestHostileDocuments(t *testing.T) {
	bomb := "paths: {}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 6 { // ten million values
		bomb += fmt.Sprintf("a%d: &a%[1]d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for what, text := range map[string]string{
		"aliases": bomb, "an alias of itself": "paths: {}\na: &a [*a]\n", "deep": "paths: {}\na: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n",
		"merges": "paths: {}\na: &a {b: c}\nd: {<<: *a}\n", "twice": "paths: {}\npaths: {}\n", "a loop of references": "paths: {$ref: '#/a'}\na: {$ref: '#/b'}\nb: {$ref: '#/a'}\n",
	} {
		start := time.Now()
		if _, err := openapi.Parse([]byte(text), openapi.Digest([]byte(text))); err == nil || time.Since(start) > 10*time.Second {
			t.Errorf("%s: %v after %v", what, err, time.Since(start))
		}
	}
}

// TestListOfItself: a list whose items are such a list again is any data, and not an endless type.
func TestListOfItself(t *testing.T) {
	for _, within := range []string{`{$ref: "#/components/schemas/A"}`, `{type: object, properties: {a: {$ref: "#/components/schemas/A"}}}`} {
		text := `
openapi: 3.0.3
info: {title: t, version: "1"}
paths:
  /a:
    get:
      operationId: a
      responses: {"200": {description: ok, content: {application/json: {schema: ` + within + `}}}}
components: {schemas: {A: {type: array, items: {$ref: "#/components/schemas/A"}}}}
`
		d, err := openapi.Parse([]byte(text), openapi.Digest([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if m, err := d.Method("a", "a"); err != nil || len(m.Out.String()) > 100 {
			t.Errorf("%v, %.200s", err, m.Out)
		}
	}
}
