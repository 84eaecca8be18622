package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/web"
)

// oauth is a client of the world's token endpoint.
func (w *world) oauth(secret web.Secret) web.OAuth {
	return web.OAuth{TokenURL: w.url("/token"), Client: "exo", Secret: secret, Scopes: []string{"read", "write"}, Resource: "https://mcp.example.com/v1", Networks: loopback, Roots: w.roots(), Lookup: lookup}
}

// issuer answers at /token with a new token each time, for life seconds, and elsewhere only to the newest one.
func issuer(life int, tokens *atomic.Int32) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/token":
			fmt.Fprintf(rw, `{"access_token":"issued-%d","token_type":"bearer","expires_in":%d}`, tokens.Add(1), life)
		case r.Header.Get("Authorization") != fmt.Sprintf("Bearer issued-%d", tokens.Load()):
			rw.WriteHeader(http.StatusUnauthorized)
		default:
			fmt.Fprint(rw, "{}")
		}
	}
}

func (w *world) withOAuth(c web.OAuth, uses *[]web.Use) *http.Client {
	w.t.Helper()
	s, err := web.FromOAuth(c)
	if err != nil {
		w.t.Fatal(err)
	}
	clean(w.t, "the secret", printed(s))
	h := w.host("GET /a")
	h.Secrets = []web.Binding{{Secret: s, Header: "Authorization", Prefix: "Bearer "}}
	return w.transport(web.Config{Hosts: []web.Host{h}, Used: func(_ context.Context, u web.Use) {
		if uses != nil {
			*uses = append(*uses, u)
		}
	}}).Client()
}

func status(t *testing.T, c *http.Client, url string) int {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

// TestOAuth: a token is had once, used until it ends or is refused, and each use is reported.
func TestOAuth(t *testing.T) {
	w := newWorld(t)
	good, _ := places(t)
	var tokens atomic.Int32
	w.answer = issuer(3600, &tokens)
	var uses []web.Use
	c := w.withOAuth(w.oauth(good["env:EXO_WEB_SECRET"]), &uses)
	for range 3 {
		if got := status(t, c, w.url("/a")); got != http.StatusOK {
			t.Fatalf("status %d", got)
		}
	}
	if want := (web.Use{Secret: "oauth:example.com", Host: "example.com", Header: "Authorization"}); tokens.Load() != 1 || len(uses) != 3 || uses[2] != want {
		t.Errorf("%d tokens, %v", tokens.Load(), uses)
	}
	asked := w.got[0]
	for _, want := range []string{"POST /token example.com", "grant_type=client_credentials", "scope=read+write", "resource=https%3A%2F%2Fmcp.example.com%2Fv1", "Authorization: Basic "} {
		if !strings.Contains(asked, want) {
			t.Errorf("no %q in %s", want, asked)
		}
	}
	tokens.Add(1) // the server has revoked it
	if first, second := status(t, c, w.url("/a")), status(t, c, w.url("/a")); first != http.StatusUnauthorized || second != http.StatusOK || tokens.Load() != 3 {
		t.Errorf("%d, then %d, with %d tokens", first, second, tokens.Load())
	}

	tokens.Store(0)
	w.answer = issuer(1, &tokens) // shorter than the margin: each use asks anew
	c = w.withOAuth(w.oauth(good["env:EXO_WEB_SECRET"]), nil)
	first, second := status(t, c, w.url("/a")), status(t, c, w.url("/a"))
	if first != http.StatusOK || second != http.StatusOK || tokens.Load() != 2 {
		t.Errorf("%d and %d, with %d tokens", first, second, tokens.Load())
	}
}

// TestOAuthTogether: many requests at once ask for one token.
func TestOAuthTogether(t *testing.T) {
	w := newWorld(t)
	good, _ := places(t)
	var tokens atomic.Int32
	w.answer = issuer(3600, &tokens)
	c := w.withOAuth(w.oauth(good["file:token"]), nil)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if resp, err := c.Get(w.url("/a")); err != nil || resp.StatusCode != http.StatusOK {
				t.Error(err)
			} else {
				resp.Body.Close()
			}
		})
	}
	all.Wait()
	if tokens.Load() != 1 {
		t.Errorf("%d tokens", tokens.Load())
	}
}

// TestOAuthHostile: whatever the token endpoint does, the request that wants the token is not sent, and no error has the secret.
func TestOAuthHostile(t *testing.T) {
	w := newWorld(t)
	good, bad := places(t)
	for name, answer := range map[string]http.HandlerFunc{
		"echo": func(rw http.ResponseWriter, r *http.Request) {
			rw.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(rw, `{"error":"invalid_client","error_description":"`+canary+`"}`)
		},
		"redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, w.victim.URL, http.StatusTemporaryRedirect)
		},
		"mac": func(rw http.ResponseWriter, r *http.Request) {
			fmt.Fprint(rw, `{"access_token":"x","token_type":"mac"}`)
		},
		"lines": func(rw http.ResponseWriter, r *http.Request) {
			fmt.Fprint(rw, `{"access_token":"x\r\nX-Admin: 1","token_type":"bearer"}`)
		},
		"none": func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, `{"token_type":"bearer"}`) },
		"large": func(rw http.ResponseWriter, r *http.Request) {
			fmt.Fprint(rw, `{"access_token":"x","token_type":"bearer","more":"`+strings.Repeat("x", 1<<20)+`"}`)
		},
		"hangs": func(rw http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		w.answer = func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			answer(rw, r)
		}
		c := w.withOAuth(w.oauth(good["env:EXO_WEB_SECRET"]), nil)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := c.Do(request(t, "GET", w.url("/a"), nil).WithContext(ctx))
		cancel()
		if !errors.Is(err, web.ErrRefused) || !strings.Contains(err.Error(), "secret oauth:example.com") {
			t.Errorf("%s: %v", name, err)
		}
		clean(t, name, printed(err)+fmt.Sprint(err))
		for _, got := range w.got {
			if strings.HasPrefix(got, "GET") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	if _, hits := w.counts(); hits != 0 {
		t.Errorf("the victim was asked %d times", hits)
	}

	outside := w.oauth(good["env:EXO_WEB_SECRET"])
	outside.Networks = nil // the token endpoint is on this machine, and nothing has allowed that
	for name, c := range map[string]web.OAuth{"network": outside, "secret": w.oauth(bad["env:EXO_WEB_EMPTY"])} {
		before, _ := w.counts()
		if _, err := w.withOAuth(c, nil).Get(w.url("/a")); !errors.Is(err, web.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := w.counts(); after != before {
			t.Errorf("%s: a request was sent", name)
		}
	}
	for _, url := range []string{"", "http://example.com/token", "https://u@example.com/token", "https://example.com", "https://example.com/token?x=1", "https://127.0.0.1/token", "file:///token"} {
		c := w.oauth(good["env:EXO_WEB_SECRET"])
		c.TokenURL, c.Networks = url, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		if _, err := web.FromOAuth(c); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
	for _, c := range []web.OAuth{{}, {TokenURL: "https://example.com/token", Client: "exo"}, {TokenURL: "https://example.com/token", Secret: good["file:token"]}} {
		if _, err := web.FromOAuth(c); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
}
