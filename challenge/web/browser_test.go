package web_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	tu "github.com/exoagent/exoagent/internal/testutil"
)

// browserOf is the path of a Chromium. Without one the tests are skipped, which test.sh
// does not take.
func browserOf(t *testing.T) string {
	t.Helper()
	tu.NotQuick(t)
	if path := os.Getenv("EXO_CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-headless-shell", "chrome-headless-shell", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium: ./test.sh installs one, or EXO_CHROMIUM names it")
	return ""
}

// chromium is the browser of all tests, which share none of its state: each tab is of
// a browser context of its own. TestMain ends it.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := browserOf(t)
	started.Do(func() { startChromium(path) })
	if started.err != nil {
		t.Fatal(started.err)
	}
	return started.ctx
}

var started struct {
	sync.Once
	ctx context.Context
	err error
	end func()
}

func startChromium(path string) {
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-background-networking", true), chromedp.WSURLReadTimeout(2*time.Minute))
	if os.Geteuid() == 0 {
		o = append(o, chromedp.NoSandbox) // Chromium refuses to have one as root
	}
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), o...)
	ctx, endBrowser := chromedp.NewContext(alloc)
	started.ctx, started.end = ctx, func() { endBrowser(); endAlloc() }
	started.err = chromedp.Do(ctx, chromedp.Navigate("about:blank"))
}

// tab is one player's: it shares no cookie and no storage with other tabs.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu    sync.Mutex
	wrong []string // errors of the console, and what the policy stopped
	allow string   // such a text is what the test brings about
}

func newTab(t *testing.T, browser context.Context, base string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b := &tab{t: t, ctx: ctx, base: base}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	call(b, runtime.Enable, cdp.Empty{})
	call(b, log.Enable, cdp.Empty{})
	call(b, audits.Enable, cdp.Empty{})
	b.media("light")
	t.Cleanup(func() {
		for _, w := range b.complaints() {
			t.Errorf("the browser complains: %s", w)
		}
		cancel()
	})
	return b
}

// call sends the browser one command.
func call[P, R any](b *tab, c cdp.Command[P, R], params P) R {
	b.t.Helper()
	out, err := chromedp.Call(b.ctx, c, params)
	if err != nil {
		b.t.Fatalf("%s: %v", c.Method, err)
	}
	return out
}

// media is what the system says of colours. It wants nothing to move.
func (b *tab) media(colours string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

func (b *tab) event(ev any) {
	text := ""
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			text = "console"
			for _, a := range e.Args {
				text += " " + string(a.Value)
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			text = string(e.Entry.Source) + ": " + e.Entry.Text + " " + e.Entry.URL
		}
	case *audits.EventIssueAdded:
		detail, _ := json.Marshal(e.Issue)
		text = "issue " + string(detail)
	}
	if text == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.allow == "" || !strings.Contains(text, b.allow) {
		b.wrong = append(b.wrong, text)
	}
}

func (b *tab) complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wrong
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%v; the page says %s", err, b.page())
	}
}

// page is the text of the page, for a test that fails.
func (b *tab) page() string {
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("location.pathname + ' ' + document.body.innerText.slice(0, 3000)"))
	return text
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// js is the value of an expression in the page.
func js[T any](b *tab, expr string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Minute)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expr, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v; the page says %s", expr, err, b.page())
	}
	return out
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// until waits for an expression to be true.
func (b *tab) until(expr string) {
	b.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		// Between two pages there is nothing to ask: then the next turn asks again.
		ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expr+")"))
		cancel()
		if ok && err == nil {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("never: %s (%v); the page says %s", expr, err, b.page())
		}
		time.Sleep(30 * time.Millisecond)
	}
}

// says waits for an element to have the text.
func (b *tab) says(sel, text string) {
	b.t.Helper()
	b.until("(document.querySelector(" + quote(sel) + ")?.textContent ?? '').includes(" + quote(text) + ")")
}

func (b *tab) text(sel string) string {
	b.t.Helper()
	return js[string](b, "document.querySelector("+quote(sel)+")?.textContent ?? ''")
}

func (b *tab) has(sel string) bool {
	b.t.Helper()
	return js[bool](b, "!!document.querySelector("+quote(sel)+")")
}

// seen reports whether a person sees the element.
func (b *tab) seen(sel string) bool {
	b.t.Helper()
	return js[bool](b, "document.querySelector("+quote(sel)+")?.checkVisibility() ?? false")
}

func (b *tab) click(sel string) {
	b.t.Helper()
	b.until("document.readyState === 'complete' && document.querySelector(" + quote(sel) + ")?.checkVisibility()")
	b.do(chromedp.Click(chromedp.CSS(sel)))
}

// fill types into a field, in place of what is there.
func (b *tab) fill(sel, text string) {
	b.t.Helper()
	b.until("document.readyState === 'complete' && document.querySelector(" + quote(sel) + ")")
	b.do(chromedp.Evaluate[chromedp.Void]("{ const e = document.querySelector(" + quote(sel) + "); e.focus(); e.select() }"))
	call(b, input.InsertText, input.InsertTextParams{Text: text})
}

// start begins to play on a target.
func (b *tab) start(target string) {
	b.t.Helper()
	b.open("/")
	b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('#start [name=target]').value = " + quote(target)))
	b.click("#start button")
	b.until("location.pathname === " + quote("/targets/"+target) + " && document.readyState === 'complete' && document.querySelector('#leave')")
}

// lane opens one.
func (b *tab) lane(id string) {
	b.t.Helper()
	b.click("#tab-" + id)
	b.until("document.readyState === 'complete' && document.querySelector('#lane-" + id + "').checkVisibility()")
}

// attempt sends one from the page and waits for what is shown of it.
func (b *tab) attempt(lane, input string) {
	b.t.Helper()
	before := b.text("#record #permalink") + js[string](b, "document.querySelector('#record')?.dataset.attempt ?? ''")
	b.lane(lane)
	b.fill("#input-"+lane, input)
	b.click("#send-" + lane)
	b.until("(document.querySelector('#problem')?.textContent || (document.querySelector('#record')?.dataset.attempt ?? '') !== " + quote(strings.TrimPrefix(before, "link to this attempt")) + ") && document.querySelector('#send-" + lane + "').getAttribute('aria-disabled') !== 'true'")
}

// shot keeps a picture of the whole page in the folder that EXO_SCREENSHOTS names.
// Without one it takes none: nobody would look at it, and pictures were half the time of
// TestBrowserLook.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("EXO_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
