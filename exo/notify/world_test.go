package notify_test

// This file has the servers of the tests, a post office and a site, and the programs that send to them.

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/testutil/mailtest"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func here(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// postOffice is a server of mails, and how it is used here.
type postOffice struct {
	*mailtest.Server
	start bool // STARTTLS
}

func newPostOffice(t *testing.T) *postOffice {
	t.Helper()
	return &postOffice{Server: mailtest.New(t)}
}

func (p *postOffice) mail() *notify.Mail {
	secret := func(_ context.Context, name string) (string, error) { return name + "-s3cret", nil }
	return &notify.Mail{Host: web.Host{Name: "example.com", Port: p.Port, Networks: loopback}, StartTLS: p.start, From: "bot@example.com", Secret: secret, Place: "env:PASSWORD", Roots: p.Roots, Lookup: here,
		To: []notify.Recipient{{Name: "ann", Address: "ann@example.com"}, {Name: "me", Claim: "email"}}}
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
