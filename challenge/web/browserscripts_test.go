package web_test

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/exoagent/exoagent/internal/testutil"
)

// TestBrowserLongText: what somebody wrote, who may be another player, is read in one
// go. A pattern that tries a stretch of it in two ways does not come to the end of a
// million characters, and this test ends with it.
func TestBrowserLongText(t *testing.T) {
	testutil.NotRaced(t)
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	b.open("/targets/wallet")
	const n = 1 << 20
	long := func(s string) string { return quote(s) + ".repeat(" + itoa(n/len(s)) + ")" }
	for _, text := range []string{
		long("1") + " + 'a'", "'1.' + " + long("1") + " + 'a'", long("1_") + " + 'a'", long("1e"), "'0x' + " + long("f") + " + 'g'", long("1."),
		long(`"`), long(`'\n`), long(`\`), long("`") + " + '`'", long("/*"), long("''") + ` + "'"`, long("$"), long(" ") + " + 'a'",
	} {
		for _, language := range []string{"js", "sql"} {
			if !js[bool](b, `(async () => {
				const { tokens } = await import("/static/code.js");
				const text = `+text+`;
				return tokens(text, "`+language+`").map((t) => t.text).join("") === text;
			})()`) {
				t.Errorf("%s: the tokens are another text", text)
			}
		}
	}
	spaces := long(" ")
	for _, before := range []string{
		"'(api) => f(a => a.'", "'(a => a.'", "'('", "'.'", "''", "'a?.'", long("a") + " + '.'", long("a") + " + '+'", long("a") + " + ' .b'", long("a."), long("f(a => a."), long("(async "),
		"'(' + " + spaces + " + ')a.'", "'(x' + " + spaces + " + ';x.'", "'(x)' + " + spaces + " + ';x.'", "'(async' + " + spaces + " + ';x.'",
		spaces + " + ')x.'", "'function' + " + spaces + " + ')x.'", "'function a' + " + spaces + " + ')x.'", "'async' + " + spaces + " + ')x.'",
		long("(") + " + 'x.'", long(")") + " + 'x.'", long(")x."), long("."), long("=>") + " + 'x.'", long("é") + " + '.'", long("😀") + " + '.'",
	} {
		if got := js[string](b, `(async () => {
			const { Declarations } = await import("/static/complete.js");
			const d = new Declarations(document.getElementById("declarations").textContent);
			try { d.at(`+before+`, true); d.at(`+before+`, false); return "" } catch (e) { return String(e).slice(0, 100) }
		})()`); got != "" {
			t.Errorf("%s: %s", before, got)
		}
	}
	b.start("wallet")
	js[string](b, `(() => { const e = document.getElementById("input-program"); e.value = " ".repeat(`+itoa(n)+`) + "\n  {"; e.focus(); e.setSelectionRange(e.value.length, e.value.length); return "" })()`)
	b.press(kb.Enter)
	b.until(`document.getElementById("input-program").value.endsWith("\n  {\n    ")`)
}

// TestBrowserWaits: a host that does not wait with the page is not asked at once again,
// or the page would spend what its address may ask.
func TestBrowserWaits(t *testing.T) {
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	b.open("/")
	for _, c := range []struct {
		name, answers string // [status, state, how long the host waited]
		want          []int
		said          []string // how what it says begins, where something is wrong
	}{
		{"it waits", `[[200, "queued", 15000], [200, "running", 15000], [200, "ended", 3]]`, []int{200, 200}, []string{}},
		{"it does not", `[[200, "queued", 3], [200, "running", 3], [200, "running", 15000], [200, "interrupted", 3]]`, []int{2500, 2500, 200}, []string{}},
		{"too many", `[[429, "", 3], [429, "", 3], [200, "ended", 3]]`, []int{2500, 2500}, []string{"You"}},
		{"away", `[[503, "", 3], [500, "", 3], [200, "running", 3], [502, "", 3], [200, "ended", 3]]`, []int{500, 1000, 2500, 500}, []string{"The"}},
	} {
		got := js[string](b, `(async () => {
			const { Host } = await import("/static/host.js");
			const real = [window.fetch, window.setTimeout, performance.now];
			const answers = `+c.answers+`, pauses = [], said = new Set();
			let clock = 0;
			window.setTimeout = (f, ms) => { pauses.push(ms); clock += ms; Promise.resolve().then(f) };
			performance.now = () => clock;
			window.fetch = async (path) => {
				if (path !== "/api/v1/attempts/x?wait=15") throw new TypeError(path);
				const [status, state, took] = answers.shift();
				clock += took;
				return new Response(JSON.stringify({ state }), { status });
			};
			try {
				await new Host("").wait("x", (text) => said.add(text));
			} finally {
				[window.fetch, window.setTimeout, performance.now] = real;
			}
			return JSON.stringify([pauses, answers.length, [...said].filter((t) => /lost|more than/.test(t)).map((t) => t.split(" ")[0])]);
		})()`)
		want, _ := json.Marshal([]any{c.want, 0, c.said})
		if got != string(want) {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
}

// TestBrowserDescribed: a mark is said before what the lane asks, and leaves that there.
func TestBrowserDescribed(t *testing.T) {
	s := newSite(t, config{})
	b := newTab(t, chromium(t), s.srv.URL)
	b.open("/")
	if got := js[string](b, `(async () => {
		const { Editor } = await import("/static/editor.js");
		const out = [];
		for (const described of ["rule", ""]) {
			const area = document.createElement("textarea");
			area.id = "x" + described;
			if (described) area.setAttribute("aria-describedby", described);
			document.body.append(area);
			const e = new Editor(area, {});
			for (const bad of [{ line: 1, column: 1, text: "t" }, null]) {
				e.mark(bad);
				out.push(area.getAttribute("aria-describedby") + " " + area.getAttribute("aria-invalid"));
			}
		}
		return out.join(", ");
	})()`); got != "xrule-marked rule true, rule null, x-marked true, null null" {
		t.Error(got)
	}
}
