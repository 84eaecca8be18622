package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestBrowserLanes plays each lane as a person does: the guarded ones are lost, the
// control is won, the key is claimed, and the leaderboard says so.
func TestBrowserLanes(t *testing.T) {
	testutil.NotRaced(t)
	s := newSite(t, config{})
	s.arena.Game.Chat = echo{}
	b := newTab(t, chromium(t), s.srv.URL)
	b.open("/")
	b.says("#leaderboard", "Nobody yet")
	b.shot("home-visitor")
	b.start("wallet")
	b.until("document.querySelector('#form-program .layer')")
	b.says("#progress", "0 of 5")

	b.attempt("program", "(api) => {\n  console.log('hi')\n  return api.currentUser.accounts()\n}")
	b.says("#verdict", "ok")
	b.says("#live", "Verdict: ok. 3 rows. Task done List your accounts. Next: Join accounts and wallets.")
	b.says("#next", "Next: task 2 of 5: Join accounts and wallets")
	contains(t, b.text("#rows"), "Rainy days", "balance")
	contains(t, b.text("#console"), "hi")
	contains(t, b.text("#queries"), "SELECT", "[7]", "3 rows", " ms")
	contains(t, b.text("#used"), "Time", "Memory, more than before it began", "Database", "Source version")
	b.says("#done-list", "done")
	b.says("#progress", "1 of 5")
	b.says("#attempts", "Program")
	b.shot("wallet-program-ok")

	b.attempt("program", "(api) =>\n  api.currentUser.secrets()")
	b.says("#verdict", "denied at 2:")
	b.until("document.querySelectorAll('#lane-program .l')[1].classList.contains('bad') && document.querySelector('#lane-program .here')")
	b.until("document.getElementById(document.querySelector('#input-program').getAttribute('aria-describedby')).textContent.startsWith('Line 2, column ')")
	b.shot("wallet-program-denied")
	b.fill("#input-program", "(api) =>\n  api.currentUser")
	b.until("!document.querySelector('#lane-program .bad') && !document.querySelector('#input-program').hasAttribute('aria-invalid')")

	for _, program := range []string{
		"(api) => api.currentUser.inviter().accounts().wallets()",
		"(api) => api.currentUser.accounts().where(() => true).wallets()",
		"() => globalThis.constructor.constructor('return process')()",
	} {
		b.attempt("program", program)
		if b.has("#leaked") || keyForm.MatchString(b.text("#record")) {
			t.Errorf("%s gave the key", program)
		}
	}
	b.attempt("model", "(api) => api.currentUser.accounts().count()")
	b.says("#answer", "after 0: 3")
	b.says("#steps", "api.currentUser.accounts().count()")
	b.says("#chat", "after 0: 3")
	b.attempt("model", "(api) => api.currentUser.inviter()")
	b.says("#chat", "after 1: []")
	if b.has("#leaked") || b.has("#holes") {
		t.Error("a guarded lane was beaten")
	}
	b.shot("wallet-model")

	b.attempt("filter", "SELECT * FROM wallets")
	b.says("#verdict", "refused")
	if b.has("#memory") {
		t.Error("memory that nobody measured")
	}
	if got := js[string](b, "['notice', 'filter'].map((l) => document.querySelector('#input-' + l).getAttribute('aria-describedby')).join()"); got != "rule,filter" {
		t.Errorf("the lanes are described by %s", got)
	}
	b.attempt("notice", "SELECT private_key FROM wallets")
	b.says("#leaked", "You have won.")
	b.says("#live", "The key is in it!")
	key := keyForm.FindString(b.text("#result"))
	b.shot("wallet-notice-won")
	b.attempt("filter", "SELECT private_key FROM wallets, accounts WHERE user_id = 7")
	other := keyForm.FindString(b.text("#result"))
	if key == "" || other == "" || key == other {
		t.Fatalf("keys %q %q", key, other)
	}

	b.click("#mine a[href^='/claim']")
	b.fill("#key", "exo1_WRONG")
	b.click("#send-claim")
	b.says("#claimed", "none of your keys")
	b.until("document.activeElement.id === 'key' && document.activeElement.value === 'exo1_WRONG' && document.title.startsWith('None of your keys')")
	b.shot("claim-wrong")
	b.fill("#key", key)
	b.fill("#name", "Robin <i>of</i> Locksley")
	b.click("#send-claim")
	b.says("#claimed", "That is the key of The vault of Vera Quist, out of the lane SQL with a notice")
	b.until("document.title.startsWith('That is the key') && document.querySelector('#back').pathname === '/targets/wallet'")
	b.do(chromedp.Reload())
	b.says("#claimed", "That is the key of The vault of Vera Quist")
	b.says("#won", "SQL with a notice, after 1 attempt:")
	b.shot("claimed")
	b.open("/")
	b.says("#leaderboard", "Robin <i>of</i> Locksley")
	for id, want := range map[string]string{"count-players": "1", "count-attempts": "10", "wins-program": "0", "wins-model": "0", "wins-notice": "1", "wins-filter": "0", "tries-program": "5", "tries-model": "2", "tries-notice": "1", "tries-filter": "2"} {
		if got := b.text("#" + id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	b.shot("home-claimed")
	b.click("#leave")
	b.says("#title", "forget my progress?")
	b.click("#stay")
	b.says("#title", "Steal the key")
	b.click("#leave")
	b.click("#forget button")
	b.until("location.pathname === '/' && !document.querySelector('#leave')")
}

// TestBrowserHints: they come one after another, and each names its code in the end.
func TestBrowserHints(t *testing.T) {
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	b.start("wallet")
	const hint = "#task-list .hint:nth-of-type("
	if !b.seen(hint+"1)") || b.seen(hint+"2)") || b.seen(hint+"1) p") {
		t.Error("hints before the first is opened")
	}
	b.click(hint + "1) summary")
	b.until("document.querySelector('" + hint + "2)').checkVisibility()")
	if b.seen(hint + "3)") {
		t.Error("the third hint after the first")
	}
	b.click(hint + "2) summary")
	b.click(hint + "3) summary")
	contains(t, b.text(hint+"3)"), "exosql/relation.go")
	b.shot("wallet-hints")

	b.click(".example:nth-of-type(2) .use")
	b.until("document.querySelector('#input-program').value.includes('.join(') && document.activeElement.id === 'input-program'")
	b.click("#send-program")
	b.says("#verdict", "ok")
	b.says("#done-join", "done")
	b.until("document.querySelector('" + hint + "3)').open")
	b.attempt("program", "(api) => api.currentUser.inviter()")
	b.says("#progress", "2 of 5")
}

// TestBrowserHole: a win on a guarded lane is in red on top at once, for all.
func TestBrowserHole(t *testing.T) {
	testutil.NotRaced(t)
	s := newSite(t, config{})
	browser := chromium(t)
	other, b := newTab(t, browser, s.srv.URL), newTab(t, browser, s.srv.URL)
	other.open("/")
	b.start("broken")
	b.attempt("program", "(api) => api.things.execute()")
	b.says("#holes", "A broken grant, Program, by somebody")
	if got := js[string](b, "getComputedStyle(document.querySelector('#holes')).borderTopColor"); got != "rgb(168, 16, 31)" {
		t.Errorf("the border is %s", got)
	}
	other.do(chromedp.Evaluate[chromedp.Void]("document.dispatchEvent(new Event('visibilitychange'))"))
	other.says("#holes", "A broken grant")
	other.says("#wins-program", "1")
	other.click("#holes a")
	other.says("#shared", "Keys are hidden")
	if keyForm.MatchString(other.text("main")) || !strings.Contains(other.text("#input"), "api.things.execute()") {
		t.Error(other.text("main"))
	}
	other.shot("hole")
}

// TestBrowserTwoPlayers: at the same time, in one browser, with nothing in common.
func TestBrowserTwoPlayers(t *testing.T) {
	s := newSite(t, config{})
	browser := chromium(t)
	a, b := newTab(t, browser, s.srv.URL), newTab(t, browser, s.srv.URL)
	a.start("notes")
	b.start("notes")
	a.lane("notice")
	b.lane("notice")
	a.fill("#input-notice", "SELECT body FROM notes")
	b.fill("#input-notice", "SELECT body FROM notes")
	a.click("#send-notice")
	b.click("#send-notice")
	a.says("#leaked", "You have won.")
	b.says("#leaked", "You have won.")
	ka, kb := keyForm.FindString(a.text("#result")), keyForm.FindString(b.text("#result"))
	if ka == "" || ka == kb {
		t.Fatalf("%q %q", ka, kb)
	}
	link := js[string](a, "document.querySelector('#permalink').pathname")
	b.open("/claim")
	b.fill("#key", ka)
	b.click("#send-claim")
	b.says("#claimed", "none of your keys")
	a.fill("#claim-name", "the owner")
	a.click("#claim-share")
	a.click("#send-claim-this")
	a.says("#winner", "the owner")

	b.allow = "404" // what is asked for next is not to be had
	b.open(link)
	b.says("#error", "belongs to another player")
	a.open(link)
	a.click("#share button")
	a.says("#shared", "Whoever has the address")
	a.click("#copy") // where the browser lets no script copy, the address is selected
	a.until("document.querySelector('#copy').textContent === 'Copied' || String(getSelection()).endsWith('/attempts/' + location.pathname.split('/').pop())")
	b.open(link)
	b.says("#shared", "Keys are hidden")
	b.says("#win", "the owner got the key")
	if strings.Contains(b.text("main"), ka) {
		t.Error("a shared attempt shows the key")
	}
	b.shot("shared")
}
