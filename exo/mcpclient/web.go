package mcpclient

// This file bounds what a server over HTTP can send. The caller's client decides which addresses are reached.

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// guard bounds each response in bytes and time, follows no redirect, and bounds the requests of a call:
// each message of a server that asks something makes the library send another.
type guard struct {
	base http.RoundTripper
	most int64
	life time.Duration
	left atomic.Int64
}

// maxRequests bounds the requests between the starts of two calls.
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

// client returns c within the guard.
func (g *guard) client(c *http.Client) *http.Client {
	own := *c
	own.Transport = g
	return &own
}

var errRedirect = errors.New("mcpclient: the server redirects, which is not followed")

func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.left.Add(-1) < 0 {
		return nil, ErrFlood
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
		return nil, errRedirect
	}
	res.Body = &bounded{ReadCloser: res.Body, left: g.most, done: cancel}
	return res, nil
}

// bounded is the body of a response.
type bounded struct {
	io.ReadCloser
	left int64
	done context.CancelFunc
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		b.left = 0
		return 0, ErrTooLarge
	}
	return n, err
}

func (b *bounded) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
