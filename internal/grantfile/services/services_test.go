package services_test

// This file calls services as programs do: what they may call, who agrees to it, and which labels go out.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestServer: a program calls what the file lists and nothing else; what acts leaves after it ended well, and not after it read what outsiders
// wrote unless the file admits that. The server's hint that closing a ticket is only a read changes nothing.
func TestServer(t *testing.T) {
	for _, c := range []struct {
		program, more string
		kind          fail.Kind // of the error
		result        string
		closed        []int
	}{
		{"(await api.desk.list_tickets()).tickets.map(t => t.title)", "", fail.Other, `["the printer"]`, nil},
		{"await api.desk.close_ticket({ id: 7, title: 'x' })", "    acts: [close-ticket]\n", fail.Other, "", []int{7}},
		{"await api.desk.close_ticket({ id: 7, title: 'x' }); throw new Error('no')", "    acts: [close-ticket]\n", fail.Other, "error", nil},
		{"await api.desk.close_ticket({ id: 7, title: 'x' })", "    immediate: [close-ticket]\n", fail.Other, `"closed"`, []int{7}},
		{"await api.desk.close_ticket({ id: 7, title: 'x' })", "", fail.Denied, "error", nil}, // not in the file
		{"await api.desk.delete_all()", "    acts: [close-ticket]\n", fail.Denied, "error", nil},
		{"const x = await api.desk.list_tickets(); await api.desk.close_ticket({ id: x.tickets[0].id, title: 'x' })", "    acts: [close-ticket]\n", fail.Denied, "error", nil},
		{"const x = await api.desk.list_tickets(); await api.desk.close_ticket({ id: x.tickets[0].id, title: 'x' }); return 1", "    acts: [close-ticket]\n    admits: [untrusted]\n", fail.Other, "1", []int{7}},
	} {
		d := &desk{}
		tool, _ := toolOf(t, opened(t, overHTTP(d.serve(t), c.more)), nil)
		r := tool.Run(t.Context(), c.program)
		switch {
		case (r.Err != nil) != (c.result == "error"), c.kind != fail.Other && fail.KindOf(r.Err) != c.kind:
			t.Errorf("%s%s: %v, want kind %v", c.more, c.program, r.Err, c.kind)
		case c.result != "" && c.result != "error" && string(r.JSON) != c.result:
			t.Errorf("%s%s: %s", c.more, c.program, r.JSON)
		case !slices.Equal(d.closed, c.closed):
			t.Errorf("%s%s: closed %v", c.more, c.program, d.closed)
		}
	}
}

// TestProcess: the process of a command has the file's variables and secrets, and no file, variable or network of its host.
func TestProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOST_SECRET", "hunter2")
	t.Setenv("DESK_TOKEN", "s3cret")
	text := func(more string) string {
		return file(fmt.Sprintf("  desk:\n    command: [%q, desk]\n    env: { MODE: strict }\n    secrets: { DESK_TOKEN: env:DESK_TOKEN }\n    read: [%s]\n    reads: [list-tickets]\n%s", self, strings.Join(libraries(), ", "), more))
	}
	d := opened(t, text(""))
	tool, _ := toolOf(t, d, nil)
	m, err := d.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	r := tool.Run(t.Context(), "(await api.desk.list_tickets()).tickets[0]")
	open := slices.Contains(m.Services[0].Missing, "files")
	if want := fmt.Sprintf(`{"id":2,"title":"s3cretstrict%t"}`, open); r.Err != nil || string(r.JSON) != want {
		t.Errorf("%v: it has %s, want %s", r.Err, r.JSON, want)
	}
	if runtime.GOOS == "linux" && open {
		t.Log("this system has no wall round files")
	}
	// What a process wrote before it ended is in the error, without what a terminal obeys.
	_, err = openFile(t, strings.Replace(text(""), "env: { MODE: strict }", "env: { MODE: strict, FAIL: now }", 1))
	if err == nil || !strings.Contains(err.Error(), "the server's process wrote:") || !strings.Contains(err.Error(), "the desk opens") || strings.ContainsRune(err.Error(), '\x1b') {
		t.Errorf("a process that ends: %v", err)
	}
}

// TestAnswersAreMarked: a model is told which methods give what outsiders wrote.
func TestAnswersAreMarked(t *testing.T) {
	d := &desk{}
	tool, _ := toolOf(t, opened(t, overHTTP(d.serve(t), "    acts: [close-ticket]\n")), nil)
	if text := tool.Description(); !strings.Contains(text, "// [untrusted] the open tickets") || strings.Contains(text, "[untrusted] closes") {
		t.Error(text)
	}
}

// TestApprovals: a call that a person must agree to waits, and is made once after they have.
func TestApprovals(t *testing.T) {
	d := &desk{}
	text := strings.Replace(overHTTP(d.serve(t), "    acts: [close-ticket]\n    approve: [close-ticket]\n"), "services:", "principal: { user: int }\napprovals: { key: env:K, store: s }\nservices:", 1)
	t.Setenv("K", strings.Repeat("k", 40))
	keeper := review.InMemory()
	tool, _ := toolOf(t, opened(t, text), keeper)
	if r := tool.Run(t.Context(), "await api.desk.close_ticket({ id: 7, title: 'x' })"); fail.KindOf(r.Err) != fail.Pending || d.closed != nil {
		t.Fatalf("%v, closed %v", r.Err, d.closed)
	}
	waits, err := tool.Pending(t.Context())
	if err != nil || len(waits) != 1 || fmt.Sprint(waits[0].Rules) != "[call of Desk.close_ticket]" {
		t.Fatalf("%v %v", waits, err)
	}
	res, err := tool.Apply(t.Context(), waits[0].ID, waits[0].Digest(), review.Approver{Name: "ann", How: review.Terminal})
	if err != nil || res.Err != nil || !slices.Equal(d.closed, []int{7}) {
		t.Errorf("%v %v, closed %v", err, res, d.closed)
	}
	if _, err := tool.Apply(t.Context(), waits[0].ID, waits[0].Digest(), review.Approver{Name: "ann", How: review.Terminal}); !errors.Is(err, review.ErrDecided) || len(d.closed) != 1 {
		t.Errorf("twice: %v, closed %v", err, d.closed)
	}
}

// TestLabels: what a program read of a labelled column of a database can't leave to a service, unless the file admits it.
func TestLabels(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Setup: e.Exec("create table people (id {int} primary key, salary {int} not null)", "insert into people values (1, 100)")})
		for more, want := range map[string]fail.Kind{"": fail.Denied, "    admits: [pii]\n": fail.Other} {
			d := &desk{}
			text := overHTTP(d.serve(t), "    acts: [close-ticket]\n"+more)
			_, _, err := parseWith(t, text, e, db)
			_, digest, _ := strings.Cut(fmt.Sprint(err), "`pin: ")
			decl, _, err := parseWith(t, text+"    pin: "+digest[:strings.IndexByte(digest, '`')]+"\n", e, db)
			if err != nil {
				t.Fatal(err)
			}
			tool, _ := toolOf(t, decl, nil)
			r := tool.Run(t.Context(), "const p = await api.people.first(); await api.desk.close_ticket({ id: p.salary, title: 'x' }); return 1")
			if fail.KindOf(r.Err) != want || (len(d.closed) == 1) != (want == fail.Other) {
				t.Errorf("%q: %v, closed %v", more, r.Err, d.closed)
			}
		}
	})
}

// TestServicesUnreviewed: of a file that nobody has reviewed no program is started, no secret's command runs, and nothing is sent. It says so.
func TestServicesUnreviewed(t *testing.T) {
	d := &desk{}
	made := filepath.Join(t.TempDir(), "made")
	text := overHTTP(d.serve(t), "") + fmt.Sprintf("  other:\n    command: [/bin/touch, %q]\n    secrets: { A: { command: [/bin/touch, %q] } }\n    reads: [x]\n    write: [%q]\n", made, made, filepath.Dir(made))
	f, err := grantfile.Parse("exo.yaml", []byte(strings.Replace(text, "reviewed: true", "reviewed: false", 1)))
	if err != nil {
		t.Fatal(err)
	}
	decl, findings, err := f.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decl.Close()
	if len(findings) != 1 || !strings.Contains(findings[0].String(), "the services were not started, since they start programs and send secrets") {
		t.Errorf("%v", findings)
	}
	if _, err := os.Stat(made); err == nil || len(d.tokens) > 0 {
		t.Errorf("a program ran: %v; sent %q", err == nil, d.tokens)
	}
	if _, err := openFile(t, text); err == nil { // reviewed, they are started
		t.Error("a program that is no server was taken for one")
	}
	if len(d.tokens) == 0 {
		t.Error("nothing was sent")
	}
}

// TestServicesTogether: services whose interfaces have one name are refused by every command, and not by each program.
func TestServicesTogether(t *testing.T) {
	a, b := &desk{}, &desk{}
	pinned := func(text string) string {
		_, digest, _ := strings.Cut(fmt.Sprint(errOf(openFile(t, text))), "`pin: ")
		return text + "    pin: " + digest[:strings.IndexByte(digest, '`')] + "\n"
	}
	text, other := pinned(overHTTP(a.serve(t), "")), pinned(overHTTP(b.serve(t), "    acts: [close-ticket]\n"))
	both := func(name string) string {
		return text + strings.Replace(other[strings.Index(other, "  desk:"):], "  desk:", "  "+name+":", 1)
	}
	if _, err := openFile(t, both("Desk")); err == nil || !strings.Contains(err.Error(), "no program can have these grants and services together") {
		t.Errorf("%v", err)
	}
	if _, err := openFile(t, both("help")); err != nil {
		t.Error(err)
	}
}

// TestCustomTag: a tag for what outsiders write that the file names itself labels answers, and asks for no right to act.
func TestCustomTag(t *testing.T) {
	d := &desk{}
	text := strings.Replace(overHTTP(d.serve(t), "    acts: [close-ticket]\n    label: [note]\n"), "labels: {", "labels: {note: untrusted, ", 1)
	tool, _ := toolOf(t, opened(t, text), nil)
	if r := tool.Run(t.Context(), "await api.desk.list_tickets(); await api.desk.close_ticket({ id: 1, title: 'x' })"); fail.KindOf(r.Err) != fail.Denied || d.closed != nil {
		t.Errorf("%v, closed %v", r.Err, d.closed)
	}
}
