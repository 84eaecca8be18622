// Package wire is shared by the adapters. It sends a request over HTTP, limits the bytes and the
// pauses of the response, and gives failures a kind. The key goes to one host only.
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

// Signature returns the signature that Gemini, under the name model, needs with call i of a message. Newer
// Geminis refuse a call without the signature that came with it. If another model made the call, the first
// call of the message gets a fixed text from Google's documentation in place of a signature, and the others get "".
func Signature(model string, in *agent.ChatMessage, i int) string {
	switch {
	case in.Model == model:
		return in.Calls[i].Opaque
	case i == 0:
		return "skip_thought_signature_validator"
	}
	return ""
}

// Endpoint is the target of requests, with its key.
type Endpoint struct {
	Model  string // the model's name, for errors
	Client *http.Client
	Key    agent.APIKey
}

// Client returns c, or the default client, without following redirects. An API never redirects a
// POST. If a client followed a redirect, the other host would get the conversation and the key,
// because net/http removes only Authorization.
func Client(c *http.Client) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	return &http.Client{Transport: c.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Base checks the address of an API and returns it without a final slash. shown is the address in a model's name: without https://, and without path
// if it is the usual one of the API. Two addresses never have the same shown.
func Base(address, path string) (base, shown string, err error) {
	u, err := url.Parse(address)
	switch {
	case err != nil: // the error's text is left out, since it may contain a password
		return "", "", errors.New("the address of the model's API is no URL: want one like https://models.example.com/v1")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.HasSuffix(u.Host, ":"): // for https://http://x the host would be "http:"
		return "", "", errors.New("the address of the model's API must begin with http:// or https:// and have a host")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", "", errors.New("the address of the model's API can't have a password, query or fragment: set the key separately")
	}
	base = strings.TrimRight(u.String(), "/")
	shown = strings.TrimPrefix(base, "https://")
	switch p := strings.TrimRight(u.EscapedPath(), "/"); {
	case p == path:
		shown = strings.TrimSuffix(shown, path)
	case p == "":
		shown += "/" // a host without a path means the usual path, so an empty path gets a slash
	}
	return base, shown, nil
}

// Name returns the name of a provider's model at an address, and the address for requests. If address is "", Name uses own, the provider's address. The
// address follows the model's name after an @, so that a list of names decides where data may go. So the name itself must not contain an @.
func Name(provider, model, address, own string) (name, base string, err error) {
	switch {
	case model == "":
		return "", "", errors.New(provider + ": Config.Model is empty: set it to the name of a model")
	case strings.Contains(model, "@"):
		return "", "", errors.New(provider + ": the name of a model can't have an @: the part after the @ would be read as an address")
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

// Do sends a request. Its error wraps the context's error if the context ended;
// otherwise it is an *agent.ModelError. A status other than 200 is an error. Reading
// the body of the response fails in the same ways. The caller must close the body.
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

// Post sends content, which is JSON, to an address. Its errors are those of Do.
func (e *Endpoint) Post(ctx context.Context, address string, header map[string]string, content []byte, bounds *agent.ModelRequest) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(content))
	if err != nil {
		return nil, &agent.ModelError{Kind: agent.Invalid, Model: e.Model, Msg: "the address of the model's API is no URL: want one like https://models.example.com/v1"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	for k, v := range header {
		req.Header.Set(k, v)
	}
	return e.Do(req, bounds)
}

var errSilent = errors.New("nothing arrived in time")

// body is the body of a response, with its limits.
type body struct {
	e       *Endpoint
	outer   context.Context // the context of the caller
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer // nil: pauses are not limited
	silence time.Duration
	from    io.ReadCloser
	bounded bool
	left    int64
}

// heard notes that data has arrived.
func (b *body) heard() {
	if b.timer != nil {
		b.timer.Reset(b.silence)
	}
}

func (b *body) Read(p []byte) (int, error) {
	// Check the context first: a transport with much buffered data must not delay the caller when
	// its context has ended.
	if err := b.ctx.Err(); err != nil {
		return 0, b.failure(err)
	}
	if b.bounded && b.left <= 0 {
		// A response of exactly the limit fails here, too, since only another read could find its end.
		return 0, &agent.ModelError{Kind: agent.Malformed, Model: b.e.Model, Msg: "the server's response has more bytes than the limit (QuestionLimits.Bytes): ask for less"}
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

// failure returns the error for an error of the transport. Its text never contains a URL.
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
		out.Msg = "the server sent nothing for " + b.silence.String()
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		out.Kind, out.Msg = agent.Truncated, "the connection ended before the reply was complete"
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
