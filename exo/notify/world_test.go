package notify_test

// This file has the servers of the tests, a post office and a site, and the programs that send to them.

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/store"
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
