package web_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/web"
	"github.com/exoagent/exoagent/codemode"
)

const formType = "application/x-www-form-urlencoded"

func (c *client) cookie() string {
	c.t.Helper()
	u, _ := url.Parse(c.srv.URL)
	for _, k := range c.http.Jar.Cookies(u) {
		if strings.HasSuffix(k.Name, "exo") {
			return k.Name + "=" + k.Value
		}
	}
	c.t.Fatal("no cookie")
	return ""
}

// TestForms: a change by cookie needs the session's own token, and has to come
// from this very site.
func TestForms(t *testing.T) {
	s := newSite(t, config{})
	b, other := s.browser(), s.browser()
	mine := formToken.FindStringSubmatch(b.get("/claim").body)[1]
	theirs := formToken.FindStringSubmatch(other.get("/claim").body)[1]
	if mine == theirs || strings.Contains(mine, strings.SplitN(b.cookie(), "=", 2)[1]) {
		t.Fatal("the tokens")
	}
	form := func(token string) string {
		return url.Values{"token": {token}, "lane": {"program"}, "input": {"1"}}.Encode()
	}
	for name, c := range map[string]struct {
		want   int
		body   string
		header []string
	}{
		"as it should be":           {303, form(mine), []string{"Sec-Fetch-Site", "same-origin"}},
		"of a client without it":    {303, form(mine), nil},
		"no token":                  {403, form(""), nil},
		"another session's token":   {403, form(theirs), nil},
		"from another site":         {403, form(mine), []string{"Sec-Fetch-Site", "cross-site"}},
		"from a sister site":        {403, form(mine), []string{"Sec-Fetch-Site", "same-site"}},
		"of another origin":         {403, form(mine), []string{"Origin", "https://evil.example"}},
		"of a hidden origin":        {403, form(mine), []string{"Origin", "null"}},
		"its own origin":            {303, form(mine), []string{"Origin", s.srv.URL}},
		"both, one of them foreign": {403, form(mine), []string{"Origin", s.srv.URL, "Sec-Fetch-Site", "cross-site"}},
	} {
		h := append([]string{"Cookie", b.cookie(), "Content-Type", formType}, c.header...)
		if a := s.raw("POST", "/targets/wallet/attempts", c.body, h...); a.status != c.want {
			t.Errorf("%s: %d", name, a.status)
		}
	}
	for _, path := range []string{"/leave", "/claim", "/attempts/x/share", "/attempts/x/claim", "/targets/wallet/attempts"} {
		if a := s.raw("POST", path, "", "Cookie", b.cookie(), "Content-Type", formType); a.status != 403 {
			t.Errorf("%s without a token: %d", path, a.status)
		}
	}
	for _, path := range []string{"/leave", "/claim", "/attempts/x/share", "/attempts/x/claim"} {
		if a := s.raw("POST", path, "", "Content-Type", formType); a.status != 401 {
			t.Errorf("%s of nobody: %d", path, a.status)
		}
	}
	// The API by cookie, as the pages' script uses it.
	body := `{"target":"wallet","lane":"program","input":"1"}`
	if a := s.raw("POST", "/api/v1/attempts", body, "Cookie", b.cookie(), "Content-Type", "application/json"); a.status != 403 {
		t.Error(a.status)
	}
	if a := s.raw("POST", "/api/v1/attempts", body, "Cookie", b.cookie(), "Content-Type", "application/json", "X-Form-Token", mine); a.status != 202 {
		t.Error(a.status, a.body)
	}
	if a := s.raw("DELETE", "/api/v1/player", "", "Cookie", b.cookie()); a.status != 403 {
		t.Error(a.status)
	}
	if a := s.raw("GET", "/leave", "", "Cookie", b.cookie()); a.status != 200 || a.header.Get("Set-Cookie") != "" || b.get("/claim").status != 200 || !strings.Contains(b.get("/targets/wallet").body, `id="leave"`) {
		t.Error("a link ends the session", a.status)
	}
	if a := s.raw("GET", "/leave", ""); a.status != 303 || a.header.Get("Location") != "/" {
		t.Error("nobody leaves", a.status)
	}
}

// TestCookies: what a session's cookie is, and that no other opens anything.
func TestCookies(t *testing.T) {
	s := newSite(t, config{})
	plain := s.raw("POST", "/play", "target=wallet", "Content-Type", formType).header.Get("Set-Cookie")
	for _, want := range []string{"exo=", "HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%s lacks %s", plain, want)
		}
	}
	tls := newSite(t, config{Options: web.Options{URL: "https://challenge.example"}})
	a := tls.raw("POST", "/play", "target=https://evil.example", "Content-Type", formType, "Host", "challenge.example", "Origin", "https://challenge.example")
	c := a.header.Get("Set-Cookie")
	if !strings.HasPrefix(c, "__Host-exo=") || !strings.Contains(c, "Secure") || strings.Contains(c, "Domain") || a.header.Get("Strict-Transport-Security") == "" || a.header.Get("Location") != "/" {
		t.Errorf("%s %v", c, a.header)
	}
	token := strings.SplitN(strings.SplitN(plain, ";", 2)[0], "=", 2)[1]
	for _, forged := range []string{"", "x", token[:len(token)-1], token + "A", strings.ToLower(token), "' OR 1=1 --", base64.StdEncoding.EncodeToString([]byte(token)), strings.Repeat("A", 5000)} {
		if a := s.raw("GET", "/targets/wallet", "", "Cookie", "exo="+forged); a.status != 200 && a.status != 431 || strings.Contains(a.body, `id="leave"`) {
			t.Errorf("the cookie %.60q: %d", forged, a.status)
		}
		if a := s.raw("GET", "/api/v1/player", "", "Authorization", "Bearer "+forged); a.status != 401 {
			t.Errorf("the token %.60q: %d", forged, a.status)
		}
	}
	if a := s.raw("GET", "/api/v1/player", "", "Authorization", "bearer "+token); a.status != 200 {
		t.Error("its own", a.status)
	}
	if a := s.raw("GET", "/api/v1/player", "", "Authorization", "Basic "+token); a.status != 401 {
		t.Error("of another kind", a.status)
	}
}

// TestHosts: only the names of this site are answered.
func TestHosts(t *testing.T) {
	s := newSite(t, config{Options: web.Options{URL: "https://Challenge.example"}})
	for host, want := range map[string]int{
		"challenge.example": 200, "CHALLENGE.example": 200, "evil.example": 421, "challenge.example.evil.example": 421,
		"challenge.example:8443": 421, "127.0.0.1": 421, "localhost:8080": 421,
	} {
		if a := s.raw("GET", "/", "", "Host", host, "X-Forwarded-Host", "challenge.example"); a.status != want {
			t.Errorf("%s: %d", host, a.status)
		}
	}
	if !slices.Contains(web.LoopbackHosts("8080"), "[::1]:8080") {
		t.Error(web.LoopbackHosts("8080"))
	}
	for _, bad := range []string{"challenge.example", "ftp://x", "https://", "https://x/path", "https://u:p@x", "https://x?y"} {
		if _, err := web.New(t.Context(), web.Options{Arena: s.arena, Log: s.arena.Log, URL: bad}); err == nil {
			t.Errorf("%q is an address", bad)
		}
	}
}

// TestForwarded: who writes X-Forwarded-For does not choose the address it counts for.
func TestForwarded(t *testing.T) {
	rates := plenty
	rates.Players = web.Rate{Burst: 1, Every: time.Hour}
	players := func(o web.Options, forwarded ...string) (made int) {
		o.Rates = rates
		s := newSite(t, config{Options: o})
		for _, f := range forwarded {
			if a := s.raw("POST", "/api/v1/players", "", "X-Forwarded-For", f); a.status == 201 {
				made++
			} else if a.status != 429 {
				t.Errorf("%s: %d", f, a.status)
			}
		}
		return made
	}
	proxy := web.Options{Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.1.0.0/16")}}
	for name, c := range map[string]struct {
		o    web.Options
		from []string
		made int
	}{
		"no proxy is trusted":        {web.Options{}, []string{"1.1.1.1", "2.2.2.2", "3.3.3.3"}, 1},
		"another is trusted":         {web.Options{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, []string{"1.1.1.1", "2.2.2.2"}, 1},
		"the proxy's word":           {proxy, []string{"1.1.1.1", "2.2.2.2", "1.1.1.1"}, 2},
		"what the player put before": {proxy, []string{"9.9.9.1, 1.1.1.1", "9.9.9.2, 1.1.1.1", "127.0.0.1, 1.1.1.1"}, 1},
		"two proxies":                {proxy, []string{"9.9.9.9, 1.1.1.1, 10.1.2.3", "1.1.1.1, 10.1.9.9", "2.2.2.2,10.1.0.1"}, 2},
		"nonsense":                   {proxy, []string{"x", "1.1.1.1, x", "2.2.2.2, ,"}, 1},
		"one network":                {proxy, []string{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"}, 2},
		"one address, two spellings": {proxy, []string{"1.1.1.1", "::ffff:1.1.1.1"}, 1},
	} {
		if made := players(c.o, c.from...); made != c.made {
			t.Errorf("%s: %d players, want %d", name, made, c.made)
		}
	}
}

// TestRates: buckets bound players and addresses, and the headers say so.
func TestRates(t *testing.T) {
	clock := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	now := func() time.Time { mu.Lock(); defer mu.Unlock(); return clock }
	pass := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); clock = clock.Add(d) }
	rates := plenty
	rates.Attempts = web.Rate{Burst: 3, Every: 10 * time.Second}
	rates.AddressAttempts = web.Rate{Burst: 5, Every: time.Second}
	rates.Claims = web.Rate{Burst: 2, Every: time.Minute}
	s := newSite(t, config{Options: web.Options{Rates: rates, Now: now, PublicMetrics: true}})
	p, q := s.program(), s.program()
	try := func(c *client, want int) answer {
		t.Helper()
		return c.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "notice", "input": "SELECT 1"}, want, nil)
	}
	a := try(p, 202)
	if h := a.header; h.Get("RateLimit-Limit") != "3" || h.Get("RateLimit-Remaining") != "2" || h.Get("RateLimit-Reset") != "10" {
		t.Error(h)
	}
	try(p, 202)
	try(p, 202)
	a = try(p, 429)
	if h := a.header; h.Get("Retry-After") != "10" || h.Get("RateLimit-Remaining") != "0" {
		t.Error(h)
	}
	contains(t, a.body, `"rate"`)
	try(q, 202)
	try(q, 202)
	if a = try(q, 429); a.header.Get("RateLimit-Limit") != "5" || a.header.Get("Retry-After") != "1" {
		t.Error("the address", a.header)
	}
	pass(9 * time.Second)
	try(p, 429)
	pass(time.Second)
	try(p, 202)
	pass(time.Hour) // a bucket that is full stays so
	for i := range 4 {
		try(p, map[bool]int{true: 202, false: 429}[i < 3])
	}
	for i := range 3 {
		want := 200
		if i == 2 {
			want = 429
		}
		p.call("POST", "/api/v1/claims", map[string]string{"key": "x"}, want, nil)
	}
	if m := s.raw("GET", "/metrics", "").body; !regexp.MustCompile(`rate_limited_total [1-9]`).MatchString(m) {
		t.Error(m)
	}
	all := plenty
	all.Requests = web.Rate{Burst: 4, Every: time.Hour}
	few := newSite(t, config{Options: web.Options{Rates: all}})
	for i := range 6 {
		if a := few.raw("GET", "/", ""); (a.status == 200) != (i < 4) || a.status == 429 && a.header.Get("Retry-After") != "3600" {
			t.Errorf("%d: %d %v", i, a.status, a.header)
		}
	}
}

// TestOthers: no id opens anything of another player, and what isn't there reads the same.
func TestOthers(t *testing.T) {
	s := newSite(t, config{})
	p, q, b := s.program(), s.program(), s.browser()
	v := p.play("wallet", game.Notice, "SELECT private_key AS k FROM wallets")
	key := keyForm.FindString(string(v.Result))
	nothing := "aaaaaaaaaaaaaaaaaaaaaaaaaa"
	for _, c := range []*client{q, {site: s, http: s.srv.Client()}} {
		there := c.call("GET", "/api/v1/attempts/"+v.ID, nil, 404, nil).body
		if not := c.call("GET", "/api/v1/attempts/"+nothing, nil, 404, nil).body; there != not {
			t.Errorf("%s and %s", there, not)
		}
	}
	if there, not := b.get("/attempts/"+v.ID), b.get("/attempts/"+nothing); there.status != 404 || there.body != not.body {
		t.Error("the pages differ")
	}
	there := q.call("PUT", "/api/v1/attempts/"+v.ID+"/share", map[string]bool{"shared": true}, 404, nil).body
	if not := q.call("PUT", "/api/v1/attempts/"+nothing+"/share", map[string]bool{"shared": true}, 404, nil).body; there != not {
		t.Error("sharing differs")
	}
	if a := b.post("/attempts/"+v.ID+"/share", url.Values{"shared": {"1"}}); a.status != 404 {
		t.Error(a.status)
	}
	for _, id := range []string{"..%2f..%2fetc%2fpasswd", "%27%20OR%201=1", "%00", strings.Repeat("a", 3000), strings.ToUpper(v.ID), v.ID[:len(v.ID)-1]} {
		if a := q.get("/attempts/" + id); a.status != 404 && a.status != 400 {
			t.Errorf("%s: %d", id, a.status)
		}
	}
	var list struct{ Attempts []struct{ ID string } }
	q.call("GET", "/api/v1/attempts", nil, 200, &list)
	if len(list.Attempts) != 0 {
		t.Error("another player's attempts")
	}
	p.call("PUT", "/api/v1/attempts/"+v.ID+"/share", map[string]bool{"shared": true}, 204, nil)
	shared := q.call("GET", "/api/v1/attempts/"+v.ID, nil, 200, nil).body
	page := s.raw("GET", "/attempts/"+v.ID, "").body
	for _, text := range []string{shared, page} {
		if strings.Contains(text, key) || !strings.Contains(text, "exo1_…") || strings.Contains(text, `id="share"`) {
			t.Error(text)
		}
	}
	contains(t, p.call("GET", "/api/v1/attempts/"+v.ID, nil, 200, nil).body, key)
	p.call("PUT", "/api/v1/attempts/"+v.ID+"/share", map[string]bool{"shared": false}, 204, nil)
	q.call("GET", "/api/v1/attempts/"+v.ID, nil, 404, nil)
}

// TestClaims: replayed, forged and another's claims count for nothing.
func TestClaims(t *testing.T) {
	s := newSite(t, config{})
	p, q := s.program(), s.program()
	key := p.steal("wallet", game.Notice)
	q.steal("wallet", game.Notice) // q has a key of that lane too
	for _, wrong := range []string{"", " ", "exo1_", key[:len(key)-1], key + "A", key[1:], strings.Repeat("x", 10000), "%" + key + "%"} {
		if got := p.claim(wrong, "x"); got.Right {
			t.Errorf("%.40q: %+v", wrong, got)
		}
	}
	if got := q.claim(key, "thief"); got.Right {
		t.Errorf("%+v", got)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	first := 0
	for i := range 12 {
		wg.Go(func() {
			a := s.raw("POST", "/api/v1/claims", fmt.Sprintf(`{"key":%q,"name":"n%d"}`, key, i), "Authorization", "Bearer "+p.token, "Content-Type", "application/json")
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(a.body, `"right":true,"again":false`) {
				first++
			}
		})
	}
	wg.Wait()
	if first != 1 {
		t.Errorf("%d claims of one key counted", first)
	}
	contains(t, s.raw("GET", "/", "").body, `<dd id="wins-notice">1</dd>`)
	if board := s.raw("GET", "/api/v1/leaderboard", "").body; !strings.Contains(board, `"tries":1`) || strings.Contains(board, `"attempt"`) {
		t.Errorf("the attempts of control wins are their players' own: %s", board)
	}
	for _, same := range []string{"  " + key + "\n", strings.ToLower(key)} { // as lower() gave it, say
		if got := p.claim(same, ""); !got.Right || !got.Again {
			t.Errorf("%q: %+v", same, got)
		}
	}
	for _, name := range []string{strings.Repeat("x", 41), "a\u202eb", "a\x00b", "\u200b", "z̸̸̸̸̸̸̸̸"} {
		a := s.raw("POST", "/api/v1/claims", fmt.Sprintf(`{"key":%q,"name":%q}`, key, name), "Authorization", "Bearer "+p.token, "Content-Type", "application/json")
		if a.status != 422 && a.status != 400 {
			t.Errorf("the name %q: %d %s", name, a.status, a.body)
		}
	}
}

// TestStored: what players write is text on every page, and no page has a script,
// a style or a handler in it.
func TestStored(t *testing.T) {
	s := newSite(t, config{})
	b := s.browser()
	const evil = `</pre></textarea><script>alert(1)</script><img src=x onerror=alert(2)>'"` + "`"
	page := b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"program"}, "input": {"() => { console.log(" + strconv.Quote(evil) + "); return { " + strconv.Quote(evil) + ": " + strconv.Quote(evil) + " } }"}}))
	pages := []string{page.body}
	pages = append(pages, b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"program"}, "input": {"() => { throw new Error(" + strconv.Quote(evil) + ") }"}})).body)
	pages = append(pages, b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"program"}, "input": {evil}})).body)
	pages = append(pages, b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"notice"}, "input": {`SELECT '` + strings.ReplaceAll(evil, "'", "''") + `' AS "` + strings.ReplaceAll(evil, `"`, "") + `"`}})).body)
	key := b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"notice"}, "input": {"SELECT private_key FROM wallets"}}))
	pages = append(pages, b.post("/claim", url.Values{"key": {keyForm.FindString(key.body)}, "name": {`<script>alert(3)</script>`}}).body, s.raw("GET", "/", "").body, b.get("/targets/wallet").body)
	contains(t, pages[5]+pages[6], "&lt;script&gt;alert(3)")
	b.post(page.permalink(t)+"/share", url.Values{"shared": {"1"}})
	shared := s.raw("GET", page.permalink(t), "")
	pages = append(pages, shared.body, s.raw("GET", "/targets/%3Cscript%3Ealert(4)%3C%2Fscript%3E", "").body, s.raw("GET", "/x?<script>alert(5)</script>", "").body)
	for i, p := range pages {
		low := strings.ToLower(p)
		for _, own := range []string{`<script src="/static/theme.js"></script>`, `<script type="module" src="/static/main.js"></script>`} {
			if strings.Count(low, own) != 1 {
				t.Errorf("page %d lacks %s", i, own)
			}
			low = strings.ReplaceAll(low, own, "")
		}
		if strings.Contains(low, "<script") || strings.Contains(low, "<img src=x") || strings.Contains(low, "<style") || strings.Contains(low, " style=") || regexp.MustCompile(`<[^>]*\son\w+=`).MatchString(low) {
			t.Errorf("page %d: %s", i, p)
		}
	}
	csp := shared.header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		contains(t, csp, want)
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") || strings.Contains(csp, "data:") {
		t.Error(csp)
	}
	if a := s.raw("GET", "/static/", ""); a.status != 404 || strings.Contains(a.body, "style") {
		t.Error("the folder is listed")
	}
	for _, path := range []string{"/", "/claim", "/targets/wallet", "/targets/wallet/reach.svg", "/static/style.css", "/static/", "/static/none", "/api/v1/challenge", "/api/v1/openapi.json", "/nothing", "/healthz"} {
		h := s.raw("GET", path, "").header
		if h.Get("Content-Security-Policy") != csp || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Content-Type") == "" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

// TestBodies: too large, of the wrong kind, or more than one: refused, each in its words.
func TestBodies(t *testing.T) {
	s := newSite(t, config{})
	p, b := s.program(), s.browser()
	auth := []string{"Authorization", "Bearer " + p.token}
	long := strings.Repeat("x", 70<<10)
	for name, c := range map[string]struct {
		want        int
		path, body  string
		contentType string
	}{
		"a huge body":           {413, "/api/v1/attempts", `{"input":"` + strings.Repeat("x", 1<<20) + `"}`, "application/json"},
		"a long program":        {422, "/api/v1/attempts", `{"target":"wallet","lane":"program","input":"` + long + `"}`, "application/json"},
		"an empty program":      {422, "/api/v1/attempts", `{"target":"wallet","lane":"program","input":" \n"}`, "application/json"},
		"no such lane":          {404, "/api/v1/attempts", `{"target":"wallet","lane":"other","input":"1"}`, "application/json"},
		"no such target":        {404, "/api/v1/attempts", `{"target":"../x","lane":"program","input":"1"}`, "application/json"},
		"the model":             {503, "/api/v1/attempts", `{"target":"wallet","lane":"model","input":"hi"}`, "application/json"},
		"a form":                {415, "/api/v1/attempts", "target=wallet", formType},
		"plain text":            {415, "/api/v1/attempts", `{"target":"wallet","lane":"program","input":"1"}`, "text/plain"},
		"no JSON":               {400, "/api/v1/attempts", `{"target":`, "application/json"},
		"another field":         {400, "/api/v1/attempts", `{"target":"wallet","lane":"program","input":"1","player":"x"}`, "application/json"},
		"two values":            {400, "/api/v1/attempts", `{"target":"wallet","lane":"program","input":"1"}{}`, "application/json"},
		"another type of field": {400, "/api/v1/claims", `{"key":1}`, "application/json"},
		"deep JSON":             {400, "/api/v1/claims", strings.Repeat("[", 100000), "application/json"},
		"nothing":               {400, "/api/v1/claims", ``, "application/json"},
	} {
		a := s.raw("POST", c.path, c.body, append(auth, "Content-Type", c.contentType)...)
		if a.status != c.want || !strings.HasPrefix(a.body, `{"error":{`) {
			t.Errorf("%s: %d %.200s", name, a.status, a.body)
		}
	}
	if a := b.post("/targets/wallet/attempts", url.Values{"lane": {"program"}, "input": {strings.Repeat("x", 1<<20)}}); a.status != 413 {
		t.Error(a.status)
	}
	if a := s.raw("POST", "/play", "%zz", "Content-Type", formType); a.status != 400 {
		t.Error(a.status)
	}
	if a := s.raw("POST", "/api/v1/attempts", `{}`, "Content-Type", "application/json"); a.status != 401 {
		t.Error("nobody", a.status)
	}
}

// TestErrors: a failure of ours says nothing of us.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	s := newSite(t, config{dir: dir})
	p := s.program()
	key := p.steal("wallet", game.Notice)
	s.arena.Store.Close()
	for _, a := range []answer{
		s.raw("GET", "/", ""), s.raw("GET", "/healthz", ""), s.raw("GET", "/api/v1/player", "", "Authorization", "Bearer "+p.token),
		s.raw("POST", "/api/v1/claims", `{"key":"`+key+`"}`, "Authorization", "Bearer "+p.token, "Content-Type", "application/json"),
		s.raw("POST", "/api/v1/players", ""),
	} {
		if a.status != 500 || !strings.Contains(strings.ToLower(a.body), "internal error") {
			t.Errorf("%d %s", a.status, a.body)
		}
		for _, secret := range []string{key, dir, "sql:", "store", "database", ".go", p.token} {
			if strings.Contains(a.body, secret) {
				t.Errorf("%q in %s", secret, a.body)
			}
		}
	}
}

// TestLogs: logs say what happened and hold nothing that a player wrote or won.
func TestLogs(t *testing.T) {
	s := newSite(t, config{})
	p, b := s.program(), s.browser()
	key := p.steal("wallet", game.Notice)
	p.claim(key, "A name in the log")
	v := p.play("wallet", game.Program, "(api) => { throw new Error('a word of the program') }")
	b.get("/attempts/" + v.ID)
	log := s.log.String()
	contains(t, log, v.ID, `"kind":"program"`, `"lane":"notice"`, `"leaked":true`, `"msg":"claim"`, `"route":"GET /attempts/{id}"`)
	for _, secret := range []string{key, p.token, b.cookie()[4:], "a word of the program", "A name in the log", "private_key"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// TestMetrics: the text is in Prometheus' format and says of each number whose it is, and what is counted moves.
func TestMetrics(t *testing.T) {
	s := newSite(t, config{Options: web.Options{PublicMetrics: true}})
	p := s.program()
	p.play("wallet", game.Program, "() => 1")
	p.steal("wallet", game.Notice)
	text := s.raw("GET", "/metrics", "").body
	types := map[string]string{}
	for line := range strings.Lines(text) { // as the format has it: each series of a type that was named before
		line = strings.TrimSuffix(line, "\n")
		if m := regexp.MustCompile(`^# TYPE (exo_challenge_[a-z_]+) (counter|gauge)$`).FindStringSubmatch(line); m != nil {
			types[m[1]] = m[2]
			continue
		}
		if regexp.MustCompile(`^# HELP exo_challenge_[a-z_]+ [A-Z].*\bprocess(es)?\b.*\.$`).MatchString(line) {
			continue
		}
		m := regexp.MustCompile(`^(exo_challenge_[a-z_]+)(\{([a-z]+="[a-z0-9]*",?)+\})? [0-9.e+-]+$`).FindStringSubmatch(line)
		if m == nil || types[m[1]] == "" || strings.HasSuffix(m[1], "_total") != (types[m[1]] == "counter") {
			t.Errorf("%q is no line of the format", line)
		}
	}
	contains(t, text, `exo_challenge_attempts_total{lane="program",kind="ok"} 1`, `exo_challenge_leaks_total{lane="notice"} 1`, `exo_challenge_leaks_total{lane="program"} 0`,
		"exo_challenge_players 1\n", "exo_challenge_attempts_all_total 2\n", "exo_challenge_guarded_wins 0\n", "# TYPE exo_challenge_queue_waiting gauge")
	hidden := newSite(t, config{})
	if a := hidden.raw("GET", "/metrics", ""); a.status != 404 {
		t.Error(a.status)
	}
}

// TestTogether: beyond so many requests at a time, of all or of one address, the
// answer is short.
func TestTogether(t *testing.T) {
	for name, change := range map[string]func(*web.Rates){"all": func(r *web.Rates) { r.Together = 1 }, "one address": func(r *web.Rates) { r.Each = 1 }} {
		rates := plenty
		change(&rates)
		s := newSite(t, config{Options: web.Options{Rates: rates}, places: 1})
		p := s.program()
		var v struct{ ID string }
		p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "program", "input": "() => { for (;;) {} }"}, 202, &v)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for ctx.Err() == nil { // it may itself be the one too many
				r := s.request("GET", "/api/v1/attempts/"+v.ID+"?wait=20", "", "Authorization", "Bearer "+p.token).WithContext(ctx)
				if res, err := s.srv.Client().Do(r); err == nil {
					res.Body.Close()
				}
			}
		})
		refused := false
		for range 200 {
			if a := s.raw("GET", "/healthz", ""); a.status != 200 && a.header.Get("Retry-After") != "" {
				refused = true
				if a.header.Get("Content-Security-Policy") == "" || !a.close {
					t.Errorf("%s: it keeps its connection, or comes without the headers: %v", name, a.header)
				}
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
		wg.Wait()
		if !refused {
			t.Errorf("%s: never refused", name)
		}
	}
}

// echo is a model that runs the question as a program and remembers how many it had.
type echo struct{}

func (echo) Name() string { return "echo" }
func (echo) Ask(ctx context.Context, chat []byte, q string, tool *codemode.Tool, ran func(string, *codemode.Result)) (string, []byte, error) {
	res := tool.Run(ctx, q)
	ran(q, res)
	return fmt.Sprintf("after %d: %s", len(chat), res.JSON), append(chat, 'x'), nil
}

// TestModel: the lane plays, its chat goes on, leaks are seen, and questions have
// rates of their own.
func TestModel(t *testing.T) {
	rates := plenty
	rates.Questions = web.Rate{Burst: 3, Every: time.Hour}
	rates.AllQuestions = web.Rate{Burst: 5, Every: time.Hour}
	s := newSite(t, config{Options: web.Options{Rates: rates}})
	s.arena.Game.Chat = echo{}
	p, q := s.program(), s.program()
	for range 9 { // what can't be asked costs nothing
		p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "model", "input": " "}, 422, nil)
		p.call("POST", "/api/v1/attempts", map[string]any{"target": "none", "lane": "model", "input": "1"}, 404, nil)
	}
	for i := range 2 {
		if v := p.play("wallet", game.Model, "(api) => api.currentUser.accounts().count()"); v.Answer != fmt.Sprintf("after %d: 3", i) || len(v.Steps) != 1 || len(v.Queries) != 1 {
			t.Errorf("%+v", v.Attempt)
		}
	}
	if v := p.play("broken", game.Model, "(api) => api.things.execute()"); !v.Leaked {
		t.Errorf("%+v", v.Attempt)
	}
	contains(t, s.raw("GET", "/", "").body, `id="holes"`, `<dd id="wins-model">1</dd>`)
	ask := map[string]any{"target": "wallet", "lane": "model", "input": "1"}
	p.call("POST", "/api/v1/attempts", ask, 429, nil)
	q.call("POST", "/api/v1/attempts", ask, 202, nil)
	q.call("POST", "/api/v1/attempts", ask, 202, nil)
	if a := q.call("POST", "/api/v1/attempts", ask, 429, nil); a.header.Get("Retry-After") == "" {
		t.Error("everybody's", a.header)
	}
	q.play("wallet", game.Program, "1")
}

// slow is a model that answers when it is told to.
type slow struct{ answer chan struct{} }

func (slow) Name() string { return "slow" }
func (m slow) Ask(ctx context.Context, _ []byte, _ string, _ *codemode.Tool, _ func(string, *codemode.Result)) (string, []byte, error) {
	select {
	case <-m.answer:
		return "done", nil, nil
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
}

// TestQuestionsWaitApart: models that take their time hold up no program.
func TestQuestionsWaitApart(t *testing.T) {
	s := newSite(t, config{places: 1})
	m := slow{make(chan struct{})}
	s.arena.Game.Chat = m
	p := s.program()
	var q, v struct {
		ID    string
		State game.State
	}
	p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "model", "input": "hello"}, 202, &q)
	p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "program", "input": "1"}, 202, &v)
	if p.call("GET", "/api/v1/attempts/"+v.ID+"?wait=20", nil, 200, &v); v.State != game.Ended {
		t.Errorf("the program is %s", v.State)
	}
	if p.call("GET", "/api/v1/attempts/"+q.ID, nil, 200, &q); q.State.Over() {
		t.Errorf("the question is %s", q.State)
	}
	close(m.answer)
	if w := p.wait(q.ID); w.Answer != "done" {
		t.Errorf("%+v", w.Attempt)
	}
}
