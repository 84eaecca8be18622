package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
	"github.com/exoagent/exoagent/internal/testutil"
)

// press types keys as a keyboard does: a key and its character are one event, so that
// a page which takes the key takes the character too.
func (b *tab) press(keys string, modifiers ...kb.Modifier) {
	b.t.Helper()
	for _, r := range keys {
		for _, k := range kb.Encode(r) {
			for _, m := range modifiers {
				k.Modifiers |= int64(m)
			}
			switch {
			case k.Type == kb.KeyChar:
				continue
			case k.Type == kb.KeyDown && len(modifiers) == 0 && kb.Keys[r] != nil && kb.Keys[r].Print:
				k.Text = kb.Keys[r].Text
			}
			call(b, input.DispatchKeyEvent, *k)
		}
	}
}

const focused = `(() => { const e = document.activeElement; return e.id || e.closest("[id]")?.id + " " + e.tagName })()`

// tabTo goes on with Tab until the element has the focus, and wants the focus to be
// seen on the way.
func (b *tab) tabTo(id string) {
	b.t.Helper()
	var seen []string
	for range 80 {
		b.press(kb.Tab)
		at := js[string](b, focused)
		seen = append(seen, at)
		if !js[bool](b, `(() => { const e = document.activeElement, box = e.closest(".editor") ?? e; return e === document.body || getComputedStyle(box).outlineStyle !== "none" })()`) {
			b.t.Errorf("no focus is seen on %s", at)
		}
		if at == id {
			return
		}
	}
	b.t.Fatalf("Tab does not come to %s: %s", id, strings.Join(seen, ", "))
}

// TestBrowserKeyboard plays without a mouse.
func TestBrowserKeyboard(t *testing.T) {
	testutil.NotRaced(t)
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	b.open("/targets/wallet")
	b.press(kb.Tab)
	if !js[bool](b, `document.activeElement.matches(".skip") && document.activeElement.getBoundingClientRect().left >= 0`) {
		t.Error("the way past the menu is not first")
	}
	b.press(kb.Enter)
	b.until(`document.activeElement.id === "main"`)
	b.until("document.querySelector('#lane-program .editor')")
	b.tabTo("input-program")
	b.press("a", kb.ModifierCtrl)
	b.press("(api) => api.")
	b.until("document.querySelector('#lane-program .options:not([hidden])')")
	b.says("#live", "1 completion")
	if got := js[string](b, "document.getElementById(document.querySelector('#input-program').getAttribute('aria-activedescendant')).textContent"); !strings.HasPrefix(got, "currentUser") {
		t.Errorf("the completion is %q", got)
	}
	b.press(kb.Tab)
	b.press(".acc")
	b.press(kb.Enter)
	b.until("document.querySelector('#input-program').value === '(api) => api.currentUser.accounts()'")
	b.press(".")
	b.until("document.querySelectorAll('#lane-program .options:not([hidden]) li').length > 8")
	first := js[string](b, "document.querySelector('#input-program').getAttribute('aria-activedescendant')")
	b.press(kb.ArrowDown)
	b.until("document.querySelector('#input-program').getAttribute('aria-activedescendant') !== " + quote(first))
	b.press(kb.Escape)
	b.until("!document.querySelector('#lane-program .options:not([hidden])')")
	b.press(kb.Backspace)
	b.press(kb.Enter, kb.ModifierCtrl) // the first run, which begins the session
	b.until("document.querySelector('#leave') && document.readyState === 'complete' && document.querySelector('#verdict') && document.querySelector('#lane-program .editor')")
	b.tabTo("input-program")
	b.press(kb.Enter, kb.ModifierCtrl)
	b.says("#live", "Verdict: ok. 3 rows")
	if at := js[string](b, focused); at != "input-program" {
		t.Errorf("the focus is at %s", at)
	}
	b.press(kb.Tab) // the editor lets go of the focus
	if at := js[string](b, focused); at != "send-program" {
		t.Errorf("the focus is at %s", at)
	}
	js[string](b, `(document.querySelector(".skip").focus(), "")`)
	b.tabTo("tab-notice")
	b.press(kb.Enter)
	b.until("document.querySelector('#lane-notice').checkVisibility() && !document.querySelector('#lane-program').checkVisibility()")
	b.tabTo("input-notice")
	b.press("SELECT private_key FROM wallets")
	b.tabTo("send-notice")
	b.press(kb.Enter)
	b.says("#live", "The key is in it!")
	b.tabTo("claim-name")
	b.press("Keys")
	b.press(kb.Enter)
	b.says("#winner", "Keys")
}

// TestBrowserTyping: lines begin as the one before, and undo knows what was inserted.
func TestBrowserTyping(t *testing.T) {
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	b.start("wallet")
	b.fill("#input-program", "")
	for _, keys := range []string{"(api) => {", kb.Enter, "return 1", kb.Enter, "2"} {
		b.press(keys)
	}
	b.until(`document.querySelector("#input-program").value === "(api) => {\n  return 1\n  2"`)
	if got := b.text("#lane-program .inner"); got != "(api) => {\n  return 1\n  2" {
		t.Errorf("%q is shown", got)
	}
	b.until(`document.querySelector("#lane-program .t-keyword").textContent === "return"`)
	b.fill("#input-program", "(api) => api.currentUser")
	b.press(".cou")
	b.press(kb.Enter)
	b.until(`document.querySelector("#input-program").value.endsWith(".count()")`)
	b.press("z", kb.ModifierCtrl)
	b.until(`document.querySelector("#input-program").value.endsWith(".cou")`)
	// What is typed is text, also where it is coloured.
	const evil = `"</pre><img src=x onerror=alert(1)>" // <script>alert(2)</script>`
	b.fill("#input-program", evil)
	if got := b.text("#lane-program .inner"); got != evil || b.has("#lane-program img") {
		t.Errorf("%q is shown", got)
	}
}

// TestBrowserCompletion: what may follow is what the declarations say, at that place.
func TestBrowserCompletion(t *testing.T) {
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	b.open("/targets/wallet")
	for _, c := range []struct{ before, has, hasNot string }{
		{"(api) => api.", "currentUser", "accounts"},
		{"(x) => x.", "currentUser", ""},
		{"async function main(api) {\n  const n = api.", "currentUser", ""},
		{"(api) => api.currentUser.", "accounts inviter where join execute", "name balance"},
		{"(api) => api.currentUser\n  .accounts().where({ kind: 'vault' }).", "wallets user where count", "inviter"},
		{"(api) => api.currentUser.acc", "accounts", "inviter where"},
		{"(api) => api.currentUser.accounts().where(a => a.", "id name kind balance wallets", "privateKey execute"},
		{"(api) => api.currentUser.accounts().where(a => a.name.", "includes startsWith eq", "accounts"},
		{"(api) => api.currentUser.join(({ user }) => user.", "accounts name invitedBy", "where"},
		{"(api) => api.currentUser.join(({ user }) => user.accounts()).select(({ account }) => account.balance.", "round between", "includes"},
		{"(api) => nobody.", "", "currentUser accounts"},
		{"(api) => 'api.", "", "currentUser"},
		{"(api) => 1 // api.", "", "currentUser"},
		{"(api) => api.currentUser.accounts().execute().", "", "wallets"},
	} {
		got := " " + js[string](b, `(async () => {
			const { Declarations } = await import("/static/complete.js");
			return new Declarations(document.getElementById("declarations").textContent).at(`+quote(c.before)+`, false).options.map((o) => o.name).join(" ");
		})()`) + " "
		for _, w := range strings.Fields(c.has) {
			if !strings.Contains(got, " "+w+" ") {
				t.Errorf("%s: no %s in %s", c.before, w, got)
			}
		}
		for _, w := range strings.Fields(c.hasNot) {
			if strings.Contains(got, " "+w+" ") {
				t.Errorf("%s: %s in %s", c.before, w, got)
			}
		}
	}
}
