package notify_test

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/exoeval"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func here(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// post is a server of mails on loopback, with a certificate for example.com.
type postOffice struct {
	t     *testing.T
	at    net.Listener
	conf  *tls.Config
	roots *x509.CertPool
	start bool                               // STARTTLS
	says  func(command string) (line string) // in place of what it says otherwise; "": that

	mu    sync.Mutex
	mails []delivered
	heard []string
}

type delivered struct {
	from string
	to   []string
	data string
}

func newPostOffice(t *testing.T) *postOffice {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &postOffice{t: t, at: l, conf: &tls.Config{Certificates: s.TLS.Certificates}, roots: roots}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

// runs orders what a test sets before a run before what a server reads when the run connects to it.
var runs atomic.Int64

func (p *postOffice) serve(c net.Conn) {
	defer func() { c.Close() }()
	runs.Load()
	if !p.start {
		c = tls.Server(c, p.conf)
	}
	in := bufio.NewReader(c)
	say := func(line string) { _, _ = io.WriteString(c, line+"\r\n") }
	secure, d := !p.start, delivered{}
	answer := func(command, line string) bool {
		if p.says != nil {
			if s := p.says(command); s != "" {
				line = s
			}
		}
		say(line)
		return line[0] < '4'
	}
	answer("", "220 example.com ESMTP")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		p.mu.Lock()
		p.heard = append(p.heard, line)
		p.mu.Unlock()
		verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
		switch {
		case verb == "EHLO" && secure:
			answer("EHLO", "250-example.com\r\n250-8BITMIME\r\n250 AUTH PLAIN")
		case verb == "EHLO" && p.start:
			answer("EHLO", "250-example.com\r\n250 STARTTLS")
		case verb == "STARTTLS":
			if !answer("STARTTLS", "220 go") {
				continue
			}
			c = tls.Server(c, p.conf)
			in, secure = bufio.NewReader(c), true
		case verb == "AUTH":
			answer("AUTH", "235 in")
		case strings.HasPrefix(line, "MAIL FROM:"):
			if d = (delivered{from: line}); answer("MAIL", "250 ok") {
				continue
			}
		case strings.HasPrefix(line, "RCPT TO:"):
			if answer("RCPT", "250 ok") {
				d.to = append(d.to, line)
			}
		case verb == "DATA":
			if !answer("DATA", "354 go") {
				continue
			}
			var b strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				b.WriteString(strings.TrimPrefix(line, "."))
			}
			if d.data = b.String(); answer(".", "250 taken") {
				p.mu.Lock()
				p.mails = append(p.mails, d)
				p.mu.Unlock()
			}
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			answer(verb, "250 ok")
		}
	}
}

func (p *postOffice) mail() *notify.Mail {
	secret := func(_ context.Context, name string) (string, error) { return name + "-s3cret", nil }
	return &notify.Mail{Host: web.Host{Name: "example.com", Port: p.at.Addr().(*net.TCPAddr).Port, Networks: loopback}, StartTLS: p.start, From: "bot@example.com", Secret: secret, Place: "env:PASSWORD", Roots: p.roots, Lookup: here,
		To: []notify.Recipient{{Name: "ann", Address: "ann@example.com"}, {Name: "me", Claim: "email"}}}
}

func (p *postOffice) got() []delivered {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.mails)
}

// world runs programs with sinks.
type world struct {
	t       *testing.T
	box     *outbox.Outbox
	at      time.Time
	entries []exo.Entry
	claims  map[string]string
	mailer  *notify.Mail
	chat    *notify.Chat
	hook    *notify.Hook
	rules   notify.Rules
	more    codemode.Grants
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, at: time.Now(), claims: map[string]string{"email": "cat@example.com"}, more: codemode.Grants{}}
	var err error
	now := func() time.Time { return w.at }
	if w.box, err = outbox.New(outbox.Options{Store: store.NewMemory(&store.LocalOptions{Now: now}), Key: make([]byte, 32), Now: now}); err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs a program to its end.
func (w *world) run(program string) *codemode.Result {
	runs.Add(1)
	w.t.Helper()
	grants := codemode.Grants{}
	for name, o := range w.more {
		grants[name] = o
	}
	add := func(name string, make func(notify.Rules) (notify.Sink, error)) {
		r := w.rules
		r.Name, r.To, r.Box = strings.ToUpper(name[:1])+name[1:], name, w.box
		o, err := make(r)
		if err != nil {
			w.t.Fatal(err)
		}
		grants[name] = o
	}
	if w.mailer != nil {
		add("mailer", func(r notify.Rules) (notify.Sink, error) {
			return w.mailer.Object(r, func(name string) string { return w.claims[name] })
		})
	}
	if w.chat != nil {
		add("team", w.chat.Object)
	}
	if w.hook != nil {
		add("ops", w.hook.Object)
	}
	tool, err := codemode.New(grants, &codemode.Options{Evaluator: exoeval.InProcess{}, Principal: "cat", Record: exo.RecordFunc(func(e exo.Entry) error { w.entries = append(w.entries, e); return nil })})
	if err != nil {
		w.t.Fatal(err)
	}
	return tool.Run(w.t.Context(), program)
}

// text is all that the run's error and record say.
func (w *world) text(res *codemode.Result) string {
	items, _ := w.box.List(w.t.Context())
	var b strings.Builder
	fmt.Fprintf(&b, "%v %+v %+v", res.Err, res.Effects, items)
	for _, e := range w.entries {
		fmt.Fprintf(&b, "%+v %v", e, e.Err)
	}
	return b.String()
}

// TestMail: a mail arrives as the program wrote it, encoded, with an ID by which the server knows a repetition, over TLS from the first byte or after
// STARTTLS.
func TestMail(t *testing.T) {
	for _, start := range []bool{false, true} {
		p := newPostOffice(t)
		p.start = start
		w := newWorld(t)
		w.mailer = p.mail()
		res := w.run(`await mailer.send({ to: 'ann', subject: 'Grüße, 世界 👩‍👧', text: 'One.\r\n.\nThree äöü\n' }); return mailer.send({ to: 'me', subject: 'x', text: 'y' })`)
		mails := p.got()
		if res.Err != nil || len(mails) != 2 {
			t.Fatalf("%v %+v", res.Err, mails)
		}
		m, err := mail.ReadMessage(strings.NewReader(mails[0].data))
		if err != nil {
			t.Fatal(err)
		}
		subject, _ := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		body, _ := io.ReadAll(quotedprintable.NewReader(m.Body))
		if subject != "Grüße, 世界 👩‍👧" || strings.TrimSpace(strings.ReplaceAll(string(body), "\r\n", "\n")) != "One.\n.\nThree äöü" || !strings.HasPrefix(m.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("%q %q %v", subject, body, m.Header)
		}
		if id := res.ID.KeyOf(1); m.Header.Get("Message-Id") != "<"+id+"@example.com>" || !slices.Equal(mails[0].to, []string{"RCPT TO:<ann@example.com>"}) || mails[1].to[0] != "RCPT TO:<cat@example.com>" {
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
	if got := p.got(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if res := w.run(`return mailer.send({ to: 'ann', subject: 'Été à 5\u202f€ 👩\u200d💻 ?=', text: 'Bcc: eve@example.com\n.\nMAIL FROM:<a@b.c>' })`); res.Err != nil || len(p.got()) != 1 || len(p.got()[0].to) != 1 {
		t.Errorf("%v %+v", res.Err, p.got())
	} else if m, err := mail.ReadMessage(strings.NewReader(p.got()[0].data)); err != nil || m.Header.Get("Bcc") != "" {
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
		"it says a gigabyte":         {"MAIL", "250-" + strings.Repeat("x", 1<<20), outbox.Waiting, "takes no mail"},
		"it knows no login":          {"EHLO", "250 example.com", outbox.Waiting, "takes no mail"},
		"it says nothing of SMTP":    {"", "HTTP/1.1 password-s3cret", outbox.Waiting, "takes no mail"},
		"it takes it and then fails": {"QUIT", "500 x", outbox.Sent, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPostOffice(t)
			p.says = func(command string) string {
				if command == c.at {
					return c.line
				}
				return ""
			}
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
		p.says = func(command string) string {
			if command == "EHLO" {
				return "250-example.com\r\n250 AUTH PLAIN"
			}
			return ""
		}
		for _, login := range []bool{true, false} {
			w := newWorld(t)
			if w.mailer = p.mail(); !login {
				w.mailer.Secret = nil
			}
			w.run(`return mailer.send({ to: 'ann', subject: 'x', text: 'y' })`)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if slices.ContainsFunc(p.heard, func(l string) bool { return strings.HasPrefix(l, "AUTH") || strings.HasPrefix(l, "MAIL") }) {
			t.Errorf("the password or the mail went in clear: %q", p.heard)
		}
	})
	t.Run("another certificate", func(t *testing.T) {
		p := newPostOffice(t)
		w := newWorld(t)
		w.mailer = p.mail()
		w.mailer.Roots = x509.NewCertPool()
		w.run(`return mailer.send({ to: 'ann', subject: 'x', text: 'y' })`)
		if items, _ := w.box.List(t.Context()); len(p.heard) != 0 || len(items) != 1 || !strings.Contains(items[0].Why, "certificate") {
			t.Errorf("%q %+v", p.heard, items)
		}
	})
	t.Run("a private network", func(t *testing.T) {
		p := newPostOffice(t)
		w := newWorld(t)
		w.mailer = p.mail()
		w.mailer.Host.Networks = nil
		w.run(`return mailer.send({ to: 'ann', subject: 'x', text: 'y' })`)
		if items, _ := w.box.List(t.Context()); len(p.heard) != 0 || len(items) != 1 || !strings.Contains(items[0].Why, "not allowed") {
			t.Errorf("%q %+v", p.heard, items)
		}
	})
}

// site is a server of HTTP on loopback.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	heads  []http.Header
	answer http.HandlerFunc
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.bodies, s.heads = append(s.bodies, string(b)), append(s.heads, r.Header.Clone())
		s.mu.Unlock()
		if s.answer != nil {
			s.answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

func (s *site) url() string { return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }

func (s *site) chat(product string) *notify.Chat {
	return &notify.Chat{Product: product, Networks: loopback, URL: func(context.Context) (string, error) { return s.url() + "/hooks/s3cret?sig=s3cret", nil }, Place: "env:CHAT", Lookup: here}
}

const signing = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func (s *site) hook() *notify.Hook {
	return &notify.Hook{URL: s.url() + "/exo", Networks: loopback, Key: func(context.Context) (string, error) { return signing, nil }, Place: "env:HOOK", Lookup: here}
}

// TestChatText: a text for a chat mentions nobody and makes no link with another text than its address. The twin, the same text unescaped, does, by
// what each product documents.
func TestChatText(t *testing.T) {
	attack := "<!channel> <!here> <@U012AB> @all @channel @here <https://evil.example|bank> [bank](https://evil.example) ![x](https://evil.example/p) `code` **b** & <at>all</at>"
	quoted, _ := json.Marshal(attack)
	for product, c := range map[string]struct {
		never []string // in what arrives
		twin  []string // what the attack has
		shown func(body []byte) string
	}{
		"slack": {[]string{"<!", "<@", "<http"}, []string{"<!channel>", "<https://evil.example|bank>"}, func(b []byte) string {
			var x struct {
				Text      string
				Mrkdwn    *bool
				LinkNames *bool `json:"link_names"`
			}
			if json.Unmarshal(b, &x) != nil || x.Mrkdwn == nil || *x.Mrkdwn || x.LinkNames == nil || *x.LinkNames {
				t.Errorf("it is formatted, or names are linked: %s", b)
			}
			return x.Text
		}},
		"mattermost": {[]string{"<", "@a", "@c", "@h", "](", " [", "![", " `"}, []string{"@all", "](https"}, func(b []byte) string {
			var x map[string]string
			if json.Unmarshal(b, &x) != nil || len(x) != 1 {
				t.Errorf("%s", b)
			}
			return strings.ReplaceAll(x["text"], `\]`, "]\u0000")
		}},
	} {
		s := newSite(t)
		w := newWorld(t)
		w.chat = s.chat(product)
		if res := w.run(`return team.post({ text: ` + string(quoted) + ` })`); res.Err != nil || s.count() != 1 {
			t.Fatalf("%s: %v %q", product, res.Err, s.bodies)
		}
		text := c.shown([]byte(s.bodies[0]))
		for _, x := range c.never {
			if strings.Contains(text, x) {
				t.Errorf("%s: %q is in %q", product, x, text)
			}
		}
		for _, x := range c.twin {
			if !strings.Contains(attack, x) {
				t.Errorf("%s: %q is no attack", product, x)
			}
		}
	}

	// A card of Teams: a TextRun is no Markdown, and nothing else has the text.
	s := newSite(t)
	w := newWorld(t)
	w.chat = s.chat("teams")
	res := w.run(`return team.post({ text: ` + string(quoted) + ` })`)
	if res.Err != nil || s.count() != 1 {
		t.Fatal(res.Err)
	}
	var card struct {
		Attachments []struct {
			Content struct {
				Body    []map[string]any
				Msteams any
			}
		}
	}
	if err := json.Unmarshal([]byte(s.bodies[0]), &card); err != nil || len(card.Attachments) != 1 || len(card.Attachments[0].Content.Body) != 1 || card.Attachments[0].Content.Msteams != nil {
		t.Fatalf("%v %s", err, s.bodies[0])
	}
	block := card.Attachments[0].Content.Body[0]
	if run := block["inlines"].([]any)[0].(map[string]any); block["type"] != "RichTextBlock" || run["type"] != "TextRun" || run["text"] != attack || len(run) != 2 {
		t.Errorf("%v", block)
	}
	for _, bad := range []string{"", "x\u202ey", "x\u2061y", "x\u00ady", "x\u3164y", "x\u180ey", "x\ufe01y", "x\u2800y", "x\x1b[2J", strings.Repeat("x", 20000)} {
		quoted, _ := json.Marshal(bad)
		if res := w.run(`return team.post({ text: ` + string(quoted) + ` })`); res.Err == nil {
			t.Errorf("%.20q is posted", bad)
		}
	}
	if text := w.text(res); strings.Contains(text, "s3cret") || !strings.Contains(text, "env:CHAT") || strings.Contains(text, "localhost") {
		t.Errorf("the record: %s", text)
	}
}

// TestHook: a webhook is signed as Standard Webhooks says, and a repetition has the same ID and body.
func TestHook(t *testing.T) {
	s := newSite(t)
	w := newWorld(t)
	w.hook = s.hook()
	s.answer = func(rw http.ResponseWriter, _ *http.Request) {
		if s.count() < 2 {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	res := w.run(`return ops.send({ type: 'order.paid', data: { id: 7, by: ['ann', null] } })`)
	w.at = w.at.Add(time.Minute)
	if err := w.box.Pass(t.Context()); err != nil || res.Err != nil || s.count() != 2 || s.bodies[0] != s.bodies[1] {
		t.Fatalf("%v %v %q", err, res.Err, s.bodies)
	}
	for i, h := range s.heads {
		id, at := h.Get("Webhook-Id"), h.Get("Webhook-Timestamp")
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(signing, "whsec_"))
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, at, s.bodies[i])
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); id != res.ID.KeyOf(1) || h.Get("Webhook-Signature") != want || h.Get("Idempotency-Key") != id {
			t.Errorf("%v", h)
		}
	}
	var body struct {
		Type      string
		Timestamp time.Time
		Data      map[string]any
	}
	if err := json.Unmarshal([]byte(s.bodies[0]), &body); err != nil || body.Type != "order.paid" || body.Timestamp.IsZero() || fmt.Sprint(body.Data) != "map[by:[ann <nil>] id:7]" {
		t.Errorf("%v %s", err, s.bodies[0])
	}
	for _, bad := range []string{"", "a b", "a\nb", "../x", strings.Repeat("x", 101)} {
		quoted, _ := json.Marshal(bad)
		if res := w.run(`return ops.send({ type: ` + string(quoted) + `, data: 1 })`); res.Err == nil {
			t.Errorf("%q is a type", bad)
		}
	}
	for _, bad := range []string{"", "s3cret", "whsec_x", "whsec_c2hvcnQ=", strings.TrimPrefix(signing, "whsec_")} {
		if err := notify.CheckKey(bad); err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q signs: %v", bad, err)
		}
	}
}

// TestPostFails: a refusal is final, what may pass is tried again, and nothing that a server answers is read, followed or repeated.
func TestPostFails(t *testing.T) {
	victim := newSite(t)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		state  outbox.State
	}{
		"404": {func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no "+r.URL.Path+" s3cret", 404) }, outbox.Failed},
		"410": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, outbox.Failed},
		"429": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, outbox.Waiting},
		"500": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "s3cret", 500) }, outbox.Waiting},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, victim.url()+"/x", http.StatusTemporaryRedirect)
		}, outbox.Failed},
		"a gigabyte": {func(w http.ResponseWriter, _ *http.Request) {
			for range 1 << 14 {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
			t.Error("a gigabyte was read")
		}, outbox.Sent},
		"a large header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, outbox.Waiting},
		"it hangs up":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, outbox.Waiting},
	} {
		for _, kind := range []string{"team", "ops"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				s := newSite(t)
				s.answer = c.answer
				w := newWorld(t)
				program := `return team.post({ text: 'a b0dy' })`
				if kind == "team" {
					w.chat = s.chat("slack")
				} else {
					w.hook, program = s.hook(), `return ops.send({ type: 'x', data: 'a b0dy' })`
				}
				res := w.run(program)
				items, err := w.box.List(t.Context())
				if err != nil || len(items) != 1 || items[0].State != c.state || s.count() != 1 {
					t.Errorf("%v %+v", err, items)
				}
				if text := w.text(res); strings.Contains(text, "s3cret") || len(items) > 0 && strings.Contains(items[0].Why, "b0dy") {
					t.Errorf("%.2000s", text)
				}
			})
		}
	}
	if victim.count() != 0 {
		t.Errorf("redirects were followed: %q", victim.bodies)
	}
	s := newSite(t)
	s.answer = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, victim.url()+"/x", http.StatusTemporaryRedirect)
	}
	if _, err := http.Post(s.url(), "text/plain", strings.NewReader("x")); err != nil || victim.count() != 1 {
		t.Errorf("the twin follows no redirect: %v", err)
	}

	// A private network.
	for _, kind := range []string{"team", "ops"} {
		s, w := newSite(t), newWorld(t)
		t.Setenv("HTTP_PROXY", s.URL)
		w.chat, w.hook = s.chat("slack"), s.hook()
		w.chat.Networks, w.hook.Networks = nil, nil
		w.chat.URL = func(context.Context) (string, error) { return "https://chat.example.com/s3cret", nil }
		w.hook.URL = "https://hooks.example.com/x"
		w.run(map[string]string{"team": `return team.post({ text: 'x' })`, "ops": `return ops.send({ type: 'x', data: 1 })`}[kind])
		if items, _ := w.box.List(t.Context()); s.count() != 0 || len(items) != 1 || items[0].State != outbox.Waiting || !strings.Contains(items[0].Why, "not allowed") {
			t.Errorf("%q %+v", s.bodies, items)
		}
	}
}

// TestNothingIsSentOfAFailedRun: a program that fails has sent nothing and left nothing in the outbox. The twin that ends well has.
func TestNothingIsSentOfAFailedRun(t *testing.T) {
	for _, end := range []string{"throw new Error('no')", "return 1"} {
		s, w := newSite(t), newWorld(t)
		w.chat = s.chat("slack")
		w.run(`await team.post({ text: 'x' }); ` + end)
		items, err := w.box.List(t.Context())
		if want := map[bool]int{true: 0, false: 1}[strings.HasPrefix(end, "throw")]; err != nil || len(items) != want || s.count() != want {
			t.Errorf("%s: %v %+v %q", end, err, items, s.bodies)
		}
	}
}

// TestSlow: a receiver that hangs does not take the time that a run has for its messages, and loses none.
func TestSlow(t *testing.T) {
	s, w := newSite(t), newWorld(t)
	free := make(chan struct{})
	s.answer = func(http.ResponseWriter, *http.Request) { <-free }
	w.chat = s.chat("slack")
	began := time.Now()
	res := w.run(`for (let i = 0; i < 20; i++) await team.post({ text: 'x' + i })`)
	took := time.Since(began)
	close(free)
	items, err := w.box.List(t.Context())
	if err != nil || res.Err != nil || len(items) != 20 || took > 20*time.Second {
		t.Errorf("%v %v, %d items after %v", err, res.Err, len(items), took)
	}
	for _, e := range res.Effects {
		if e.State != exo.StateApplied {
			t.Errorf("%+v", e)
		}
	}
}

// TestOwnLabel: what a principal alone may read is mailed to their own address, and to no other. The twin whose file admits it for each does both.
func TestOwnLabel(t *testing.T) {
	own, err := value.ReaderTag("pii", "member", "42")
	if err != nil {
		t.Fatal(err)
	}
	p, w := newPostOffice(t), newWorld(t)
	w.mailer = p.mail()
	w.rules.Own = value.NewLabel(own)
	sink, err := w.mailer.Object(notify.Rules{Name: "Mailer", Box: w.box, Own: w.rules.Own}, func(string) string { return "cat@example.com" })
	if err != nil || !sink.Chooses("send") {
		t.Fatal(err)
	}
	d, err := sink.Describe()
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Interfaces[0].Methods["send"].Admits; got.String() != value.NewLabel("pii@member").String() {
		t.Errorf("it declares %v", got)
	}
	book, err := service.New("Book", "", service.Read("get", "", func(context.Context, service.None) (person, error) { return person{"cat@example.com"}, nil }).Labelled(w.rules.Own, "email"))
	if err != nil {
		t.Fatal(err)
	}
	w.more["book"] = book
	all := w.rules.Own.Join(value.Label{})
	for _, admits := range []value.Label{{}, all} {
		w.rules.Admits = admits
		for _, to := range []string{"me", "ann"} {
			before := len(p.got())
			res := w.run(`const p = await book.get(); return mailer.send({ to: '` + to + `', subject: 'x', text: p.email })`)
			if sent, may := len(p.got()) > before, to == "me" || !admits.Empty(); sent != may {
				t.Errorf("to %s, of whom each is admitted: %v: sent %v: %v", to, !admits.Empty(), sent, res.Err)
			}
		}
	}
}

type person struct {
	Email string `json:"email"`
}

var errNo = errors.New("no")

// TestObjectProblems: a host hears at the start of what could send nothing.
func TestObjectProblems(t *testing.T) {
	s, p := newSite(t), newPostOffice(t)
	text := func(context.Context) (string, error) { return "", nil }
	for want, make := range map[string]func(notify.Rules) (notify.Sink, error){
		"want a chat of":            (&notify.Chat{Product: "irc", URL: text}).Object,
		"set URL":                   (&notify.Chat{Product: "slack"}).Object,
		"set Key":                   (&notify.Hook{URL: s.url(), Networks: loopback}).Object,
		"want https://NAME/PATH":    (&notify.Hook{URL: "http://example.com", Key: text}).Object,
		"give Object a claim":       func(r notify.Rules) (notify.Sink, error) { return p.mail().Object(r, nil) },
		"want a name of lower-case": func(r notify.Rules) (notify.Sink, error) { return (&notify.Mail{}).Object(r, nil) },
	} {
		if _, err := make(notify.Rules{Name: "Team", Box: newWorld(t).box}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestCheckURL: an address is refused where Send would refuse it, and neither says it.
func TestCheckURL(t *testing.T) {
	private := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		url      string
		networks []netip.Prefix
		may      bool
	}{
		{"https://hooks.example.com/s3cret?x=s3cret", nil, true}, {"https://hooks.example.com", nil, true}, {"https://chat.local:8443/s3cret", private, true}, {"http://localhost:80/s3cret", loopback, true},
		{"s3cret", nil, false}, {"", nil, false}, {"https:s3cret", nil, false}, {"ftp://hooks.example.com/s3cret", nil, false}, {"https://s3cret@hooks.example.com", nil, false}, {"https://10.0.0.1/s3cret", private, false},
		{"https://[::1]/s3cret", loopback, false}, {"http://chat.local/s3cret", private, false}, {"http://chat.local/s3cret", slices.Concat(loopback, private), false}, {"http://hooks.example.com/s3cret", nil, false}, {"https://hooks.example.com:99999/s3cret", nil, false},
	} {
		err := notify.CheckURL(c.url, c.networks)
		if (err == nil) != c.may || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", c.url, err)
		}
		chat := notify.Chat{Product: "slack", Networks: c.networks, URL: func(context.Context) (string, error) { return c.url, nil }, Lookup: func(context.Context, string) ([]netip.Addr, error) { return nil, errNo }}
		if sent := chat.Send(t.Context(), "k", []byte(`{"text":"x"}`)); strings.Contains(sent.Error(), "want https://NAME/PATH") == c.may || strings.Contains(sent.Error(), "s3cret") {
			t.Errorf("%q: %v", c.url, sent)
		}
	}
}

// TestSecretMissing: a secret that is not there keeps the message waiting.
func TestSecretMissing(t *testing.T) {
	p, w := newPostOffice(t), newWorld(t)
	w.mailer = p.mail()
	w.mailer.Secret = func(context.Context, string) (string, error) { return "", errNo }
	w.run(`return mailer.send({ to: 'ann', subject: 'x', text: 'y' })`)
	if items, _ := w.box.List(t.Context()); len(p.heard) != 0 || len(items) != 1 || items[0].State != outbox.Waiting {
		t.Errorf("%q %+v", p.heard, items)
	}
}

// fullStore keeps nothing.
type fullStore struct{ store.Store }

func (fullStore) Put(context.Context, store.Entry) (store.Version, error) { return "", errNo }

// TestStageFails: a program whose message can't be kept changes nothing: what it would change is rolled back. The twin with room does both.
func TestStageFails(t *testing.T) {
	for _, full := range []bool{true, false} {
		s, w := newSite(t), newWorld(t)
		kept := store.Store(store.NewMemory(nil))
		if full {
			kept = fullStore{kept}
		}
		var err error
		if w.box, err = outbox.New(outbox.Options{Store: kept, Key: make([]byte, 32)}); err != nil {
			t.Fatal(err)
		}
		w.chat = s.chat("slack")
		l := &ledger{}
		w.more["ledger"] = l
		res := w.run(`await ledger.put(); return team.post({ text: 'x' })`)
		if (res.Err != nil) != full || l.kept != !full || s.count() > 0 == full {
			t.Errorf("full: %v; %v, kept %v, sent %q", full, res.Err, l.kept, s.bodies)
		}
	}
}

// ledger is a store with a unit of work.
type ledger struct{ kept bool }

func (l *ledger) Describe() (message.Description, error) {
	i := &message.Interface{Name: "Ledger", Order: []string{"put"}, Methods: map[string]*message.Method{"put": {Name: "put", Doc: "puts", Sends: true, Effect: message.InUnit, Result: &message.Term{Con: &message.Type{Name: value.TypeInt}}}}}
	return message.Description{Type: &message.Type{Name: "Ledger"}, Interfaces: []*message.Interface{i}}, nil
}

func (l *ledger) UnitKey() any { return l }

func (l *ledger) Eval(_ context.Context, m *exo.Message) (value.Value, error) {
	_, err := m.Unit(l, func(context.Context) (exo.Unit, error) { return ledgerUnit{l}, nil })
	return value.Int(1), err
}

type ledgerUnit struct{ *ledger }

func (u ledgerUnit) Prepare(context.Context) error  { return nil }
func (u ledgerUnit) Commit(context.Context) error   { u.kept = true; return nil }
func (u ledgerUnit) Rollback(context.Context) error { return nil }
