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

// HTTPOptions are the options of [Server.Handler]. A limit that is zero or negative means the default at the end of its comment.
type HTTPOptions struct {
	// Verifier finds the identity for a bearer token. Either Verifier or Session is required, since no request is served without an identity.
	Verifier bearer.Verifier
	// Session finds the identity of a request without an Authorization header. The host's own middleware must have verified a
	// session, for example by a cookie, and put it into the request's context. An error or a zero Identity refuses the request;
	// with an error that wraps [bearer.ErrUnavailable], the client should try again. Session is called only for a POST, and
	// never for one from a web page of another site, unless Origins lists it. If Session is nil, a token is required.
	Session func(*http.Request) (Identity, error)
	// Resource is the server's address as clients know it, like https://shop.example.com/mcp. The server answers at its path,
	// under its host name and the names of this machine. If it is "", the path is /mcp, with only the names of this machine.
	Resource string
	Issuers  []string // the authorization servers that issue tokens, published for clients (RFC 9728)
	Scopes   []string // the scopes that a token needs, published for clients
	Origins  []string // the origins of web pages that may send requests; all others are refused

	BodyBytes int64         // most bytes of a request; 1 MiB
	BodyTime  time.Duration // the longest time until a request has arrived completely; 10 s
	RunTime   time.Duration // the longest time from a request until the client has read its answer; 5 min
	Requests  int           // most requests at the same time; 128
	Each      int           // most requests of one identity at the same time; 8
	PerMinute int           // most requests of one identity per minute, at most a quarter of them at once; 240
	// Log is called with the reason of each refusal, which clients do not see. The text never contains a token or a claim. It may be nil.
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

// Handler serves clients over HTTP, without sessions: each request is authenticated by itself, and no
// request depends on another. Make it with [Server.Handler]; the zero Handler refuses every request.
//
// It also answers /healthz, /metrics, and the metadata of the resource. These need no token, and their
// answers name no user.
type Handler struct {
	s        *Server
	opt      HTTPOptions
	path     string   // the path at which the protocol is served
	hosts    []string // the host names that requests may use
	metadata string   // the address of the metadata document; "": there is none
	document []byte
	sdk      http.Handler
	limiter  *limiter
	draining atomic.Bool
}

const wellKnown = "/.well-known/oauth-protected-resource"

// Handler makes a handler for HTTP with these options.
func (s *Server) Handler(opt HTTPOptions) (*Handler, error) {
	if s == nil || s.cfg.Tool == nil {
		return nil, errZero
	}
	if opt.Verifier == nil && opt.Session == nil {
		return nil, fmt.Errorf("%w: HTTPOptions.Verifier and HTTPOptions.Session are missing: set one, or no request would have an identity", ErrConfig)
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
			h.document, _ = json.Marshal(map[string]any{ // no error: there are only texts
				"resource": opt.Resource, "authorization_servers": opt.Issuers, "scopes_supported": append([]string{}, opt.Scopes...), "bearer_methods_supported": []string{"header"},
			})
		}
	}
	if slices.Contains([]string{"/healthz", "/metrics"}, h.path) || strings.HasPrefix(h.path, wellKnown) {
		return nil, fmt.Errorf("%w: HTTPOptions.Resource has the path %s, which the server itself uses: choose another", ErrConfig, h.path)
	}
	h.limiter = &limiter{all: h.opt.Requests, each: h.opt.Each, perSecond: float64(h.opt.PerMinute) / 60, burst: max(1, float64(h.opt.PerMinute)/4), known: map[owner]*member{}}
	h.sdk = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		m, _ := r.Context().Value(serverKey{}).(*mcp.Server)
		return m
	}, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		DisableLocalhostProtection:   true, // disabled, since our own check is stricter, and accepts the host name with which a proxy forwards requests
		MaxRequestBodyBytes:          h.opt.BodyBytes,
		PropagateRequestCancellation: true,
	})
	return h, nil
}

// serverKey is the context key of the server for one request.
type serverKey struct{}

func (h *Handler) metadataPath() string { return strings.TrimSuffix(wellKnown+h.path, "/") }

// Path returns the path at which the protocol is served.
func (h *Handler) Path() string { return h.path }

// Drain makes /healthz report that no more requests should come. Requests that still come are served. After each, its connection is closed, so that
// no client sends its next request on a connection that the server is about to close.
func (h *Handler) Drain() { h.draining.Store(true) }

// refusal describes why a request is not served. A client gets only the status, and an answer if its message is wrong.
type refusal struct {
	status int
	reason string // one of a few fixed words, since it is a label of the metrics
	detail string // details for the host only
	header [2]string
	answer []byte // an answer of JSON-RPC, if the refusal is about a message
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h == nil || h.s == nil {
		http.Error(w, "the server's mcp.Handler was not made with Server.Handler: its operator must make it with that method", http.StatusInternalServerError)
		return
	}
	// With full duplex, a refusal is sent before net/http reads the rest of the body, which it does to reuse the
	// connection. The deadline ends the connection of a client that sends slowly.
	c := http.NewResponseController(w)
	_ = c.EnableFullDuplex()
	_ = c.SetReadDeadline(time.Now().Add(h.opt.BodyTime))
	_ = c.SetWriteDeadline(time.Now().Add(h.opt.BodyTime + h.opt.RunTime))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if h.draining.Load() {
		w.Header().Set("Connection", "close")
	}
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
		w.Header().Set("Access-Control-Allow-Origin", "*") // any origin may read the document, since it has no user's data
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
	w.Header().Set("Connection", "close") // don't reuse the connection: the next bytes may be the rest of the refused body
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

// foreign refuses a request from a web page of another site; nil means that the request is none. It checks
// Host, too, since a site may make its name resolve to this machine (DNS rebinding).
func (h *Handler) foreign(r *http.Request) *refusal {
	if !slices.Contains(h.hosts, hostName(r.Host)) {
		return &refusal{status: http.StatusForbidden, reason: "host", detail: fmt.Sprintf("%.80q", r.Host)}
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && !slices.Contains(h.opt.Origins, origins[0]) {
		return &refusal{status: http.StatusForbidden, reason: "origin", detail: fmt.Sprintf("%.80q", origins[0])}
	}
	return nil
}

// hostName returns the name in a Host header, in lower case; "" if it is not valid. An IPv6 address
// must be in brackets: otherwise a proxy could read another name.
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

// protocol serves a request of the protocol. It reads the body only once it knows the identity.
func (h *Handler) protocol(c *http.ResponseController, w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" { // foreign has checked that this is one of our origins
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
	if r.URL.RawQuery != "" { // refused, since a token in a query would appear in logs and histories
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
	_ = c.SetReadDeadline(time.Time{}) // the body has arrived, so the deadline would only end a running program
	h.serve(w, r, who, tool, body)
}

// authenticate finds the identity of a request.
func (h *Handler) authenticate(r *http.Request) (Identity, *refusal) {
	if _, has := r.Header["Authorization"]; !has && h.opt.Session != nil { // an invalid token is refused, even if there is also a session
		if r.Method != http.MethodPost {
			return Identity{}, &refusal{status: http.StatusMethodNotAllowed, reason: "method", header: [2]string{"Allow", http.MethodPost}}
		}
		// A browser may send cookies with a form of another site, and not every browser sends Origin, so Sec-Fetch-Site is checked.
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" && r.Header.Get("Origin") == "" {
			return Identity{}, &refusal{status: http.StatusForbidden, reason: "origin", detail: "a browser sent the request from a page of another site"}
		}
		who, err := h.opt.Session(r)
		return h.known(who, err, "session")
	}
	token, found := "", false
	if all := r.Header.Values("Authorization"); len(all) == 1 { // with two headers, a proxy and a server might use different ones
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

// known returns the identity, or the refusal for err. The text by describes how the identity was found.
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

// challenge refuses a request and names the place where tokens are issued (RFC 9728). It hides what is wrong with the client's token.
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

// read reads the whole body first, so that no program waits for a client that sends slowly.
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
	if isBatch(body) { // refused: only revisions before 2025-06-18 had batches
		return nil, &refusal{status: http.StatusBadRequest, reason: "batch", answer: answerTo(nil, jsonrpc.CodeInvalidRequest, "a batch of messages is not accepted: send one")}
	}
	if no := notMessage(body); no != nil && r.Method == http.MethodPost {
		return nil, &refusal{status: http.StatusBadRequest, reason: "message", answer: no}
	}
	return body, nil
}

// serve passes a request to the SDK, with a server that is only for this identity.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, who Identity, tool *codemode.Tool, body []byte) {
	h.s.metrics.requests.Add(1)
	ctx, stop := context.WithTimeout(r.Context(), h.opt.RunTime)
	defer stop()
	r = r.WithContext(context.WithValue(ctx, serverKey{}, h.s.server(ctx, who, tool, "")))
	r.Header = r.Header.Clone()
	for _, name := range []string{"Authorization", "Cookie", "Mcp-Session-Id", "Last-Event-Id"} { // removed, since the code after this needs no token and has no sessions
		r.Header.Del(name)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	h.sdk.ServeHTTP(w, r)
}
