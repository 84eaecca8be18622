package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/web"
)

const canary = "s3cr3t-canary"

// places are a secret in each place, and one in each that can't be used; their texts have the canary all the same.
func places(t *testing.T) (good, bad map[string]web.Secret) {
	t.Helper()
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Setenv("EXO_WEB_SECRET", canary)
	t.Setenv("EXO_WEB_LINES", canary+"\r\nX-Admin: 1")
	t.Setenv("EXO_WEB_EMPTY", " ")
	good = map[string]web.Secret{
		"env:EXO_WEB_SECRET": web.FromVariable("EXO_WEB_SECRET"), "file:token": web.FromFile(file("token", canary+"\n")), "command:printf": web.FromCommand("printf", "%s", canary),
	}
	bad = map[string]web.Secret{
		"": {}, "env:EXO_WEB_LINES": web.FromVariable("EXO_WEB_LINES"), "env:EXO_WEB_EMPTY": web.FromVariable("EXO_WEB_EMPTY"), "env:EXO_WEB_NONE": web.FromVariable("EXO_WEB_NONE"),
		"file:lines": web.FromFile(file("lines", canary+"\nX: y")), "file:long": web.FromFile(file("long", canary+strings.Repeat("x", 9000))), "file:none-" + canary: web.FromFile(filepath.Join(dir, "none-"+canary)),
		"command:sh": web.FromCommand("sh", "-c", "echo "+canary+"; echo "+canary+" >&2; exit 1"), "command:none": web.FromCommand("/nowhere/none", canary),
	}
	return good, bad
}

func clean(t *testing.T, what, text string) {
	t.Helper()
	if strings.Contains(text, canary) && !strings.Contains(what, "none-") {
		t.Errorf("%s: the secret is in %s", what, text)
	}
}

// printed is x in every way that logs print values.
func printed(x any) string {
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&b, verb, x)
	}
	j, err := json.Marshal(x)
	fmt.Fprintf(&b, "%s%v", j, err)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "x", x)
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "x", x)
	b.WriteString(strings.ReplaceAll(b.String(), fmt.Sprintf("%x", canary), canary))
	return b.String()
}

// TestSecrets: a secret is in the one header of the one host, and nowhere else: not in what the caller has after the request, not in what a trace of the
// caller's sees, and not in a redirect.
func TestSecrets(t *testing.T) {
	w := newWorld(t)
	w.answer = func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			http.Redirect(rw, r, "/to", http.StatusTemporaryRedirect)
		}
	}
	good, _ := places(t)
	for name, s := range good {
		if s.String() != "secret "+name {
			t.Errorf("%s is called %s", name, s)
		}
		h := w.host("GET /a", "GET /from", "GET /to")
		h.Secrets = []web.Binding{{Secret: s, Header: "authorization", Prefix: "Bearer "}}
		var uses []web.Use
		c := web.Config{Hosts: []web.Host{h}, Used: func(_ context.Context, u web.Use) { uses = append(uses, u) }}
		tr := w.transport(c)
		var traced strings.Builder
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteHeaderField: func(k string, v []string) { fmt.Fprintln(&traced, k, v) }})
		req := request(t, "GET", w.url("/a"), nil).WithContext(ctx)
		resp, err := tr.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !strings.Contains(w.last(), "Authorization: Bearer "+canary+"\r\n") {
			t.Errorf("%s did not arrive: %s", name, w.last())
		}
		if want := (web.Use{Secret: name, Host: "example.com", Header: "Authorization"}); len(uses) != 1 || uses[0] != want {
			t.Errorf("the uses are %v, want %v", uses, want)
		}
		for what, x := range map[string]any{"the secret": s, "the binding": h.Secrets, "the config": c, "the request": req.Header, "the answer's request": resp.Request.Header, "the answer": resp.Header, "within": struct{ s web.Secret }{s}, "the use": uses} {
			clean(t, what, printed(x))
		}
		clean(t, "the transport", fmt.Sprintf("%+v %#v", tr, tr))
		clean(t, "a trace", traced.String())
		clean(t, "a panic", func() (text string) {
			defer func() { text = fmt.Sprint(recover()) }()
			panic(fmt.Errorf("%v %+v", s, h))
		}())

		resp, err = tr.Client().Do(request(t, "GET", w.url("/from"), nil))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !strings.HasPrefix(w.last(), "GET /to ") || strings.Contains(w.last(), canary) {
			t.Errorf("a redirect: %s", w.last())
		}
	}
	t.Run("twin", func(t *testing.T) { // a client that sets the header itself: the trace, the answer and the redirect have it
		var traced strings.Builder
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteHeaderField: func(k string, v []string) { fmt.Fprintln(&traced, k, v) }})
		req := request(t, "GET", w.url("/from"), nil).WithContext(ctx)
		req.Header.Set("Authorization", canary)
		resp, err := w.unguarded().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if !strings.Contains(w.last(), canary) || !strings.Contains(traced.String(), canary) || !strings.Contains(fmt.Sprint(resp.Request.Header), canary) {
			t.Error("the twin shows no secret")
		}
	})
}

// TestSecretRefused: a secret that can't be used is an error that names it and has nothing of its text, and nothing is sent.
func TestSecretRefused(t *testing.T) {
	w := newWorld(t)
	_, bad := places(t)
	for name, s := range bad {
		h := w.host("GET /")
		h.Secrets = []web.Binding{{Secret: s, Header: "X-Key"}}
		if name == "" {
			if _, err := web.NewTransport(web.Config{Hosts: []web.Host{h}}); err == nil {
				t.Error("the zero Secret was taken")
			}
			clean(t, "the zero Secret", printed(s))
			continue
		}
		_, err := w.transport(web.Config{Hosts: []web.Host{h}}).Client().Get(w.url("/"))
		if !errors.Is(err, web.ErrRefused) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		clean(t, name, printed(err)+fmt.Sprint(err))
		if strings.Contains(err.Error(), "no such file") || strings.Contains(err.Error(), "exit status") {
			t.Errorf("%s: the system's text is in %v", name, err)
		}
	}
	if n, _ := w.counts(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// TestSecretCommand: a command ends when its request does, and has no input.
func TestSecretCommand(t *testing.T) {
	w := newWorld(t)
	h := w.host("GET /")
	h.Secrets = []web.Binding{{Secret: web.FromCommand("sh", "-c", "cat; sleep 30; echo x"), Header: "X-Key"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.transport(web.Config{Hosts: []web.Host{h}}).RoundTrip(request(t, "GET", w.url("/"), nil).WithContext(ctx)); !errors.Is(err, web.ErrRefused) {
		t.Error(err)
	}
}

// TestSecretOfAnotherHost: each host gets its own secret alone.
func TestSecretOfAnotherHost(t *testing.T) {
	w := newWorld(t)
	t.Setenv("EXO_WEB_SECRET", canary)
	other := web.Host{Name: "shop.example", Port: portOf(w.victim), Plain: true, Networks: loopback, Allow: []string{"GET /"}, Secrets: []web.Binding{{Secret: web.FromVariable("EXO_WEB_SECRET"), Header: "X-Key"}}}
	resp, err := w.transport(web.Config{Hosts: []web.Host{w.host("GET /"), other}}).Client().Get(w.url("/"))
	if err != nil || strings.Contains(w.last(), canary) {
		t.Fatalf("%v: %s", err, w.last())
	}
	resp.Body.Close()
}
