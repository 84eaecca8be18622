// Package browsertest drives a Chromium browser for tests of single pages.
package browsertest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/exoagent/exoagent/internal/testutil"
)

// Tab is a page. A message of its console, its content policy or its network fails the test.
type Tab struct {
	t   *testing.T
	ctx context.Context

	mu    sync.Mutex
	wrong []string
	asked []string

	inner  runtime.ExecutionContextID // the newest frame
	within bool                       // expressions run in the newest frame
}

var browser struct {
	sync.Once
	ctx context.Context
	err error
	end func()
}

// Main runs the tests of a package and then ends their shared browser. TestMain calls it.
func Main(m *testing.M) {
	code := m.Run()
	End()
	os.Exit(code)
}

// End ends the browser. A package with its own TestMain calls it.
func End() {
	if browser.end != nil {
		browser.end()
	}
}

func start() {
	path := os.Getenv("EXO_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-headless-shell", "chrome-headless-shell", "google-chrome"} {
		if found, err := exec.LookPath(name); path == "" && err == nil {
			path = found
		}
	}
	if path == "" {
		return
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,IsolateSandboxedIframes"), chromedp.WSURLReadTimeout(2*time.Minute))
	if os.Geteuid() == 0 {
		o = append(o, chromedp.NoSandbox) // Chromium refuses to have a sandbox as root
	}
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), o...)
	ctx, end := chromedp.NewContext(alloc)
	browser.ctx, browser.end = ctx, func() { end(); endAlloc() }
	browser.err = chromedp.Do(ctx, chromedp.Navigate("about:blank"))
}

// Open opens a page on a screen of this width, in "light" or "dark". Pages share no state. Without a Chromium the test is skipped; test.sh
// fails if a test is skipped.
func Open(t *testing.T, url string, width int, colours string) *Tab {
	t.Helper()
	testutil.NotQuick(t)
	browser.Do(start)
	if browser.ctx == nil {
		t.Skip("no Chromium: ./test.sh installs one, or EXO_CHROMIUM names it")
	}
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	ctx, end := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	b := &Tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, w := range b.wrong {
			t.Errorf("the browser complains: %s", w)
		}
		end()
	})
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	call(b, runtime.Enable, cdp.Empty{})
	call(b, log.Enable, cdp.Empty{})
	call(b, network.Enable, network.EnableParams{})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}}})
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: int64(width), Height: 800, DeviceScaleFactor: 1})
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	return b
}

func call[P, R any](b *Tab, c cdp.Command[P, R], params P) R {
	b.t.Helper()
	out, err := chromedp.Call(b.ctx, c, params)
	if err != nil {
		b.t.Fatalf("%s: %v", c.Method, err)
	}
	return out
}

func (b *Tab) event(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			text += " " + x.Description
		}
		b.wrong = append(b.wrong, text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.wrong = append(b.wrong, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExecutionContextCreated:
		if strings.Contains(string(e.Context.AuxData), `"isDefault":true`) {
			b.inner = e.Context.ID
		}
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	}
}

// Asked returns the addresses that the browser requested.
func (b *Tab) Asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked
}

// Allow removes the failures that contain a text, and returns their number.
func (b *Tab) Allow(text string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = slices.DeleteFunc(b.wrong, func(w string) bool {
		if strings.Contains(w, text) {
			n++
			return true
		}
		return false
	})
	return n
}

// JS returns the value of an expression in the page.
func JS[T any](b *Tab, expr string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expr, chromedp.EvalAwaitPromise, func(p *runtime.EvaluateParams) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.within {
			p.ContextID = b.inner
		}
	}))
	if err != nil {
		b.t.Fatalf("%s: %v", expr, err)
	}
	return out
}

// In runs f. In f, expressions run in the newest frame of the page.
func (b *Tab) In(f func()) {
	b.within = true
	defer func() { b.within = false }()
	f()
}

// Until waits until an expression is true.
func (b *Tab) Until(expr string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); !JS[bool](b, "!!("+expr+")"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("never: %s; the page says %s", expr, JS[string](b, "document.body.innerText"))
		}
	}
}

// Press presses keys like a person, such as "\t" or "\r".
func (b *Tab) Press(keys string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(keys)); err != nil {
		b.t.Fatal(err)
	}
}

// Quote writes a text as a JavaScript literal.
func Quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Shot saves a picture of the page in the folder EXO_SCREENSHOTS. If that is not set, it does nothing.
func (b *Tab) Shot(name string) {
	b.t.Helper()
	dir := os.Getenv("EXO_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
