package changespage

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	_ "modernc.org/sqlite"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/review"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/grantfile"
	"github.com/exoagent/exoagent/internal/grantfile/pending"
	bt "github.com/exoagent/exoagent/internal/testutil/browsertest"
)

func TestMain(m *testing.M) { bt.Main(m) }

const file = `exo: 1
reviewed: true
databases: {shop: "sqlite:shop.db"}
principal: {org: int}
approvals:
  key: file:key
  store: approvals
  proxy: {header: X-Reader, issuer: https://login.example.com/, audience: https://shop.example.com/changes}
serve:
  resource: https://shop.example.com/mcp
  issuers:
    https://login.example.com/: {keys: "file:keys.json"}
facets:
  deal:
    table: deals
    scope: org = $principal.org
    columns: [id, title, amount, note]
    insert: [title, amount]
    update: [title, amount, note]
    delete: true
    approve: always
grants: {deals: deal}
`

// world is a page over a real database, with a program's change set in a real store.
type world struct {
	t    *testing.T
	srv  *httptest.Server
	file *grantfile.File
	kept *pending.Sets
	decl *grantfile.Declared
	db   *sql.DB
	key  ed25519.PrivateKey
	now  time.Time
}

const another = "nothing is here"

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, now: time.Now()}
	public, private, _ := ed25519.GenerateKey(nil)
	w.key = private
	keys, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: "k", Use: "sig"}}})
	for name, text := range map[string]string{"key": strings.Repeat("k3y!", 10), "keys.json": string(keys)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if w.db, err = sql.Open("sqlite", filepath.Join(dir, "shop.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.db.Close() })
	for _, q := range []string{"CREATE TABLE deals (id INTEGER PRIMARY KEY, org INTEGER NOT NULL, title TEXT NOT NULL, amount INTEGER NOT NULL, note TEXT)",
		"INSERT INTO deals (id, org, title, amount) VALUES (1, 1, 'Roof', 100), (2, 1, 'Wall', 200), (3, 2, 'Door', 300)"} {
		if _, err := w.db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if w.file, err = grantfile.Parse(filepath.Join(dir, "exo.yaml"), []byte(file)); err != nil {
		t.Fatal(err)
	}
	if w.decl, err = w.file.Declare(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.decl.Close() })
	if w.kept, err = pending.Open(t.Context(), w.file, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.kept.Close() })
	if w.kept.Keeper, err = review.New(review.Options{Store: w.kept.Store, Key: w.kept.Key, Now: func() time.Time { return w.now }}); err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{File: w.file, Sets: w.kept.Keeper, Store: w.kept.Store, Key: w.kept.Key, Now: func() time.Time { return w.now },
		Apply: func(ctx context.Context, x review.ChangeSet, seen string, by review.Approver) (*codemode.Result, error) {
			p, err := w.file.PrincipalNamed(x.Principal)
			if err != nil {
				return nil, err
			}
			return w.tool(p).Apply(ctx, x.ID, seen, by)
		},
		Next: http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, another, http.StatusNotFound) }), Log: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	w.srv = httptest.NewServer(p)
	t.Cleanup(w.srv.Close)
	return w
}

func (w *world) tool(p grantfile.Principal) *codemode.Tool {
	w.t.Helper()
	grants, err := w.decl.Grants(p)
	if err != nil {
		w.t.Fatal(err)
	}
	opt := w.file.ToolOptions(p)
	opt.Evaluator, opt.Record, opt.Review = exoeval.InProcess{}, exo.Unrecorded, w.kept.Keeper
	tool, err := codemode.New(grants, &opt)
	if err != nil {
		w.t.Fatal(err)
	}
	return tool
}

// ann is the principal whose programs run: by an issuer's token, so she could read the page as well.
func (w *world) ann() grantfile.Principal {
	w.t.Helper()
	p, err := w.file.Identify("https://login.example.com/", "ann", map[string]any{"org": int64(1)})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// prepare runs a program of ann, which has to wait.
func (w *world) prepare(program string) review.ChangeSet {
	w.t.Helper()
	tool := w.tool(w.ann())
	if r := tool.Run(w.t.Context(), program); fail.KindOf(r.Err) != fail.Pending {
		w.t.Fatal(r.Err)
	}
	all, err := tool.Pending(w.t.Context())
	for _, x := range all {
		if x.Program == program && err == nil {
			return x
		}
	}
	w.t.Fatalf("%d wait: %v", len(all), err)
	return review.ChangeSet{}
}

func (w *world) total() (n int) {
	w.t.Helper()
	if err := w.db.QueryRow("SELECT sum(amount) FROM deals").Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// assertion is what the proxy signs.
func (w *world) assertion(change map[string]any) string {
	w.t.Helper()
	claims := map[string]any{"iss": "https://login.example.com/", "sub": "bob", "aud": "https://shop.example.com/changes", "exp": w.now.Add(time.Hour).Unix(), "org": 1}
	for name, v := range change {
		claims[name] = v
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: w.key}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	if err != nil {
		w.t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

// ask sends a request, and returns its status and body. It follows no redirect.
func (w *world) ask(method, path string, form url.Values, change func(*http.Request)) (int, string, http.Header) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, w.srv.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", w.srv.URL)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if change != nil {
		change(r)
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Do(r)
	if err != nil {
		w.t.Error(err)
		return 0, "", nil
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), resp.Header
}

// proxied gives a request the assertion of a reader.
func (w *world) proxied(sub string) func(*http.Request) {
	text := w.assertion(map[string]any{"sub": sub})
	return func(r *http.Request) { r.Header.Set("X-Reader", text) }
}

var codeOf = regexp.MustCompile(`name="code" value="(\w+)"`)

// form is the form that a reader is shown.
func (w *world) form(x review.ChangeSet, as func(*http.Request)) url.Values {
	w.t.Helper()
	_, text, _ := w.ask("GET", "/changes/"+x.ID, nil, as)
	code := codeOf.FindStringSubmatch(text)
	if code == nil {
		w.t.Fatalf("there is no form in %s", text)
	}
	return url.Values{"code": {code[1]}, "digest": {x.Digest()}}
}

const double = "deals.all().update(d => ({ amount: d.amount * 2 }))"

// TestNobody: who is not known by the proxy or a session gets the answer of an unknown path, whatever they send. The twin is the proxy's reader.
func TestNobody(t *testing.T) {
	w := newWorld(t)
	x := w.prepare(double)
	set := func(name, v string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, v) }
	}
	mcp := w.assertion(map[string]any{"aud": "https://shop.example.com/mcp", "sub": "ann"}) // ann's own token for the server
	_, foreign, _ := ed25519.GenerateKey(nil)
	own := w.key
	w.key = foreign
	forged := w.assertion(nil)
	w.key = own
	for name, as := range map[string]func(*http.Request){
		"nothing": nil, "a client's token": set("Authorization", "Bearer "+mcp), "a client's token in the proxy's header": set("X-Reader", mcp), "the proxy's, as a bearer token": set("Authorization", "Bearer "+w.assertion(nil)),
		"another key": set("X-Reader", forged), "expired": set("X-Reader", w.assertion(map[string]any{"exp": w.now.Add(-time.Hour).Unix()})), "another issuer": set("X-Reader", w.assertion(map[string]any{"iss": "https://evil.example.com/"})),
		"a name": set("X-Reader", "ann"), "headers of other proxies": func(r *http.Request) {
			for _, h := range []string{"X-Forwarded-User", "X-Remote-User", "Remote-User", "X-Auth-Request-Email"} {
				r.Header.Set(h, "admin")
			}
		},
		"twice":            func(r *http.Request) { r.Header["X-Reader"] = []string{w.assertion(nil), w.assertion(nil)} },
		"another's name":   func(r *http.Request) { w.proxied("bob")(r); r.Host = "evil.example.com" },
		"a made-up cookie": set("Cookie", "exo_changes="+strings.Repeat("0", 32)), "two cookies": set("Cookie", "exo_changes=a; exo_changes=b"),
	} {
		for _, path := range []string{"/changes", "/changes/" + x.ID, "/changes/link/" + strings.Repeat("0", 32)} {
			if got, text, _ := w.ask("GET", path, nil, as); got != 404 || text != another+"\n" {
				t.Errorf("%s: %s: %d %s", name, path, got, text)
			}
		}
		if got, text, _ := w.ask("POST", "/changes/"+x.ID+"/approve", url.Values{"digest": {x.Digest()}}, as); got != 404 || text != another+"\n" || w.total() != 600 {
			t.Errorf("%s agrees: %d %s", name, got, text)
		}
	}
	got, text, h := w.ask("GET", "/changes/"+x.ID, nil, w.proxied("bob"))
	if got != 200 || !strings.Contains(text, "&#34;200&#34;") || !strings.Contains(text, "deals.all()") {
		t.Errorf("the proxy's reader: %d %s", got, text)
	}
	for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'", "X-Frame-Options": "DENY", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
		if !strings.Contains(h.Get(name), want) {
			t.Errorf("%s: %s", name, h.Get(name))
		}
	}
	if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "script-src") || strings.Contains(text, "<script") {
		t.Errorf("the policy: %s", csp)
	}
}

// TestLink: a link is good once, within ten minutes, by a form of this page; its session ends after an hour. The store has neither secret.
func TestLink(t *testing.T) {
	w := newWorld(t)
	x := w.prepare(double)
	link := func() string {
		secret, err := NewLink(t.Context(), w.kept.Store, w.kept.Key, "zoe", w.now)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	secret := link()
	for range 2 { // who only looks at it does not use it up
		if got, text, _ := w.ask("GET", "/changes/link/"+secret, nil, nil); got != 200 || !strings.Contains(text, "zoe") {
			t.Errorf("%d %s", got, text)
		}
	}
	if got, _, _ := w.ask("POST", "/changes/link/"+secret, nil, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example.com") }); got != 404 {
		t.Errorf("another site presses the button: %d", got)
	}
	var wait sync.WaitGroup
	cookies := make(chan string, 8)
	for range 8 {
		wait.Go(func() {
			if got, _, h := w.ask("POST", "/changes/link/"+secret, nil, nil); got == 303 {
				cookies <- h.Get("Set-Cookie")
			}
		})
	}
	wait.Wait()
	close(cookies)
	cookie := <-cookies
	if more, ok := <-cookies; ok || cookie == "" {
		t.Fatalf("the link began %q and %q", cookie, more)
	}
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || !strings.Contains(cookie, "Max-Age=3600") || strings.Contains(cookie, "Secure") {
		t.Errorf("the cookie: %s", cookie)
	}
	as := func(r *http.Request) { r.Header.Set("Cookie", strings.Split(cookie, ";")[0]) }
	if got, _, _ := w.ask("GET", "/changes/"+x.ID, nil, as); got != 200 {
		t.Errorf("its session: %d", got)
	}
	session := strings.TrimPrefix(strings.Split(cookie, ";")[0], "exo_changes=")
	_ = filepath.WalkDir(filepath.Join(filepath.Dir(w.file.Name), "approvals"), func(p string, d os.DirEntry, err error) error {
		if text, err := os.ReadFile(p); err == nil && (strings.Contains(string(text), secret) || strings.Contains(string(text), session)) {
			t.Errorf("%s has a secret", p)
		}
		return nil
	})
	if got, _, h := w.ask("POST", "/changes/link/"+link(), nil, func(r *http.Request) { r.Host = "shop.example.com"; r.Header.Set("Origin", "https://shop.example.com") }); got != 303 || !strings.Contains(h.Get("Set-Cookie"), "__Host-exo_changes") || !strings.Contains(h.Get("Set-Cookie"), "Secure") {
		t.Errorf("behind a proxy: %d %s", got, h.Get("Set-Cookie"))
	}
	late := link()
	w.now = w.now.Add(10 * time.Minute)
	if got, _, _ := w.ask("POST", "/changes/link/"+late, nil, nil); got != 404 {
		t.Errorf("after ten minutes: %d", got)
	}
	w.now = w.now.Add(51 * time.Minute)
	if got, _, _ := w.ask("GET", "/changes", nil, as); got != 404 {
		t.Errorf("after an hour: %d", got)
	}
}

// TestForms: a decision needs a form of this page, shown to this reader of this change set as it is. The twin of each is applied.
func TestForms(t *testing.T) {
	w := newWorld(t)
	x, y := w.prepare(double), w.prepare("deals.where({ id: 1 }).delete()")
	bob, eve := w.proxied("bob"), w.proxied("eve")
	good := w.form(x, bob)
	with := func(name, v string) url.Values {
		out := url.Values{"code": good["code"], "digest": good["digest"]}
		out.Set(name, v)
		return out
	}
	for name, c := range map[string]struct {
		form   url.Values
		as     func(*http.Request)
		change func(*http.Request)
	}{
		"no code": {with("code", ""), bob, nil}, "another reader's code": {good, eve, nil}, "another digest": {with("digest", y.Digest()), bob, nil}, "the code of another set": {w.form(y, bob), bob, nil},
		"another site":           {good, bob, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example.com") }},
		"another port":           {good, bob, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }},
		"a frame without origin": {good, bob, func(r *http.Request) { r.Header.Set("Origin", "null") }},
		"no origin":              {good, bob, func(r *http.Request) { r.Header.Del("Origin") }},
		"a site beside":          {good, bob, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }},
	} {
		got, text, _ := w.ask("POST", "/changes/"+x.ID+"/approve", c.form, func(r *http.Request) {
			if c.as(r); c.change != nil {
				c.change(r)
			}
		})
		if got != 403 && got != 404 || w.total() != 600 {
			t.Errorf("%s: %d %s", name, got, text)
		}
	}
	if got, _, _ := w.ask("GET", "/changes/"+x.ID+"/approve?"+good.Encode(), nil, bob); got == 303 || w.total() != 600 {
		t.Errorf("a GET decides: %d", got)
	}
	if got, text, _ := w.ask("POST", "/changes/"+x.ID+"/approve", good, bob); got != 303 || w.total() != 900 {
		t.Errorf("the twin: %d %s", got, text)
	}
	if got, text, _ := w.ask("POST", "/changes/"+x.ID+"/approve", good, bob); got != 409 || w.total() != 900 || !strings.Contains(text, "the change set is applied") {
		t.Errorf("a doubled POST: %d %s", got, text)
	}
	if got, _, _ := w.ask("POST", "/changes/"+y.ID+"/reject", w.form(y, bob), bob); got != 303 {
		t.Errorf("refuse: %d", got)
	}
	if z, err := w.kept.Get(t.Context(), y.ID); err != nil || z.State != review.Rejected || z.By != `"bob" of "https://login.example.com/"` || z.How != review.Page {
		t.Errorf("%+v %v", z, err)
	}
}

// TestOther: on the page nobody agrees to what was prepared for themselves, whatever claims their assertion has. A second person does.
func TestOther(t *testing.T) {
	w := newWorld(t)
	x := w.prepare(double)
	for _, org := range []any{1, 2, nil} {
		text := w.assertion(map[string]any{"sub": "ann", "org": org})
		ann := func(r *http.Request) { r.Header.Set("X-Reader", text) }
		if got, says, _ := w.ask("POST", "/changes/"+x.ID+"/approve", w.form(x, ann), ann); got != 403 || !strings.Contains(says, "a person other than") || w.total() != 600 {
			t.Errorf("org %v: %d %s", org, got, says)
		}
	}
	// Of two approvers at once one wins.
	var wait sync.WaitGroup
	won := make(chan int, 2)
	bob, eve := w.proxied("bob"), w.proxied("eve")
	forms := []url.Values{w.form(x, bob), w.form(x, eve)}
	for i, as := range []func(*http.Request){bob, eve} {
		form := forms[i]
		wait.Go(func() { got, _, _ := w.ask("POST", "/changes/"+x.ID+"/approve", form, as); won <- got })
	}
	wait.Wait()
	if a, b := <-won, <-won; a+b != 303+409 || w.total() != 900 {
		t.Errorf("%d and %d, %d", a, b, w.total())
	}
}

// TestExpiredAndChanged: nothing of an expired set happens, and nothing of one whose database or store has changed since it was shown.
func TestExpiredAndChanged(t *testing.T) {
	w := newWorld(t)
	bob := w.proxied("bob")
	x := w.prepare(double)
	form := w.form(x, bob)
	if _, err := w.db.Exec("UPDATE deals SET amount = 101 WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	if got, text, _ := w.ask("POST", "/changes/"+x.ID+"/approve", form, bob); got != 409 || !strings.Contains(text, "would now do something else") || w.total() != 601 {
		t.Errorf("another database: %d %s", got, text)
	}
	y := w.prepare(double)
	form = w.form(y, bob)
	w.now = w.now.Add(24 * time.Hour)
	later := w.proxied("bob")
	if got, text, _ := w.ask("POST", "/changes/"+y.ID+"/approve", form, later); got != 409 || !strings.Contains(text, "expired") || w.total() != 601 {
		t.Errorf("expired: %d %s", got, text)
	}
	if _, text, _ := w.ask("GET", "/changes/"+y.ID, nil, later); codeOf.MatchString(text) {
		t.Error("an expired set has a form")
	}
	// Another set under the ID of the one that was shown: its entries are swapped in the store.
	z, other := w.prepare(double), w.prepare("deals.where({ id: 1 }).delete()")
	form = w.form(z, later)
	entries := func(x review.ChangeSet) string { return "review-chunk/" + x.ID }
	all, err := w.kept.Store.List(t.Context(), "review-chunk", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var from, to int = -1, -1
	for i, e := range all {
		if strings.HasPrefix(e.Key, entries(other)) {
			from = i
		} else if strings.HasPrefix(e.Key, entries(z)) {
			to = i
		}
	}
	if from < 0 || to < 0 {
		t.Fatal("no entries")
	}
	e := all[to]
	e.Value = all[from].Value
	if _, err := w.kept.Store.Put(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if got, text, _ := w.ask("POST", "/changes/"+z.ID+"/approve", form, later); got == 303 || w.total() != 601 {
		t.Errorf("a swapped set: %d %s", got, text)
	}
}

// TestNullOnPage: NULL has no quotes on the page, and the text "null" has.
func TestNullOnPage(t *testing.T) {
	w := newWorld(t)
	x := w.prepare(`deals.where({ id: 1 }).update({ note: "null" })`)
	if _, text, _ := w.ask("GET", "/changes/"+x.ID, nil, w.proxied("bob")); !strings.Contains(text, "<bdi>null</bdi></del>") || !strings.Contains(text, "<bdi>&#34;null&#34;</bdi></ins>") {
		t.Errorf("NULL and a text look alike:\n%s", text)
	}
}

// TestMany: above 200 changes agreeing means typing their number.
func TestMany(t *testing.T) {
	w := newWorld(t)
	if _, err := w.db.Exec("WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO deals (id, org, title, amount) SELECT i, 1, 'deal ' || i, 10 FROM n"); err != nil {
		t.Fatal(err)
	}
	x := w.prepare(double)
	bob := w.proxied("bob")
	before := w.total()
	for _, rows := range []string{"", "yes", "292", "2930"} {
		form := w.form(x, bob)
		form.Set("rows", rows)
		if got, text, _ := w.ask("POST", "/changes/"+x.ID+"/approve", form, bob); got != 400 || w.total() != before || !strings.Contains(text, "type the number of changes: 293") {
			t.Errorf("%q: %d", rows, got)
		}
	}
	form := w.form(x, bob)
	form.Set("rows", " 293 ")
	if got, text, _ := w.ask("POST", "/changes/"+x.ID+"/approve", form, bob); got != 303 || w.total() == before {
		t.Errorf("the number: %d %s", got, text)
	}
}

// TestBrowser: the page by a link, in light and dark, on a narrow and a wide screen, by keyboard: what is there is inside its screen, has a name and
// enough contrast, and Enter on the button applies the change.
func TestBrowser(t *testing.T) {
	for _, c := range []struct {
		colours, ground string
		width           int
	}{{"light", "rgb(255, 255, 255)", 390}, {"dark", "rgb(27, 27, 31)", 390}, {"light", "rgb(255, 255, 255)", 1280}, {"dark", "rgb(27, 27, 31)", 1280}} {
		t.Run(fmt.Sprint(c.colours, c.width), func(t *testing.T) {
			w := newWorld(t)
			x := w.prepare(`await deals.insert({ title: "New \u202e<b>deal</b>\n  + \"forged\" " + "wide".repeat(40), amount: 7 }); await deals.where({ id: 2 }).delete(); await deals.all().update(d => ({ amount: d.amount + 10 }))`)
			secret, err := NewLink(t.Context(), w.kept.Store, w.kept.Key, "zoe", w.now)
			if err != nil {
				t.Fatal(err)
			}
			b := bt.Open(t, w.srv.URL+"/changes/link/"+secret, c.width, c.colours)
			b.Press("\t\r")
			b.Until("location.pathname === '/changes' && document.querySelector('.sets a')")
			sound(t, b, c.ground)
			b.Shot(fmt.Sprintf("changes-list-%s-%d", c.colours, c.width))
			b.Press("\t\r")
			b.Until("document.querySelector('.decide')")
			sound(t, b, c.ground)
			shown := bt.JS[string](b, "document.body.innerText")
			for _, want := range []string{`\u{202e}<b>deal</b>\n  + \"forged\"`, "known after apply", `"Wall"`, "zoe", "deals.all()"} {
				if !strings.Contains(shown, want) {
					t.Errorf("no %q in\n%s", want, shown)
				}
			}
			b.Shot(fmt.Sprintf("changes-%s-%d", c.colours, c.width))
			for range 10 {
				if bt.JS[bool](b, "document.activeElement.className === 'agree'") {
					break
				}
				b.Press("\t")
			}
			b.Press("\r")
			b.Until("document.querySelector('.state.applied')")
			if w.total() != 300+7+110+10 {
				t.Errorf("%s: %d", x.ID, w.total())
			}
			for _, to := range b.Asked() {
				if u, err := url.Parse(to); err != nil || u.Host != strings.TrimPrefix(w.srv.URL, "http://") {
					t.Errorf("it asks for %s", to)
				}
			}
		})
	}
}

// sound checks what a person needs of a page to use it.
func sound(t *testing.T, b *bt.Tab, ground string) {
	t.Helper()
	if got := bt.JS[string](b, "getComputedStyle(document.body).backgroundColor"); got != ground {
		t.Errorf("the ground is %s", got)
	}
	if bt.JS[bool](b, "document.documentElement.scrollWidth > innerWidth") {
		t.Error("it is wider than its screen")
	}
	if bt.JS[bool](b, "[...document.querySelectorAll('button')].some(e => e.getBoundingClientRect().height < 24)") {
		t.Error("a button is small")
	}
	b.Axe(t)
}
