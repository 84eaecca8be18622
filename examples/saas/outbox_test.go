package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/examples/saas/tracker"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exosql"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestOutbox: what leaves by the chat and by mail, and what does not.
func TestOutbox(t *testing.T) {
	was := outbox.path
	t.Cleanup(func() { outbox.path = was })
	const comment = "const c = await api.organization.projects().tasks().comments().first(); "
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		db := e.OpenWith(t, &exosql.OpenOptions{Images: 100, Setup: e.Exec(e.Pick(tracker.Schema+tracker.Seed, tracker.Postgres))})
		g, err := grants(db, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		tool, err := codemode.New(g, &codemode.Options{Record: exo.Unrecorded, Review: review.InMemory()})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ program, sent, fails string }{
			{"const m = await api.organization.members().first(); await api.mail.send({ to: m.id, subject: 's', text: m.email })", `{"mail":"alice@acme.example","subject":"s","text":"alice@acme.example"}`, ""},
			{"const [a, b] = await api.organization.members().orderBy(m => m.id); await api.mail.send({ to: b.id, subject: 's', text: await text`${b.name}, ${b.email}` })", `{"mail":"bob@acme.example","subject":"s","text":"Bob Castellanos, bob@acme.example"}`, ""},
			{"const [a, b] = await api.organization.members().orderBy(m => m.id); await api.mail.send({ to: b.id, subject: 's', text: a.email })", "", "labelled pii@member:1"},
			{"const [a, b] = await api.organization.members().orderBy(m => m.id); await api.mail.send({ to: b.id, subject: 's', text: await text`${a.email} ${b.email}` })", "", "labelled pii@member"},
			{"await api.mail.send({ to: 2, subject: 's', text: 't' })", `{"mail":"bob@acme.example","subject":"s","text":"t"}`, ""},
			{"const m = await reveal((await api.organization.members().first()).email); await api.mail.send({ to: 1, subject: 's', text: m.slice(0, 5) })", "", "may not leave this way ({pii@member})"}, // its result may not leave, so nothing of it is done
			{"await api.chat.post({ text: 'hello' })", `{"chat":1,"text":"hello"}`, ""},
			{"await api.chat.post({ text: await api.organization.projects().tasks().comments().count() + '' })", `{"chat":1,"text":"40"}`, ""},
			{"await api.chat.post({ text: (await api.organization.members().first()).email })", "", "labelled pii"},
			{"await api.chat.post({ text: 'x' }); return api.organization.members().where(m => m.email.like('a%')).count()", "", "may not leave this way"},
			{comment + "await api.chat.post({ text: c.body })", "", "outsiders wrote"},
			{comment + "await api.mail.send({ to: 1, subject: 's', text: 'x' })", "", "outsiders wrote"},
			{comment + "return (await api.organization.projects().tasks().where({ id: 1 }).update({ status: 'done' })) + c.body.length * 0", "", ""},
			{"await api.mail.send({ to: 999, subject: 's', text: 't' })", "", ""}, // it was asked for, and there is nobody
		} {
			outbox.path = filepath.Join(t.TempDir(), "outbox.jsonl")
			r := tool.Run(t.Context(), c.program)
			b, err := os.ReadFile(outbox.path)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if strings.TrimSpace(string(b)) != c.sent || (r.Err == nil) != (c.fails == "") || r.Err != nil && !strings.Contains(r.Err.Error(), c.fails) {
				t.Errorf("%s\nsent %s%v %s", c.program, b, r.Err, r.EffectsNote())
			}
		}
	})
}

// TestFlowPage: docs/labels.md shows what -flow prints.
func TestFlowPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/labels.md")
	if err != nil {
		t.Fatal(err)
	}
	_, want, found := strings.Cut(string(page), "$ go run ./examples/saas -flow \"pii chat.post\"\n")
	want, _, _ = strings.Cut(want, "```")
	var out, fails bytes.Buffer
	if code := app.Run([]string{"-flow", "pii chat.post"}, strings.NewReader(""), &out, &fails); code != 0 || !found || out.String() != want {
		t.Errorf("%d %s\n%s\nand not\n%s", code, fails.String(), out.String(), want)
	}
	if code := app.Run([]string{"-flow", "pii nobody"}, strings.NewReader(""), &out, &fails); code != 2 || !strings.Contains(fails.String(), "want one of result, chat.post, mail.send") {
		t.Errorf("%d %s", code, fails.String())
	}
}
