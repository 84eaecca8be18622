package services_test

// This file calls HTTP APIs by their documents.

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exo/web/openapi"
	"github.com/exoagent/exoagent/internal/grantfile"
)

const document = `openapi: 3.0.3
info: {title: crm, version: '1'}
paths:
  /tasks:
    get: {operationId: listTasks, summary: the tasks, responses: {'200': {description: x, content: {application/json: {schema: {type: array, items: {type: object, required: [id, note], properties: {id: {type: integer}, note: {type: string}}}}}}}}}
    post: {operationId: addTask, requestBody: {content: {application/json: {schema: {type: object, required: [note], properties: {note: {type: string}}}}}}, responses: {'201': {description: x, content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: integer}}}}}}}}
`

// TestAPI: an HTTP API is called by its document, below its address; labels of its answers are of their fields.
func TestAPI(t *testing.T) {
	var asked []string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("X-Key"))
		w.Header().Set("Content-Type", "application/json")
		if r.Method == "POST" {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"id":9}`)
			return
		}
		fmt.Fprint(w, `[{"id":1,"note":"call Ann"}]`)
	}))
	defer h.Close()
	path := filepath.Join(t.TempDir(), "crm.yaml")
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	text := func(more string) string {
		return file("  crm:\n    api: " + strings.Replace(h.URL, "127.0.0.1", "localhost", 1) + "/v1/\n    openapi: " + path + "\n    networks: [127.0.0.0/8, '::1/128']\n    secrets: { x-key: env:DESK_TOKEN }\n    pin: " + openapi.Digest([]byte(document)) + "\n" + more)
	}
	t.Setenv("DESK_TOKEN", "s3cret")
	for _, c := range []struct{ program, more, result, asked string }{
		{"(await api.crm.tasks()).map(t => t.note)", "    reads: { tasks: GET /tasks }\n", `["call Ann"]`, "GET /v1/tasks s3cret"},
		{"(await api.crm.addTask({ note: 'x' })).id", "    immediate: [addTask]\n", "9", "POST /v1/tasks s3cret"},
		{"await api.crm.addTask({ note: 'x' }); return 1", "    acts: [addTask]\n", "1", "POST /v1/tasks s3cret"},
		// The whole answer is labelled: its number of rows, too. An API that knows the secret is asked on.
		{"(await api.crm.listTasks()).length", "    reads: listTasks\n    label: [pii]\n    admits: [pii]\n", "", "GET /v1/tasks s3cret"},
		{"await api.crm.listTasks(); await api.crm.listTasks(); return 1", "    reads: listTasks\n    label: [pii]\n    admits: [pii]\n", "", "GET /v1/tasks s3cret, GET /v1/tasks s3cret"},
	} {
		asked = nil
		tool, _ := toolOf(t, opened(t, text(c.more)), nil)
		if r := tool.Run(t.Context(), c.program); (r.Err != nil) != (c.result == "") || r.Err != nil && fail.KindOf(r.Err) != fail.Denied || string(r.JSON) != c.result || strings.Join(asked, ", ") != c.asked {
			t.Errorf("%s: %v %s, asked %q", c.program, r.Err, r.JSON, asked)
		}
	}
	for more, want := range map[string]string{
		"    reads: addTask\n":  "the call addTask sends POST, which may change something: list it under `acts` or `immediate`",
		"    acts: listTasks\n": "which exo may send twice: list it under `reads`",
		"    reads: others\n":   "the document has no such operation",
		"":                      "want `reads`, `acts` or `immediate`",
	} {
		if _, err := openFile(t, text(more)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", more, err, want)
		}
	}
}

// crm is a file with an HTTP API that has this document at path, and the bodies that it was sent.
func crm(t *testing.T, more string) (text, path string, bodies *[]string) {
	bodies = &[]string{}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		*bodies = append(*bodies, string(b))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":9}`)
	}))
	t.Cleanup(h.Close)
	path = filepath.Join(t.TempDir(), "crm.yaml")
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	return file("  crm:\n    api: " + strings.Replace(h.URL, "127.0.0.1", "localhost", 1) + "\n    openapi: " + path + "\n    networks: [127.0.0.0/8, '::1/128']\n    pin: " + openapi.Digest([]byte(document)) + "\n" + more), path, bodies
}

// TestAPIApproval: a request that a person must agree to waits for them.
func TestAPIApproval(t *testing.T) {
	for more, want := range map[string]fail.Kind{"    approve: [addTask]\n": fail.Pending, "": fail.Other} {
		text, _, bodies := crm(t, "    acts: [addTask]\n"+more)
		t.Setenv("K", strings.Repeat("k", 40))
		tool, _ := toolOf(t, opened(t, strings.Replace(text, "services:", "principal: { user: int }\napprovals: { key: env:K, store: s }\nservices:", 1)), review.InMemory())
		if r := tool.Run(t.Context(), "await api.crm.addTask({ note: 'x' }); return 1"); fail.KindOf(r.Err) != want || (len(*bodies) > 0) != (want == fail.Other) {
			t.Errorf("%q: %v, sent %q", more, r.Err, *bodies)
		}
	}
}

// TestAPIPin: a document that was changed since a person read it is refused.
func TestAPIPin(t *testing.T) {
	text, path, _ := crm(t, "    acts: [addTask]\n")
	if _, err := openFile(t, text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(document, "/tasks:", "/admins:", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openFile(t, text); err == nil || !strings.Contains(err.Error(), "the service describes its calls otherwise than `pin` says") {
		t.Errorf("another document: %v", err)
	}
}

// TestOffersOfAPI: a call that the file names by its route is shown as granted, and one that the document lacks is named.
func TestOffersOfAPI(t *testing.T) {
	for calls, want := range map[string]string{"reads: { tasks: GET /tasks }": "[listTasks reads] [addTask ]", "reads: { tasks: GET /others }": "the service offers no `GET /others`"} {
		text, _, _ := crm(t, "    "+calls+"\n")
		f, err := grantfile.Parse("exo.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		offers, digest, err := f.Services[0].Offers(t.Context(), os.Getenv)
		got := ""
		for _, o := range offers {
			got += fmt.Sprint([]string{o.Name, o.Use}) + " "
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) || (digest == f.Services[0].Pin.Text) != (err == nil) {
			t.Errorf("%s: %s %s", calls, got, digest)
		}
	}
}
