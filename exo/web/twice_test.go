package web_test

// This file shows that nothing is declared so that a request could be sent twice, a number become another one, or a small answer fill the memory.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
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

// TestManyValues: an answer of many small values takes no more memory than its bound lets it; its twin without the bound takes a hundred times its text.
func TestManyValues(t *testing.T) {
	for _, c := range []struct {
		unit  string
		times int
		fits  bool
	}{{"[],", 1_000_000, false}, {"0,", 2_000_000, false}, {`{"":0},`, 500_000, false}, {"0,", 50_000, true}, {`"[{,,\\\",",`, 50_000, true}} {
		w := newWorld(t)
		w.answer = func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "application/json")
			fmt.Fprint(rw, "["+strings.Repeat(c.unit, c.times)+"0]")
		}
		ask := func(b web.Bounds) (uint64, error) {
			o := w.tracker(web.Config{Bounds: b}, web.Get[struct{}, any]("read", "", "/it"))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := exotest.Send(t, o, "read")
			runtime.ReadMemStats(&after)
			return (after.TotalAlloc - before.TotalAlloc) >> 20, err
		}
		took, err := ask(web.Bounds{})
		if c.fits {
			if err != nil {
				t.Errorf("%d times %s: %v", c.times, c.unit, err)
			}
			continue
		}
		if !errors.Is(err, web.ErrTooLarge) || fail.KindOf(err) != fail.Limit || took > 64 {
			t.Errorf("%d times %s: %v, %d MiB", c.times, c.unit, err, took)
		}
		if took, err := ask(web.Bounds{Values: 1 << 40}); took < 200 || errors.Is(err, web.ErrTooLarge) {
			t.Errorf("%d times %s: the twin took %d MiB, %v: the attack is none", c.times, c.unit, took, err)
		}
	}
	w := newWorld(t)
	w.answer = func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(rw, "[%q]", strings.Repeat("x", 2000))
	}
	if _, err := exotest.Send(t, w.tracker(web.Config{Bounds: web.Bounds{Body: 1000}}, web.Get[struct{}, any]("read", "", "/it")), "read"); !errors.Is(err, web.ErrTooLarge) || fail.KindOf(err) != fail.Limit {
		t.Errorf("a long text: %v", err)
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
