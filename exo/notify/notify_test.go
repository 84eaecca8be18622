package notify_test

// This file tries what is common to all sinks: failed runs, slow receivers, labels, problems, and stages.

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
)

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
			before := len(p.Mails())
			res := w.run(`const p = await book.get(); return mailer.send({ to: '` + to + `', subject: 'x', text: p.email })`)
			if sent, may := len(p.Mails()) > before, to == "me" || !admits.Empty(); sent != may {
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
		"the product of a chat is":             (&notify.Chat{Product: "irc", URL: text}).Object,
		"set URL":                              (&notify.Chat{Product: "slack"}).Object,
		"set Key":                              (&notify.Hook{URL: s.url(), Networks: loopback}).Object,
		"http:// needs a name of this machine": (&notify.Hook{URL: "http://example.com", Key: text}).Object,
		"Object needs the function that returns claims": func(r notify.Rules) (notify.Sink, error) { return p.mail().Object(r, nil) },
		"want a name of lower-case":                     func(r notify.Rules) (notify.Sink, error) { return (&notify.Mail{}).Object(r, nil) },
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
		if sent := chat.Send(t.Context(), "k", []byte(`{"text":"x"}`)); strings.Contains(sent.Error(), "the address can't be posted to") == c.may || strings.Contains(sent.Error(), "s3cret") {
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
	if items, _ := w.box.List(t.Context()); len(p.Heard()) != 0 || len(items) != 1 || items[0].State != outbox.Waiting {
		t.Errorf("%q %+v", p.Heard(), items)
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
