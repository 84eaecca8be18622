package web_test

// This file shows that nothing is declared so that a request could be sent twice, or a number become another one.

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/web"
)

// TestNothingActsTwice: by X-Idempotency-Key net/http takes a request for one that it may send again, and so it does with a GET. The twin is declared as it should be.
func TestNothingActsTwice(t *testing.T) {
	w := newWorld(t)
	for name, wrong := range map[string]bool{"X-Idempotency-Key": true, "x-idempotency-key": true, "X-Key": false} {
		h := w.host("POST /mails")
		h.Headers = []string{name}
		if _, err := web.NewTransport(web.Config{Hosts: []web.Host{h}}); (err != nil) != wrong {
			t.Errorf("the header %s: %v", name, err)
		}
	}
	for name, acts := range map[string]func(service.Operation) service.Operation{
		"held":      service.Operation.Held,
		"immediate": func(op service.Operation) service.Operation { return op.Held().Immediate() },
	} {
		for _, get := range []bool{true, false} {
			m := web.Post[struct{}, struct{}]("send", "sends", "/mails")
			if get {
				m = web.Get[struct{}, struct{}]("send", "sends", "/mails")
			}
			if _, err := web.New("mail", "", web.Config{Hosts: []web.Host{w.host()}}, m.With(acts)); (err != nil) != get {
				t.Errorf("%s, get %v: %v", name, get, err)
			}
		}
	}
}

// TestWideNumbers: a whole number that a float can't hold is never another one. Where the type says that it is whole it is exact, and within any data it is refused.
func TestWideNumbers(t *testing.T) {
	for body, fits := range map[string]bool{`{"id": 9007199254740993}`: false, `{"id": [{"x": -9007199254740993}]}`: false, `{"id": 1e300}`: false, `{"id": 9007199254740991}`: true, `{"id": 0.1}`: true} {
		w := newWorld(t)
		w.answer = func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			fmt.Fprint(rw, body)
		}
		o := w.api1(t, web.Get[struct{}, any]("read", "", "/it"), web.Get[struct{}, struct {
			ID int64 `json:"id"`
		}]("exact", "", "/it"))
		if v, err := exotest.Send(t, o, "read"); (err == nil) != fits {
			t.Errorf("%s is read as %v, %v", body, v, err)
		}
		if v, err := exotest.Send(t, o, "exact"); strings.Contains(body, ": 900") && (err != nil || !strings.Contains(fmt.Sprint(v), body[7:len(body)-1])) {
			t.Errorf("%s is read as %v, %v", body, v, err)
		}
	}
}

// api1 makes an object of the world's server.
func (w *world) api1(t *testing.T, methods ...web.Method) *web.API {
	t.Helper()
	o, err := web.New("api", "", web.Config{Hosts: []web.Host{w.host()}, Lookup: lookup, Roots: w.roots()}, methods...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestLargestBound: the largest bound is one.
func TestLargestBound(t *testing.T) {
	w := newWorld(t)
	tr := w.transport(web.Config{Hosts: []web.Host{w.host("GET /")}, Bounds: web.Bounds{Body: math.MaxInt64}})
	resp, err := tr.RoundTrip(request(t, http.MethodGet, w.url("/"), nil).WithContext(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b := make([]byte, 10)
	if n, _ := resp.Body.Read(b); string(b[:n]) != "{}" {
		t.Errorf("%q", b[:n])
	}
}
