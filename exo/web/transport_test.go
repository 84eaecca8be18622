package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo/web"
)

// TestRequestAttacks: each request would reach a server that is not allowed, or a place that is not allowed on the one that is. Its twin, an
// ordinary client, sends it.
func TestRequestAttacks(t *testing.T) {
	w := newWorld(t)
	port := strconv.Itoa(portOf(w.api))
	at := func(address string) func(*testing.T) *http.Request {
		return func(t *testing.T) *http.Request { return request(t, "GET", address, nil) }
	}
	header := func(name, v string) func(*testing.T) *http.Request {
		return func(t *testing.T) *http.Request {
			r := request(t, "GET", w.url("/open/1"), nil)
			r.Header[name] = []string{v}
			return r
		}
	}
	for i, c := range []struct {
		what  string
		make  func(*testing.T) *http.Request
		twin  string // "victim", "api", or "" if net/http refuses it too
		wants string
	}{
		{"another host", at("https://evil.example:" + port + "/open/1"), "", "host"}, // 1; its twin speaks TLS to a victim that does not
		{"another host, in clear", at("http://evil.example/open/1"), "victim", "host"},
		{"another port", at("http://example.com:8080/open/1"), "victim", "host"},
		{"the same port in clear", at("http://example.com:" + port + "/open/1"), "api", "host"},
		{"a subdomain", at("http://x.example.com/open/1"), "victim", "host"},
		{"a dot at the end", at("http://example.com./open/1"), "victim", "host"},
		{"a name in a name", at("http://example.com.evil.example/open/1"), "victim", "host"},
		{"loopback as an address", at("http://127.0.0.1/open/1"), "victim", "host"},
		{"loopback as one number", at("http://2130706433/open/1"), "victim", "host"},
		{"loopback in octal", at("http://0177.0.0.1/open/1"), "victim", "host"}, // 10
		{"loopback in hexadecimal", at("http://0x7f.1/open/1"), "victim", "host"},
		{"loopback, short", at("http://127.1/open/1"), "victim", "host"},
		{"metadata", at("http://169.254.169.254/latest/meta-data"), "victim", "host"},
		{"IPv4 in IPv6", at("http://[::ffff:169.254.169.254]/open/1"), "victim", "host"},
		{"IPv6 with a zone", at("http://[fe80::1%25lo]/open/1"), "victim", "host"},
		{"digits of another script", at("http://①②⑦.⓪.⓪.①/open/1"), "victim", "host"},
		{"a user who looks like the host", at("http://example.com:" + port + "@evil.example/open/1"), "victim", "user"},
		{"a user at the host", at("https://user:pass@example.com:" + port + "/open/1"), "api", "user"},
		{"a scheme that is not http", at("ftp://example.com/open/1"), "", "URL"},
		{"an opaque URL", func(t *testing.T) *http.Request { // 20
			return rawURL(t, &url.URL{Scheme: "https", Host: "example.com:" + port, Opaque: "//example.com/admin", Path: "/open/1"})
		}, "api", "URL"},
		{"a host with a second line", func(t *testing.T) *http.Request {
			return rawURL(t, &url.URL{Scheme: "https", Host: "example.com:" + port + "\r\nX: y", Path: "/open/1"})
		}, "", "host"},
		{"a host with a path in it", func(t *testing.T) *http.Request {
			return rawURL(t, &url.URL{Scheme: "https", Host: "example.com:" + port + "/admin?", Path: "/open/1"})
		}, "", "host"},
		{"another Host header", func(t *testing.T) *http.Request {
			r := request(t, "GET", w.url("/open/1"), nil)
			r.Host = "admin.internal"
			return r
		}, "api", "Host"},
		{"another path", at(w.url("/admin")), "api", "path"},
		{"a longer path", at(w.url("/open/1/admin")), "api", "path"},
		{"another method", func(t *testing.T) *http.Request { return request(t, "DELETE", w.url("/open/1"), nil) }, "api", "method"},
		{"a method in small letters", func(t *testing.T) *http.Request { return request(t, "get", w.url("/open/1"), nil) }, "api", "method"},
		{"a query with a second line", func(t *testing.T) *http.Request {
			return rawURL(t, &url.URL{Scheme: "https", Host: "example.com:" + port, Path: "/open/1", RawQuery: "a=1 HTTP/1.1\r\nX: y"})
		}, "", "8 KiB"},
		{"a query with a space", func(t *testing.T) *http.Request {
			return rawURL(t, &url.URL{Scheme: "https", Host: "example.com:" + port, Path: "/open/1", RawQuery: "a=1 HTTP/1.1"})
		}, "", "8 KiB"}, // a server of Go's answers 400 by itself
		{"a header with a second line", header("Accept", "x\r\nX-Admin: 1"), "", "control"},
		{"a header's name with a second line", header("Accept: x\r\nX-Admin", "1"), "", "header"},
		{"a header that is not allowed", header("X-Admin", "1"), "api", "header"}, // 30
		{"a cookie", header("Cookie", "session=1"), "api", "header"},
		{"an Authorization of the caller's", header("Authorization", "Bearer x"), "api", "header"},
		{"an encoding of the caller's", header("Accept-Encoding", "br"), "api", "header"},
		{"a header not in its usual spelling", header("x-admin", "1"), "api", "header"},
		{"an upgrade", header("Upgrade", "websocket"), "api", "header"},
		{"a large header", header("Accept", strings.Repeat("x", 40<<10)), "api", "32 KiB"},
		{"a trailer", func(t *testing.T) *http.Request {
			r := request(t, "POST", w.url("/open/1"), io.NopCloser(strings.NewReader("x")))
			r.ContentLength, r.TransferEncoding, r.Trailer = 1, []string{"chunked"}, http.Header{"X-Admin": {"1"}}
			return r
		}, "api", "trailer"},
		{"a long body", func(t *testing.T) *http.Request {
			return request(t, "POST", w.url("/open/1"), strings.NewReader(strings.Repeat("x", 200)))
		}, "api", "bytes"},
		{"a long address", at(w.url("/open/1?" + strings.Repeat("x", 9<<10))), "api", "8 KiB"}, // 40
		{"a name in brackets", func(t *testing.T) *http.Request {
			return rawURL(t, &url.URL{Scheme: "https", Host: "[example.com]:" + port, Path: "/open/1"})
		}, "api", "host"},
		{"no URL", func(t *testing.T) *http.Request { return rawURL(t, nil) }, "", "URL"},
	} {
		t.Run(fmt.Sprintf("%d %s", i+1, c.what), func(t *testing.T) {
			tr := w.transport(web.Config{Hosts: []web.Host{w.host("GET /open/{id}", "POST /open/{id}")}, Bounds: web.Bounds{Request: 100}})
			api, victim := w.counts()
			resp, err := tr.RoundTrip(c.make(t))
			if !errors.Is(err, web.ErrRefused) || !strings.Contains(err.Error(), c.wants) {
				t.Errorf("%v, want a refusal because of the %s", err, c.wants)
			}
			if err == nil {
				resp.Body.Close()
			}
			if a, v := w.counts(); a != api || v != victim {
				t.Errorf("%d requests arrived, and %d at the victim", a-api, v-victim)
			}
			if c.twin == "" {
				return
			}
			if resp, err := w.unguarded().Transport.RoundTrip(c.make(t)); err == nil {
				resp.Body.Close()
			}
			a, v := w.counts()
			if reached := map[string]bool{"api": a > api, "victim": v > victim}; !reached[c.twin] && c.what != "the same port in clear" {
				t.Errorf("the twin did not reach the %s: the attack is none", c.twin)
			}
		})
	}
	// And the plain request passes.
	tr := w.transport(web.Config{Hosts: []web.Host{w.host("GET /open/{id}")}})
	resp, err := tr.Client().Get(w.url("/open/1?a=1&b=%0d%0a"))
	if err != nil || resp.StatusCode != 200 || !strings.HasPrefix(w.last(), "GET /open/1?a=1&b=%0d%0a example.com") {
		t.Errorf("%v: %s", err, w.last())
	}
}

// TestZeroTransport: it refuses.
func TestZeroTransport(t *testing.T) {
	if _, err := new(web.Transport).RoundTrip(request(t, "GET", "https://example.com/", nil)); !errors.Is(err, web.ErrRefused) {
		t.Error(err)
	}
}

// TestRedirects: a redirect to what is not allowed is not followed, whatever the status; its twin follows it.
func TestRedirects(t *testing.T) {
	w := newWorld(t)
	port := strconv.Itoa(portOf(w.api))
	for i, to := range []string{
		"http://169.254.169.254/latest/meta-data/", "http://[::ffff:a9fe:a9fe]/", "http://evil.example/", "//evil.example:80/", "http://example.com/open/1", "http://127.0.0.1:22/",
		"http://example.com:" + port + "@evil.example/",
	} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			w.answer = func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, to, status) }
			tr := w.transport(web.Config{Hosts: []web.Host{w.host("GET /open/{id}", "POST /open/{id}")}})
			_, before := w.counts()
			if _, err := tr.Client().Get(w.url("/open/1")); !errors.Is(err, web.ErrRefused) {
				t.Errorf("%d %s %d: %v", i+1, to, status, err)
			}
			if _, err := tr.Client().Post(w.url("/open/1"), "text/plain", strings.NewReader("x")); err == nil {
				t.Errorf("%d POST %s %d: followed", i+1, to, status)
			}
			if _, v := w.counts(); v != before {
				t.Errorf("%d %s %d: the victim was reached", i+1, to, status)
			}
			if resp, err := w.unguarded().Get(w.url("/open/1")); err == nil {
				resp.Body.Close()
			}
			if _, v := w.counts(); v == before && !strings.HasPrefix(to, "//") {
				t.Errorf("%d %s %d: the twin did not follow", i+1, to, status)
			}
		}
	}
	t.Run("within what is allowed", func(t *testing.T) {
		w.answer = func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/open/1" {
				http.Redirect(rw, r, "/open/2", http.StatusFound)
			}
		}
		tr := w.transport(web.Config{Hosts: []web.Host{w.host("GET /open/{id}")}})
		if resp, err := tr.Client().Get(w.url("/open/1")); err != nil || resp.StatusCode != 200 || strings.Contains(w.last(), "Referer") {
			t.Errorf("%v: %s", err, w.last())
		}
		w.answer = func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, r.URL.Path, http.StatusFound) }
		before, _ := w.counts()
		if _, err := tr.Client().Get(w.url("/open/1")); err == nil {
			t.Error("a circle ended")
		}
		if n, _ := w.counts(); n-before > 11 {
			t.Errorf("%d requests", n-before)
		}
	})
}

// TestAddresses: a host in the public internet whose name means this machine, or means it only when it is dialled, is refused when it is dialled.
func TestAddresses(t *testing.T) {
	w := newWorld(t)
	get := func(h web.Host, find func(context.Context, string) ([]netip.Addr, error)) error {
		h.Name, h.Port, h.Plain, h.Allow = "shop.example", portOf(w.victim), true, []string{"GET /"}
		resp, err := w.transport(web.Config{Hosts: []web.Host{h}, Lookup: find}).Client().Get(fmt.Sprintf("http://shop.example:%d/", h.Port))
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	for _, a := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "10.0.0.1", "fd00:ec2::254", "168.63.129.16", "fd20:ce::254", "fd00:ec2::23", "fe80::1%lo", "127.0.0.1%lo"} {
		addr, err := netip.ParseAddr(a)
		if err != nil {
			continue
		}
		if err := get(web.Host{}, func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{addr}, nil }); !errors.Is(err, web.ErrRefused) || !strings.Contains(err.Error(), "network") {
			t.Errorf("%s: %v", a, err)
		}
	}
	if _, v := w.counts(); v != 0 {
		t.Errorf("the victim got %d requests", v)
	}
	// The name means what is allowed while it is looked at, and the victim when it is dialled. Here both are one call; each attempt may get either.
	var n atomic.Int64
	flips := func(context.Context, string) ([]netip.Addr, error) {
		if n.Add(1)%2 == 1 {
			return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	for range 4 {
		if err := get(web.Host{Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, flips); !errors.Is(err, web.ErrRefused) {
			t.Error(err)
		}
	}
	if _, v := w.counts(); v != 0 {
		t.Errorf("the victim got %d requests of a name that changes", v)
	}
	// The twin asks for the address, finds it good, and dials the name.
	ask := func() netip.Addr { as, _ := flips(t.Context(), ""); return as[0] }
	if good := ask(); good.IsLoopback() {
		t.Fatal("the first answer is not the good one")
	}
	c, err := net.Dial("tcp", netip.AddrPortFrom(ask(), uint16(portOf(w.victim))).String())
	if err != nil {
		t.Fatal("the twin did not reach the victim")
	}
	c.Close()
	if err := get(web.Host{Networks: loopback}, lookup); err != nil {
		t.Errorf("a network that is declared: %v", err)
	}
	if err := get(web.Host{Networks: loopback}, func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }); !errors.Is(err, web.ErrRefused) {
		t.Error(err)
	}
}

// TestProxy: a proxy of the environment gets nothing; its twin sends it everything.
func TestProxy(t *testing.T) {
	w := newWorld(t)
	var seen atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen.Add(1) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	h := web.Host{Name: "shop.example", Port: portOf(w.victim), Plain: true, Networks: loopback, Allow: []string{"GET /"}}
	address := fmt.Sprintf("http://shop.example:%d/", h.Port)
	resp, err := w.transport(web.Config{Hosts: []web.Host{h}}).Client().Get(address)
	if err != nil || seen.Load() != 0 {
		t.Fatalf("%v; the proxy got %d requests", err, seen.Load())
	}
	resp.Body.Close()
	through, _ := url.Parse(proxy.URL)
	twin := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(through)}} // ProxyFromEnvironment reads it once a process
	if resp, err := twin.Get(address); err != nil || seen.Load() != 1 {
		t.Errorf("the twin: %v, %d", err, seen.Load())
	} else {
		resp.Body.Close()
	}
}

func zipped(n int64) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.CopyN(z, zeros{}, n)
	_ = z.Close()
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestAnswers: an answer costs at most what the Bounds say; its twin reads on.
func TestAnswers(t *testing.T) {
	w := newWorld(t)
	bomb := zipped(64 << 20)
	for i, c := range []struct {
		what   string
		answer http.HandlerFunc
		wants  string
		twin   int64 // bytes that an ordinary client reads in a second
	}{
		{"a bomb", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Encoding", "gzip")
			_, _ = rw.Write(bomb)
		}, "larger", 64 << 20},
		{"empty archives without end", func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Encoding", "gzip")
			empty := bytes.Repeat(zipped(0), 1000)
			for r.Context().Err() == nil {
				if _, err := rw.Write(empty); err != nil {
					return
				}
			}
		}, "larger", 0},
		{"a body without end", func(rw http.ResponseWriter, r *http.Request) { _, _ = io.CopyN(rw, zeros{}, 16<<20) }, "larger", 16 << 20},
		{"a slow body", func(rw http.ResponseWriter, r *http.Request) {
			for range 50 {
				_, _ = rw.Write([]byte("x"))
				rw.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		}, "deadline", 20},
		{"headers that do not come", func(rw http.ResponseWriter, r *http.Request) { time.Sleep(700 * time.Millisecond) }, "deadline", 0},
		{"a zip in a zip", func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("Content-Encoding", "gzip, gzip") }, "Content-Encoding", 0},
		{"two encodings", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header()["Content-Encoding"] = []string{"gzip", "gzip"}
		}, "Content-Encoding", 0},
		{"an encoding that was not asked for", func(rw http.ResponseWriter, _ *http.Request) { rw.Header().Set("Content-Encoding", "deflate") }, "Content-Encoding", 0},
		{"half an archive", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Encoding", "gzip")
			_, _ = rw.Write(bomb[:20])
		}, "EOF", 0},
		{"another protocol", func(rw http.ResponseWriter, _ *http.Request) {
			c, buf, _ := rw.(http.Hijacker).Hijack()
			fmt.Fprint(buf, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
			_ = buf.Flush()
			_ = c.Close()
		}, "protocol", 0},
		{"headers without end", func(rw http.ResponseWriter, _ *http.Request) {
			c, buf, _ := rw.(http.Hijacker).Hijack()
			defer c.Close()
			fmt.Fprint(buf, "HTTP/1.1 200 OK\r\n")
			for i := range 5000 {
				if _, err := fmt.Fprintf(buf, "X-%d: %s\r\n", i, strings.Repeat("x", 100)); err != nil {
					return
				}
			}
			fmt.Fprint(buf, "Content-Length: 1\r\n\r\nx")
			_ = buf.Flush()
		}, "header", 1},
	} {
		t.Run(fmt.Sprintf("%d %s", i+1, c.what), func(t *testing.T) {
			w.mu.Lock() // a request that was given up may come late
			w.answer = c.answer
			w.mu.Unlock()
			b := web.Bounds{Body: 1 << 20, Headers: 16 << 10, Time: 500 * time.Millisecond}
			tr := w.transport(web.Config{Hosts: []web.Host{w.host("GET /")}, Bounds: b})
			start := time.Now()
			resp, err := tr.Client().Get(w.url("/"))
			var n int64
			if err == nil {
				n, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.wants) || errors.Is(err, web.ErrTooLarge) != (c.wants == "larger") || n > 1<<20 || time.Since(start) > 5*time.Second {
				t.Errorf("%v after %d bytes and %v, want %q", err, n, time.Since(start), c.wants)
			}
			if c.twin == 0 {
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			resp, err = w.unguarded().Do(request(t, "GET", w.url("/"), nil).WithContext(ctx))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if n, _ := io.Copy(io.Discard, resp.Body); n < c.twin {
				t.Errorf("the twin read %d bytes: the attack is none", n)
			}
		})
	}
	t.Run("what fits", func(t *testing.T) {
		small := zipped(1000)
		w.answer = func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Encoding", "gzip")
			_, _ = rw.Write(small)
		}
		resp, err := w.transport(web.Config{Hosts: []web.Host{w.host("GET /")}, Bounds: web.Bounds{Body: 1000}}).Client().Get(w.url("/"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		if err != nil || len(b) != 1000 || !resp.Uncompressed || resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("%d bytes, %v", len(b), err)
		}
	})
	t.Run("a request longer than it says", func(t *testing.T) {
		tr := w.transport(web.Config{Hosts: []web.Host{w.host("POST /")}, Bounds: web.Bounds{Request: 100}})
		if _, err := tr.Client().Do(request(t, "POST", w.url("/"), io.LimitReader(zeros{}, 1<<20))); !errors.Is(err, web.ErrRefused) {
			t.Error(err)
		}
		req := request(t, "POST", w.url("/"), io.LimitReader(zeros{}, 1<<20))
		req.ContentLength = 10
		if resp, err := tr.Client().Do(req); err == nil {
			resp.Body.Close()
		}
		if _, body, _ := strings.Cut(w.last(), "\n\n"); len(body) > 10 {
			t.Errorf("%d bytes were sent", len(body))
		}
	})
}

// TestSentOnce: a request that acts is sent once, although its connection was used before and breaks, and although it has a key.
func TestSentOnce(t *testing.T) {
	w := newWorld(t)
	w.answer = func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			c, _, _ := rw.(http.Hijacker).Hijack()
			_ = c.Close()
		}
	}
	posts := func(c *http.Client, body func() io.Reader) int {
		resp, err := c.Get(w.url("/"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		before, _ := w.counts()
		req := request(t, "POST", w.url("/"), body())
		req.Header.Set("Idempotency-Key", "k")
		if _, err := c.Do(req); err == nil {
			t.Error("no error")
		}
		after, _ := w.counts()
		return after - before
	}
	for _, body := range []func() io.Reader{func() io.Reader { return nil }, func() io.Reader { return strings.NewReader("{}") }} {
		if n := posts(w.transport(web.Config{Hosts: []web.Host{w.host("GET /", "POST /")}}).Client(), body); n != 1 {
			t.Errorf("sent %d times", n)
		}
		if !strings.Contains(strings.ToLower(w.last()), "idempotency-key: k") {
			t.Error(w.last())
		}
		if n := posts(w.unguarded(), body); n < 2 {
			t.Errorf("the twin sent it %d times", n)
		}
	}
	t.Run("a connection that is gone", func(t *testing.T) { // is replaced, since nothing was written
		tr := w.transport(web.Config{Hosts: []web.Host{w.host("GET /", "PUT /")}})
		for range 3 {
			resp, err := tr.Client().Do(request(t, "PUT", w.url("/"), strings.NewReader("{}")))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			w.api.CloseClientConnections()
			time.Sleep(20 * time.Millisecond)
		}
	})
}

// TestConfigRefused: what a host can't mean is an error at once.
func TestConfigRefused(t *testing.T) {
	secret := web.FromVariable("X")
	host := func(change func(*web.Host)) web.Host {
		h := web.Host{Name: "api.example.com"}
		change(&h)
		return h
	}
	for _, h := range []web.Host{
		{}, {Name: "*.example.com"}, {Name: "API.example.com"}, {Name: "api.example.com."}, {Name: ".example.com"}, {Name: "api..example.com"}, {Name: "api_x"}, {Name: "a b"}, {Name: "é.example"},
		{Name: "127.0.0.1"}, {Name: "2130706433"}, {Name: "0x7f.1"}, {Name: "1.2.3.0x4"}, {Name: "::1"}, {Name: "[::1]"}, {Name: "fe80::1%lo"}, {Name: "example.com:443"}, {Name: "u@example.com"}, {Name: strings.Repeat("a", 300)},
		host(func(h *web.Host) { h.Port = 65536 }), host(func(h *web.Host) { h.Port = -1 }),
		host(func(h *web.Host) { h.Networks = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")} }),
		host(func(h *web.Host) { h.Networks = []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16")} }),
		host(func(h *web.Host) { h.Networks = []netip.Prefix{netip.MustParsePrefix("fe80::/10")} }),
		host(func(h *web.Host) { h.Networks = []netip.Prefix{netip.MustParsePrefix("8.8.8.0/24")} }),
		host(func(h *web.Host) { h.Networks = []netip.Prefix{{}} }),
		host(func(h *web.Host) { h.Headers = []string{"Host"} }), host(func(h *web.Host) { h.Headers = []string{"transfer-encoding"} }),
		host(func(h *web.Host) { h.Headers = []string{"X Y"} }), host(func(h *web.Host) { h.Headers = []string{""} }),
		host(func(h *web.Host) { h.Secrets = []web.Binding{{Header: "Authorization"}} }),
		host(func(h *web.Host) { h.Secrets = []web.Binding{{Secret: secret, Header: ""}} }),
		host(func(h *web.Host) { h.Secrets = []web.Binding{{Secret: secret, Header: "Host"}} }),
		host(func(h *web.Host) { h.Secrets = []web.Binding{{Secret: secret, Header: "Accept"}} }),
		host(func(h *web.Host) { h.Secrets = []web.Binding{{Secret: secret, Header: "X-Key", Prefix: "a\r\nb"}} }),
		host(func(h *web.Host) {
			h.Secrets = []web.Binding{{Secret: secret, Header: "X-Key"}, {Secret: secret, Header: "x-key"}}
		}),
		host(func(h *web.Host) {
			h.Headers, h.Secrets = []string{"X-Key"}, []web.Binding{{Secret: secret, Header: "x-key"}}
		}),
		host(func(h *web.Host) { h.Plain, h.Secrets = true, []web.Binding{{Secret: secret, Header: "X-Key"}} }),
		host(func(h *web.Host) {
			h.Plain, h.Networks, h.Secrets = true, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, []web.Binding{{Secret: secret, Header: "X-Key"}}
		}),
	} {
		if _, err := web.NewTransport(web.Config{Hosts: []web.Host{h}}); err == nil {
			t.Errorf("%+v was taken", h)
		}
	}
	two := web.Host{Name: "example.com"}
	if _, err := web.NewTransport(web.Config{Hosts: []web.Host{two, two}}); err == nil {
		t.Error("a host was taken twice")
	}
	if _, err := web.NewTransport(web.Config{Bounds: web.Bounds{Body: -1}}); err == nil {
		t.Error("a negative bound was taken")
	}
}
