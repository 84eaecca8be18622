package services_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/exosql"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/pending"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// hooks is a server of webhooks and chats on loopback.
type hooks struct {
	*httptest.Server
	mu   sync.Mutex
	got  []string // the key and the body of each request
	code int
}

func newHooks(t *testing.T) *hooks {
	t.Helper()
	h := &hooks{code: http.StatusOK}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.got = append(h.got, r.Header.Get("Idempotency-Key")+" "+string(b))
		w.WriteHeader(h.code)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hooks) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.got)
}

// wait waits until n requests have arrived.
func (h *hooks) wait(t *testing.T, n int) []string {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && len(h.all()) < n; {
		time.Sleep(5 * time.Millisecond)
	}
	return h.all()
}

// sinkFile is a grant file with a table of people, a webhook and a chat. Its secrets are variables.
func (h *hooks) sinkFile(t *testing.T, more string) string {
	t.Helper()
	address := strings.Replace(h.URL, "127.0.0.1", "localhost", 1)
	for name, value := range map[string]string{"SINK_SIGNATURE": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "SINK_CHAT": address + "/hooks/s3cret", "SINK_KEY": strings.Repeat("k", 40)} {
		t.Setenv(name, value)
	}
	return `exo: 1
reviewed: true
labels: {pii: secret, pay: secret, untrusted: untrusted}
databases: {d: {url: env:SINK_DB, witness: true}}
principal: {me: int, email: text}
approvals: {key: env:SINK_KEY, store: waits` + more + `}
grants: {people: person}
facets:
  person: {table: people, scope: shared, columns: {id: {}, note: {label: [untrusted]}, salary: {label: [pay]}, address: {label: [pii], readers: {person: id}}}, update: [note]}
services:
  ops: {webhook: "` + address + `/exo", networks: [127.0.0.0/8, "::1/128"], secrets: {signature: env:SINK_SIGNATURE}}
  team: {chat: slack, networks: [127.0.0.0/8, "::1/128"], secrets: {url: env:SINK_CHAT}}
  mailer: {mail: "smtps://mail.example.com", from: bot@example.com, to: {ann: ann@example.com, me: $principal.email}, admits: ["pii@person:$principal.me"]}
`
}

// sinkDatabase makes the database of such a file.
func sinkDatabase(t *testing.T, e tu.Engine) {
	t.Helper()
	url := e.URL(t)
	db := e.SQLDB(t, url)
	for _, s := range []string{"CREATE TABLE people (id {int} primary key, note text not null, salary {int} not null, address text not null)", "INSERT INTO people VALUES (1, 'a note', 100, 'one@example.com'), (2, 'b', 200, 'two@example.com')", exosql.CreateWitness} {
		if _, err := db.ExecContext(t.Context(), e.SQL(s)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SINK_DB", url)
}

// sinkTool opens a file, and makes the tool of person 1.
func sinkTool(ctx context.Context, path string, rec exo.Recorder, keeper *review.Keeper) (*grantfile.Declared, *codemode.Tool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := grantfile.Parse(path, text)
	if err != nil {
		return nil, nil, err
	}
	d, _, err := f.Open(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	p, err := f.Bind(map[string]any{"me": int64(1), "email": "one@example.com"})
	if err != nil {
		return nil, nil, err
	}
	grants, err := d.Grants(p)
	if err != nil {
		return nil, nil, err
	}
	opt := f.ToolOptions(p)
	opt.Evaluator, opt.Record = exoeval.InProcess{}, rec
	if keeper != nil {
		opt.Review = keeper
	}
	tool, err := codemode.New(grants, &opt)
	return d, tool, err
}

const notes = `await people.where({ id: 1 }).update({ note: 'told' }); await ops.send({ type: 'note', data: 1 }); await ops.send({ type: 'note', data: 2 })`

// killed is a process that is killed at an entry of its record.
func killed(path, kept, at string) error {
	rec, err := record.Open(kept)
	if err != nil {
		return err
	}
	when, step, _ := strings.Cut(at, " ")
	die := func(e exo.Entry, now string) {
		if now == when && e.Step.String() == step {
			p, _ := os.FindProcess(os.Getpid())
			p.Kill()
			select {}
		}
	}
	_, tool, err := sinkTool(context.Background(), path, exo.RecordFunc(func(e exo.Entry) error {
		die(e, "before")
		err := rec.Record(context.Background(), e)
		die(e, "after")
		return err
	}), nil)
	if err != nil {
		return err
	}
	return fmt.Errorf("it was not killed: %v", tool.Run(context.Background(), notes).Err)
}

// TestKilledBeforeItSends: wherever a process is killed, its messages arrive if its changes were kept, each with one key, and none arrives if they were
// not. The record says the same.
func TestKilledBeforeItSends(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		sinkDatabase(t, e)
		db := e.SQLDB(t, os.Getenv("SINK_DB"))
		h := newHooks(t)
		sent := 0
		for _, at := range []string{"before released", "before committing", "after committing", "before committed", "after committed", "before acting", "after acting", "before acted", "after acted", "before ended"} {
			t.Run(at, func(t *testing.T) {
				dir := t.TempDir()
				path, kept := filepath.Join(dir, "exo.yaml"), filepath.Join(dir, "record")
				if err := os.WriteFile(path, []byte(h.sinkFile(t, "")), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := db.Exec("UPDATE people SET note = 'a note'"); err != nil {
					t.Fatal(err)
				}
				before := len(h.all())
				c := exec.Command(os.Args[0], "killed", path, kept, at)
				if out, err := c.CombinedOutput(); err == nil || c.ProcessState.ExitCode() != -1 {
					t.Fatalf("it was not killed: %v %s", err, out)
				}
				rec, err := record.Open(kept)
				if err != nil {
					t.Fatal(err)
				}
				defer rec.Close()
				d, _, err := sinkTool(t.Context(), path, exo.Unrecorded, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				runs := rec.UnsettledAtOpen()
				ask := record.Settlers{Objects: map[string]record.Settler{}}
				for _, w := range d.Witnesses {
					ask.Stores = append(ask.Stores, w)
				}
				for name, o := range d.ServiceObjects() {
					if of, ok := o.(record.Settler); ok {
						ask.Objects[name] = of
					}
				}
				if err := ask.Reconcile(t.Context(), rec, runs); err != nil || len(runs) != 1 {
					t.Fatal(err, runs)
				}
				d.Deliver(func(err error) { t.Error(err) })
				var note string
				if err := db.QueryRow("SELECT note FROM people WHERE id = 1").Scan(&note); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(kept)
				if err != nil {
					t.Fatal(err)
				}
				applied := 0
				for line := range strings.Lines(string(text)) {
					if strings.Contains(line, `"step":"acted"`) && strings.Contains(line, `"state":"applied"`) {
						applied++
					}
				}
				if note == "told" {
					sent++
					got := h.wait(t, before+2)[before:]
					slices.Sort(got)
					keys := map[string]int{}
					for _, g := range got {
						key, body, _ := strings.Cut(g, " ")
						if keys[key]++; !strings.Contains(body, `"type":"note"`) {
							t.Errorf("%q", g)
						}
					}
					if id := runs[0].ID; len(keys) != 2 || keys[id.KeyOf(2)] == 0 || keys[id.KeyOf(3)] == 0 {
						t.Errorf("its changes were kept, and this arrived: %q", got)
					}
					if applied != 2 {
						t.Errorf("the record says that %d were sent: %s", applied, text)
					}
				} else {
					time.Sleep(50 * time.Millisecond)
					if got := h.all()[before:]; len(got) > 0 || strings.Contains(string(text), `"state":"applied"`) {
						t.Errorf("nothing was kept, and this arrived: %q; %s", got, text)
					}
				}
			})
		}
		if sent < 6 {
			t.Errorf("only %d of the killed runs were kept", sent)
		}
	})
}

// TestSinkProblems: what a file says of a mail, a chat or a webhook is read strictly.
func TestSinkProblems(t *testing.T) {
	const mailer = "mail: 'smtps://x.example.com', from: b@x.example.com"
	for text, want := range map[string]string{
		"{chat: slack, secrets: {url: env:U}}":                    "the file does not say where messages wait until they are delivered",
		"{chat: irc, secrets: {url: env:U}}":                      "want one of mattermost, slack, teams",
		"{chat: slack}":                                           "want `secrets` with url",
		"{chat: slack, secrets: {token: env:U}}":                  "can't have the secret `token`: want only url",
		"{chat: slack, secrets: {url: {from: env:U, prefix: x}}}": "leave `prefix` out",
		"{chat: slack, secrets: {url: {from: env:U, oauth: https://x.example.com/token, client: c}}}":                                                  "leave `oauth` out",
		"{webhook: https://x.example.com, secrets: {signature: {from: env:U, oauth: https://x.example.com/token, client: c}}}":                         "leave `oauth` out",
		"{" + mailer + ", to: {ann: a@x.example.com}, secrets: {user: env:U, password: {from: env:S, oauth: https://x.example.com/token, client: c}}}": "leave `oauth` out",
		"{chat: slack, secrets: {url: 'https://hunter2'}}":                                                                                             "write where the text is, as env:NAME (a variable) or file:PATH, and never the text itself",
		"{chat: slack, secrets: {url: env:U}, reads: [x]}":                                                                                             "has one call, `post`",
		"{chat: slack, secrets: {url: env:U}, to: {a: a@x.example.com}}":                                                                               "are only for a service with `mail`",
		"{chat: slack, mcp: https://x.example.com, secrets: {url: env:U}}":                                                                             "want exactly one of `mcp`",
		"{chat: slack, secrets: {url: env:U}, approve: [send]}":                                                                                        "want calls of `acts`, not `send`",
		"{webhook: https://x.example.com}":                                                                                                             "want `secrets` with signature",
		"{webhook: http://x.example.com, secrets: {signature: env:U}}":                                                                                 "webhook: want an address like",
		"{webhook: 'https://u:hunter2@x.example.com', secrets: {signature: env:U}}":                                                                    "webhook: want an address like",
		"{webhook: http://x.example.com, networks: 10.0.0.0/8, secrets: {signature: env:U}}":                                                           "http:// needs a name of this machine",
		"{" + mailer + "}":                        "want `to`",
		"{" + mailer + ", to: ann@x.example.com}": "want a map with a name for each address",
		"{" + mailer + ", to: {ann: 'ann@x.example.com, eve@x.example.com'}}":                  "want one address",
		"{" + mailer + ", to: {ann: 'Ann <ann@x.example.com>'}}":                               "want one address",
		"{" + mailer + ", to: {me: $principal.email}}":                                         "has no claim `email` of the type text",
		"{" + mailer + ", to: {ann: a@x.example.com}, secrets: {user: env:U}}":                 "want `secrets` with user and password",
		"{mail: 'smtps://x.example.com', from: bot, to: {ann: a@x.example.com}}":               "from: want one address",
		"{mail: 'smtps://u@x.example.com', from: b@x.example.com, to: {ann: a@x.example.com}}": "without a user",
		"{mail: https://x.example.com, from: b@x.example.com, to: {ann: a@x.example.com}}":     "want the address of a mail server",
		"{mail: 'smtps://10.0.0.1', from: b@x.example.com, to: {ann: a@x.example.com}}":        "no IP address",
		"{" + mailer + ", to: {ann: a@x.example.com}, admits: ['pii@person:$principal.me']}":   "here only a `mail` with a recipient from a claim",
		"{" + mailer + ", to: {ann: a@x.example.com}, admits: ['pii@person']}":                 "has a kind of reader, but no id",
	} {
		_, err := grantfile.Parse("exo.yaml", []byte(file("  a: "+text+"\n")))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s\n%v, want %q", text, err, want)
		}
	}
	good := file("  mailer: {" + mailer + ", to: {ann: a@x.example.com, me: $principal.email}}\n  team: {chat: teams, secrets: {url: env:U}}\n")
	for text, want := range map[string]string{"[team]": "", "[mailer.ann]": "", "[mailer]": "write mailer.NAME", "[mailer.me]": "write mailer.NAME", "[mailer.eve]": "write mailer.NAME", "[team.ann]": "write `team` without .ann", "[desk]": "`services` has no `desk`"} {
		_, err := grantfile.Parse("exo.yaml", []byte(good+"principal: {email: text}\napprovals: {key: env:K, store: s, notify: "+text+"}\n"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestSinkLabels: what a principal may read is mailed to that principal, and to no other, neither as a sealed value nor by a program that has read it;
// a chat and a webhook, which name no reader, take none of it. What outsiders wrote leaves by a sink that admits it alone.
func TestSinkLabels(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		sinkDatabase(t, e)
		h := newHooks(t)
		path := filepath.Join(t.TempDir(), "exo.yaml")
		if err := os.WriteFile(path, []byte(strings.Replace(h.sinkFile(t, ""), "team: {", "team: {admits: [untrusted], ", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		d, tool, err := sinkTool(t.Context(), path, exo.Unrecorded, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for program, may := range map[string]bool{
			"const p = await people.where({ id: 1 }).select(p => ({ address: p.address })).first(); return mailer.send({ to: 'me', subject: 'x', text: p.address })":             true,
			"const p = await people.where({ id: 1 }).select(p => ({ address: p.address })).first(); return mailer.send({ to: 'ann', subject: 'x', text: p.address })":            false,
			"const p = await people.where({ id: 2 }).select(p => ({ address: p.address })).first(); return mailer.send({ to: 'me', subject: 'x', text: p.address })":             false,
			"const p = await people.where({ id: 1 }).select(p => ({ salary: p.salary })).first(); return mailer.send({ to: 'me', subject: 'x', text: await text`${p.salary}` })": false,
			"const p = await people.where({ id: 1 }).select(p => ({ address: p.address })).first(); return team.post({ text: p.address })":                                       false,
			"const p = await people.where({ id: 1 }).select(p => ({ address: p.address })).first(); return ops.send({ type: 'x', data: p })":                                     false,
			"await people.where(p => p.salary > 150).count(); return ops.send({ type: 'x', data: 1 })":                                                                           false,
			"const p = await people.where({ id: 1 }).select(p => ({ note: p.note })).first(); return team.post({ text: p.note })":                                                true,
			"const p = await people.where({ id: 1 }).select(p => ({ note: p.note })).first(); return ops.send({ type: 'x', data: p.note })":                                      false,
			"const p = await people.where({ id: 1 }).select(p => ({ note: p.note })).first(); return mailer.send({ to: 'ann', subject: 'x', text: 'y' })":                        false,
			"return ops.send({ type: 'x', data: 1 })": true,
		} {
			sent := func() int { items, _ := f(t, path).List(t.Context()); return len(items) }
			before := sent()
			res := tool.Run(t.Context(), program)
			if got := sent() > before; got != may || may && res.Err != nil || !may && fail.KindOf(res.Err) != fail.Denied {
				t.Errorf("%s\nsent: %v, want %v: %v", program, got, may, res.Err)
			}
		}
	})
}

// f opens the outbox of a file.
func f(t *testing.T, path string) *outbox.Outbox {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := grantfile.Parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	o, closing, err := file.OpenOutbox(t.Context(), os.Getenv, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closing() })
	return o
}

// TestChangeWaits: those whom the file names are told that a change waits: by whom and where, and no value of it. The call that waits has not left.
func TestChangeWaits(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		sinkDatabase(t, e)
		h := newHooks(t)
		path := filepath.Join(t.TempDir(), "exo.yaml")
		text := strings.NewReplacer("update: [note]", "update: [note], approve: always", `ops: {`, `ops: {approve: [send], `).Replace(h.sinkFile(t, ", link: https://shop.example.com/changes, notify: [team, ops]"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := grantfile.Parse(path, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var d *grantfile.Declared
		kept, err := pending.Open(t.Context(), file, func(w review.ChangeSet) { d.Notify(w) })
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		d, tool, err := sinkTool(t.Context(), path, exo.Unrecorded, kept.Keeper)
		if err != nil {
			t.Fatal(err)
		}
		res := tool.Run(t.Context(), `await people.where({ id: 1 }).update({ note: 's3cret note' }); return ops.send({ type: 'x', data: 's3cret data' })`)
		if err := d.Close(); err != nil || fail.KindOf(res.Err) != fail.Pending {
			t.Fatal(err, res.Err)
		}
		all, err := kept.List(t.Context(), false)
		got := h.all()
		if err != nil || len(all) != 1 || len(got) != 2 {
			t.Fatalf("%v %v %q", err, all, got)
		}
		for _, g := range got {
			if !strings.HasPrefix(g, "change-"+all[0].ID) || !strings.Contains(g, "https://shop.example.com/changes/"+all[0].ID) || !strings.Contains(g, "people") || !strings.Contains(g, "ops.send") || !strings.Contains(g, "me=1") || strings.Contains(g, "s3cret") {
				t.Errorf("%q", g)
			}
		}
	})
}

// TestSinkManifest: a reviewer sees whom messages go to, and where their secrets are.
func TestSinkManifest(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		sinkDatabase(t, e)
		h := newHooks(t)
		path := filepath.Join(t.TempDir(), "exo.yaml")
		if err := os.WriteFile(path, []byte(h.sinkFile(t, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		d, _, err := sinkTool(t.Context(), path, exo.Unrecorded, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		m, err := d.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%+v %+v %v", m.Services, m.Flows, d.File.Lines())
		for _, want := range []string{"sends to ann: ann@example.com", "sends to me: $principal.email", "gets the secret url: env:SINK_CHAT", "a chat of slack", "mails by smtps://mail.example.com, from bot@example.com", "signed events to http://localhost", "pii@person", "mailer.send", "the call's arguments decide of which readers"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing: %s", want, text)
			}
		}
		if strings.Contains(text, "s3cret") || strings.Contains(text, "whsec_") {
			t.Errorf("%s", text)
		}
	})
}

// TestSinksPage: the file about mails, chats and webhooks of docs/services.md is one.
func TestSinksPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(tu.Root(), "docs", "services.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)[1][1]
	file, err := grantfile.Parse("exo.yaml", append([]byte("exo: 1\ndatabases: {d: env:D}\ngrants: {members: member}\nfacets: {member: {table: members, scope: shared, columns: {id: {}, email: {label: [pii], readers: {member: id}}}}}\nlabels: {pii: secret}\n"), block...))
	if err != nil || len(file.Services) != 3 || len(file.Approvals.Notify) != 1 {
		t.Fatal(err)
	}
}
