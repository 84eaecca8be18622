package notify

// This file posts to chats and webhooks.

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/exoagent/exoagent/exo/outbox"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/web"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Chat posts texts through the incoming webhook of a chat.
type Chat struct {
	Product  string // one of Products
	Networks []netip.Prefix
	// URL returns the address, which is a secret. It is read for each message.
	URL   func(context.Context) (string, error)
	Place string // the place of the address, for the record
	Lookup
}

// Lookup finds the addresses of a name; nil: net.DefaultResolver.
type Lookup func(ctx context.Context, name string) ([]netip.Addr, error)

// Products are the chats that Chat knows.
var Products = []string{"mattermost", "slack", "teams"}

// maxPost bounds a text, in bytes: Teams accepts 28 KB, including everything around the text.
const maxPost = 12 << 10

// posted is the argument of a program, and the body of the message in the outbox.
type posted struct {
	Text string `json:"text"`
}

// Object makes the object of a chat.
func (c *Chat) Object(r Rules) (Sink, error) {
	if !slices.Contains(Products, c.Product) {
		return Sink{}, fmt.Errorf("notify: the product of a chat is %.40q: want %s", c.Product, strings.Join(Products, " or "))
	} else if c.URL == nil {
		return Sink{}, errors.New("notify: the chat has no address: set URL")
	}
	return sink(r, c.Product+" "+c.Place, c.Send, "post", "posts a plain text to a chat, once the program has ended well", func(in *posted) (any, error) {
		in.Text = strings.ReplaceAll(in.Text, "\r\n", "\n")
		return *in, plain("text", in.Text, maxPost, true)
	}, nil)
}

// Notice returns the body of the host's own text.
func (c *Chat) Notice(n Notice) ([]byte, error) { return json.Marshal(posted{n.Text}) }

// These escape texts for a chat, so that a text mentions no person, and no link shows another text than its address.
var (
	// Slack: by https://docs.slack.dev/messaging/formatting-message-text every mention and every link is written with these three characters.
	slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	// Mattermost reads Slack's form and also Markdown, in which a backslash makes a character plain. A mention begins with @, and a space of no
	// width directly after the @ ends the mention.
	markdown = scalar.Pattern("[\\\\`*_\\[\\]#|~]")
)

// payload is the text as the product takes it.
func (c *Chat) payload(text string) any {
	switch c.Product {
	case "slack":
		return map[string]any{"text": slackEscapes.Replace(text), "mrkdwn": false, "parse": "none", "link_names": false, "unfurl_links": false, "unfurl_media": false}
	case "teams": // a TextRun is not read as Markdown, and a mention would need an entity of its own
		run := map[string]any{"type": "RichTextBlock", "inlines": []any{map[string]any{"type": "TextRun", "text": text}}}
		card := map[string]any{"type": "AdaptiveCard", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "version": "1.4", "body": []any{run}}
		return map[string]any{"type": "message", "attachments": []any{map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}}}
	}
	return map[string]any{"text": strings.ReplaceAll(markdown().ReplaceAllString(slackEscapes.Replace(text), `\$0`), "@", "@\u200b")}
}

// Send implements outbox.Send. Its errors contain neither the address nor the host.
func (c *Chat) Send(ctx context.Context, key string, body []byte) error {
	var x posted
	if err := json.Unmarshal(body, &x); err != nil {
		return fmt.Errorf("%w: the waiting message can't be read, perhaps because another version of the host wrote it", outbox.ErrRefused)
	}
	address, err := c.URL(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(c.payload(x.Text))
	if err != nil {
		return err
	}
	used(ctx, web.Use{Secret: c.Place, Host: "the chat", Header: "url"})
	return post(ctx, address, c.Networks, c.Lookup, http.Header{"Idempotency-Key": {key}}, text, "the chat")
}

// Hook posts signed JSON, as Standard Webhooks (https://www.standardwebhooks.com) describes it.
type Hook struct {
	URL      string
	Networks []netip.Prefix
	Key      func(context.Context) (string, error) // returns the secret, like whsec_ and base64
	Place    string                                // the place of the key, for the record
	Lookup
}

// event is the argument of a program.
type event struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// hooked is the body of a message, both in the outbox and for the receiver.
type hooked struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

var eventType = scalar.Pattern(`^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$`)

// Object makes the object of a webhook.
func (h *Hook) Object(r Rules) (Sink, error) {
	if h.Key == nil {
		return Sink{}, errors.New("notify: the webhook has no key to sign events with: set Key")
	} else if err := CheckURL(h.URL, h.Networks); err != nil {
		return Sink{}, err
	}
	return sink(r, h.URL, h.Send, "send", "sends an event to another system, once the program has ended well; type is like order.paid", func(in *event) (any, error) {
		if len(in.Type) > 100 || !eventType().MatchString(in.Type) {
			return nil, service.Refuse("type: want words of letters, digits and _ with points between, like order.paid, not %.40q", in.Type)
		}
		return hooked{in.Type, time.Now().UTC().Truncate(time.Second), in.Data}, nil
	}, nil)
}

// Notice returns the body of the host's own event.
func (h *Hook) Notice(n Notice) ([]byte, error) {
	return json.Marshal(hooked{"change.waits", n.At.UTC().Truncate(time.Second), posted{n.Text}})
}

// Send implements outbox.Send.
func (h *Hook) Send(ctx context.Context, key string, body []byte) error {
	_, at, err := target(h.URL, h.Networks)
	if err != nil {
		return err
	}
	secret, err := h.Key(ctx)
	if err != nil {
		return err
	}
	signed, err := sign(secret, key, time.Now(), body)
	if err != nil {
		return err
	}
	used(ctx, web.Use{Secret: h.Place, Host: at.Name, Header: "webhook-signature"})
	signed.Set("Idempotency-Key", key)
	return post(ctx, h.URL, h.Networks, h.Lookup, signed, body, at.Name)
}

// CheckKey refuses a secret that can't sign a webhook.
func CheckKey(secret string) error {
	_, err := sign(secret, "", time.Time{}, nil)
	return err
}

// sign returns the headers of a signed webhook.
func sign(secret, id string, at time.Time, body []byte) (http.Header, error) {
	text, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New("the secret for the signature is malformed: want whsec_ and the base64 of 24 to 64 random bytes")
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	out := http.Header{}
	out.Set("Webhook-Id", id)
	out.Set("Webhook-Timestamp", stamp)
	out.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return out, nil
}

// CheckURL refuses an address to which Chat and Hook can't post. Its error contains nothing of the address, which may be a secret.
func CheckURL(address string, networks []netip.Prefix) error {
	_, _, err := target(address, networks)
	return err
}

// target reads an address, and returns the web.Host that allows only requests to it.
func target(address string, networks []netip.Prefix) (*url.URL, web.Host, error) {
	u, err := url.Parse(address)
	if err == nil && u.User == nil && u.Opaque == "" {
		u.Path = cmp.Or(u.Path, "/")
		h := web.Host{Name: u.Hostname(), Plain: u.Scheme == "http", Networks: networks, Allow: []string{"POST " + u.EscapedPath()}, Headers: []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"}}
		if u.Port() != "" {
			h.Port, err = strconv.Atoi(u.Port())
		}
		beyond := func(p netip.Prefix) bool { return !p.Addr().IsLoopback() }
		if err == nil && h.Check() == nil && (u.Scheme == "https" || h.Plain && len(networks) > 0 && !slices.ContainsFunc(networks, beyond)) {
			return u, h, nil
		}
		if u.Scheme == "http" {
			return nil, web.Host{}, errors.New("the address can't be posted to: http:// needs a name of this machine, such as localhost, and only loopback addresses in networks")
		}
	}
	return nil, web.Host{}, errors.New("the address can't be posted to: want https://NAME/PATH with a name in lower case, no IP address, and no user")
}

// post sends one request. whom names the server in errors, which contain nothing of its address and nothing of its answer.
func post(ctx context.Context, address string, networks []netip.Prefix, lookup Lookup, headers http.Header, body []byte, whom string) error {
	u, at, err := target(address, networks)
	if err != nil {
		return fmt.Errorf("%s: %w", whom, err)
	}
	t, err := web.NewTransport(web.Config{Hosts: []web.Host{at}, Lookup: lookup})
	if err != nil {
		return fmt.Errorf("the address of %s can't be used", whom)
	}
	defer t.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the address of %s can't be used", whom)
	}
	headers.Set("Content-Type", "application/json")
	req.Header = headers
	resp, err := t.RoundTrip(req) // an http.Client would follow redirects, and its errors contain the address
	if err != nil {
		why := "did not answer"
		if errors.Is(err, web.ErrRefused) {
			why = "can't be reached, or has an address in a network that is not allowed"
		}
		return fmt.Errorf("%s %s", whom, why)
	}
	_ = resp.Body.Close() // the answer is not read, since no caller may see it
	switch code := resp.StatusCode; {
	case code >= 200 && code <= 299:
		return nil
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests:
		return fmt.Errorf("%s answers %d", whom, code)
	default: // the server did nothing; a redirect is a refusal, too
		return fmt.Errorf("%w: %s answers %d", outbox.ErrRefused, whom, code)
	}
}
