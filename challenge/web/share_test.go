package web_test

import (
	"bytes"
	"html"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/card"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/web"
)

// won plays the notice of the vault in a browser, and gives the path of the attempt.
func (c *client) won(t *testing.T, sql string) string {
	t.Helper()
	page := c.ended(c.post("/targets/wallet/attempts", url.Values{"lane": {"notice"}, "input": {sql}}))
	contains(t, page.body, `id="leaked"`, `action="`+page.permalink(t)+`/claim"`)
	return page.permalink(t)
}

const theft = "SELECT private_key FROM wallets"

// isPicture checks that an answer is a picture for previews.
func isPicture(t *testing.T, a answer) {
	t.Helper()
	m, err := png.DecodeConfig(bytes.NewReader([]byte(a.body)))
	if err != nil || a.status != 200 || a.header.Get("Content-Type") != "image/png" || m.Width != card.Width || m.Height != card.Height {
		t.Errorf("%d %v %v %v", a.status, a.header, m, err)
	}
}

// TestShare: one button claims and gives the win a page; without the player's word nobody else sees it, and
// the host can take it away.
func TestShare(t *testing.T) {
	s := newSite(t, config{})
	b, other := s.browser(), s.browser()
	path := b.won(t, theft)
	nothing := "/attempts/aaaaaaaaaaaaaaaaaaaaaaaaaa"
	unseen := func(when string) {
		t.Helper()
		for _, tail := range []string{"", "/card.png"} {
			if there, not := other.get(path+tail), other.get(nothing+tail); there.status != 404 || there.body != not.body {
				t.Errorf("%s, %s: %d", when, tail, there.status)
			}
		}
	}
	unseen("before it is claimed")
	if a := other.post(path+"/claim", url.Values{"name": {"thief"}}); a.status != 404 {
		t.Errorf("another claims it: %d", a.status)
	}
	for _, name := range []string{strings.Repeat("x", 41), "a\u202eb", "\u200b"} {
		if a := b.post(path+"/claim", url.Values{"name": {name}, "share": {"1"}}); a.status != 422 {
			t.Errorf("the name %q: %d", name, a.status)
		}
	}
	unseen("after bad names")
	page := b.post(path+"/claim", url.Values{"name": {"Robin"}})
	if page.path != path {
		t.Fatal(page.path)
	}
	contains(t, page.body, `<bdi id="winner">Robin</bdi>`, "Only you can see this page", "You have claimed it")
	if strings.Contains(page.body, `id="claim-this"`) {
		t.Error("it can be claimed again")
	}
	unseen("claimed and not shared")
	contains(t, s.raw("GET", "/", "").body, "Robin", "not shared")
	b.post(path+"/share", url.Values{"shared": {"1"}})
	theirs := other.get(path)
	contains(t, theirs.body, `<bdi id="winner">Robin</bdi>`, "SQL with a notice", "<pre id=\"winning\" data-code=\"sql\">"+theft+"</pre>", `id="try"`,
		`<meta property="og:title" content="The key is out: The vault of Vera Quist">`, `content="Robin, by the lane SQL with a notice, after 1 attempt, on `)
	if keyForm.MatchString(theirs.body) || strings.Contains(theirs.body, `name="token"`) {
		t.Error("others see the key, or may change something")
	}
	if a := other.post(path+"/claim", url.Values{"name": {"thief"}}); a.status != 404 || strings.Contains(s.raw("GET", path, "").body, "thief") {
		t.Errorf("another claims what is shared: %d", a.status)
	}
	isPicture(t, other.get(path+"/card.png"))
	contains(t, s.raw("GET", "/", "").body, `href="`+path+`">see it</a>`)
	contains(t, s.raw("GET", "/api/v1/leaderboard", "").body, `"attempt":"`+strings.TrimPrefix(path, "/attempts/")+`"`)
	named := other.get(path + "/card.png").body

	admin := s.server.Admin([]string{"admin.example"})
	w := httptest.NewRecorder()
	admin.ServeHTTP(w, httptest.NewRequest("POST", "http://admin.example/names/"+strings.TrimPrefix(path, "/attempts/")+"/hide", nil))
	if w.Code != 200 {
		t.Fatal(w.Code)
	}
	unseen("hidden by the host")
	if a := b.post(path+"/share", url.Values{"shared": {"1"}}); a.status != 404 {
		t.Errorf("the player undoes what the host did: %d", a.status)
	}
	unseen("shared again")
	if b.get(path+"/card.png").body == named {
		t.Error("the picture has a name that was taken away")
	}

	// Of two attempts that show the key, the one whose button was pressed is the win's.
	twice := s.browser()
	older, newer := twice.won(t, theft), twice.won(t, theft+" -- again")
	if a := twice.post(older+"/claim", url.Values{"share": {"1"}}); a.path != older {
		t.Errorf("%s is claimed, and %s shown", older, a.path)
	}
	contains(t, s.raw("GET", older, "").body, `id="winning"`)
	// A stranger reads what this is, what was overcome, and what the guarded lane has stood beside it.
	contains(t, s.raw("GET", older, "").body, "This is a game")
	contains(t, s.raw("GET", older, "").body, `<blockquote id="rule" class="notice">`+html.EscapeString(game.DefaultTargets.Target("wallet").Rule))
	contains(t, s.raw("GET", older, "").body, `<strong id="beside">0 keys in 0 attempts</strong>`)
	if a := twice.post(newer+"/claim", url.Values{"share": {"1"}}); a.path != older || s.raw("GET", newer, "").status != 404 {
		t.Errorf("a second claim shares %s", a.path)
	}
	shared := other.won(t, theft)
	other.post(shared+"/claim", url.Values{"share": {"1"}})
	contains(t, s.raw("GET", shared, "").body, `<span id="winner">Somebody</span>`)
	lost := b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"notice"}, "input": {"SELECT 1"}})).permalink(t)
	if a := b.post(lost+"/claim", url.Values{}); a.status != 422 {
		t.Errorf("an attempt without a key is claimed: %d", a.status)
	}
}

// TestClaimRate: claims by the button spend what claims of keys do.
func TestClaimRate(t *testing.T) {
	rates := plenty
	rates.Claims = web.Rate{Burst: 2, Every: time.Hour}
	s := newSite(t, config{Options: web.Options{Rates: rates}})
	b := s.browser()
	path := b.won(t, theft)
	for i, want := range []int{200, 200, 429} {
		if a := b.post(path+"/claim", url.Values{}); a.status != want {
			t.Errorf("%d: %d", i, a.status)
		}
	}
}

// TestClockBack: setting the clock back adds no token to a bucket. The bucket fills again from then on, first as this process sees it and then
// as the store does.
func TestClockBack(t *testing.T) {
	rates := plenty
	rates.Claims = web.Rate{Burst: 2, Every: time.Hour}
	now := time.Now().Round(0) // without the monotonic clock, as the store has it
	var ahead atomic.Int64
	s := newSite(t, config{Options: web.Options{Rates: rates, Now: func() time.Time { return now.Add(time.Duration(ahead.Load())) }}})
	b := s.browser()
	path := b.won(t, theft)
	for i, c := range []struct {
		ahead time.Duration
		want  int
	}{{0, 200}, {0, 200}, {0, 429}, {-9 * time.Hour, 429}, {-8 * time.Hour, 429}, {-7 * time.Hour, 200}, {-7 * time.Hour, 429}, {-17 * time.Hour, 429}} {
		ahead.Store(int64(c.ahead))
		if a := b.post(path+"/claim", url.Values{}); a.status != c.want {
			t.Errorf("%d, at %v: %d", i, c.ahead, a.status)
		}
	}
}

var metas = regexp.MustCompile(`<meta (?:name|property)="([^"]*)" content="([^"]*)">`)

// TestPreview: every page says what it is to those who show a link to it, once and in full addresses of
// this host, and the picture is there.
func TestPreview(t *testing.T) {
	s := newSite(t, config{Options: web.Options{URL: "https://challenge.example"}})
	p := s.program()
	v := p.play("broken", game.Program, "(api) => api.things")
	host := []string{"Host", "challenge.example"}
	for _, path := range []string{"/", "/api", "/claim", "/targets/wallet", "/targets/spend", "/targets/sealed", "/attempts/" + v.ID, "/nothing"} {
		got := map[string]string{}
		for _, m := range metas.FindAllStringSubmatch(s.raw("GET", path, "", host...).body, -1) {
			if got[m[1]] != "" {
				t.Errorf("%s: %s twice", path, m[1])
			}
			got[m[1]] = html.UnescapeString(m[2])
		}
		for _, name := range []string{"description", "og:title", "og:description", "og:image", "og:image:alt", "og:site_name", "twitter:card"} {
			if got[name] == "" {
				t.Errorf("%s: no %s", path, name)
			}
		}
		if want := "https://challenge.example" + path; got["og:url"] != want && path != "/nothing" {
			t.Errorf("%s: %s", path, got["og:url"])
		}
		if len(got["description"]) > 400 || got["og:description"] != got["description"] {
			t.Errorf("%s: %s", path, got["description"])
		}
		picture, ok := strings.CutPrefix(got["og:image"], "https://challenge.example")
		if !ok {
			t.Fatalf("%s: %s", path, got["og:image"])
		}
		a := s.raw("GET", picture, "", host...)
		isPicture(t, a)
		for name := range a.header {
			if a.header.Get("Cache-Control") != "no-store" && (strings.HasPrefix(name, "Ratelimit") || name == "Set-Cookie") {
				t.Errorf("%s: caches keep %s", picture, name)
			}
		}
	}
	// A host that has no address of its own repeats none that a request made up.
	if a := newSite(t, config{}).raw("GET", "/", "", "Host", "evil.example"); strings.Contains(a.body, "evil") || strings.Contains(a.body, "og:image") {
		t.Error(a.body)
	}
}

// TestHostileShared: a program and a name are text in every page, tag and picture in which others see them.
func TestHostileShared(t *testing.T) {
	s := newSite(t, config{})
	b := s.browser()
	const markup = `"><script>alert(1)</script>`
	long := strings.Repeat("W", 30<<10)
	for _, c := range []struct{ sql, name string }{
		{theft + ` -- "'></pre></textarea><img src=x onerror=alert(2)><meta http-equiv=refresh content="0;url=//evil.example">`, markup},
		{theft + " -- \u202e\u2066\u200b\u2028 \x00\x1b[31m", "Зоя O'Neil & Søn"},
		{theft + " -- " + long, strings.Repeat("W", 40)},
		{theft + strings.Repeat("\n", 20_000) + "-- end", "日本 الاسم"},
	} {
		player := s.browser()
		path := player.won(t, c.sql)
		page := player.post(path+"/claim", url.Values{"name": {c.name}, "share": {"1"}})
		if page.status != 200 || page.path != path {
			t.Fatalf("%q: %d", c.name, page.status)
		}
		picture := s.raw("GET", path+"/card.png", "")
		isPicture(t, picture)
		if !card.Draws(c.name) { // then it is drawn as if there were none, and not in part
			if err := s.arena.Store.HideName(t.Context(), strings.TrimPrefix(path, "/attempts/")); err != nil {
				t.Fatal(err)
			}
			if player.get(path+"/card.png").body != picture.body {
				t.Errorf("%q is drawn in part", c.name)
			}
			continue
		}
		for _, at := range []string{path, "/"} {
			body := b.get(at).body
			contains(t, body, html.EscapeString(c.name))
			low := strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(body), `<script src="/static/theme.js"></script>`, ""), `<script type="module" src="/static/main.js"></script>`, "")
			if strings.Contains(low, "<script") || strings.Contains(low, "<img src=x") || strings.Contains(low, "<meta http-equiv") || regexp.MustCompile(`<[^>]*\son\w+=`).MatchString(low) {
				t.Errorf("%s: %s", at, low)
			}
			head, _, _ := strings.Cut(body, "</head>")
			if len(head) > 8<<10 || strings.Contains(head, "\u202e") {
				t.Errorf("%s: a head of %d bytes", at, len(head))
			}
			for _, tag := range metas.FindAllStringSubmatch(head, -1) {
				if strings.ContainsAny(tag[2], "<>") {
					t.Errorf("%s: %s", at, tag[0])
				}
			}
		}
	}
	if h := b.get("/").header; strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
		t.Error(h)
	}
}

// TestFirstRun: who sends a program becomes a player by it, and by nothing that can't be played.
func TestFirstRun(t *testing.T) {
	rates := plenty
	rates.Players = web.Rate{Burst: 1, Every: time.Hour}
	s := newSite(t, config{Options: web.Options{Rates: rates}})
	send := func(target, lane, input string, header ...string) answer {
		return s.raw("POST", "/targets/"+target+"/attempts", url.Values{"lane": {lane}, "input": {input}}.Encode(), append([]string{"Content-Type", formType}, header...)...)
	}
	for name, a := range map[string]answer{
		"no target": send("none", "program", "1"), "no lane": send("wallet", "none", "1"), "nothing": send("wallet", "program", " "), "closed": send("wallet", "model", "hi"),
		"another site": send("wallet", "program", "1", "Sec-Fetch-Site", "cross-site"),
	} {
		if a.status < 400 || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %v", name, a.status, a.header)
		}
	}
	if n, err := s.arena.Store.Counters(t.Context()); err != nil || n["players"] != 0 {
		t.Errorf("%v players are made: %v", n, err)
	}
	a := send("wallet", "program", "(api) => api.currentUser.accounts()", "Sec-Fetch-Site", "same-origin")
	cookie, to := strings.SplitN(a.header.Get("Set-Cookie"), ";", 2)[0], a.header.Get("Location")
	if a.status != http.StatusSeeOther || cookie == "" || !strings.HasPrefix(to, "/targets/wallet?attempt=") {
		t.Fatalf("%d %v", a.status, a.header)
	}
	to, _, _ = strings.Cut(to, "#")
	for range 200 {
		if a = s.raw("GET", to, "", "Cookie", cookie); !strings.Contains(a.body, `id="waiting"`) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	contains(t, a.body, "Rainy days", ">\n(api) =&gt; api.currentUser.accounts()</textarea>")
	if a := s.raw("GET", to, ""); strings.Contains(a.body, "Rainy days") {
		t.Error("everybody sees the attempt")
	}
	if a := send("wallet", "program", "1"); a.status != 429 {
		t.Errorf("a second player of this address: %d", a.status)
	}
}

// TestFigure: what is drawn is what was sent, and nothing is drawn of nothing.
func TestFigure(t *testing.T) {
	var ahead atomic.Int64
	s := newSite(t, config{Options: web.Options{Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }}})
	home := s.raw("GET", "/", "").body
	contains(t, home, `id="no-history"`, `aria-label="Program: 0 attempts, 0 keys"`)
	if strings.Contains(home, `class="bar-of"`) || strings.Contains(home, `id="wins-`) || strings.Contains(home, `class="stroke"`) {
		t.Error("something is drawn")
	}
	p := s.program()
	p.play("wallet", game.Program, "1")
	p.claim(p.steal("wallet", game.Notice), "")
	p.play("broken", game.Program, "(api) => api.things")
	s.raw("GET", "/", "")
	ahead.Add(int64(3 * time.Second))
	home = s.raw("GET", "/", "").body
	contains(t, home, `aria-label="Program: 2 attempts, 1 key"`, `aria-label="SQL with a notice: 1 attempt, 1 key"`, `aria-label="SQL with a filter: 0 attempts, 0 keys"`)
	if strings.Count(home, `class="bar-of"`) != 2 || strings.Count(home, `class="stroke"`) != 2 || strings.Contains(home, `id="no-history"`) {
		t.Error(home)
	}
	if guarded, _, _ := strings.Cut(home, `id="wins-program"`); !strings.Contains(guarded[strings.LastIndex(guarded, "strip-guarded"):], `class="stroke"`) {
		t.Error("a hole is not drawn as one")
	}
}
