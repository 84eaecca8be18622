package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/mcp/bearer"
)

// HTTPOptions are for [Server.Handler]. A limit that is zero or negative means the default that stands behind it here.
type HTTPOptions struct {
	// Verifier says who a bearer token stands for. It or Session has to be given: no request is served for nobody.
	Verifier bearer.Verifier
	// Session says on whose behalf a request comes that has no Authorization header, where the host's own middleware has
	// verified a session, by a cookie perhaps, and left in the request's context whose it is. An error, and an Identity
	// that is zero, refuse the request; one that wraps [bearer.ErrUnavailable] says to come again. It is asked for a POST
	// alone, and for none that a web page of another site makes a browser send, unless Origins lists it. nil: a token is needed.
	Session func(*http.Request) (Identity, error)
	// Resource is the address of the server as clients know it, like https://shop.example.com/mcp. Requests are
	// taken at its path, and for its host besides those of this machine. "": /mcp, for this machine alone.
	Resource string
	Issuers  []string // the authorization servers that give tokens out, for clients that look for them (RFC 9728)
	Scopes   []string // the scopes that a token needs, for the same
	Origins  []string // the origins of web pages that may send requests; all others are refused

	BodyBytes int64         // the size of a request; 1 MiB
	BodyTime  time.Duration // the time for a request to arrive whole; 10 s
	RunTime   time.Duration // the time from a request until its answer is taken; 5 min
	Requests  int           // requests at the same time; 128
	Each      int           // requests of one identity at the same time; 8
	PerMinute int           // requests of one identity in a minute, a quarter of them at once; 240
	// Log is called with the reason of each refusal, which clients do not see. The text has no token and no claim in it; nil: no log.
	Log func(reason string)
}

func (o HTTPOptions) orDefault() HTTPOptions {
	def := func(n *int, v int) {
		if *n <= 0 {
			*n = v
		}
	}
	def(&o.Requests, 128)
	def(&o.Each, 8)
	def(&o.PerMinute, 240)
	if o.BodyBytes <= 0 {
		o.BodyBytes = 1 << 20
	}
	if o.BodyTime <= 0 {
		o.BodyTime = 10 * time.Second
	}
	if o.RunTime <= 0 {
		o.RunTime = 5 * time.Minute
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

// Handler serves clients over HTTP, without sessions: each request is authenticated by itself, and
// no request depends on another. Make it with [Server.Handler]; the zero Handler refuses.
//
// Besides the protocol it answers /healthz, /metrics, and the metadata of the resource, which need no
// token and name no one.
type Handler struct {
	s        *Server
	opt      HTTPOptions
	path     string   // of the protocol
	hosts    []string // that requests may name
	metadata string   // the address of the document; "": there is none
	document []byte
	sdk      http.Handler
	limiter  *limiter
	draining atomic.Bool
}

const wellKnown = "/.well-known/oauth-protected-resource"

// Handler makes a handler.
func (s *Server) Handler(opt HTTPOptions) (*Handler, error) {
	if s == nil || s.cfg.Tool == nil {
		return nil, errZero
	}
	if opt.Verifier == nil && opt.Session == nil {
		return nil, fmt.Errorf("%w: HTTPOptions.Verifier and HTTPOptions.Session are missing: nobody would be known", ErrConfig)
	}
	h := &Handler{s: s, opt: opt.orDefault(), path: "/mcp", hosts: []string{"localhost", "127.0.0.1", "::1"}}
	if opt.Resource != "" {
		u, err := url.Parse(opt.Resource)
		if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("%w: HTTPOptions.Resource is %q: want an address like https://shop.example.com/mcp", ErrConfig, opt.Resource)
		}
		if h.path = u.EscapedPath(); h.path == "" {
			h.path = "/"
		}
		h.hosts = append(h.hosts, strings.ToLower(u.Hostname()))
		if len(opt.Issuers) > 0 {
			h.metadata = u.Scheme + "://" + u.Host + h.metadataPath()
			h.document, _ = json.Marshal(map[string]any{ // texts alone
				"resource": opt.Resource, "authorization_servers": opt.Issuers, "scopes_supported": append([]string{}, opt.Scopes...), "bearer_methods_supported": []string{"header"},
			})
		}
	}
	if slices.Contains([]string{"/healthz", "/metrics"}, h.path) || strings.HasPrefix(h.path, wellKnown) {
		return nil, fmt.Errorf("%w: HTTPOptions.Resource has the path %s, which means something else", ErrConfig, h.path)
	}
	h.limiter = &limiter{all: h.opt.Requests, each: h.opt.Each, perSecond: float64(h.opt.PerMinute) / 60, burst: max(1, float64(h.opt.PerMinute)/4), known: map[owner]*member{}}
	h.sdk = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		m, _ := r.Context().Value(serverKey{}).(*mcp.Server)
		return m
	}, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		DisableLocalhostProtection:   true, // ours is stricter, and knows the name by which a proxy passes requests on
		MaxRequestBodyBytes:          h.opt.BodyBytes,
		PropagateRequestCancellation: true,
	})
	return h, nil
}

// serverKey is of the server of one request, in its context.
type serverKey struct{}

func (h *Handler) metadataPath() string { return strings.TrimSuffix(wellKnown+h.path, "/") }

// Path is the path at which requests of the protocol are taken.
func (h *Handler) Path() string { return h.path }

// Drain makes /healthz say that no more requests should come. Those that come are served.
func (h *Handler) Drain() { h.draining.Store(true) }

// refusal is why a request is not served. Clients learn the status, and what is wrong with a message, and nothing else.
type refusal struct {
	status int
	reason string // of a fixed few: it is a label of the metrics
	detail string // for the host
	header [2]string
	answer []byte // of JSON-RPC, where it is about a message
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h == nil || h.s == nil {
		http.Error(w, "this handler was not made with Server.Handler", http.StatusInternalServerError)
		return
	}
	// Whoever sends slowly loses its connection, also one who is refused before its body was read: net/http reads on to
	// the body's end, to use the connection again. Full duplex: it reads after the refusal was sent, and not before.
	c := http.NewResponseController(w)
	_ = c.EnableFullDuplex()
	_ = c.SetReadDeadline(time.Now().Add(h.opt.BodyTime))
	_ = c.SetWriteDeadline(time.Now().Add(h.opt.BodyTime + h.opt.RunTime))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.URL.Path == "/healthz" {
		h.health(w)
		return
	}
	if no := h.foreign(r); no != nil {
		h.refuse(w, no)
		return
	}
	switch {
	case r.URL.Path == "/metrics":
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		h.s.metrics.write(w)
	case h.document != nil && (r.URL.Path == h.metadataPath() || r.URL.Path == wellKnown):
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*") // it says nothing of anybody
		w.Write(h.document)
	case r.URL.EscapedPath() == h.path:
		h.protocol(c, w, r)
	default:
		h.refuse(w, &refusal{status: http.StatusNotFound, reason: "path"})
	}
}

func (h *Handler) health(w http.ResponseWriter) {
	if h.draining.Load() {
		http.Error(w, "draining", http.StatusServiceUnavailable)
		return
	}
	io.WriteString(w, "ok\n")
}

func (h *Handler) refuse(w http.ResponseWriter, no *refusal) {
	h.s.metrics.refused(no.reason)
	text := no.reason
	if no.detail != "" {
		text += ": " + no.detail
	}
	h.opt.Log(text)
	w.Header().Set("Connection", "close") // what comes after it may be the rest of its body
	if no.header[0] != "" {
		w.Header().Set(no.header[0], no.header[1])
	}
	if no.answer != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(no.status)
		w.Write(no.answer)
		return
	}
	http.Error(w, http.StatusText(no.status), no.status)
}

// foreign refuses a request that a web page of somebody else makes a browser send. One whose name resolves to this machine
// since a moment ago (DNS rebinding) names itself in Host.
func (h *Handler) foreign(r *http.Request) *refusal {
	if !slices.Contains(h.hosts, hostName(r.Host)) {
		return &refusal{status: http.StatusForbidden, reason: "host", detail: fmt.Sprintf("%.80q", r.Host)}
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && !slices.Contains(h.opt.Origins, origins[0]) {
		return &refusal{status: http.StatusForbidden, reason: "origin", detail: fmt.Sprintf("%.80q", origins[0])}
	}
	return nil
}

// hostName is the name in a Host header, in lower case; "": it is none. An IPv6 address must be in brackets, or a proxy
// before us could read another name than we do.
func hostName(host string) string {
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		name, port = host[:i], host[i+1:]
	}
	if strings.Trim(port, "0123456789") != "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(name, "["); ok {
		inner, closed := strings.CutSuffix(rest, "]")
		if ip, err := netip.ParseAddr(inner); !closed || err != nil || !ip.Is6() {
			return ""
		}
		return strings.ToLower(inner)
	}
	if strings.ContainsAny(name, "[]:") {
		return ""
	}
	return strings.ToLower(name)
}

// protocol serves a request of the protocol. Nothing of its body is read before it is known who sends it.
func (h *Handler) protocol(c *http.ResponseController, w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" { // one of ours: foreign let it in
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Vary", "Origin")
		w.Header().Set("Access-Control-Expose-Headers", "WWW-Authenticate")
		if r.Method == http.MethodOptions {
			w.Header().Set("Access-Control-Allow-Methods", "POST")
			w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name")
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	if r.URL.RawQuery != "" { // a token there ends in logs and histories
		h.refuse(w, &refusal{status: http.StatusBadRequest, reason: "query"})
		return
	}
	who, no := h.authenticate(r)
	if no != nil {
		h.refuse(w, no)
		return
	}
	tool, err := h.s.tool(r.Context(), who)
	if err != nil {
		h.refuse(w, &refusal{status: http.StatusForbidden, reason: "no_tool", detail: err.Error()})
		return
	}
	done, wait := h.limiter.enter(owner{who.Issuer, who.Subject}, time.Now())
	if done == nil {
		h.refuse(w, &refusal{status: http.StatusTooManyRequests, reason: "rate", header: [2]string{"Retry-After", strconv.Itoa(int(wait/time.Second) + 1)}})
		return
	}
	defer done()
	body, no := h.read(w, r)
	if no != nil {
		h.refuse(w, no)
		return
	}
	_ = c.SetReadDeadline(time.Time{}) // from here on it would only end a program that runs
	h.serve(w, r, who, tool, body)
}

// authenticate finds who sends a request.
func (h *Handler) authenticate(r *http.Request) (Identity, *refusal) {
	if _, has := r.Header["Authorization"]; !has && h.opt.Session != nil { // a token that is not right never falls back to a session
		if r.Method != http.MethodPost {
			return Identity{}, &refusal{status: http.StatusMethodNotAllowed, reason: "method", header: [2]string{"Allow", http.MethodPost}}
		}
		// A browser sends cookies along with a form of another site, and not all name its Origin.
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" && r.Header.Get("Origin") == "" {
			return Identity{}, &refusal{status: http.StatusForbidden, reason: "origin", detail: "a browser's request of another site"}
		}
		who, err := h.opt.Session(r)
		return h.known(who, err, "session")
	}
	token, found := "", false
	if all := r.Header.Values("Authorization"); len(all) == 1 { // of two, proxies and servers choose one each
		var scheme string
		scheme, token, found = strings.Cut(all[0], " ")
		found = found && strings.EqualFold(scheme, "Bearer") && token != ""
	}
	if !found || h.opt.Verifier == nil {
		return Identity{}, h.challenge(http.StatusUnauthorized, "no_token", "", "")
	}
	who, err := h.opt.Verifier.Verify(r.Context(), token)
	return h.known(who, err, "token")
}

// known lets a party in, or says why it is refused; by is how it came.
func (h *Handler) known(who Identity, err error, by string) (Identity, *refusal) {
	switch {
	case err == nil && !who.Zero():
		return who, nil
	case errors.Is(err, bearer.ErrScope):
		return Identity{}, h.challenge(http.StatusForbidden, "scope", "insufficient_scope", err.Error())
	case errors.Is(err, bearer.ErrUnavailable):
		return Identity{}, &refusal{status: http.StatusServiceUnavailable, reason: "unavailable", detail: err.Error(), header: [2]string{"Retry-After", "30"}}
	case err == nil:
		err = ErrNoTool
	}
	return Identity{}, h.challenge(http.StatusUnauthorized, by, "invalid_token", err.Error())
}

// challenge names the place where tokens are given out (RFC 9728), and not what is wrong with the client's own.
func (h *Handler) challenge(status int, reason, code, detail string) *refusal {
	var params []string
	if code != "" {
		params = append(params, fmt.Sprintf("error=%q", code))
	}
	if h.metadata != "" {
		params = append(params, fmt.Sprintf("resource_metadata=%q", h.metadata))
	}
	if len(h.opt.Scopes) > 0 {
		params = append(params, fmt.Sprintf("scope=%q", strings.Join(h.opt.Scopes, " ")))
	}
	return &refusal{status: status, reason: reason, detail: detail, header: [2]string{"WWW-Authenticate", strings.TrimSpace("Bearer " + strings.Join(params, ", "))}}
}

// read reads the body: all of it, so that no program waits for a client that sends slowly.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	if r.ContentLength > h.opt.BodyBytes {
		return nil, &refusal{status: http.StatusRequestEntityTooLarge, reason: "body"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.opt.BodyBytes))
	if err != nil {
		status := http.StatusRequestTimeout
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			status = http.StatusRequestEntityTooLarge
		}
		return nil, &refusal{status: status, reason: "body"}
	}
	if isBatch(body) { // of a revision before 2025-06-18
		return nil, &refusal{status: http.StatusBadRequest, reason: "batch", answer: answerTo(nil, jsonrpc.CodeInvalidRequest, "a batch of messages came: want one")}
	}
	if no := notMessage(body); no != nil && r.Method == http.MethodPost {
		return nil, &refusal{status: http.StatusBadRequest, reason: "message", answer: no}
	}
	return body, nil
}

// serve hands a request to the SDK, with a server that is for its identity and for nothing else.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, who Identity, tool *codemode.Tool, body []byte) {
	h.s.metrics.requests.Add(1)
	ctx, stop := context.WithTimeout(r.Context(), h.opt.RunTime)
	defer stop()
	r = r.WithContext(context.WithValue(ctx, serverKey{}, h.s.server(ctx, who, tool)))
	r.Header = r.Header.Clone()
	for _, name := range []string{"Authorization", "Cookie", "Mcp-Session-Id", "Last-Event-Id"} { // nothing behind this line needs the token, or knows sessions
		r.Header.Del(name)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	h.sdk.ServeHTTP(w, r)
}
