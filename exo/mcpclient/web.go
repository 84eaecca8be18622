package mcpclient

// This file limits what a server over HTTP can send. The caller's client decides which addresses can be reached.

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/exoagent/exoagent/internal/bounded"
)

// guard limits the bytes and the time of each response, refuses redirects, and limits the requests of a
// call: each request from the server makes the library send another one.
type guard struct {
	base http.RoundTripper
	most int64
	life time.Duration
	left atomic.Int64
	why  atomic.Pointer[error] // the first rule that the server broke, kept since the library's error does not have it
}

// maxRequests is how many requests may be sent between the starts of two calls.
const maxRequests = 50

func newGuard(base http.RoundTripper, b Bounds) *guard {
	if base == nil {
		base = http.DefaultTransport
	}
	g := &guard{base: base, most: int64(b.Bytes), life: max(b.Call, b.Start) + time.Second}
	g.begin()
	return g
}

func (g *guard) begin() { g.left.Store(maxRequests) }

// broke notes that the server broke a rule.
func (g *guard) broke(rule error) error {
	g.why.CompareAndSwap(nil, &rule)
	return rule
}

func (g *guard) tooLarge() error { return g.broke(ErrTooLarge) }

// broken returns the rule that the server broke, or nil.
func (g *guard) broken() error {
	if why := g.why.Load(); why != nil {
		return *why
	}
	return nil
}

// client returns a copy of c that uses the guard.
func (g *guard) client(c *http.Client) *http.Client {
	own := *c
	own.Transport = g
	return &own
}

var errRedirect = errors.New("mcpclient: the server answered with a redirect, which this client does not follow: set URL to the address to which the redirect leads")

func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.left.Add(-1) < 0 {
		return nil, g.broke(ErrFlood)
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.life)
	res, err := g.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		res.Body.Close()
		cancel()
		return nil, g.broke(errRedirect)
	}
	res.Body = &body{bounded.New(res.Body, g.most, g.tooLarge), res.Body, cancel}
	return res, nil
}

// body is the body of a response, with its limits.
type body struct {
	io.Reader
	io.Closer
	done context.CancelFunc
}

func (b *body) Close() error {
	defer b.done()
	return b.Closer.Close()
}
