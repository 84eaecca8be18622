package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
	if r := exo(t, "", "validate", path); r.code != cli.ExitFound || !strings.Contains(r.err, "nobody has pinned what it offers") || !strings.Contains(r.err, strings.TrimSpace(pin)) {
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
