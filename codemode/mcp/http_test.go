package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/mcp/bearer"
	"github.com/exoagent/exoagent/exo/observe"
)

// verify is a verifier of texts.
type verify func(token string) (Identity, error)

func (v verify) Verify(_ context.Context, token string) (Identity, error) { return v(token) }

// names is a verifier by which a token is the name of its subject; some have no scope, and some can't be checked.
var names = verify(func(token string) (Identity, error) {
	switch token {
	case "ann", "bob", "eve":
		return Identity{Issuer: "test", Subject: token}, nil
	case "weak":
		return Identity{}, fmt.Errorf("%w: run", bearer.ErrScope)
	case "later":
		return Identity{}, bearer.ErrUnavailable
	case "zero":
		return Identity{}, nil
	}
	return Identity{}, fmt.Errorf("%w: its secret reason", bearer.ErrInvalid)
})

// httpServer serves the notes to ann and bob, and nothing to eve.
func httpServer(t *testing.T, opt HTTPOptions) (*httptest.Server, *Server) {
	t.Helper()
	tool := noteTool(t, "p")
	s := newServer(t, func(_ context.Context, who Identity) (*codemode.Tool, error) {
		if who.Subject == "eve" {
			return nil, errors.New("nothing for eve")
		}
		return tool, nil
	})
	if opt.Verifier == nil {
		opt.Verifier = names
	}
	h, err := s.Handler(opt)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv, s
}

// withToken sends a token with each request.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}

func connectHTTP(t *testing.T, srv *httptest.Server, token, version string) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: srv.URL + "/mcp", HTTPClient: &http.Client{Transport: withToken(token)}, MaxRetries: -1}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestHTTP: the SDK's client of each revision is served, and a result of one identity is for no other.
func TestHTTP(t *testing.T) {
	srv, s := httpServer(t, HTTPOptions{})
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		c := connectHTTP(t, srv, "ann", version)
		if got := c.InitializeResult().ProtocolVersion; got != version || c.ID() != "" {
			t.Errorf("it speaks %s, want %s, in the session %q", got, version, c.ID())
		}
		tools, err := c.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 1 || tools.TTLMs != 0 || tools.CacheScope != "private" {
			t.Errorf("%s: %+v %v", version, tools, err)
		}
		if res, text := run(t, c, "notes.where(n => n.id === 1)"); text != `{"result":[{"id":1,"text":"plain"}]}` || res.IsError {
			t.Errorf("%s: %s", version, text)
		}
		res, _ := run(t, c, `Array.from({ length: 100 }, (_, i) => "row " + i)`)
		uri := res.Content[1].(*mcp.ResourceLink).URI
		if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil {
			t.Error(version, err)
		}
		if got, err := connectHTTP(t, srv, "bob", version).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: bob reads %+v", version, got)
		}
	}
	var b strings.Builder
	s.metrics.write(&b)
	if n := s.metrics.requests.Load(); n < 10 || !strings.Contains(b.String(), fmt.Sprintf("\nexo_requests_total %d\n", n)) || strings.Contains(b.String(), "ann") {
		t.Errorf("%d requests:\n%s", n, b.String())
	}
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// ask sends one request, which change may change.
func ask(t *testing.T, url, body string, change func(*http.Request)) (status int, header http.Header, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer ann")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(b)
}

// TestHTTPRefused: who is served, and by which of the checks the others are not.
func TestHTTPRefused(t *testing.T) {
	said := ""
	srv, s := httpServer(t, HTTPOptions{Resource: "https://Shop.example.com/mcp", Issuers: []string{"https://login.example.com"}, Scopes: []string{"run"},
		Origins: []string{"https://app.example.com"}, BodyBytes: 1000, Log: func(reason string) { said = reason }})
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	const where = `resource_metadata="https://Shop.example.com/.well-known/oauth-protected-resource/mcp", scope="run"`
	for _, c := range []struct {
		name, path, body string
		change           func(*http.Request)
		status           int
		reason           string
		challenge        string
	}{
		{"right", "/mcp", listTools, nil, 200, "", ""},
		{"bearer", "/mcp", listTools, set("Authorization", "bearer ann"), 200, "", ""},
		{"own host", "/mcp", listTools, host("SHOP.example.com"), 200, "", ""},
		{"own host, port", "/mcp", listTools, host("shop.example.com:8443"), 200, "", ""},
		{"localhost", "/mcp", listTools, host("localhost:8642"), 200, "", ""},
		{"IPv6", "/mcp", listTools, host("[::1]:8642"), 200, "", ""},
		{"IPv6, no port", "/mcp", listTools, host("[::1]"), 200, "", ""},
		{"own origin", "/mcp", listTools, set("Origin", "https://app.example.com"), 200, "", ""},
		{"a stolen session", "/mcp", listTools, set("Mcp-Session-Id", "of-bob"), 200, "", ""}, // there is none to steal

		{"no token", "/mcp", listTools, func(r *http.Request) { r.Header.Del("Authorization") }, 401, "no_token", "Bearer " + where},
		{"no bearer", "/mcp", listTools, set("Authorization", "Basic ann"), 401, "no_token", "Bearer " + where},
		{"two tokens", "/mcp", listTools, func(r *http.Request) { r.Header.Add("Authorization", "Bearer bob") }, 401, "no_token", "Bearer " + where},
		{"invalid", "/mcp", listTools, set("Authorization", "Bearer mallory"), 401, "token", `Bearer error="invalid_token", ` + where},
		{"spaces", "/mcp", listTools, set("Authorization", "Bearer  ann"), 401, "token", `Bearer error="invalid_token", ` + where},
		{"for nobody", "/mcp", listTools, set("Authorization", "Bearer zero"), 401, "token", `Bearer error="invalid_token", ` + where},
		{"no scope", "/mcp", listTools, set("Authorization", "Bearer weak"), 403, "scope", `Bearer error="insufficient_scope", ` + where},
		{"no keys", "/mcp", listTools, set("Authorization", "Bearer later"), 503, "unavailable", ""},
		{"no tool", "/mcp", listTools, set("Authorization", "Bearer eve"), 403, "no_tool", ""},
		{"token in the address", "/mcp?access_token=ann", listTools, func(r *http.Request) { r.Header.Del("Authorization") }, 400, "query", ""},
		{"token in both", "/mcp?access_token=ann", listTools, nil, 400, "query", ""},
		{"foreign host", "/mcp", listTools, host("evil.example"), 403, "host", ""},
		{"host that begins like ours", "/mcp", listTools, host("localhost.evil.example"), 403, "host", ""},
		{"IPv6 that is not closed", "/mcp", listTools, host("[::1"), 403, "host", ""},
		{"IPv6 that is not opened", "/mcp", listTools, host("::1]"), 403, "host", ""},
		{"IPv6 without brackets", "/mcp", listTools, host("::1"), 403, "host", ""},
		{"a name in brackets", "/mcp", listTools, host("[localhost]:8642"), 403, "host", ""},
		{"a bracket behind a name", "/mcp", listTools, host("localhost]"), 403, "host", ""},
		{"two ports", "/mcp", listTools, host("localhost:1:2"), 403, "host", ""},
		{"a port that is none", "/mcp", listTools, host("localhost:x"), 403, "host", ""},
		{"foreign origin", "/mcp", listTools, set("Origin", "https://evil.example"), 403, "origin", ""},
		{"origin of a file", "/mcp", listTools, set("Origin", "null"), 403, "origin", ""},
		{"two origins", "/mcp", listTools, func(r *http.Request) {
			r.Header.Add("Origin", "https://app.example.com")
			r.Header.Add("Origin", "https://evil.example")
		}, 403, "origin", ""},
		{"metrics, foreign host", "/metrics", "", host("evil.example"), 403, "host", ""},
		{"another path", "/mcp/x", listTools, nil, 404, "path", ""},
		{"a spelling of the path", "/%6dcp", listTools, nil, 404, "path", ""},
		{"huge", "/mcp", strings.Repeat(" ", 2000) + listTools, nil, 413, "body", ""},
		{"huge, in chunks", "/mcp", strings.Repeat(" ", 2000) + listTools, func(r *http.Request) { r.ContentLength = -1 }, 413, "body", ""},
		{"batch", "/mcp", "\n[" + listTools + "," + listTools + "]", nil, 400, "batch", ""},
	} {
		said = ""
		status, header, text := ask(t, srv.URL+c.path, c.body, c.change)
		reason, _, _ := strings.Cut(said, ":")
		if status != c.status || reason != c.reason || header.Get("WWW-Authenticate") != c.challenge || c.reason != "" && c.reason != "batch" && strings.TrimSpace(text) != http.StatusText(c.status) {
			t.Errorf("%s: %d %q, for %q, with %q; want %d for %q, with %q", c.name, status, text, said, header.Get("WWW-Authenticate"), c.status, c.reason, c.challenge)
		}
		if header.Get("Mcp-Session-Id") != "" || header.Get("Cache-Control") == "" {
			t.Errorf("%s: headers %v", c.name, header)
		}
	}
	var counts strings.Builder
	if s.metrics.write(&counts); !strings.Contains(counts.String(), "exo_refused_total{reason=\"host\"} 10\n") {
		t.Errorf("refusals are counted so:\n%s", counts.String())
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		_, _, text := ask(t, srv.URL+path, "", func(r *http.Request) { r.Method = http.MethodGet; r.Header.Del("Authorization") })
		if text != `{"authorization_servers":["https://login.example.com"],"bearer_methods_supported":["header"],"resource":"https://Shop.example.com/mcp","scopes_supported":["run"]}` {
			t.Errorf("%s: %s", path, text)
		}
	}
	for method, want := range map[string]int{http.MethodGet: 405, http.MethodDelete: 405, http.MethodPut: 405} {
		if status, _, _ := ask(t, srv.URL+"/mcp", "", func(r *http.Request) { r.Method = method }); status != want {
			t.Errorf("%s: %d", method, status)
		}
	}
	if status, h, _ := ask(t, srv.URL+"/mcp", "", func(r *http.Request) {
		r.Method = http.MethodOptions
		r.Header.Set("Origin", "https://app.example.com")
	}); status != 204 || h.Get("Access-Control-Allow-Origin") != "https://app.example.com" {
		t.Errorf("preflight: %d %v", status, h)
	}
}

// TestHTTPBody: who is not known gets an answer before the body comes, and who is loses the connection by sending slowly.
func TestHTTPBody(t *testing.T) {
	srv, _ := httpServer(t, HTTPOptions{BodyTime: 200 * time.Millisecond, Each: 1})
	for token, want := range map[string][]string{"mallory": {"401 Unauthorized"}, "ann": {"100 Continue", "408 Request Timeout"}} {
		c, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(20 * time.Second)) // of a server that waits for ever
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n", token)
		answer, err := io.ReadAll(c) // until the server closes the connection
		if err != nil {
			t.Error(token, err)
		}
		if got := regexp.MustCompile(`HTTP/1.1 (.*)\r\n`).FindAllStringSubmatch(string(answer), -1); len(got) != len(want) || got[len(got)-1][1] != want[len(want)-1] {
			t.Errorf("%s: %q, want %q", token, answer, want)
		}
	}
	if status, _, text := ask(t, srv.URL+"/mcp", listTools, nil); status != 200 {
		t.Errorf("the place was not given back: %d %s", status, text)
	}
}

// TestHTTPCancel: a program ends when nobody can take its answer, in both revisions.
func TestHTTPCancel(t *testing.T) {
	_, s := httpServer(t, HTTPOptions{})
	h, err := s.Handler(HTTPOptions{Verifier: names})
	if err != nil {
		t.Fatal(err)
	}
	seen := calls{began: make(chan bool, 1), ended: make(chan string, 1)}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(observe.With(r.Context(), seen)))
	}))
	defer srv.Close()
	c := connectHTTP(t, srv, "ann", "2026-07-28")
	for version, call := range map[string]func(context.Context) error{
		"2026-07-28": func(ctx context.Context) error {
			_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"code": "for (;;) {}"}})
			return err
		},
		"2025-11-25": func(ctx context.Context) error {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute","arguments":{"code":"for (;;) {}"}}}`))
			if err != nil {
				return err
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
			resp, err := withToken("ann").RoundTrip(r)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
			}
			return err
		},
	} {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- call(ctx) }()
		select {
		case <-seen.began:
		case err := <-ended:
			t.Fatal(version, err)
		}
		stop()
		if err := <-ended; err == nil {
			t.Errorf("%s: it had a result", version)
		}
		if how := <-seen.ended; how != "cancelled" {
			t.Errorf("%s: it ended as %q", version, how)
		}
	}
}

// calls observes calls of tools.
type calls struct {
	began chan bool
	ended chan string // ended gets how each call ended
}

func (c calls) Begin(ctx context.Context, a observe.Activity) (context.Context, func(observe.Outcome)) {
	if a.Kind != observe.ToolCall {
		return ctx, observe.Unobserved
	}
	c.began <- true
	return ctx, func(out observe.Outcome) { c.ended <- out.Error }
}

// TestHTTPZero: what was not made refuses, and so does one without authentication.
func TestHTTPZero(t *testing.T) {
	w := httptest.NewRecorder()
	(&Handler{}).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(listTools)))
	if w.Code != http.StatusInternalServerError {
		t.Error(w.Code)
	}
	s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return nil, nil })
	for name, made := range map[string]func() (*Handler, error){
		"a zero server": func() (*Handler, error) { return (&Server{}).Handler(HTTPOptions{Verifier: names}) },
		"no verifier":   func() (*Handler, error) { return s.Handler(HTTPOptions{}) },
		"no address":    func() (*Handler, error) { return s.Handler(HTTPOptions{Verifier: names, Resource: "/mcp"}) },
		"an address taken": func() (*Handler, error) {
			return s.Handler(HTTPOptions{Verifier: names, Resource: "https://shop.example.com/metrics"})
		},
	} {
		if _, err := made(); err == nil {
			t.Errorf("%s: a handler was made", name)
		}
	}
}

// TestHealth: a server that drains says so, and keeps no connection.
func TestHealth(t *testing.T) {
	s := newServer(t, func(context.Context, Identity) (*codemode.Tool, error) { return nil, nil })
	h, err := s.Handler(HTTPOptions{Verifier: names})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{200, 503} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
		if closes := w.Header().Get("Connection") == "close"; w.Code != want || closes != (want == 503) {
			t.Errorf("%d, want %d; the connection is closed: %v", w.Code, want, closes)
		}
		h.Drain()
	}
}

// TestLimiter: nobody takes more than their part, and what is kept of strangers is bounded.
func TestLimiter(t *testing.T) {
	l := &limiter{all: 3, each: 2, perSecond: 1, burst: 4, known: map[owner]*member{}}
	now := time.Unix(1000, 0)
	ann, bob, eve := owner{"i", "ann"}, owner{"i", "bob"}, owner{"j", "ann"}
	enter := func(who owner, want bool) func() {
		t.Helper()
		done, wait := l.enter(who, now)
		if (done != nil) != want || !want && wait <= 0 {
			t.Errorf("%v: let in: %t, wait %s", who, done != nil, wait)
		}
		return done
	}
	first := enter(ann, true)
	second := enter(ann, true)
	enter(ann, false) // two at once
	third := enter(bob, true)
	enter(eve, false) // three of all; and of another issuer
	first()
	enter(eve, true)()
	enter(ann, true)()
	enter(ann, true)()
	enter(ann, false) // four in one moment
	now = now.Add(time.Second)
	enter(ann, true)()
	enter(ann, false)
	second()
	third()
	for i := range maxMembers * 2 {
		now = now.Add(time.Millisecond)
		if done, _ := l.enter(owner{"k", fmt.Sprint(i)}, now); done != nil {
			done()
		}
	}
	if len(l.known) > maxMembers {
		t.Errorf("%d are known", len(l.known))
	}
	if l.running != 0 {
		t.Errorf("%d run", l.running)
	}
}

// TestSessions: a session that the host has verified is a way in beside tokens, and no way past one that is wrong.
func TestSessions(t *testing.T) {
	asked := 0
	session := func(r *http.Request) (Identity, error) {
		asked++
		c, err := r.Cookie("session")
		switch {
		case err != nil:
			return Identity{}, err
		case c.Value == "later":
			return Identity{}, bearer.ErrUnavailable
		}
		return Identity{Issuer: "test", Subject: c.Value}, nil
	}
	cookie := func(v string, more ...string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Del("Authorization")
			r.AddCookie(&http.Cookie{Name: "session", Value: v})
			for i := 0; i < len(more); i += 2 {
				r.Header.Set(more[i], more[i+1])
			}
		}
	}
	tool := noteTool(t, "p")
	s := newServer(t, func(_ context.Context, who Identity) (*codemode.Tool, error) {
		if who.Subject == "eve" {
			return nil, errors.New("nothing for eve")
		}
		return tool, nil
	})
	alone, err := s.Handler(HTTPOptions{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	both, err := s.Handler(HTTPOptions{Session: session, Verifier: names})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		h      *Handler
		change func(*http.Request)
		status int
		asked  int
	}{
		{"a session", both, cookie("ann"), 200, 1},
		{"a session alone", alone, cookie("ann"), 200, 1},
		{"a token beside it", both, nil, 200, 0},
		{"a wrong token, a session", both, cookie("ann", "Authorization", "Bearer mallory"), 401, 0},
		{"no verifier, a token", alone, nil, 401, 0},
		{"no session", alone, func(r *http.Request) { r.Header.Del("Authorization") }, 401, 1},
		{"of nobody", alone, cookie(""), 401, 1},
		{"with nothing granted", alone, cookie("eve"), 403, 1},
		{"can't be told now", alone, cookie("later"), 503, 1},
		{"another's page", alone, cookie("ann", "Origin", "https://evil.example.com"), 403, 0},
		{"another's image", alone, func(r *http.Request) { cookie("ann", "Sec-Fetch-Site", "cross-site")(r); r.Method = "GET" }, 405, 0},
		{"another's form", alone, cookie("ann", "Sec-Fetch-Site", "cross-site"), 403, 0},
		{"no POST", alone, func(r *http.Request) { cookie("ann")(r); r.Method = "GET" }, 405, 0},
	} {
		asked = 0
		srv := httptest.NewServer(c.h)
		if status, _, text := ask(t, srv.URL+"/mcp", listTools, c.change); status != c.status || asked != c.asked || strings.Contains(text, "named cookie") {
			t.Errorf("%s: %d, want %d; the session was asked for %d times, want %d: %s", c.name, status, c.status, asked, c.asked, text)
		}
		srv.Close()
	}
}
