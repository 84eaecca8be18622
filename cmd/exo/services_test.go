package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/exoagent/exoagent/exo/web/openapi"
	"github.com/exoagent/exoagent/internal/cli"
)

// TestServices: an operator writes an address, reads what there is, lists calls, and pins the digest that is printed; then the file is opened. A file that
// lists what is not there, and one without services, say so.
func TestServices(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "exo.yaml")
	write(t, filepath.Join(dir, "crm.json"), `{"openapi":"3.1.0","paths":{"/tasks":{"get":{"operationId":"tasks","summary":"the \u001b[2J tasks","responses":{"200":{"content":{"application/json":{"schema":{"type":"array","items":{"type":"string"}}}}}}},"delete":{"operationId":"purge","responses":{}}}}}`)
	head := "exo: 1\nreviewed: true\nservices:\n  crm:\n    api: https://crm.example.com\n    openapi: crm.json\n"
	write(t, path, head)
	r := exo(t, "", "services", path)
	if r.code != cli.ExitFound || !strings.Contains(r.out, "  tasks (not granted)\n    sends: GET /tasks\n") || strings.ContainsRune(r.out, '\x1b') || !strings.Contains(r.out, "list calls under `reads`") {
		t.Fatalf("%+v", r)
	}
	write(t, path, head+"    reads: { all: GET /tasks }\n")
	r = exo(t, "", "services", path)
	pin := regexp.MustCompile(`(?m)^    pin: sha256:[0-9a-f]{64}$`).FindString(r.out)
	if r.code != cli.ExitFound || pin == "" || !strings.Contains(r.out, "  tasks (reads)\n") || !strings.Contains(r.out, "  purge (not granted)\n") {
		t.Fatalf("%+v", r)
	}
	if r := exo(t, "", "validate", path); r.code != cli.ExitFound || !strings.Contains(r.err, "its offer has no pin") || !strings.Contains(r.err, strings.TrimSpace(pin)) {
		t.Errorf("%+v", r)
	}
	write(t, path, head+"    reads: { all: GET /tasks }\n"+pin+"\n")
	if r := exo(t, "", "services", path); r.code != cli.ExitDone || !strings.Contains(r.out, "  pinned: sha256:") {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "validate", path); r.code != cli.ExitDone || !strings.Contains(r.out, "1 service; nothing is wrong") {
		t.Errorf("%+v", r)
	}
	var all []struct {
		Service string
		Pinned  bool
		Calls   []struct{ Name, Route, Use string }
	}
	r = exo(t, "", "services", "-json", path)
	if err := json.Unmarshal([]byte(r.out), &all); err != nil || len(all) != 1 || !all[0].Pinned || len(all[0].Calls) != 2 || all[0].Calls[1].Use != "reads" || all[0].Calls[1].Route != "GET /tasks" {
		t.Errorf("%v %s", err, r.out)
	}
	write(t, path, head+"    reads: [task]\n"+pin+"\n")
	if r := exo(t, "", "services", path); r.code != cli.ExitFound || !strings.Contains(r.out, "there is no `task`, which the file lists under `reads`") {
		t.Errorf("%+v", r)
	}
	write(t, path, "exo: 1\ndatabases: { d: env:D }\ngrants: { t: t }\nfacets: { t: { columns: [id], scope: shared } }\n")
	if r := exo(t, "", "services", path); r.code != cli.ExitDone || !strings.Contains(r.err, "names no services") {
		t.Errorf("%+v", r)
	}
}

// TestDiffOfServices: exo diff asks no service again, by what neither file says, and gives no service the URL of -db as its secret.
func TestDiffOfServices(t *testing.T) {
	var asked atomic.Int32
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if got := r.Header.Get("X-Key"); got != "s3cret" {
			t.Errorf("it got the secret %q", got)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `["call Ann"]`)
	}))
	defer h.Close()
	url, change := database(t, shop)
	change("INSERT INTO customers VALUES (1, 'ann')")
	t.Setenv("GRANTS_TEST_DB", url)
	t.Setenv("CRM_KEY", "s3cret")
	dir := t.TempDir()
	doc := `{"openapi":"3.1.0","paths":{"/tasks":{"get":{"operationId":"tasks","responses":{"200":{"content":{"application/json":{"schema":{"type":"array","items":{"type":"string"}}}}}}}}}}`
	write(t, filepath.Join(dir, "crm.json"), doc)
	file := filepath.Join(dir, "exo.yaml")
	write(t, file, servedShop+"record: "+filepath.Join(dir, "file")+"\nservices:\n  crm:\n    api: "+strings.Replace(h.URL, "127.0.0.1", "localhost", 1)+"\n    networks: [127.0.0.0/8, '::1/128']\n    openapi: crm.json\n    secrets: { X-Key: env:CRM_KEY }\n    reads: [tasks]\n    pin: "+openapi.Digest([]byte(doc))+"\n")
	if r := exo(t, "", "run", file, "-as", "customer=1", "-e", "const n = await me.count(); return [n, (await crm.tasks()).length]"); r.code != 0 || r.out != "[1,1]\n" {
		t.Fatalf("%+v", r)
	}
	for _, more := range [][]string{nil, {"-db", url}} {
		r := exo(t, "", append([]string{"diff", file, file, "-record", filepath.Join(dir, "file"), "-counts"}, more...)...)
		if r.code != 0 || !strings.Contains(r.out, "2 messages of 1 runs compared: 0 shapes differ") || asked.Load() != 1 {
			t.Errorf("%v: asked %d times, %+v", more, asked.Load(), r)
		}
	}
	t.Setenv("CRM_KEY", "")
	if r := exo(t, "", "diff", file, file, "-record", filepath.Join(dir, "file"), "-db", url); r.code == 0 || !strings.Contains(r.err, "env:CRM_KEY gives no text for the secret X-Key") {
		t.Errorf("the URL of -db is its secret: %+v", r)
	}
}

// TestOutbox: an operator sees what a program has sent and a server did not take, has it tried again once the server does, and drops what is no longer
// wanted. Nobody reads the message there.
func TestOutbox(t *testing.T) {
	var asked atomic.Int32
	var code atomic.Int32
	code.Store(http.StatusNotFound)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.WriteHeader(int(code.Load()))
	}))
	defer h.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, "exo.yaml")
	t.Setenv("OUTBOX_URL", strings.Replace(h.URL, "127.0.0.1", "localhost", 1)+"/s3cret")
	file := "exo: 1\nreviewed: true\nrecord: record\napprovals: { key: file:k, store: waits }\nservices:\n  team: { chat: mattermost, networks: [127.0.0.0/8, '::1/128'], secrets: { url: env:OUTBOX_URL } }\n"
	write(t, path, file)
	if r := exo(t, "", "approvals", "init", "-file", path); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := exo(t, "", "validate", path); r.code != cli.ExitDone {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "services", path); r.code != cli.ExitDone || !strings.Contains(r.out, "post (acts)") || strings.Contains(r.out, "pin") {
		t.Errorf("%+v", r)
	}
	key := regexp.MustCompile(`[0-9a-f]{32}-1`)
	var keys []string
	for range 2 {
		exo(t, "", "run", path, "-as", "", "-e", "return team.post({ text: 'a b0dy' })")
	}
	r := exo(t, "", "services", "outbox", path)
	if keys = key.FindAllString(r.out, -1); r.code != 0 || len(keys) != 2 || strings.Count(r.out, "failed") != 2 || !strings.Contains(r.out, "answers 404") || strings.Contains(r.out, "b0dy") || strings.Contains(r.out, "s3cret") {
		t.Fatalf("%+v", r)
	}
	if r := exo(t, "", "services", "outbox", "-retry", keys[0], path); r.code != cli.ExitFound || !strings.Contains(r.err, "answers 404") || strings.Contains(r.err, "s3cret") {
		t.Errorf("%+v", r)
	}
	code.Store(http.StatusOK)
	if r := exo(t, "", "services", "outbox", "-retry", keys[0], path); r.code != 0 || asked.Load() != 4 {
		t.Errorf("%d %+v", asked.Load(), r)
	}
	if r := exo(t, "", "services", "outbox", "-drop", keys[1], path); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "services", "outbox", "-drop", keys[1], path); r.code != cli.ExitFound || !strings.Contains(r.err, "there is no such message") {
		t.Errorf("%+v", r)
	}
	var all []struct{ Key, State string }
	r = exo(t, "", "services", "outbox", "-json", path)
	if err := json.Unmarshal([]byte(r.out), &all); err != nil || len(all) != 1 || all[0].Key != keys[0] || all[0].State != "sent" {
		t.Errorf("%v %s", err, r.out)
	}
	write(t, path, strings.Replace(file, "reviewed: true", "reviewed: false", 1))
	if r := exo(t, "", "services", "outbox", "-retry", keys[0], path); r.code != cli.ExitUsage || asked.Load() != 4 {
		t.Errorf("a file that nobody has reviewed sends a secret: %+v", r)
	}
}
