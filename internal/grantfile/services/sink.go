package services

// This file has the services through which programs send messages to people and other systems: mails, chats and signed webhooks.

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/notify"
	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/internal/grantfile/strict"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Recipient is a receiver of mails. Name is its name in programs, and Of is an address or $principal.CLAIM.
type Recipient = Call

const ofPrincipal = "$principal."

// Sink reports whether a service takes messages, which leave by the outbox.
func (s *Service) Sink() bool { return s.Mail.Text != "" || s.Chat.Text != "" || s.Webhook.Text != "" }

// recipients reads a map from names to addresses.
func recipients(r *strict.Reader, e strict.Entry) (out []Recipient) {
	if e.Value.Kind != yaml.MappingNode {
		r.At(strict.PosOf(e.Value), "to: want a map with a name for each address, like { ann: ann@example.com, me: $principal.email }, not %s", strict.KindOf(e.Value))
		return nil
	}
	return calls(r, e)
}

// checkSink finds contradictions in the declaration of a sink.
func (s *Service) checkSink(r *strict.Reader) {
	bad := func(format string, args ...any) { r.At(s.Pos, "the service "+s.Text+": "+format, args...) }
	kind, method, secrets := "chat", "post", []string{"url"}
	switch {
	case s.Mail.Text != "":
		kind, method, secrets = "mail", "send", []string{"user", "password"}
		if _, err := s.mailHost(); err != nil {
			r.At(s.Mail.Pos, "%s", err)
		}
		if err := notify.CheckAddress(s.From); err != nil {
			bad("from: %s", err)
		}
		if len(s.To) == 0 {
			bad("want `to`, the addresses to which programs may send, each with a name, like `to: { ann: ann@example.com, me: $principal.email }`")
		}
		for _, to := range s.To {
			if err := notify.CheckAddress(to.Of); err != nil && !strings.HasPrefix(to.Of, ofPrincipal) {
				r.At(to.Pos, "to.%s: %s", to.Text, err)
			}
		}
	case s.Webhook.Text != "":
		kind, method, secrets = "webhook", "send", []string{"signature"}
		if !s.reachable(s.Webhook.Text) {
			r.At(s.Webhook.Pos, "webhook: want an address like https://hooks.example.com/exo, without a user, a query (?) and a fragment (#)")
		} else if err := notify.CheckURL(s.Webhook.Text, s.Networks); err != nil {
			r.At(s.Webhook.Pos, "webhook: %s", err)
		}
	case !slices.Contains(notify.Products, s.Chat.Text):
		r.At(s.Chat.Pos, "chat: want one of %s, not `%s`", strings.Join(notify.Products, ", "), s.Chat.Text)
	}
	if s.Mail.Text == "" && (s.From != "" || s.To != nil) {
		bad("`from` and `to` are only for a service with `mail`: leave them out")
	}
	if s.Reads != nil || s.Acts != nil || s.Immediate != nil || s.Label != nil || s.Pin.Text != "" || s.Answer > 0 || s.Time > 0 {
		bad("a `%s` has one call, `%s`, and it gives no answer: leave out `reads`, `acts`, `immediate`, `label`, `pin`, `answer` and `time`", kind, method)
	}
	for _, x := range s.Secrets {
		switch {
		case !slices.Contains(secrets, x.Text):
			r.At(x.Pos, "secrets: a `%s` can't have the secret `%s`: want only %s", kind, x.Text, strings.Join(secrets, " and "))
		case x.OAuth.Text != "": // because text would return the client's secret, not a token
			r.At(x.Pos, "the secret %s: leave `oauth` out, which is only for a service with `mcp` or `api`", x.Text)
		case x.Prefix != "":
			r.At(x.Pos, "the secret %s: leave `prefix` out, which is only for a service with `mcp` or `api`", x.Text)
		}
	}
	if n := len(s.Secrets); n != len(secrets) && (kind != "mail" || n > 0) {
		bad("want `secrets` with %s, like `secrets: { %s: env:NAME }`", strings.Join(secrets, " and "), strings.Join(secrets, ": env:NAME, "))
	}
	s.Acts = []Call{{strict.Name{Text: method, Pos: s.Pos}, method}}
}

// CheckClaims refuses a recipient whose address comes from a claim that the file does not declare as a text.
func (s *Service) CheckClaims(r *strict.Reader, text func(claim string) bool) {
	for _, to := range s.To {
		if claim, ok := strings.CutPrefix(to.Of, ofPrincipal); ok && !text(claim) {
			r.At(to.Pos, "to.%s: `principal` has no claim `%s` of the type text: write `principal: { %[2]s: text }`, or an address here", to.Text, claim)
		}
	}
}

// Own reports whether a tag under admits names the principal as its reader. Values with such a tag may leave only to an address of the principal.
func (s *Service) Own(tag string) bool {
	return strings.Contains(tag, ":"+ofPrincipal) && slices.ContainsFunc(s.To, func(to Recipient) bool { return strings.HasPrefix(to.Of, ofPrincipal) })
}

// CheckTarget refuses a name under `notify` to which the host can send no notice. It accepts a chat, a webhook, and MAIL.NAME with a fixed address.
func (s *Service) CheckTarget(to string) error {
	at := slices.IndexFunc(s.To, func(x Recipient) bool { return x.Text == to })
	switch {
	case !s.Sink():
		return fmt.Errorf("want a service with `mail`, `chat` or `webhook`, not `%s`", s.Text)
	case s.Mail.Text == "" && to != "":
		return fmt.Errorf("write `%s` without .%s: only a `mail` has recipients", s.Text, to)
	case s.Mail.Text != "" && (at < 0 || strings.HasPrefix(s.To[at].Of, ofPrincipal)):
		return fmt.Errorf("write %s.NAME, with a name of its `to` that has an address, and no claim", s.Text)
	}
	return nil
}

// mailHost returns the mail server, with its port and networks.
func (s *Service) mailHost() (web.Host, error) {
	u, err := url.Parse(s.Mail.Text)
	if err != nil || u.Scheme != "smtps" && u.Scheme != "smtp" || u.Hostname() == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return web.Host{}, errors.New("mail: want the address of a mail server, without a user or a path: smtps://HOST, or smtp://HOST if the server begins TLS by STARTTLS")
	}
	h := web.Host{Name: u.Hostname(), Port: 465, Networks: s.Networks}
	if u.Scheme == "smtp" {
		h.Port = 587
	}
	if u.Port() != "" {
		if h.Port, err = strconv.Atoi(u.Port()); err != nil || h.Port < 1 || h.Port > 65535 {
			return h, errors.New("mail: want a port from 1 to 65535, like smtps://smtp.example.com:465")
		}
	}
	return h, h.Check()
}

// secret returns a function that reads a secret again at each call, and the secret's place.
func (s *Service) secret(env func(string) string, name string) (read func(context.Context) (string, error), place string) {
	for i := range s.Secrets {
		if x := &s.Secrets[i]; x.Text == name {
			return func(ctx context.Context) (string, error) { return x.text(ctx, env) }, x.From.String()
		}
	}
	return nil, ""
}

// sink opens a service that takes messages, which wait in box.
func (s *Service) sink(ctx context.Context, env func(string) string, box *outbox.Outbox) (Opened, error) {
	for _, x := range s.Secrets { // a missing secret is found when exo starts, not in a program's call
		if text, err := x.text(ctx, env); err != nil {
			return Opened{}, err
		} else if s.Webhook.Text != "" && notify.CheckKey(text) != nil {
			return Opened{}, notify.CheckKey(text)
		} else if err := notify.CheckURL(text, s.Networks); s.Chat.Text != "" && err != nil {
			return Opened{}, fmt.Errorf("the secret url: %w", err)
		}
	}
	var tags []string
	for _, n := range s.Admits {
		if !s.Own(n.Text) {
			tags = append(tags, n.Text)
		}
	}
	rules := notify.Rules{Name: s.interfaceName(), Doc: s.Doc, Box: box, To: s.Text, Admits: value.NewLabel(tags...), Approve: len(s.Approve) > 0}
	out := Opened{Close: func() {}}
	var err error
	switch {
	case s.Chat.Text != "":
		c := &notify.Chat{Product: s.Chat.Text, Networks: s.Networks}
		c.URL, c.Place = s.secret(env, "url")
		out.notice = func(_ string, n notify.Notice) ([]byte, error) { return c.Notice(n) }
		out.Object, err = c.Object(rules)
	case s.Webhook.Text != "":
		h := &notify.Hook{URL: s.Webhook.Text, Networks: s.Networks}
		h.Key, h.Place = s.secret(env, "signature")
		out.notice = func(_ string, n notify.Notice) ([]byte, error) { return h.Notice(n) }
		out.Object, err = h.Object(rules)
	default:
		m := s.mail(env)
		out.notice = m.Notice
		out.bind = func(claim func(string) string) (exo.Object, error) {
			r := rules
			r.Own = s.own(claim)
			return m.Object(r, claim)
		}
		out.Object, err = out.bind(func(string) string { return "" })
	}
	return out, err
}

// own returns the labels that may leave to the principal's own address.
func (s *Service) own(claim func(string) string) value.Label {
	var tags []string
	for _, n := range s.Admits {
		about, name, ok := strings.Cut(n.Text, ":"+ofPrincipal)
		if about, kind, _ := strings.Cut(about, "@"); ok {
			if tag, err := value.ReaderTag(about, kind, claim(name)); err == nil { // an empty claim names no reader
				tags = append(tags, tag)
			}
		}
	}
	return value.NewLabel(tags...)
}

func (s *Service) mail(env func(string) string) *notify.Mail {
	host, _ := s.mailHost() // check has already parsed the address
	m := &notify.Mail{Host: host, StartTLS: strings.HasPrefix(s.Mail.Text, "smtp://"), From: s.From, To: scalar.Each(s.To, func(to Recipient) notify.Recipient {
		if claim, ok := strings.CutPrefix(to.Of, ofPrincipal); ok {
			return notify.Recipient{Name: to.Text, Claim: claim}
		}
		return notify.Recipient{Name: to.Text, Address: to.Of}
	})}
	if len(s.Secrets) > 0 {
		_, m.Place = s.secret(env, "password")
		m.Secret = func(ctx context.Context, name string) (string, error) {
			read, _ := s.secret(env, name)
			return read(ctx)
		}
	}
	return m
}

// For returns a principal's object for the service. The function claim returns the text of a claim.
func (o Opened) For(claim func(name string) string) (exo.Object, error) {
	if o.bind == nil {
		return o.Object, nil
	}
	return o.bind(claim)
}

// Notice returns the body of a message that the host itself sends. For a mail, the argument to is a name under `to` of the service.
func (o Opened) Notice(to string, n notify.Notice) ([]byte, error) { return o.notice(to, n) }
