package notify_test

// This file tries mails.

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/outbox"
)

// TestMail: a mail arrives as the program wrote it, encoded, with an ID by which the server knows a repetition, over TLS from the first byte or after
// STARTTLS.
func TestMail(t *testing.T) {
	for _, start := range []bool{false, true} {
		p := newPostOffice(t)
		if p.start = start; start {
			p.StartTLS()
		}
		w := newWorld(t)
		w.mailer = p.mail()
		res := w.run(`await mailer.send({ to: 'ann', subject: 'Grüße, 世界 👩‍👧', text: 'One.\r\n.\nThree äöü\n' }); return mailer.send({ to: 'me', subject: 'x', text: 'y' })`)
		mails := p.Mails()
		if res.Err != nil || len(mails) != 2 {
			t.Fatalf("%v %+v", res.Err, mails)
		}
		m, err := mail.ReadMessage(strings.NewReader(mails[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		subject, _ := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		body, _ := io.ReadAll(quotedprintable.NewReader(m.Body))
		if subject != "Grüße, 世界 👩‍👧" || strings.TrimSpace(strings.ReplaceAll(string(body), "\r\n", "\n")) != "One.\n.\nThree äöü" || !strings.HasPrefix(m.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%q %q %v", subject, body, m.Header)
		}
		if id := res.ID.KeyOf(1); m.Header.Get("Message-Id") != "<"+id+"@example.com>" || !slices.Equal(mails[0].To, []string{"RCPT TO:<ann@example.com>"}) || mails[1].To[0] != "RCPT TO:<cat@example.com>" {
			t.Errorf("%v %q", m.Header, mails)
		}
		if text := w.text(res); strings.Contains(text, "s3cret") || !strings.Contains(text, "env:PASSWORD") {
			t.Errorf("the record: %s", text)
		}
	}
}

// TestHeaderInjection: no argument adds a header, a receiver, a command or a second mail. The twin, which writes headers as programs give them, does.
func TestHeaderInjection(t *testing.T) {
	attacks := []string{"x\r\nBcc: eve@example.com", "x\nBcc: eve@example.com", "x\r\n\r\n<b>", "x\r\n.\r\nMAIL FROM:<a@b.c>", "x\x00", "x\u2028Bcc: eve@example.com", "x\u202egpj.exe", "x\x1b[2J", "\ufeffx", "", strings.Repeat("x", 300), "=?utf-8?q?x=0D=0ABcc:_eve@example.com?="}
	p := newPostOffice(t)
	w := newWorld(t)
	w.mailer = p.mail()
	for _, a := range attacks {
		quoted, _ := json.Marshal(a)
		if strings.Contains(a, "\x00") {
			quoted = []byte(`"x\u0000"`)
		}
		if res := w.run(fmt.Sprintf(`return mailer.send({ to: 'ann', subject: %s, text: 'y' })`, quoted)); res.Err == nil {
			t.Errorf("%q is a subject", a)
		}
	}
	for _, to := range []string{"eve@example.com", "ann,eve@example.com", "Ann", "ann ", "ann>\r\nRCPT TO:<eve@example.com", "", "__proto__"} {
		quoted, _ := json.Marshal(to)
		if res := w.run(fmt.Sprintf(`return mailer.send({ to: %s, subject: 'x', text: 'y' })`, quoted)); res.Err == nil {
			t.Errorf("%q is a receiver", to)
		}
	}
	for _, claim := range []string{"", "cat@example.com, eve@example.com", "Cat <cat@example.com>", "cat@example.com\r\nRCPT TO:<eve@example.com>", "cat@exa mple.com", "@", "\"a b\"@example.com", "cat@example.com>"} {
		w.claims["email"] = claim
		if res := w.run(`return mailer.send({ to: 'me', subject: 'x', text: 'y' })`); res.Err == nil {
			t.Errorf("a token's claim %q is an address", claim)
		}
	}
	if res := w.run(`return mailer.send({ to: 'ann', subject: 'x', text: 'y'.repeat(70000) })`); res.Err == nil {
		t.Error("a huge mail is sent")
	}
	if got := p.Mails(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if res := w.run(`return mailer.send({ to: 'ann', subject: 'Été à 5\u202f€ 👩\u200d💻 ?=', text: 'Bcc: eve@example.com\n.\nMAIL FROM:<a@b.c>' })`); res.Err != nil || len(p.Mails()) != 1 || len(p.Mails()[0].To) != 1 {
		t.Errorf("%v %+v", res.Err, p.Mails())
	} else if m, err := mail.ReadMessage(strings.NewReader(p.Mails()[0].Data)); err != nil || m.Header.Get("Bcc") != "" {
		t.Error(err, m)
	}

	// The twin.
	naive := "From: bot@example.com\r\nTo: ann@example.com\r\nSubject: " + attacks[0] + "\r\n\r\ny\r\n"
	if m, err := mail.ReadMessage(strings.NewReader(naive)); err != nil || m.Header.Get("Bcc") != "eve@example.com" {
		t.Errorf("the attack is none: %v", err)
	}
}

// TestMailFails: what a server of mails refuses has failed, and what it can't take now waits. It may say, send and withhold what it likes: no error has it,
// and it takes no memory.
func TestMailFails(t *testing.T) {
	for name, c := range map[string]struct {
		at, line string
		state    outbox.State
		why      string
	}{
		"the receiver is unknown":    {"RCPT", "550 5.1.1 no user-s3cret", outbox.Failed, "answers 550"},
		"it is busy":                 {"MAIL", "451 later password-s3cret", outbox.Waiting, "answers 451"},
		"the mail is spam":           {".", "554 password-s3cret is spam", outbox.Failed, "answers 554"},
		"it takes it not now":        {".", "452 full", outbox.Waiting, "answers 452"},
		"the password is wrong":      {"AUTH", "535 password-s3cret", outbox.Waiting, "answers 535"},
		"it says a gigabyte":         {"MAIL", "250-" + strings.Repeat("x", 1<<20), outbox.Waiting, "ended the connection"},
		"it knows no login":          {"EHLO", "250 example.com", outbox.Waiting, "ended the connection"},
		"it says nothing of SMTP":    {"", "HTTP/1.1 password-s3cret", outbox.Waiting, "ended the connection"},
		"it takes it and then fails": {"QUIT", "500 x", outbox.Sent, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPostOffice(t)
			p.Says(func(command string) string {
				if command == c.at {
					return c.line
				}
				return ""
			})
			w := newWorld(t)
			w.mailer = p.mail()
			res := w.run(`return mailer.send({ to: 'ann', subject: 'x', text: 'a b0dy' })`)
			items, err := w.box.List(t.Context())
			if err != nil || len(items) != 1 || items[0].State != c.state || !strings.Contains(items[0].Why, c.why) {
				t.Errorf("%v %+v", err, items)
			}
			if text := w.text(res); strings.Contains(text, "s3cret") || strings.Contains(items[0].Why, "b0dy") {
				t.Errorf("it has what the server said, or the mail: %.2000s", text)
			}
			want := exo.StateApplied
			if c.state == outbox.Failed {
				want = exo.StateFailed
			}
			if len(res.Effects) != 1 || res.Effects[0].State != want {
				t.Errorf("%+v, want %v", res.Effects, want)
			}
		})
	}
	t.Run("without TLS", func(t *testing.T) {
		p := newPostOffice(t)
		p.start = true
		p.StartTLS()
		p.Says(func(command string) string {
			if command == "EHLO" {
				return "250-example.com\r\n250 AUTH PLAIN"
			}
			return ""
		})
		for _, login := range []bool{true, false} {
			w := newWorld(t)
			if w.mailer = p.mail(); !login {
				w.mailer.Secret = nil
			}
			w.run(`return mailer.send({ to: 'ann', subject: 'x', text: 'y' })`)
		}
		if slices.ContainsFunc(p.Heard(), func(l string) bool { return strings.HasPrefix(l, "AUTH") || strings.HasPrefix(l, "MAIL") }) {
			t.Errorf("the password or the mail went in clear: %q", p.Heard())
		}
	})
	t.Run("another certificate", func(t *testing.T) {
		p := newPostOffice(t)
		w := newWorld(t)
		w.mailer = p.mail()
		w.mailer.Roots = x509.NewCertPool()
		w.run(`return mailer.send({ to: 'ann', subject: 'x', text: 'y' })`)
		if items, _ := w.box.List(t.Context()); len(p.Heard()) != 0 || len(items) != 1 || !strings.Contains(items[0].Why, "certificate") {
			t.Errorf("%q %+v", p.Heard(), items)
		}
	})
	t.Run("a private network", func(t *testing.T) {
		p := newPostOffice(t)
		w := newWorld(t)
		w.mailer = p.mail()
		w.mailer.Host.Networks = nil
		w.run(`return mailer.send({ to: 'ann', subject: 'x', text: 'y' })`)
		if items, _ := w.box.List(t.Context()); len(p.Heard()) != 0 || len(items) != 1 || !strings.Contains(items[0].Why, "not allowed") {
			t.Errorf("%q %+v", p.Heard(), items)
		}
	})
}
