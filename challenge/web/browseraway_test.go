package web_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/exoagent/exoagent/challenge/web"
	"github.com/exoagent/exoagent/internal/testutil"
)

// front is an address that stays while the site behind it is restarted.
type front struct {
	srv *httptest.Server
	mu  sync.Mutex
	s   *site
}

func newFront(t *testing.T) *front {
	f := &front{}
	f.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		s := f.s
		f.mu.Unlock()
		if s == nil {
			panic(http.ErrAbortHandler) // as a host that is away: no answer
		}
		s.server.ServeHTTP(w, r)
	}))
	t.Cleanup(f.srv.Close)
	return f
}

func (f *front) set(s *site) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.s = s
}

// TestBrowserReconnect: the page outlives a reload and a restart of the host, with
// what was written, sent and won.
func TestBrowserReconnect(t *testing.T) {
	f, dir := newFront(t), t.TempDir()
	c := config{dir: dir, places: 1, Options: web.Options{Hosts: []string{f.srv.Listener.Addr().String()}}}
	s := newSite(t, c)
	f.set(s)
	b := newTab(t, chromium(t), f.srv.URL)
	b.start("wallet")
	b.attempt("notice", "SELECT private_key FROM wallets")
	key := keyForm.FindString(b.text("#result"))

	b.attempt("program", "(api) => api.currentUser.count()")
	b.fill("#input-program", "(api) => 'a draft'")
	b.do(chromedp.Reload())
	b.says("#verdict", "ok")
	b.says("#input", "api.currentUser.count()")
	if got := js[string](b, "document.querySelector('#input-program').value"); got != "(api) => 'a draft'" {
		t.Errorf("the draft is %q", got)
	}

	// The host goes away while an attempt waits for its turn, and comes back.
	b.allow = "net::ERR"
	before := js[string](b, "document.querySelector('#record').dataset.attempt")
	b.fill("#input-program", "() => { for (;;) {} }")
	b.click("#send-program")
	b.until("/Running|Waiting/.test(document.querySelector('#live').textContent)")
	f.set(nil)
	s.srv.CloseClientConnections()
	f.srv.CloseClientConnections()
	b.says("#live", "The connection is lost")
	b.shot("away")
	s.stop()
	s = newSite(t, c)
	f.set(s)
	b.until("(document.querySelector('#record')?.dataset.attempt ?? " + quote(before) + ") !== " + quote(before))
	b.says("#input", "for (;;)")
	b.says("#live", "Verdict: ")

	// What is sent while the host is away is not lost either.
	f.set(nil)
	f.srv.CloseClientConnections()
	b.fill("#input-program", "() => 42")
	b.click("#send-program")
	b.says("#problem", "What you wrote is still here")
	f.set(s)
	b.click("#send-program")
	b.says("#result", "42")
	b.open("/claim")
	b.fill("#key", key)
	b.click("#send-claim")
	b.says("#claimed", "That is the key of")
}

// TestBrowserNoScript plays by forms alone.
func TestBrowserNoScript(t *testing.T) {
	testutil.NotRaced(t)
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.start("wallet")
	if b.has(".editor") || b.seen("#theme") || b.seen(".use") || b.has("#record") {
		t.Error("something of the script is there")
	}
	b.shot("noscript-target")
	b.click("#task-list .hint summary")
	b.until("document.querySelectorAll('#task-list .hint')[1].checkVisibility()")
	b.fill("#input-program", "(api) => {\n  return api.currentUser.accounts()\n}")
	b.click("#send-program")
	b.says("#verdict", "ok")
	contains(t, b.text("#rows"), "Rainy days")
	contains(t, b.text("#queries"), "SELECT")
	b.shot("noscript-attempt")
	b.open("/targets/wallet")
	b.says("#done-list", "done")
	b.fill("#input-program", "() => {\n  for (;;) {}\n}")
	b.click("#send-program")
	b.says("#verdict", "limit")
	b.lane("notice")
	b.fill("#input-notice", "SELECT private_key FROM wallets")
	b.click("#send-notice")
	b.says("#leaked", "You have won.")
	if got := js[string](b, "document.querySelector('#input-notice').value"); got != "SELECT private_key FROM wallets" {
		t.Errorf("the editor has %q", got)
	}
	b.fill("#claim-name", "Plain")
	b.click("#send-claim-this")
	b.says("#winner", "Plain")
	b.says("#shared", "Whoever has the address")
	b.open("/")
	b.says("#leaderboard", "Plain")
}

// TestBrowserComplains: a test's browser tells of what the policy stops, or every
// other test here would be blind to it.
func TestBrowserComplains(t *testing.T) {
	testutil.NotRaced(t)
	s := newSite(t, config{})
	for what, script := range map[string]string{
		"a script in the page": "const x = document.createElement('script'); x.textContent = '1'; document.body.append(x)",
		"a style in the page":  "const x = document.createElement('p'); x.setAttribute('style', 'color: red'); document.body.append(x)",
		"another host":         "const x = new Image(); x.src = 'http://127.0.0.2:9/'; document.body.append(x)",
		"eval":                 "setTimeout('1')",
		"an error":             "setTimeout(() => { throw new Error('x') })",
		"the console":          "console.error('x')",
	} {
		t.Run(what, func(t *testing.T) {
			b := newTab(t, chromium(t), s.srv.URL)
			b.open("/")
			b.do(chromedp.Evaluate[chromedp.Void]("{" + script + "; 0}"))
			for range 200 {
				if len(b.complaints()) > 0 {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			if len(b.wrong) == 0 {
				t.Error("no complaint")
			}
			b.wrong = nil
		})
	}
}
