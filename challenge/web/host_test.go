package web_test

import (
	"database/sql"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/web"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// TestHealth: it is told to whoever asks by whatever name, and says when nothing can be kept.
func TestHealth(t *testing.T) {
	dir := t.TempDir()
	s := newSite(t, config{dir: dir, Options: web.Options{Trusted: loopback, PublicMetrics: true}})
	if a := s.raw("GET", "/healthz", "", "Host", "10.0.0.7"); a.status != 200 || a.body != "ok\n" {
		t.Error(a.status, a.body)
	}
	if a := s.raw("GET", "/metrics", "", "Host", "10.0.0.7"); a.status != 421 {
		t.Error(a.status)
	}
	disk, err := sql.Open("sqlite", filepath.Join(dir, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if _, err := disk.Exec("CREATE TRIGGER full BEFORE INSERT ON players BEGIN SELECT RAISE(ABORT, 'disk full'); END"); err != nil {
		t.Fatal(err)
	}
	if a := s.raw("POST", "/api/v1/players", ""); a.status != 500 || strings.Contains(a.body, "disk") {
		t.Error(a.status, a.body)
	}
	if a := s.raw("GET", "/healthz", ""); a.status != 503 || !strings.HasPrefix(a.body, "failing") {
		t.Error(a.status, a.body)
	}
	contains(t, s.raw("GET", "/metrics", "").body, "exo_challenge_store_failing 1")
	if _, err := disk.Exec("DROP TRIGGER full"); err != nil {
		t.Fatal(err)
	}
	s.arena.Tend(t.Context())
	if a := s.raw("GET", "/healthz", ""); a.status != 200 {
		t.Error(a.status, a.body)
	}
	contains(t, s.raw("GET", "/metrics", "").body, "exo_challenge_store_failing 0")
}

// TestProxyMistakes: a proxy that does not say what it must is told of in the log, and
// nobody can fill the log so.
func TestProxyMistakes(t *testing.T) {
	s := newSite(t, config{Options: web.Options{Trusted: loopback}})
	said := func(what string) int { return strings.Count(s.log.String(), what) }
	const nameless, misnamed = "does not say for whom", "named another host"
	s.raw("GET", "/", "", "X-Forwarded-For", "5.5.5.5")
	s.raw("GET", "/healthz", "", "Host", "10.0.0.7")
	if said(nameless) != 0 || said(misnamed) != 0 {
		t.Error("nothing is wrong", s.log)
	}
	for range 3 {
		s.raw("GET", "/", "")
		s.raw("GET", "/", "", "Host", "exo1_ABCDEFGHIJKLMNOPQRSTUVWXYZ."+strings.Repeat("evil", 100))
	}
	if said(nameless) != 1 || said(misnamed) != 1 || said("ABCDEFGHIJ") != 0 || said(strings.Repeat("evil", 30)) != 0 {
		t.Error(s.log)
	}
}

// TestForwardedPort: a proxy that writes ports speaks for many all the same.
func TestForwardedPort(t *testing.T) {
	s := newSite(t, config{Options: web.Options{Trusted: loopback, Rates: web.Rates{Players: web.Rate{Burst: 1, Every: 1e12}}}})
	for from, want := range map[string]int{"5.5.5.5:1234": 201, "6.6.6.6:1234": 201, "[2001:db8::1]:80": 201} {
		if a := s.raw("POST", "/api/v1/players", "", "X-Forwarded-For", from); a.status != want {
			t.Error(from, a.status)
		}
	}
	if a := s.raw("POST", "/api/v1/players", "", "X-Forwarded-For", "5.5.5.5:99"); a.status != 429 {
		t.Error(a.status)
	}
}

// TestAnybodys: what caches keep says nothing of the one who asked first.
func TestAnybodys(t *testing.T) {
	s := newSite(t, config{})
	if a := s.raw("GET", "/", ""); a.header.Get("RateLimit-Remaining") == "" || strings.Contains(a.header.Get("Cache-Control"), "public") {
		t.Error(a.header)
	}
	for _, path := range []string{"/static/main.js", "/targets/wallet/reach.svg", "/card.png"} {
		a := s.raw("GET", path, "")
		for name := range a.header {
			if a.status != 200 || strings.HasPrefix(strings.ToLower(name), "ratelimit") || name == "Set-Cookie" {
				t.Error(path, a.status, name)
			}
		}
	}
}

// TestQuestionCount: what costs the host money is counted, and so is who is refused it.
func TestQuestionCount(t *testing.T) {
	rates := plenty
	rates.AllQuestions = web.Rate{Burst: 1, Every: 1e13}
	s := newSite(t, config{Options: web.Options{Rates: rates, PublicMetrics: true}})
	s.arena.Game.Chat = spender{}
	p := s.program()
	ask := map[string]any{"target": "wallet", "lane": "model", "input": "hello"}
	var v struct{ ID string }
	p.call("POST", "/api/v1/attempts", ask, 202, &v)
	p.wait(v.ID)
	p.call("POST", "/api/v1/attempts", ask, 429, nil)
	m := s.raw("GET", "/metrics", "").body
	for _, line := range []string{"questions_total 1", "rate_limited_total 1", `model_tokens_total{kind="input"} 70`, `model_tokens_total{kind="output"} 7`} {
		contains(t, m, "\nexo_challenge_"+line+"\n")
	}
}

type spender struct{ echo }

func (spender) Tokens() (in, out int64) { return 70, 7 }

// TestEnding: a process that ends says so to a proxy, and answers all the same.
func TestEnding(t *testing.T) {
	s := newSite(t, config{})
	p := s.program()
	s.server.End()
	if a := s.raw("GET", "/healthz", ""); a.status != 503 || !strings.HasPrefix(a.body, "ending") {
		t.Error(a.status, a.body)
	}
	if v := p.play("wallet", game.Notice, "SELECT 1"); !v.Verdict.OK() {
		t.Errorf("%+v", v)
	}
}

// TestRatesOnFullDisk: when the buckets that all processes share can't be written, a process counts by itself, and the log says so once.
func TestRatesOnFullDisk(t *testing.T) {
	dir, rates := t.TempDir(), plenty
	rates.Players = web.Rate{Burst: 3, Every: time.Hour}
	s := newSite(t, config{dir: dir, Options: web.Options{Rates: rates}})
	disk, err := sql.Open("sqlite", filepath.Join(dir, "store.db.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if _, err := disk.Exec("CREATE TRIGGER full BEFORE INSERT ON buckets BEGIN SELECT RAISE(ABORT, 'disk full'); END"); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if a := s.raw("POST", "/api/v1/players", ""); (a.status == 201) != (i < 3) || a.status != 201 && a.status != 429 {
			t.Errorf("%d: %d %s", i, a.status, a.body)
		}
	}
	if n := strings.Count(s.log.String(), "disk full"); n != 1 {
		t.Errorf("the log says %d times why", n)
	}
}
