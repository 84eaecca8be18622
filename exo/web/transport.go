// Package web makes an object from an HTTP API, and has the HTTP client for it.
//
// A [Transport] sends requests only to the hosts, methods, paths and networks that its [Config] names; it can also be used alone. It
// adds a [Secret] to a request only for the host and header that the secret is bound to: no program, error or record has its text.
// [New] makes the object. The answers of an API are labelled value.Untrusted, since outsiders wrote them. Its design is DESIGN.md in
// this package's folder.
package web

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"github.com/exoagent/exoagent/internal/bounded"
	"github.com/exoagent/exoagent/internal/scalar"
)

// Host is a server that a Transport may reach. Everything that it does not name is refused.
type Host struct {
	Name     string         // the name exactly as in URLs, like api.example.com; no wildcard, and no IP address
	Port     int            // the port; 0: 443, or 80 with Plain
	Plain    bool           // use http instead of https
	Networks []netip.Prefix // the loopback or private networks of the host; nil: it is in the public internet
	Allow    []string       // the allowed routes, like "GET /repos/{owner}/issues" and "POST /mcp"; {name} matches one part
	Headers  []string       // allowed request headers, in addition to Accept, Content-Type, User-Agent and Idempotency-Key
	Secrets  []Binding      // the secrets that are added to each request that is not a redirect
}

// Bounds limit one request. A zero field has its default.
type Bounds struct {
	Request int64         // bytes of the request's body; 1 MiB
	Headers int64         // bytes of the answer's headers; 64 KiB
	Body    int64         // bytes of the answer's body, as received and when decompressed; 4 MiB
	Time    time.Duration // time until the body has been read; 30 seconds
	Values  int64         // values in the JSON of an API's answer; 100,000; a value of two bytes may take 200 of memory. A Transport alone does not use it
}

// Config describes what a Transport may reach.
type Config struct {
	Hosts  []Host
	Bounds Bounds
	Roots  *x509.CertPool // the authorities that sign the hosts' certificates; nil: the system's

	// Lookup finds the addresses of a name; nil: net.DefaultResolver. Each address is checked when it is dialled.
	Lookup func(ctx context.Context, name string) ([]netip.Addr, error)

	// Used is called for each use of a secret, before it is added to the request with the context ctx. It may be nil. Several requests
	// may call it at once. An API also adds the uses to the record.
	Used func(ctx context.Context, u Use)
}

// Transport is an http.RoundTripper that sends only requests that its Config allows. It uses no proxy, only HTTP/1.1, and ignores Alt-Svc.
// Redirects of an http.Client also pass through it: each is checked and gets no secret. The zero Transport refuses every request.
type Transport struct {
	hosts  []*host
	bounds Bounds
	lookup func(context.Context, string) ([]netip.Addr, error)
	used   func(context.Context, Use)
	base   *http.Transport
}

type host struct {
	Host
	routes  []route
	headers []string // the allowed request headers
}

// ErrRefused is the error of a request that the Transport did not send, since it was not allowed or its host could not be reached. With an
// http.Client, a request that was then redirected may have been sent.
var ErrRefused = errors.New("web: refused")

// ErrTooLarge is the error for an answer that exceeds Body or Values of its [Bounds].
var ErrTooLarge = errors.New("web: the answer is larger than Config.Bounds allows")

func tooLarge() error { return ErrTooLarge }

func refusef(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
}

// NewTransport makes the Transport of a Config.
func NewTransport(c Config) (*Transport, error) {
	b := c.Bounds
	b = Bounds{cmp.Or(b.Request, 1<<20), cmp.Or(b.Headers, 64<<10), min(cmp.Or(b.Body, 4<<20), 1<<50), cmp.Or(b.Time, 30*time.Second), cmp.Or(b.Values, 100_000)}
	if min(b.Request, b.Headers, b.Body, int64(b.Time), b.Values) < 0 {
		return nil, fmt.Errorf("web: a field of Config.Bounds is negative: want 0 or more")
	}
	t := &Transport{bounds: b, lookup: c.Lookup, used: c.Used}
	for _, x := range c.Hosts {
		h, err := newHost(x)
		if err != nil {
			return nil, err
		}
		if t.find(h.Name, strconv.Itoa(h.Port)) != nil {
			return nil, fmt.Errorf("web: the host %s:%d is listed twice: list it once", h.Name, h.Port)
		}
		t.hosts = append(t.hosts, h)
	}
	t.base = &http.Transport{DialContext: t.dial, DisableCompression: true, MaxResponseHeaderBytes: b.Headers, MaxConnsPerHost: 32, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 10 * time.Second, TLSClientConfig: &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12}, Protocols: new(http.Protocols)} // no Proxy is set, so that none is used
	t.base.Protocols.SetHTTP1(true)
	return t, nil
}

func newHost(x Host) (*host, error) {
	bad := func(format string, args ...any) (*host, error) {
		return nil, fmt.Errorf("web: the host %.80q: %w", x.Name, fmt.Errorf(format, args...))
	}
	h := &host{Host: x, headers: []string{"Accept", "Content-Type", "User-Agent", idempotencyKey}}
	h.Port, h.Networks, h.Secrets = cmp.Or(x.Port, standardPort(x.Plain)), slices.Clone(x.Networks), nil
	last := x.Name[strings.LastIndexByte(x.Name, '.')+1:]
	if last == "" || len(x.Name) > 253 || strings.Trim(x.Name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" || strings.Contains("."+x.Name, "..") || last[0] <= '9' || h.Port < 0 || h.Port > 65535 {
		return bad("want a name of lower-case letters, digits, - and ., like api.example.com or localhost, no IP address, and a port up to 65535")
	}
	for _, n := range h.Networks {
		if !slices.ContainsFunc(private, func(p netip.Prefix) bool { return n.IsValid() && p.Bits() <= n.Bits() && p.Contains(n.Addr()) }) {
			return bad("%s is no loopback or private network: leave networks out for a public host", n)
		}
	}
	for _, a := range x.Allow {
		r, err := parseRoute(a)
		if err != nil {
			return nil, err
		}
		h.routes = append(h.routes, r)
	}
	for _, n := range x.Headers {
		if n = http.CanonicalHeaderKey(n); !mayBeHeader(n) {
			return bad("%.80q can't be a header of a request: want letters, digits, - and _, and no header that the connection uses itself", n)
		}
		h.headers = append(h.headers, n)
	}
	taken := slices.Clone(h.headers)
	for _, b := range x.Secrets {
		b.Header = http.CanonicalHeaderKey(b.Header)
		switch {
		case b.Secret.read == nil:
			return bad("the header %.80q has no secret: make one with FromVariable, FromFile, FromCommand or FromOAuth", b.Header)
		case !mayBeHeader(b.Header):
			return bad("%s can't be sent in the header %.80q: want letters, digits, - and _, and no header that the connection uses itself", b.Secret, b.Header)
		case !oneLine(b.Prefix):
			return bad("the prefix of %s in the header %.80q has control characters: leave them out", b.Secret, b.Header)
		case slices.Contains(taken, b.Header):
			return bad("%s can't be sent in the header %.80q, which Headers, exoagent or another secret already sets: use another header", b.Secret, b.Header)
		case x.Plain && !onMachine(h.Networks):
			return bad("%s would be sent unencrypted: use https, or a host in loopback networks", b.Secret)
		}
		h.Secrets, taken = append(h.Secrets, b), append(taken, b.Header)
	}
	return h, nil
}

// onMachine reports whether networks are declared, and all are of this machine.
func onMachine(ns []netip.Prefix) bool {
	return len(ns) > 0 && !slices.ContainsFunc(ns, func(n netip.Prefix) bool { return !n.Addr().IsLoopback() })
}

func standardPort(plain bool) int {
	if plain {
		return 80
	}
	return 443
}

const idempotencyKey = "Idempotency-Key"

// ofConnection lists headers that change how a request is framed, where or how often it is sent, or how its answer is encoded. Only the Transport may
// set them.
const ofConnection = " Host Connection Content-Length Transfer-Encoding Te Trailer Upgrade Expect Keep-Alive Proxy-Authorization Proxy-Connection Accept-Encoding Content-Encoding X-Idempotency-Key "

func mayBeHeader(canonical string) bool {
	return canonical != "" && strings.Trim(canonical, letters) == "" && !strings.Contains(ofConnection, " "+canonical+" ")
}

// oneLine reports whether a text can't begin another header in a request.
func oneLine(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// Client returns an http.Client that uses the Transport.
func (t *Transport) Client() *http.Client { return &http.Client{Transport: t} }

// CloseIdleConnections closes connections that no request uses. http.Client.CloseIdleConnections calls it.
func (t *Transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

func (t *Transport) find(name, port string) *host {
	i := slices.IndexFunc(t.hosts, func(h *host) bool { return h.Name == name && strconv.Itoa(h.Port) == port })
	if i < 0 {
		return nil
	}
	return t.hosts[i]
}

// admit returns the host of an allowed request. It checks everything that net/http would write, not only what url.Parse returns.
func (t *Transport) admit(req *http.Request) (*host, error) {
	u := req.URL
	if u == nil || u.Opaque != "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, refusef("the URL must be https://HOST/PATH without a user, or http:// for a Plain host")
	}
	port := cmp.Or(u.Port(), strconv.Itoa(standardPort(u.Scheme == "http")))
	h := t.find(u.Hostname(), port)
	if h == nil || h.Plain != (u.Scheme == "http") || u.Host != h.Name && u.Host != h.Name+":"+port { // Host is compared, too, since [example.com] has the same Hostname
		return nil, refusef("the host %.80q is not allowed with %s: list it in Config.Hosts", u.Host, u.Scheme)
	}
	path, size := u.EscapedPath(), 0
	switch {
	case req.Host != "" && req.Host != u.Host:
		return nil, refusef("the header Host differs from the host of the URL: leave Host out")
	case len(path)+len(u.RawQuery) > 8<<10 || strings.ContainsFunc(path+u.RawQuery, func(c rune) bool { return c <= ' ' || c >= 0x7f }):
		return nil, refusef("the address must have at most 8 KiB after the host, with spaces and other characters escaped")
	case !slices.ContainsFunc(h.routes, func(r route) bool { return r.matches(req.Method, path) }):
		return nil, refusef("the host %s allows no request with the method %.10q and this path: add a route like GET /issues/{id} to Host.Allow", h.Name, req.Method)
	case len(req.Trailer) > 0 || len(req.TransferEncoding) > 0 || req.Body != nil && req.Body != http.NoBody && req.ContentLength <= 0 || req.ContentLength > t.bounds.Request:
		return nil, refusef("a body must have a ContentLength of at most %d bytes, and no trailers", t.bounds.Request)
	}
	for name, values := range req.Header {
		if name != "Referer" && !slices.Contains(h.headers, name) { // an http.Client adds Referer to a redirect; RoundTrip removes it
			return nil, refusef("the host %s does not allow the header %.80q: list it in Host.Headers", h.Name, name)
		}
		for _, v := range values {
			if !oneLine(v) {
				return nil, refusef("%s: the header %s has control characters: leave them out", h.Name, name)
			}
			if size += len(v); size > 32<<10 {
				return nil, refusef("%s: the headers have more than 32 KiB: shorten them", h.Name)
			}
		}
	}
	return h, nil
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	header := http.Header{"Accept-Encoding": {"gzip"}, "User-Agent": {"exoagent"}}
	for name, values := range req.Header {
		if name == idempotencyKey {
			name = strings.ToLower(name) // with the header in its usual spelling, net/http may send the request twice
		}
		header[name] = values
	}
	delete(header, "Referer")
	h, err := t.admit(req)
	refused := func() {}
	if err == nil && req.Response == nil { // a redirect gets no secrets, since the answer chose its target
		refused, err = t.useSecrets(req.Context(), h, header)
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	ctx, cancel := context.WithTimeout(bare{req.Context()}, t.bounds.Time)
	out := req.Clone(ctx)
	out.Header = header
	resp, err := t.base.RoundTrip(out)
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Request = req // req instead of the sent request, which has the secrets
	if resp.StatusCode == http.StatusUnauthorized {
		refused()
	}
	return t.receive(resp, cancel)
}

// bare is a context without values: an httptrace in the values would see the headers of a request.
type bare struct{ context.Context }

// Value returns nil.
func (bare) Value(any) any { return nil }

type closer func() error

func (c closer) Close() error { return c() }

// receive applies the bounds to an answer. cancel ends the request's time limit.
func (t *Transport) receive(resp *http.Response, cancel func()) (*http.Response, error) {
	wire := resp.Body
	b := &struct {
		io.Reader
		io.Closer
	}{bounded.New(wire, t.bounds.Body, tooLarge), closer(func() error { defer cancel(); return wire.Close() })}
	resp.Body = b
	encoding, err := strings.Join(resp.Header.Values("Content-Encoding"), ","), error(nil)
	switch {
	case encoding == "gzip" && wire != http.NoBody:
		var zip *gzip.Reader
		if zip, err = gzip.NewReader(b.Reader); err == nil {
			b.Reader = bounded.New(zip, t.bounds.Body, tooLarge)
			resp.Header.Del("Content-Encoding")
			resp.Header.Del("Content-Length")
			resp.ContentLength, resp.Uncompressed = -1, true
		}
	case encoding != "" && encoding != "gzip" && encoding != "identity":
		err = errors.New("web: the answer has another Content-Encoding than gzip, the only one that the request accepts")
	case resp.StatusCode == http.StatusSwitchingProtocols:
		err = errors.New("web: the server wants to switch to another protocol than HTTP, and the request did not ask for that")
	}
	if err != nil {
		_ = b.Close()
		return nil, err
	}
	return resp, nil
}

// metadata lists addresses at which clouds give credentials to every caller on the machine. No host may have them. They belong to Azure,
// Alibaba, AWS (with EKS), Google and Scaleway. Link-local addresses can't be declared anyway.
var metadata = prefixes("168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::/32", "fd20:ce::254/128", "fd00:42::42/128")

// private lists the networks among which a host may declare its own.
var private = prefixes("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7")

var public = ssrf.New(ssrf.WithAnyPort())

func prefixes(texts ...string) []netip.Prefix { return scalar.Each(texts, netip.MustParsePrefix) }

func within(ns []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(ns, func(n netip.Prefix) bool { return n.Contains(a) })
}

// mayDial reports whether an address is in one of the host's networks, or in the public internet if it declares none.
func (h *host) mayDial(a netip.Addr) bool {
	a = a.Unmap()
	switch {
	case within(metadata, a):
		return false
	case len(h.Networks) > 0:
		return within(h.Networks, a)
	}
	return a.IsGlobalUnicast() && !within(private, a) && public.SafeAddr(a) == nil
}

// control refuses an address that is not in a network of the host, or has another port. net.Dialer calls it before it dials.
func (h *host) control(_, address string, _ syscall.RawConn) error {
	if to, err := netip.ParseAddrPort(address); err != nil || int(to.Port()) != h.Port || !h.mayDial(to.Addr()) {
		return refusef("%s has an address in a network that is not allowed: a private host needs its own network in Host.Networks", h.Name)
	}
	return nil
}

// dial connects to the host:port of a URL that admit has allowed.
func (t *Transport) dial(ctx context.Context, _, address string) (net.Conn, error) {
	name, port, _ := net.SplitHostPort(address)
	h := t.find(name, port)
	if h == nil {
		return nil, refusef("the host %.80q is not allowed: list it in Config.Hosts", address)
	}
	return h.connect(ctx, t.lookup)
}

// Check refuses a host that no Transport could have.
func (x Host) Check() error {
	_, err := newHost(x)
	return err
}

// Dial connects to the host for another protocol than HTTP, by the rules of a Transport: each address is checked when it is dialled. lookup is that
// of a Config.
func (x Host) Dial(ctx context.Context, lookup func(context.Context, string) ([]netip.Addr, error)) (net.Conn, error) {
	h, err := newHost(x)
	if err != nil {
		return nil, err
	}
	return h.connect(ctx, lookup)
}

func (h *host) connect(ctx context.Context, lookup func(context.Context, string) ([]netip.Addr, error)) (net.Conn, error) {
	if lookup == nil {
		lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	addrs, err := lookup(ctx, h.Name)
	if len(addrs) == 0 && err == nil {
		err = errors.New("the name has no address")
	}
	for _, a := range addrs[:min(len(addrs), 8)] {
		d := net.Dialer{Timeout: 10 * time.Second, Control: h.control}
		var c net.Conn
		if c, err = d.DialContext(ctx, "tcp", net.JoinHostPort(a.Unmap().String(), strconv.Itoa(h.Port))); err == nil {
			return c, nil
		}
	}
	return nil, refusef("%s can't be reached: %w", h.Name, err)
}
