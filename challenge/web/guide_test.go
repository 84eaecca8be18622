package web_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// TestNext: the page of a target says above the lanes which task is next, and the record
// of an attempt that did one says what comes then.
func TestNext(t *testing.T) {
	s := newSite(t, config{})
	const first = `New here? Task 1 of 5: <a href="#task-list">List your accounts</a>`
	visitor := s.raw("GET", "/targets/wallet", "").body
	contains(t, visitor, first)
	if strings.Index(visitor, first) > strings.Index(visitor, `id="game"`) {
		t.Error("the way in is below the lanes")
	}
	b := s.browser()
	contains(t, b.get("/targets/wallet").body, first)
	record := b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"program"}, "input": {"(api) => api.currentUser.accounts()"}})).body
	contains(t, record, `Next: <a href="/targets/wallet#task-join">Join accounts and wallets</a>`)
	contains(t, b.get("/targets/wallet").body, `Next: task 2 of 5: <a href="#task-join">`)
	contains(t, b.get("/targets/notes").body, "New here? Task 1 of 5")
	if record := b.ended(b.post("/targets/wallet/attempts", url.Values{"lane": {"program"}, "input": {"() => 1"}})).body; strings.Contains(record, "next-task") {
		t.Error("an attempt that did nothing says what is next")
	}
	// One that did the last task of all has no next.
	p := s.program()
	v := p.play("broken", game.Program, "(api) => api.things.execute()")
	if page := s.raw("GET", "/attempts/"+v.ID, "").body; strings.Contains(page, "next-task") || strings.Contains(page, "data-task") {
		t.Error("everybody is told what its player has to do next")
	}
}

// TestClaiming: a wrong claim keeps what was sent and says so first; a right one can be
// reloaded, and its address tells nobody else anything.
func TestClaiming(t *testing.T) {
	s := newSite(t, config{})
	b, other := s.browser(), s.browser()
	b.ended(b.post("/targets/notes/attempts", url.Values{"lane": {"filter"}, "input": {"SELECT 1"}}))
	contains(t, b.get("/targets/notes").body, `href="/claim?from=notes"`)
	contains(t, b.get("/claim?from=notes").body, `name="from" value="notes"`)
	wrong := b.post("/claim", url.Values{"key": {`exo1_"<WRONG>`}, "name": {`Robin "<b>`}, "from": {"notes"}})
	contains(t, wrong.body, "<title>None of your keys", `value="exo1_&#34;&lt;WRONG&gt;"`, `value="Robin &#34;&lt;b&gt;"`, `aria-invalid="true" aria-describedby="claimed"`, `href="/targets/notes">Back to The survey of shaft 9<`, `data-right="false"`)
	page := b.ended(b.post("/targets/notes/attempts", url.Values{"lane": {"notice"}, "input": {"SELECT body FROM notes"}}))
	key := keyForm.FindString(page.body)
	contains(t, b.get("/claim").body, "None yet.")
	if before := b.get("/claim?won=notes.notice").body; strings.Contains(before, "data-right") {
		t.Error("an address claims a key")
	}
	right := s.raw("POST", "/claim", url.Values{"key": {key}, "name": {"Robin"}, "from": {"notes"}, "token": {formToken.FindStringSubmatch(b.get("/claim").body)[1]}}.Encode(), "Cookie", b.cookie(), "Content-Type", formType)
	to := right.header.Get("Location")
	if right.status != 303 || to != "/claim?from=notes&won=notes.notice" {
		t.Fatalf("%d %s", right.status, to)
	}
	for range 2 {
		contains(t, b.get(to).body, "<title>That is the key", `data-right="true"`, "SQL with a notice", "Back to The survey of shaft 9", "after 1 attempt: <a")
	}
	if strings.Contains(b.get(to).body, key) {
		t.Error("the page of a win repeats the key")
	}
	if theirs := other.get(to).body; strings.Contains(theirs, "data-right") || strings.Contains(theirs, "Robin") {
		t.Error("another player is told of the win")
	}
	contains(t, b.post("/claim", url.Values{"key": {key}}).body, "You have claimed this key before", "Back to The survey")
	// A win that is shown to all, and that its player has not claimed.
	b.ended(b.post("/targets/broken/attempts", url.Values{"lane": {"program"}, "input": {"(api) => api.things.execute()"}}))
	if body := b.get("/claim?won=broken.program").body; strings.Contains(body, "data-right") || !strings.Contains(body, "A broken grant</strong>, Program, after 1 attempt: not claimed yet") {
		t.Error("an address claims a key")
	}
	for _, from := range []string{"//evil.example", "https://evil.example", "none", "javascript:1"} {
		if body := b.get("/claim?from=" + url.QueryEscape(from)).body; strings.Contains(body, "evil") || strings.Contains(body, `id="back"`) {
			t.Errorf("%s leads away", from)
		}
	}
}

// TestLeaving: who leaves is asked; the rules say how long a player lasts, as it is.
func TestLeaving(t *testing.T) {
	s := newSite(t, config{store: store.Options{Idle: 24 * time.Hour, Life: 36 * time.Hour}})
	contains(t, s.raw("GET", "/", "").body, "does not come for 1 day is gone", "after 36h0m0s", "keeps what is sent")
	b := s.browser()
	contains(t, b.get("/").body, `href="/leave">Leave and forget my progress</a>`)
	contains(t, b.get("/leave").body, "no way back", `method="post" action="/leave"`, "The host keeps what was sent")
	if a := b.post("/leave", url.Values{"token": {"x"}}); a.status != 403 {
		t.Error(a.status)
	}
	b.post("/leave", url.Values{})
	if body := b.get("/leave"); body.path != "/" || strings.Contains(body.body, `id="leave"`) {
		t.Error(body.path)
	}
	contains(t, newSite(t, config{}).raw("GET", "/", "").body, "does not come for 7 days is gone", "after 30 days")
}

// TestOlder: every attempt that is kept can be reached, by pages and by the API, and
// the id of another player's opens nothing.
func TestOlder(t *testing.T) {
	s := newSite(t, config{places: 8})
	b, other := s.browser(), s.program()
	theirs := other.play("wallet", game.Filter, "x").ID
	var sent []string
	for range 43 {
		a := b.post("/targets/wallet/attempts", url.Values{"lane": {"filter"}, "input": {"x"}})
		sent = append(sent, strings.TrimPrefix(a.query, "attempt="))
	}
	b.post("/targets/notes/attempts", url.Values{"lane": {"filter"}, "input": {"x"}})
	row := regexp.MustCompile(`<tr data-attempt="(\w+)"`)
	older := regexp.MustCompile(`id="older" href="(/targets/wallet\?before=\w+)#mine-title"`)
	var seen []string
	for path, n := "/targets/wallet", 0; path != ""; n++ {
		body := b.get(path).body
		for _, m := range row.FindAllStringSubmatch(body, -1) {
			seen = append(seen, m[1])
		}
		if strings.Contains(body, `id="latest"`) != (n > 0) {
			t.Errorf("page %d: the way to the latest", n)
		}
		path = ""
		if m := older.FindStringSubmatch(body); m != nil && n < 9 {
			path = m[1]
		}
	}
	slices.Reverse(seen)
	if !slices.Equal(seen, sent) {
		t.Errorf("%d were sent, %d are shown", len(sent), len(seen))
	}
	for path, c := range map[string]*client{"/targets/wallet?before=" + theirs: b, "/targets/wallet?before=" + sent[0]: b, "/targets/wallet?before=%3Cb%3E": b} {
		if body := c.get(path).body; row.MatchString(body) || !strings.Contains(body, "None before that") || strings.Contains(body, "<b>") {
			t.Errorf("%s: %s", path, body)
		}
	}
	var list struct{ Attempts []struct{ ID string } }
	mine := []string{theirs}
	for range 52 {
		mine = append(mine, other.play("wallet", game.Filter, "x").ID)
	}
	other.call("GET", "/api/v1/attempts", nil, 200, &list)
	if len(list.Attempts) != 50 || list.Attempts[49].ID != mine[3] {
		t.Fatalf("%d", len(list.Attempts))
	}
	other.call("GET", "/api/v1/attempts?before="+mine[3], nil, 200, &list)
	if len(list.Attempts) != 3 || list.Attempts[0].ID != mine[2] || list.Attempts[2].ID != theirs {
		t.Errorf("%+v", list)
	}
	other.call("GET", "/api/v1/attempts?before="+sent[42], nil, 200, &list)
	if len(list.Attempts) != 0 {
		t.Errorf("%+v", list)
	}
}
