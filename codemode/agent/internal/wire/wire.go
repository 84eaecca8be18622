// Package wire is what the adapters share: one request over HTTP whose failure has
// a kind, whose response is bounded in bytes and in silence, and which shows its key
// to one host only.
package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/exoagent/exoagent/codemode/agent"
)

// Signature is what Gemini, under the name of model, wants with call i of a message: newer ones refuse a call without the
// signature that they sent with it. For a call that no Gemini made, as when a chat goes on with another model,
// Google's documentation gives a placeholder, which the first of parallel calls carries for all.
func Signature(model string, in *agent.ChatMessage, i int) string {
	switch {
	case in.Model == model:
		return in.Calls[i].Opaque
	case i == 0:
		return "skip_thought_signature_validator"
	}
	return ""
}

// Endpoint is where requests go, and as whom.
type Endpoint struct {
	Model  string // the name that errors have
	Client *http.Client
	Key    agent.APIKey
}

// Client is c, or the default, without following redirects. An API does not
// redirect a POST; whoever does would be sent the key and the conversation, as
// net/http takes only its own Authorization off for another host.
func Client(c *http.Client) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	return &http.Client{Transport: c.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Base checks the address of an API and gives it without a final slash. As it is in
// a model's name, it is shown without what is usual: https:// and this path, which
// the format's APIs mostly have. Two addresses are never shown alike.
func Base(address, path string) (base, shown string, err error) {
	u, err := url.Parse(address)
	switch {
	case err != nil: // its text may show what was a password
		return "", "", errors.New("the address of the model's API is no URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.HasSuffix(u.Host, ":"): // https://http://x has the host "http:"
		return "", "", errors.New("the address of the model's API must begin with http:// or https:// and have a host")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", "", errors.New("the address of the model's API must have no password, query or fragment: the key has a setting of its own")
	}
	base = strings.TrimRight(u.String(), "/")
	shown = strings.TrimPrefix(base, "https://")
	switch p := strings.TrimRight(u.EscapedPath(), "/"); {
	case p == path:
		shown = strings.TrimSuffix(shown, path)
	case p == "":
		shown += "/" // the host alone means the usual path
	}
	return base, shown, nil
}

// Name is the name of a provider's model at an address, which is "" for own, the
// provider's, and the address as requests need it. Lists of names say where data
// may go, so a model's own name can't have the @ that an address stands behind.
func Name(provider, model, address, own string) (name, base string, err error) {
	switch {
	case model == "":
		return "", "", errors.New(provider + ": there is no name of a model")
	case strings.Contains(model, "@"):
		return "", "", errors.New(provider + ": the name of a model can't have an @: what stands behind it would read as an address")
	case address == "":
		address = own
	}
	at, err := url.Parse(own)
	if err != nil {
		return "", "", err
	}
	base, shown, err := Base(address, at.Path)
	if err != nil {
		return "", "", errors.New(provider + ": " + err.Error())
	}
	if name = provider + ":" + model; base != own {
		name += "@" + shown
	}
	return name, base, nil
}

// Do sends a request. Its error wraps the context's when that ended, and is an
// *agent.ModelError otherwise; a status other than 200 is one. The body of the response
// fails in the same way, and must be closed.
func (e *Endpoint) Do(req *http.Request, bounds *agent.ModelRequest) (*http.Response, error) {
	outer := req.Context()
	ctx, cancel := context.WithCancelCause(outer)
	b := &body{e: e, outer: outer, ctx: ctx, cancel: cancel, left: bounds.MaxBytes, bounded: bounds.MaxBytes > 0, silence: bounds.Silence}
	if b.silence > 0 {
		b.timer = time.AfterFunc(b.silence, func() { cancel(errSilent) })
	}
	resp, err := e.Client.Do(req.WithContext(ctx))
	if err != nil {
		b.Close()
		return nil, b.failure(err)
	}
	b.from, resp.Body = resp.Body, b
	b.heard()
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer b.Close()
	const most = 64 << 10
	text, err := io.ReadAll(io.LimitReader(b, most))
	if err != nil && outer.Err() != nil {
		return nil, b.failure(err)
	}
	return nil, e.Refusal(resp.StatusCode, resp.Header, text)
}

// Post sends JSON.
func (e *Endpoint) Post(ctx context.Context, address string, header map[string]string, content []byte, bounds *agent.ModelRequest) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(content))
	if err != nil {
		return nil, &agent.ModelError{Kind: agent.Invalid, Model: e.Model, Msg: "the address of the model's API is no URL"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	for k, v := range header {
		req.Header.Set(k, v)
	}
	return e.Do(req, bounds)
}

var errSilent = errors.New("nothing arrived in time")

// body is the body of a response within its bounds.
type body struct {
	e       *Endpoint
	outer   context.Context // the caller's
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer // nil: silence has no bound
	silence time.Duration
	from    io.ReadCloser
	bounded bool
	left    int64
}

// heard says that something arrived.
func (b *body) heard() {
	if b.timer != nil {
		b.timer.Reset(b.silence)
	}
}

func (b *body) Read(p []byte) (int, error) {
	// A transport that has much in its buffers, or heeds no context, must not keep
	// anybody who was stopped.
	if err := b.ctx.Err(); err != nil {
		return 0, b.failure(err)
	}
	if b.bounded && b.left <= 0 {
		// Whether just as much as is allowed came or more is one byte away, and not worth it.
		return 0, &agent.ModelError{Kind: agent.Malformed, Model: b.e.Model, Msg: "the response is larger than the bound"}
	}
	if b.bounded && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.from.Read(p)
	b.left -= int64(n)
	if n > 0 {
		b.heard()
	}
	if err != nil && err != io.EOF {
		err = b.failure(err)
	}
	return n, err
}

func (b *body) Close() error {
	if b.timer != nil {
		b.timer.Stop()
	}
	var err error
	if b.from != nil {
		err = b.from.Close()
	}
	b.cancel(nil)
	return err
}

// failure is what an error of the transport means. Its text never has a URL.
func (b *body) failure(err error) error {
	if b.outer.Err() != nil {
		return context.Cause(b.outer)
	}
	out := &agent.ModelError{Kind: agent.Overloaded, Model: b.e.Model}
	var known *agent.ModelError
	var u *url.Error
	switch {
	case errors.As(err, &known):
		return known
	case context.Cause(b.ctx) == errSilent:
		out.Msg = "nothing arrived for " + b.silence.String()
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		out.Kind, out.Msg = agent.Truncated, "the connection ended in the middle"
	default:
		if errors.As(err, &u) {
			err = u.Err
		}
		var op *net.OpError
		switch {
		case b.from == nil:
			out.Kind = agent.Unreachable
		case errors.As(err, &op):
			out.Kind = agent.Truncated
		}
		out.Msg = b.e.Quote(err.Error())
	}
	return out
}
