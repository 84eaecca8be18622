package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	core "github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/store"
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
	if r.code != cli.ExitFound || !strings.Contains(r.out, "  tasks (not granted)\n    sends: GET /tasks\n") || strings.ContainsRune(r.out, '\x1b') || !strings.Contains(r.out, "list some under `reads`") {
		t.Fatalf("%+v", r)
	}
	write(t, path, head+"    reads: { all: GET /tasks }\n")
	r = exo(t, "", "services", path)
	pin := regexp.MustCompile(`(?m)^    pin: sha256:[0-9a-f]{64}$`).FindString(r.out)
	if r.code != cli.ExitFound || pin == "" || !strings.Contains(r.out, "  tasks (reads)\n") || !strings.Contains(r.out, "  purge (not granted)\n") {
		t.Fatalf("%+v", r)
	}
	if r := exo(t, "", "validate", path); r.code != cli.ExitFound || !strings.Contains(r.err, "no `pin` says which calls a person has read") || !strings.Contains(r.err, strings.TrimSpace(pin)) {
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
	if r := exo(t, "", "services", path); r.code != cli.ExitFound || !strings.Contains(r.out, "the service offers no `task`: take it out of `reads`") {
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
	if r := exo(t, "", "diff", file, file, "-record", filepath.Join(dir, "file"), "-db", url); r.code == 0 || !strings.Contains(r.err, "the variable CRM_KEY is not set: set it to the text of the secret X-Key") {
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
	if r := exo(t, "", "services", "outbox", path); r.code == 0 || !strings.Contains(r.err, "exo approvals init") {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "approvals", "list", path); r.code != cli.ExitUsage || !strings.Contains(r.err, "want no arguments, and the grant file by -file FILE") {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "approvals", "init", "-file", path); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := exo(t, "", "validate", path); r.code != cli.ExitDone {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "services", path); r.code != cli.ExitDone || !strings.Contains(r.out, "post (acts)") || strings.Contains(r.out, "pin") {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "services", "outbox", path); r.code != 0 || r.out != "" || !strings.Contains(r.err, "no message waits") {
		t.Errorf("%+v", r)
	}
	key := regexp.MustCompile(`[0-9a-f]{32}-1`)
	var keys []string
	for range 2 {
		exo(t, "", "run", path, "-as", "", "-e", "return team.post({ text: 'a b0dy' })")
	}
	address := os.Getenv("OUTBOX_URL")
	t.Setenv("OUTBOX_URL", "") // to look at what waits, or to drop it, needs no secret
	r := exo(t, "", "services", "outbox", path)
	if keys = key.FindAllString(r.out, -1); r.code != 0 || len(keys) != 2 || strings.Count(r.out, "failed") != 2 || !strings.Contains(r.out, "answers 404") || strings.Contains(r.out, "b0dy") || strings.Contains(r.out, "s3cret") {
		t.Fatalf("%+v", r)
	}
	t.Setenv("OUTBOX_URL", strings.Replace(address, "localhost", "127.0.0.1", 1))
	if r := exo(t, "", "validate", path); r.code == cli.ExitDone || !strings.Contains(r.out+r.err, "localhost") || strings.Contains(r.out+r.err, "s3cret") {
		t.Errorf("an address that can't be posted to: %+v", r)
	}
	t.Setenv("OUTBOX_URL", address)
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

// TestFolder: an operator names a folder, looks at what programs may call, and runs one. What a stopped process had kept before its run committed is
// written when the record is settled, and the record says so.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "exo.yaml")
	write(t, path, "exo: 1\nreviewed: true\nrecord: runs.jsonl\nservices:\n  inbox:\n    files: ./inbox\n    read: [\"in/*.csv\"]\n    write: [\"out/*\"]\n    journal: ./journal\n")
	for _, name := range []string{"in", "out"} {
		if err := os.MkdirAll(filepath.Join(dir, "inbox", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "inbox", "in", "a.csv"), "id,name\n1,ann\n")
	if r := exo(t, "", "services", path); r.code != cli.ExitDone || !strings.Contains(r.out, "  rows (reads)\n") || !strings.Contains(r.out, "  write (acts)\n") || strings.Contains(r.out, "pin") {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "validate", path); r.code != cli.ExitDone {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "manifest", "-flow", "all", path); r.code != cli.ExitDone || !strings.Contains(r.out, "inbox") {
		t.Errorf("%+v", r)
	}
	if r := exo(t, "", "run", path, "-e", "await api.inbox.write({ path: 'out/b.txt', text: 'b' }); return 1"); r.code != cli.ExitDone {
		t.Errorf("%+v", r)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "inbox", "out", "b.txt")); string(b) != "b" {
		t.Errorf("%q, %v", b, err)
	}

	id := core.NewRunID()
	key, sum := id.KeyOf(1), fmt.Sprintf("%x", sha256.Sum256([]byte("later")))
	rec, err := record.Open(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []core.Entry{
		{Step: core.Begun, Start: &core.Start{Principal: "ann"}},
		{Step: core.Intent, Call: 1, Op: "inbox.write", Effect: message.Held},
		{Step: core.Outcome, Call: 1, Op: "inbox.write", Effect: message.Held, State: core.StateHeld},
		{Step: core.Committing, Prepared: &core.Prepared{}},
		{Step: core.Committed, State: core.StateApplied},
	} {
		e.RunID, e.At = id, time.Now()
		if err := rec.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	rec.Close()
	j, err := store.OpenFolder(filepath.Join(dir, "journal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	entry := fmt.Sprintf(`{"Path":"out/later.txt","Sum":%q,"Was":"","At":%q}`, sum, time.Now().Format(time.RFC3339))
	if _, err := j.Put(t.Context(), store.Entry{Key: store.Key("files", "Inbox", key), Value: []byte(entry)}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	write(t, filepath.Join(dir, "inbox", "out", ".exo-"+key), "later")
	r := exo(t, "", "record", "settle", path)
	b, err := os.ReadFile(filepath.Join(dir, "inbox", "out", "later.txt"))
	text, _ := os.ReadFile(filepath.Join(dir, "runs.jsonl"))
	if string(b) != "later" || !strings.Contains(string(text), `"step":"acted"`) {
		t.Errorf("%q, %v; %+v\n%s", b, err, r, text)
	}
}

// TestFolderUndo: exo undo puts back the files that a run has written, shows them first, and leaves those that were changed since.
func TestFolderUndo(t *testing.T) {
	dir := t.TempDir()
	path, kept := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "runs.jsonl")
	write(t, path, "exo: 1\nreviewed: true\nrecord: runs.jsonl\nservices:\n  inbox:\n    files: ./inbox\n    write: [\"*\"]\n    journal: ./journal\n    undo: 7d\n")
	at := func(name string) string { return filepath.Join(dir, "inbox", name) }
	if err := os.Mkdir(filepath.Join(dir, "inbox"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, at("a.txt"), "old")
	if r := exo(t, "", "run", path, "-e", "for (const text of ['one', 'two']) await api.inbox.write({ path: 'a.txt', text }); await api.inbox.write({ path: 'b.txt', text: 'b' }); return 1"); r.code != cli.ExitDone {
		t.Fatalf("%+v", r)
	}
	text, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	run := regexp.MustCompile(`"run":"([0-9a-f]{32})"`).FindStringSubmatch(string(text))[1]
	if r := exo(t, "", "undo", run, "-file", path); r.code != cli.ExitDone || strings.Count(r.out, "put back a file") != 3 || !strings.Contains(r.out, "nothing was changed") {
		t.Errorf("%+v", r)
	}
	has := func() string {
		a, _ := os.ReadFile(at("a.txt"))
		b, _ := os.ReadFile(at("b.txt"))
		return string(a) + " " + string(b)
	}
	if has() != "two b" {
		t.Error(has())
	}
	write(t, at("b.txt"), "another's")
	if r := exo(t, "", "undo", run, "-file", path, "-apply"); r.code == cli.ExitDone || has() != "old another's" || !strings.Contains(r.err, "b.txt was changed after the write") {
		t.Errorf("%+v, %s", r, has())
	}
	write(t, at("b.txt"), "b")
	if r := exo(t, "", "undo", run, "-file", path, "-apply"); has() != "old " {
		t.Errorf("%+v, %q", r, has())
	}
}
