package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/exoagent/exoagent/internal/testutil"
)

// faults are what is wrong with a page for those who see little, or use it on a phone:
// text that stands out too little from its ground (WCAG 2.2, AA), a page wider than
// the window, small places to press, ids that are there twice, a broken order of headings.
const faults = `(() => {
  const out = [];
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (c) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = c;
    canvas.fillRect(0, 0, 1, 1);
    const d = canvas.getImageData(0, 0, 1, 1).data;
    return [d[0], d[1], d[2], d[3] / 255];
  };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((s, w, i) => s + w * ((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))(c[i] / 255), 0);
  const ground = (e) => {
    const all = [];
    for (; e; e = e.parentElement) all.unshift(rgba(getComputedStyle(e).backgroundColor));
    return all.reduce((below, c) => over(c, below), [255, 255, 255, 1]);
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || ["SCRIPT", "NOSCRIPT", "TEXTAREA"].includes(e.tagName)) continue;
    const below = ground(e), text = over(rgba(getComputedStyle(e).color), below);
    const [a, b] = [light(text), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    seen++;
    if (ratio < 4.5) out.push("contrast " + ratio.toFixed(2) + " of " + e.tagName + "." + e.className + ": " + walk.currentNode.data.trim().slice(0, 40));
  }
  if (seen < 10) out.push("only " + seen + " pieces of text");
  if (document.documentElement.scrollWidth > innerWidth) out.push("the page is " + document.documentElement.scrollWidth + " wide, the window " + innerWidth);
  for (const e of document.querySelectorAll("button, a.button, input:not([type=hidden]), textarea, summary")) {
    const r = e.getBoundingClientRect();
    if (e.checkVisibility() && (r.width < 24 || r.height < 24)) out.push("too small to press: " + e.outerHTML.slice(0, 80) + " " + r.width + "x" + r.height);
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) out.push("twice: #" + id);
  for (const a of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const e of document.querySelectorAll("[" + a + "]")) for (const id of e.getAttribute(a).split(" ")) if (!document.getElementById(id)) out.push(a + " leads nowhere: " + id);
  }
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]));
  if (levels.filter((l) => l === 1).length !== 1) out.push("not one h1");
  levels.forEach((l, i) => i > 0 && l > levels[i - 1] + 1 && out.push("a heading " + l + " after " + levels[i - 1]));
  return out;
})()`

// look lists the faults of the page, and what a screen reader can't name.
func (b *tab) look() (out []string) {
	b.t.Helper()
	out = js[[]string](b, faults)
	roles := map[string]int{}
	for _, n := range call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := strings.Trim(string(n.Role.Value), `"`), ""
		if n.Name != nil {
			name = strings.Trim(string(n.Name.Value), `"`)
		}
		roles[role]++
		switch role {
		case "button", "link", "textbox", "region", "navigation", "image", "log", "progressbar", "listbox":
			if strings.TrimSpace(name) == "" {
				out = append(out, "no name: "+role)
			}
		}
	}
	for _, r := range []string{"main", "banner", "navigation", "contentinfo"} {
		if roles[r] != 1 {
			out = append(out, "landmark "+r)
		}
	}
	return out
}

// TestBrowserLook looks at every page in light and dark, wide and on a phone.
func TestBrowserLook(t *testing.T) {
	testutil.NotRaced(t)
	s := newSite(t, config{})
	s.arena.Game.Chat = echo{}
	b := newTab(t, chromium(t), s.srv.URL)
	b.allow = "404" // one of the pages says so
	b.start("wallet")
	b.attempt("program", "(api) => {\n  // my accounts, \"all\" of them\n  const n = 1;\n  return api.currentUser.accounts().where(a => a.userId === 3)\n}")
	denied := js[string](b, "document.querySelector('#permalink').pathname")
	b.attempt("model", "(api) => api.currentUser.accounts().count()")
	b.attempt("notice", "SELECT a.name, private_key FROM wallets w, accounts a WHERE w.account_id = a.id -- all")
	won := js[string](b, "document.querySelector('#permalink').pathname")
	b.fill("#claim-name", strings.Repeat("long", 10))
	b.click("#send-claim-this")
	b.says("#winner", "long")
	b.open("/targets/broken")
	b.attempt("program", "(api) => api.things.execute()")
	for _, size := range []struct {
		name string
		w, h int64
		opts []chromedp.EmulateViewportOption
	}{{"wide", 1280, 900, nil}, {"phone", 360, 740, []chromedp.EmulateViewportOption{chromedp.EmulateMobile}}} {
		b.do(chromedp.EmulateViewport(size.w, size.h, size.opts...))
		for _, colours := range []string{"light", "dark"} {
			b.media(colours)
			for name, path := range map[string]string{"home": "/", "target": "/targets/wallet", "notes": "/targets/notes", "denied": denied, "won": won, "claim": "/claim", "leave": "/leave", "api": "/api", "error": "/nothing"} {
				b.open(path)
				if name == "target" {
					b.until("document.querySelector('#record')")
					b.lane("program")
					b.fill("#input-program", "(api) => api.currentUser.accounts().")
					b.until("document.querySelector('.options:not([hidden])')")
					b.do(chromedp.Evaluate[chromedp.Void]("document.querySelectorAll('details').forEach((d) => { d.open = true })"))
				}
				if dark := js[bool](b, "getComputedStyle(document.body).backgroundColor === 'rgb(16, 21, 19)'"); dark != (colours == "dark") {
					t.Errorf("%s is not %s", name, colours)
				}
				// A phone widens its window for a page that is too wide.
				if wide := js[int64](b, "document.documentElement.scrollWidth"); wide > size.w {
					t.Errorf("%s, %s: %d wide", name, size.name, wide)
				}
				for _, f := range b.look() {
					t.Errorf("%s, %s, %s: %s", name, size.name, colours, f)
				}
				b.shot("look-" + name + "-" + size.name + "-" + colours)
			}
		}
	}
}

// TestBrowserTheme: the player's choice of colours goes before the system's, and stays.
func TestBrowserTheme(t *testing.T) {
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	ground := func(want string) {
		t.Helper()
		if got := js[string](b, "getComputedStyle(document.body).backgroundColor"); got != want {
			t.Errorf("the ground is %s", got)
		}
	}
	const light, dark = "rgb(251, 250, 247)", "rgb(16, 21, 19)"
	b.open("/")
	ground(light)
	for _, want := range []string{"light", "dark"} {
		b.click("#theme")
		b.says("#theme-name", want)
	}
	ground(dark)
	b.open("/targets/wallet")
	b.says("#theme-name", "dark")
	ground(dark)
	b.media("dark")
	b.click("#theme")
	b.says("#theme-name", "as the system")
	ground(dark)
	b.click("#theme")
	ground(light)
}

// shifted is how much of the page has moved since it was opened, as the browser measures it.
const shifted = `new Promise((done) => { let sum = 0; new PerformanceObserver((l) => { for (const e of l.getEntries()) sum += e.value }).observe({ type: "layout-shift", buffered: true }); setTimeout(() => done(sum), 300) })`

// TestBrowserBeside: what came of a program is seen where it was written, beside the editor on a desk and right below it on
// a phone, and the page does not move while it becomes complete.
func TestBrowserBeside(t *testing.T) {
	testutil.NotRaced(t)
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	b.start("wallet")
	b.attempt("program", "(api) => api.currentUser.accounts()")
	const boxes = `(() => { const [e, r] = ["#lane-program .editor", "#verdict"].map((s) => document.querySelector(s).getBoundingClientRect()); return `
	for _, c := range []struct {
		w, h int64
		want string
	}{{1280, 900, "r.left >= e.right && r.top < innerHeight && r.top < e.bottom"}, {390, 844, "r.top >= e.bottom && r.top - e.bottom < 220 && e.bottom < innerHeight"}} {
		b.do(chromedp.EmulateViewport(c.w, c.h))
		for _, path := range []string{"/targets/wallet", "/"} {
			b.open(path)
			if v := js[float64](b, shifted); v > 0.02 {
				t.Errorf("%s at %d moves by %.3f", path, c.w, v)
			}
			if wide := js[int64](b, "document.documentElement.scrollWidth"); wide > c.w {
				t.Errorf("%s is %d wide on a window of %d", path, wide, c.w)
			}
			if path != "/" && !js[bool](b, boxes+c.want+" })()") {
				t.Errorf("at %d the result is elsewhere: %s", c.w, js[string](b, boxes+"JSON.stringify([e, r]) })()"))
			}
		}
	}
}
