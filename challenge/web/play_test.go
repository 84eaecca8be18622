package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// ended asks for the page of an attempt until it says how that ended, as the
// page's own refresh does.
func (c *client) ended(a answer) answer {
	c.t.Helper()
	for range 600 {
		if !strings.Contains(a.body, `id="waiting"`) {
			return a
		}
		if !strings.Contains(a.body, `http-equiv="refresh"`) {
			c.t.Fatal("the page does not ask again")
		}
		time.Sleep(50 * time.Millisecond)
		a = c.get(a.path + "?" + a.query)
	}
	c.t.Fatal("it does not end")
	return a
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in %s", w, text)
		}
	}
}

// TestPages plays everything in a browser without a script.
func TestPages(t *testing.T) {
	s := newSite(t, config{})
	visitor := s.raw("GET", "/targets/wallet", "")
	contains(t, visitor.body, `id="cookie"`, `id="form-program"`, "Vera Quist", "private_key TEXT NOT NULL", `/targets/wallet/reach.svg`, "inviter()", "Hint 3", "this host has configured no model", "exosql/predicate.go")
	if strings.Contains(visitor.body, `id="leave"`) || strings.Contains(visitor.body, `name="token"`) || len(visitor.header.Values("Set-Cookie")) != 0 {
		t.Error("a visitor has a session")
	}
	b := s.browser()
	contains(t, b.get("/targets/wallet").body, `id="form-program"`, `id="form-notice"`, `id="closed-model"`)

	page := b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"program"}, "input": {"(api) => api.currentUser.accounts()"}}))
	contains(t, page.body, `data-kind="ok"`, "Rainy days", "SELECT", `data-task="list"`, "&#34;t0&#34;", "Only you can see this page", game.Source())
	page = b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"program"}, "input": {"(api) =>\n  api.currentUser.secrets()"}}))
	contains(t, s.raw("GET", "/", "").body, `id="kind-denied"`, `id="kind-ok"`)
	contains(t, page.body, `data-kind="denied"`, `<a href="/#kind-denied">denied</a>`, `<span id="position">2:`, "secrets")
	contains(t, b.get("/targets/wallet").body, `id="attempts"`, `href="`+page.permalink(t)+`"`, `<span class="done">done</span>`)

	page = b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"filter"}, "input": {"SELECT * FROM wallets"}}))
	contains(t, page.body, `data-kind="refused"`, "the filter misses")
	page = b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"notice"}, "input": {"SELECT private_key FROM wallets"}}))
	contains(t, page.body, `id="leaked"`)
	key := keyForm.FindString(page.body)
	contains(t, b.post("/claim", url.Values{"key": {"exo1_WRONG"}}).body, `data-right="false"`)
	contains(t, b.post("/claim", url.Values{"key": {key}, "name": {"Robin of Locksley"}}).body, `data-right="true"`, "SQL with a notice")
	contains(t, b.post("/claim", url.Values{"key": {key}, "name": {"Mallory"}}).body, "before")
	home := s.raw("GET", "/", "").body
	contains(t, home, "Robin of Locksley", `<dd id="count-players">1</dd>`, `<dd id="count-attempts">4</dd>`, `<dd id="wins-notice">1</dd>`, `<dd id="wins-program">0</dd>`)
	if strings.Contains(home, "Mallory") || strings.Contains(home, `id="holes"`) {
		t.Error(home)
	}
	contains(t, b.post("/leave", url.Values{}).body, "Steal the key")
	if a := b.get(page.permalink(t)); a.status != http.StatusNotFound {
		t.Errorf("after leaving: %d", a.status)
	}
}

// TestEngines plays the API on both engines: the control is beaten, the guarded
// lane is not, and what is told of an attempt is what happened.
func TestEngines(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		c := config{}
		if e.Name == tu.Postgres.Name {
			c.url = tu.WithParam(t, postgres(t), "timezone", "UTC")
		}
		s := newSite(t, c)
		p := s.program()
		v := p.play("wallet", game.Program, "(api) => { console.log('hello'); return api.currentUser.accounts() }")
		if !v.Verdict.OK() || v.Rows != 3 || len(v.Queries) != 1 || v.Console != "hello\n" || v.Engine != e.Name || v.Leaked || !v.Mine || v.Millis <= 0 || v.Source == "" || string(v.Queries[0].Args) != "[7]" {
			t.Errorf("%+v %s %s", v.Attempt, v.Result, v.Queries[0].Args)
		}
		if v := p.play("notes", game.Program, "(api) => api.organization.members().manager().notes()"); !v.Verdict.OK() || v.Leaked || v.Rows == 0 {
			t.Errorf("%+v %s", v.Attempt, v.Result)
		}
		for i, lane := range []game.Lane{game.Notice, game.Filter} {
			for _, target := range []string{"wallet", "notes"} {
				if got := p.claim(p.steal(target, lane), "Robin"); !got.Right || got.Again || got.Lane != lane || got.Target != target {
					t.Errorf("%d: %+v", i, got)
				}
			}
		}
		var me struct {
			Done map[string][]string `json:"tasks_done"`
			Wins []struct{ Attempt string }
		}
		p.call("GET", "/api/v1/player", nil, 200, &me)
		if !slices.Contains(me.Done["wallet"], "list") || len(me.Wins) != 4 || me.Wins[0].Attempt == "" {
			t.Errorf("%+v", me)
		}
	})
}

func postgres(t *testing.T) string {
	t.Helper()
	server := tu.Server(t)
	name := "exochallenge_" + strings.ToLower(string(game.NewKey())[5:17])
	admin := tu.Admin(t, server)
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return tu.InDatabase(t, server, name)
}

// TestHole: when a guarded lane gives a key, everybody is told on every page, at
// once, whether or not it is claimed, with the record and without the key.
func TestHole(t *testing.T) {
	s := newSite(t, config{})
	p, other := s.program(), s.program()
	v := p.play("broken", game.Program, "(api) => api.things.execute()")
	key := keyForm.FindString(string(v.Result))
	if !v.Leaked || key == "" || !slices.Contains(v.Tasks, "key") {
		t.Fatalf("%+v %s", v.Attempt, v.Result)
	}
	for _, path := range []string{"/", "/claim", "/targets/notes"} {
		contains(t, s.raw("GET", path, "").body, `id="holes"`, "somebody", "/attempts/"+v.ID)
	}
	if got := p.claim(key, "Sam <b>"); !got.Right || got.Again || got.Lane != game.Program {
		t.Errorf("%+v", got)
	}
	contains(t, s.raw("GET", "/", "").body, "Sam &lt;b&gt;", `<dd id="wins-program">1</dd>`)
	for _, text := range []string{s.raw("GET", "/attempts/"+v.ID, "").body, other.call("GET", "/api/v1/attempts/"+v.ID, nil, 200, nil).body} {
		if strings.Contains(text, key) || !strings.Contains(text, "api.things.execute()") || !strings.Contains(text, "SELECT") {
			t.Error(text)
		}
	}
	contains(t, s.log.String(), "a guarded lane gave its key")
	for _, x := range []string{
		"async (api) => { console.log((await api.things.first()).name); return 1 }",
		"async (api) => { throw new Error((await api.things.first()).name) }",
		"async (api) => (await api.things.first()).name.toLowerCase()",
	} {
		if v := other.play("broken", game.Program, x); !v.Leaked {
			t.Errorf("%s: %+v", x, v.Attempt)
		}
	}
	// Two lanes, two keys: the same key by the control lane would prove nothing.
	if k := keyForm.FindString(string(p.play("broken", game.Notice, "SELECT name FROM things").Result)); k == key || k == "" {
		t.Error(k)
	}
}

// TestPause: the kill switch closes the lanes and leaves the pages.
func TestPause(t *testing.T) {
	s := newSite(t, config{})
	p := s.program()
	v := p.play("wallet", game.Program, "() => 1")
	s.arena.Stop("test", true)
	a := p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "program", "input": "1"}, http.StatusServiceUnavailable, nil)
	contains(t, a.body, `"closed"`, "stopped the game")
	contains(t, s.raw("POST", "/api/v1/players", "").body, `"closed"`)
	contains(t, s.raw("GET", "/", "").body, `id="paused"`)
	contains(t, s.raw("GET", "/healthz", "").body, "paused")
	if w := p.wait(v.ID); w.State != game.Ended {
		t.Error(w.State)
	}
	s.arena.Stop("test", false)
	if v := p.play("wallet", game.Program, "() => 2"); !v.Verdict.OK() {
		t.Error(v.Verdict)
	}
}

// TestPauseStops: what runs when the switch is thrown ends then.
func TestPauseStops(t *testing.T) {
	s := newSite(t, config{places: 1})
	p := s.program()
	var running, waiting struct {
		ID       string
		Position int
	}
	p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "program", "input": "() => { for (;;) {} }"}, 202, &running)
	p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "program", "input": "() => 1"}, 202, &waiting)
	if waiting.Position > 1 {
		t.Errorf("number %d", waiting.Position)
	}
	s.arena.Stop("test", true)
	for _, id := range []string{running.ID, waiting.ID} {
		if v := p.wait(id); v.Verdict.Kind != "cancelled" && v.Verdict.Kind != "limit" && !v.Verdict.OK() {
			t.Errorf("%+v", v.Verdict)
		}
	}
}

// TestRestart: another process with the same files goes on where this one ended.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	s := newSite(t, config{dir: dir})
	p := s.program()
	key := p.steal("wallet", game.Notice)
	var ids []string
	for i := range 10 {
		var v struct{ ID string }
		p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "program", "input": "(api) => api.currentUser.count()", "x": i}, http.StatusBadRequest, nil)
		p.call("POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "program", "input": "(api) => api.currentUser.count()"}, 202, &v)
		ids = append(ids, v.ID)
	}
	s.stop() // graceful: those that wait are played
	s2 := newSite(t, config{dir: dir})
	p2 := &client{site: s2, http: s2.srv.Client(), token: p.token}
	for _, id := range ids {
		if v := p2.wait(id); v.State != game.Ended || !v.Verdict.OK() || string(v.Result) != "1" {
			t.Errorf("%+v", v.Attempt)
		}
	}
	if got := p2.claim(key, ""); !got.Right || got.Again {
		t.Errorf("%+v", got)
	}
	if k := p2.steal("wallet", game.Notice); k != key {
		t.Error("the key is another one now")
	}
}

// TestTwoPlayers: at the same time, each with a key of its own.
func TestTwoPlayers(t *testing.T) {
	s := newSite(t, config{})
	a, b := s.program(), s.browser()
	ka := a.steal("notes", game.Notice)
	page := b.ended(b.post("/targets/notes/attempts", url.Values{"lane": {"notice"}, "input": {"SELECT body FROM notes"}}))
	kb := keyForm.FindString(page.body)
	if ka == kb || kb == "" {
		t.Fatal("one key for two")
	}
	if got := a.claim(kb, "thief"); got.Right {
		t.Errorf("%+v", got)
	}
	contains(t, b.post("/claim", url.Values{"key": {ka}, "name": {"thief"}}).body, `data-right="false"`)
	if got := a.claim(ka, "owner"); !got.Right {
		t.Errorf("%+v", got)
	}
	if strings.Contains(s.raw("GET", "/", "").body, "thief") {
		t.Error("a stolen claim is on the board")
	}
}
