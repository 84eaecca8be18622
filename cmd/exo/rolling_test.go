package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy gives each request to one of the servers of which the last look at /healthz was well, as HAProxy and others do.
type proxy struct {
	mu      sync.Mutex
	servers []*url.URL
	well    map[string]bool
	next    int
}

// look asks each server how it is.
func (p *proxy) look() {
	p.mu.Lock()
	servers := p.servers
	p.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range servers {
		all.Go(func() {
			r, err := (&http.Client{Timeout: time.Second}).Get(s.Scheme + "://" + s.Host + "/healthz")
			if err == nil {
				r.Body.Close()
			}
			p.mu.Lock()
			p.well[s.Host] = err == nil && r.StatusCode == http.StatusOK
			p.mu.Unlock()
		})
	}
	all.Wait()
}

func (p *proxy) pick() *url.URL {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.servers {
		p.next++
		if s := p.servers[p.next%len(p.servers)]; p.well[s.Host] {
			return s
		}
	}
	return p.servers[0]
}

func (p *proxy) replace(t *testing.T, i int, with string) {
	t.Helper()
	u, err := url.Parse(with)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.servers = append(append([]*url.URL{}, p.servers[:i]...), append([]*url.URL{u}, p.servers[min(i+1, len(p.servers)):]...)...)
	p.mu.Unlock()
	p.look()
}

// TestRollingUpgrade: while clients call, each process behind a proxy is replaced by a new one. No call is lost, none happens twice, and no client sees an
// error: -notice gives the proxy the time to hear of the end, and -drain the programs to come to theirs.
func TestRollingUpgrade(t *testing.T) {
	s := newSeveral(t)
	p := &proxy{well: map[string]bool{}}
	start := func() (string, func()) {
		return served(t, s.path, "-label-store", s.url, "-notice", "2s")
	}
	var ends []func()
	for i := range 3 {
		at, end := start()
		ends = append(ends, end)
		p.replace(t, i, at)
	}
	looks := time.NewTicker(50 * time.Millisecond)
	defer looks.Stop()
	go func() {
		for range looks.C {
			p.look()
		}
	}()
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		at := p.pick()
		r.Out.URL.Scheme, r.Out.URL.Host = at.Scheme, at.Host
		r.Out.Host = at.Host
	}})
	defer front.Close()
	var upgraded atomic.Bool
	var clients sync.WaitGroup
	const rows = 6
	var done [rows]int
	for i := range rows {
		clients.Go(func() {
			// Half of the programs take a while, so that some run when their process is told to end.
			code := fmt.Sprintf("const own = items.where(i => i.id === %d); for (let k = 0; k < %d; k++) await own.count(); return await own.update(i => ({ n: i.n + 1 }))", 2*i+1, 100*(i%2))
			for !upgraded.Load() {
				got := ask(t, front.URL+"/mcp", s.bob, code)
				if strings.Contains(got, `"kind":"conflict"`) || strings.HasPrefix(got, "Too Many Requests") { // nothing has happened: another program had read what this one changed, or bob may not call so often
					time.Sleep(time.Second / 4)
					continue
				}
				if !strings.HasPrefix(got, `{"result":1`) {
					t.Errorf("row %d: %s", 2*i+1, got)
					return
				}
				done[i]++
				time.Sleep(200 * time.Millisecond)
			}
		})
	}
	for i := range ends {
		ends[i]() // the proxy hears of it by /healthz
		at, end := start()
		p.replace(t, i, at)
		ends[i] = end
	}
	upgraded.Store(true)
	clients.Wait()
	for i, want := range done {
		var n int
		if err := s.db.QueryRow("SELECT n FROM items WHERE id = $1", 2*i+1).Scan(&n); err != nil || n != want || want == 0 {
			t.Errorf("row %d was changed %d times, and %d calls said so: %v", 2*i+1, n, want, err)
		}
	}
	for _, end := range ends {
		end()
	}
	if r := exo(t, "", "record", "verify", "-key", s.public, "env:SEVERAL_DB"); r.code != 0 {
		t.Errorf("%+v", r)
	}
}
