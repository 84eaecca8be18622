package resultpage_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/internal/resultpage"
	bt "github.com/exoagent/exoagent/internal/testutil/browsertest"
)

func TestMain(m *testing.M) { bt.Main(m) }

// open opens the page of a result in a browser.
func open(t *testing.T, result any, width int, colours string) *bt.Tab {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"result": result}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, resultpage.Of("Result", bytes.ReplaceAll(b.Bytes(), []byte(`\u2028`), []byte("\u2028"))), 0o600); err != nil {
		t.Fatal(err)
	}
	return bt.Open(t, "file://"+path, width, colours)
}

// hostile are texts that want to be more than texts.
var hostile = []string{"</script><script>document.title='x'</script>", "<!--<script>", "<img src=x onerror=\"document.title='x'\">", "{{script}}{{data}}", "a\u2028b\u2029c", "\u202egnp.exe", "\x1b[31m\u009b2J\u0000", "${1}`\\", "javascript:alert(1)", "\U000e0041tag", "\ufeff"}

// TestHostile: whatever cells and names of columns hold is text; nothing runs, nothing is loaded, and what changes how other text is read is
// spelt out.
func TestHostile(t *testing.T) {
	var rows []map[string]any
	for i, h := range hostile {
		rows = append(rows, map[string]any{"name": h, "n": i})
	}
	wide := map[string]any{}
	for i, h := range hostile {
		wide[h] = []any{h, map[string]any{h: i}}
	}
	for name, result := range map[string]any{"rows": rows, "columns": []any{wide, wide}, "a text": strings.Join(hostile, " "), "a record": wide, "proto": []any{map[string]any{"__proto__": 1, "constructor": 2, "n": 3}, map[string]any{"__proto__": 2, "toString": "x", "n": 4}}} {
		t.Run(name, func(t *testing.T) {
			b := open(t, result, 800, "light")
			b.Until("document.readyState === 'complete'")
			if title := bt.JS[string](b, "document.title"); title != "Result" {
				t.Errorf("a cell has run: %s", title)
			}
			text := bt.JS[string](b, "document.body.innerText + [...document.querySelectorAll('svg title, svg text')].map(e => e.textContent)")
			for _, r := range "\u202e\x1b\u009b\u2028\U000e0041\ufeff" {
				if strings.ContainsRune(text, r) {
					t.Errorf("%U is there as it is: %q", r, text)
				}
			}
			if n := bt.JS[int](b, "document.querySelectorAll('img, script, iframe, a').length"); n != 2 {
				t.Errorf("%d elements come from cells", n-2)
			}
			if name == "rows" {
				for _, want := range []string{"</script><script>document.title='x'</script>", "\\u202egnp.exe", "{{script}}{{data}}"} {
					if !strings.Contains(text, want) {
						t.Errorf("no %s in %s", want, text)
					}
				}
				if n := bt.JS[int](b, "document.querySelectorAll('svg rect').length"); n != len(hostile) {
					t.Errorf("%d bars", n)
				}
			}
			for _, url := range b.Asked() {
				if !strings.HasPrefix(url, "file://") || !strings.HasSuffix(url, "page.html") {
					t.Errorf("the page asks for %s", url)
				}
			}
		})
	}
}

// TestPolicy: a script or a style that got into the page all the same is stopped.
func TestPolicy(t *testing.T) {
	page := string(resultpage.Of("Result", []byte(`{"result":[]}`)))
	page = strings.Replace(page, "<main>", "<script>document.title='x'</script><main onclick=\"document.title='x'\"><b style=\"color: red\">b</b>", 1)
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	b := bt.Open(t, "file://"+path, 800, "light")
	if got := bt.JS[string](b, "document.querySelector('main').click(), document.title + getComputedStyle(document.querySelector('b')).color"); got != "Resultrgb(27, 27, 31)" {
		t.Error(got)
	}
	if n := b.Allow("Content Security Policy"); n < 3 {
		t.Errorf("the policy stopped %d things", n)
	}
}

// TestTable: the table sorts by each column and pages, with keys alone, and says so to who doesn't see it.
func TestTable(t *testing.T) {
	var rows []map[string]any
	for i := range 60 {
		rows = append(rows, map[string]any{"a_id": i, "b": fmt.Sprintf("%d.50", i*7%60), "c": []string{"x", "y", "z"}[i%3]})
	}
	rows[3]["b"] = nil
	b := open(t, rows, 390, "light")
	first := func() string {
		return bt.JS[string](b, "[...document.querySelectorAll('tbody tr')].slice(0, 3).map(r => r.innerText.replaceAll('\\t', ' ')).join('; ') + ' ' + document.querySelector('#pages span').textContent")
	}
	if got := first(); got != "0 0.50 x; 1 7.50 y; 2 14.50 z rows 1 to 25 of 60" {
		t.Error(got)
	}
	b.Press("\t\t\t\r") // past the region that scrolls, and past a_id
	if got := first() + bt.JS[string](b, "document.activeElement.textContent + document.querySelectorAll('th')[1].ariaSort"); got != "0 0.50 x; 43 1.50 y; 26 2.50 z rows 1 to 25 of 60b ▲ascending" {
		t.Error(got)
	}
	b.Press("\r")
	if got := first(); got != "17 59.50 z; 34 58.50 y; 51 57.50 x rows 1 to 25 of 60" {
		t.Error(got)
	}
	b.Press("\t\t ")
	if got := bt.JS[string](b, "document.activeElement.id") + first(); !strings.HasPrefix(got, "after") || !strings.HasSuffix(got, "rows 26 to 50 of 60") {
		t.Error(got)
	}
	b.Press(" ")
	if got := bt.JS[string](b, "[...document.querySelectorAll('tbody tr')].at(-1).innerText"); got != "3\tnull\tx" {
		t.Errorf("null is not last: %q", got)
	}
	if bt.JS[bool](b, "!document.querySelector('#after').disabled || document.documentElement.scrollWidth > innerWidth") {
		t.Error("the last page goes on, or the page is wider than the screen")
	}
}

// TestPaths: a name with a point in it and a path of names are two columns.
func TestPaths(t *testing.T) {
	b := open(t, []any{map[string]any{"a.b": 1, "a": map[string]any{"b": 2, "c": map[string]any{"d": 3}}}, map[string]any{"a.b": 4}}, 800, "light")
	if got := bt.JS[string](b, "[...document.querySelectorAll('tr')].map(r => r.innerText.replaceAll('\\t', ' ')).join('; ')"); got != "a.b a.c.d a.b; 2 3 1;   4" {
		t.Errorf("%q", got)
	}
}

// TestShapes: the page draws the same chart of the same results as package chart does.
func TestShapes(t *testing.T) {
	text, err := os.ReadFile("../chart/testdata/shapes.json")
	if err != nil {
		t.Fatal(err)
	}
	var shapes []struct {
		Chart  bool
		Want   string
		Result json.RawMessage
	}
	if err := json.Unmarshal(text, &shapes); err != nil {
		t.Fatal(err)
	}
	b := open(t, nil, 800, "light")
	for _, s := range shapes {
		if got := bt.JS[bool](b, "show({ result: "+string(s.Result)+" }), !document.querySelector('#charts').hidden"); got != s.Chart {
			t.Errorf("%s: %v", s.Result, got)
		}
		if !s.Chart {
			continue
		}
		var c struct {
			By     string
			Time   bool
			Labels []string
			Series []struct {
				Name  string
				Texts []string
			}
		}
		text := bt.JS[string](b, "JSON.stringify({ ...chart, series: chart.series.map(s => ({ name: s.name, texts: s.values.map(v => v === null ? '' : String(v)) })) })")
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s %v %q", c.By, c.Time, c.Labels)
		for _, x := range c.Series {
			got += fmt.Sprintf(" %s=%q", x.Name, x.Texts)
		}
		if !strings.Contains(got, s.Want) {
			t.Errorf("%s: %s, want %s", s.Result, got, s.Want)
		}
	}
	if n := bt.JS[string](b, "show({ error: { kind: 'denied', message: 'no' } }), document.body.innerText.trim()"); n != "Result\n\ndenied: no" {
		t.Errorf("%q", n)
	}
}

// TestLook: in light and in dark, on a phone and on a desk, everything is on the screen and can be read; EXO_SCREENSHOTS keeps pictures.
func TestLook(t *testing.T) {
	months := []any{}
	for i := range 14 {
		months = append(months, map[string]any{"month": fmt.Sprintf("%d-%02d", 2024+i/12, i%12+1), "revenue": fmt.Sprintf("%d.%02d", 900+i*i*40-i*300, i), "orders": 12 + i%5})
	}
	kinds := []any{}
	for i, k := range []string{"a rather long name of a category that goes on", "tool", "toy", "日本語", "garden"} {
		kinds = append(kinds, map[string]any{"kind": k, "sum": []float64{1234.5, -400, 12, 0, 700.25}[i]})
	}
	for _, c := range []struct {
		name, colours string
		width         int
		result        any
	}{{"months-light-390", "light", 390, months}, {"months-dark-1000", "dark", 1000, months}, {"kinds-dark-390", "dark", 390, kinds}, {"kinds-light-1000", "light", 1000, kinds}} {
		b := open(t, c.result, c.width, c.colours)
		b.Shot("page-" + c.name)
		b.Axe(t)
		if bt.JS[bool](b, "document.documentElement.scrollWidth > innerWidth") {
			t.Errorf("%s is wider than the screen", c.name)
		}
		if got, want := bt.JS[string](b, "getComputedStyle(document.body).backgroundColor"), map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(27, 27, 31)"}[c.colours]; got != want {
			t.Errorf("%s: the ground is %s", c.name, got)
		}
		if n := bt.JS[int](b, "document.querySelectorAll('svg[role=img][aria-label]').length"); n == 0 {
			t.Errorf("%s has no chart", c.name)
		}
	}
}
