package web_test

// This file has the servers of the tests, all on loopback, a resolver of their own, and the unguarded twin of a Transport.

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/exoagent/exoagent/exo/web"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// world is a server for a host that is allowed, a victim that is not, and what both have got.
type world struct {
	t           *testing.T
	api, victim *httptest.Server
	answer      http.HandlerFunc // of api

	mu   sync.Mutex
	got  []string // requests that api got, as they arrived
	hits int      // of victim
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "{}")
	}}
	w.api = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		var lines strings.Builder
		fmt.Fprintf(&lines, "%s %s %s\n", r.Method, r.RequestURI, r.Host)
		_ = r.Header.Write(&lines)
		w.mu.Lock()
		w.got = append(w.got, lines.String()+"\n"+string(b))
		answer := w.answer
		w.mu.Unlock()
		answer(rw, r)
	}))
	w.api.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.api.StartTLS()
	w.victim = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.hits++
	}))
	t.Cleanup(w.api.Close)
	t.Cleanup(w.victim.Close)
	return w
}

func portOf(s *httptest.Server) int {
	return s.Listener.Addr().(*net.TCPAddr).Port
}

// lookup says that every name is this machine.
func lookup(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// host is the one that is allowed. Its certificate is for example.com.
func (w *world) host(allow ...string) web.Host {
	return web.Host{Name: "example.com", Port: portOf(w.api), Networks: loopback, Allow: allow}
}

func (w *world) roots() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(w.api.Certificate())
	return p
}

func (w *world) transport(c web.Config) *web.Transport {
	w.t.Helper()
	if c.Lookup == nil {
		c.Lookup = lookup
	}
	c.Roots = w.roots()
	tr, err := web.NewTransport(c)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(tr.CloseIdleConnections)
	return tr
}

func (w *world) url(path string) string {
	return "https://example.com:" + strconv.Itoa(portOf(w.api)) + path
}

// last returns what api got last.
func (w *world) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.got) == 0 {
		return ""
	}
	return w.got[len(w.got)-1]
}

func (w *world) counts() (api, victim int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.got), w.hits
}

// unguarded is a client as programs usually have it, in a net where each address but that of api is the victim.
func (w *world) unguarded() *http.Client {
	tr := w.api.Client().Transport.(*http.Transport).Clone()
	tr.TLSClientConfig.InsecureSkipVerify = true
	tr.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		to := w.victim.Listener.Addr().String()
		if host, port, _ := net.SplitHostPort(address); host == "example.com" && port == strconv.Itoa(portOf(w.api)) {
			to = w.api.Listener.Addr().String()
		}
		return new(net.Dialer).DialContext(ctx, network, to)
	}
	w.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func request(t *testing.T, method, address string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// rawURL is a request for a URL that url.Parse need not have made.
func rawURL(t *testing.T, u *url.URL) *http.Request {
	t.Helper()
	return (&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}}).WithContext(t.Context())
}
