package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/arena"
	"github.com/exoagent/exoagent/challenge/control"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/queue"
	"github.com/exoagent/exoagent/challenge/store"
	"github.com/exoagent/exoagent/challenge/web"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exoeval/worker"
	"github.com/exoagent/exoagent/exosql"
)

func TestMain(m *testing.M) {
	if control.Child() {
		return
	}
	code := m.Run()
	if started.end != nil {
		started.end()
	}
	os.Exit(code)
}

// site is a whole challenge that listens on loopback.
type site struct {
	t      *testing.T
	srv    *httptest.Server
	arena  *arena.Arena
	server *web.Server
	log    *logged
	stop   func()
}

type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.b.Write(p) }
func (l *logged) String() string              { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

// plenty are rates that no test runs into by mistake.
var plenty = func() web.Rates {
	r := web.Rate{Burst: 1e6, Every: time.Microsecond}
	return web.Rates{Requests: r, Players: r, Attempts: r, AddressAttempts: r, Claims: r, AddressClaims: r, Questions: r, AddressQuestions: r, AllQuestions: r, Together: 2000, Each: 2000}
}()

type config struct {
	web.Options
	targets game.Targets
	url     string // of a PostgreSQL database
	dir     string // of what lasts
	places  int
	store   store.Options
}

func newSite(t *testing.T, c config) *site {
	t.Helper()
	s := &site{t: t, log: &logged{}}
	if c.targets == nil {
		c.targets = append(game.Targets{broken}, game.DefaultTargets...)
	}
	if c.dir == "" {
		c.dir = t.TempDir()
	}
	if c.Rates == (web.Rates{}) {
		c.Rates = plenty
	}
	if c.places == 0 {
		c.places = 4
	}
	for _, x := range c.targets {
		if err := x.Check(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	log := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	copies, err := game.OpenCopies(ctx, game.CopyOptions{Dir: filepath.Join(c.dir, "copies"), URL: c.url, Most: 32})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(ctx, filepath.Join(c.dir, "store.db"), c.store)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := worker.NewPool(worker.PoolOptions{Workers: c.places, Share: c.places, Require: walls})
	if err != nil {
		t.Fatal(err)
	}
	s.arena = &arena.Arena{
		Game:  &game.Game{Targets: c.targets, Copies: copies, Pool: pool, Limits: game.DefaultLimits(), Log: log},
		Store: st, Queue: queue.New(c.places), Room: store.Room{PerPlayer: 50, Total: 2000}, Questions: queue.New(2), QuestionsRoom: store.Room{PerPlayer: 3, Total: 20}, Log: log,
	}
	c.Options.Arena, c.Options.Log = s.arena, log
	s.srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.server.ServeHTTP(w, r) }))
	c.Options.Hosts = append(c.Options.Hosts, s.srv.Listener.Addr().String())
	if s.server, err = web.New(ctx, c.Options); err != nil {
		t.Fatal(err)
	}
	s.srv.Start()
	s.stop = sync.OnceFunc(func() {
		s.srv.Close()
		s.arena.Close(ctx)
		pool.Close()
		if err := copies.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

// client is a program with a token, or a browser with a cookie.
type client struct {
	*site
	http  *http.Client
	token string // of a program
	at    string // what its proxy says of its address; "": there is none
}

// program is a client of the API with a player of its own.
func (s *site) program() *client { s.t.Helper(); return s.programAt("") }

func (s *site) programAt(address string) *client {
	s.t.Helper()
	c := &client{site: s, http: s.srv.Client(), at: address}
	var out struct{ Token string }
	c.call("POST", "/api/v1/players", nil, http.StatusCreated, &out)
	c.token = out.Token
	return c
}

// browser is one that has begun to play.
func (s *site) browser() *client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &client{site: s, http: &http.Client{Jar: jar, Transport: s.srv.Client().Transport}}
	if res := c.post("/play", url.Values{"target": {"wallet"}}); res.status != http.StatusOK || res.path != "/targets/wallet" {
		s.t.Fatal(res)
	}
	return c
}

type answer struct {
	status int
	path   string // after redirections
	query  string
	body   string
	header http.Header
	close  bool // the connection is not used again
}

func (s *site) do(h *http.Client, r *http.Request) answer {
	s.t.Helper()
	res, err := h.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Request.URL.Path, res.Request.URL.RawQuery, string(b), res.Header, res.Close}
}

func (s *site) request(method, path, body string, header ...string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequest(method, s.srv.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

// raw sends one request as it is, without a player and without following redirections.
func (s *site) raw(method, path, body string, header ...string) answer {
	s.t.Helper()
	h := &http.Client{Transport: s.srv.Client().Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s.do(h, s.request(method, path, body, header...))
}

// call sends JSON and reads the answer, which must have the status, if it is not 0.
func (c *client) call(method, path string, in any, status int, out any) answer {
	c.t.Helper()
	body := ""
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			c.t.Fatal(err)
		}
		body = string(b)
	}
	r := c.request(method, path, body)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.at != "" {
		r.Header.Set("X-Forwarded-For", c.at)
	}
	a := c.do(c.http, r)
	if a.status != status && status != 0 {
		c.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(a.body), out); err != nil {
			c.t.Fatalf("%s %s: %v: %s", method, path, err, a.body)
		}
	}
	return a
}

// permalink is the path of the attempt that a page shows.
func (a answer) permalink(t *testing.T) string {
	t.Helper()
	m := permalink.FindStringSubmatch(a.body)
	if m == nil {
		t.Fatalf("no attempt in %s", a.body)
	}
	return m[1]
}

var permalink = regexp.MustCompile(`id="permalink" href="([^"]*)"`)

func (c *client) get(path string) answer {
	c.t.Helper()
	return c.do(c.http, c.request("GET", path, ""))
}

var formToken = regexp.MustCompile(`name="token" value="([^"]*)"`)

// post sends a form with the token that the session's pages carry.
func (c *client) post(path string, form url.Values) answer {
	c.t.Helper()
	if m := formToken.FindStringSubmatch(c.get("/claim").body); m != nil && !form.Has("token") {
		form.Set("token", m[1])
	}
	return c.do(c.http, c.request("POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded"))
}

// play sends an attempt by the API and waits for its end.
func (c *client) play(target string, lane game.Lane, input string) *arena.View {
	c.t.Helper()
	v := &arena.View{}
	c.call("POST", "/api/v1/attempts", map[string]any{"target": target, "lane": lane, "input": input}, http.StatusAccepted, v)
	return c.wait(v.ID)
}

func (c *client) wait(id string) *arena.View {
	c.t.Helper()
	for range 30 {
		v := &arena.View{}
		c.call("GET", "/api/v1/attempts/"+id+"?wait=20", nil, http.StatusOK, v)
		if v.State.Over() {
			return v
		}
	}
	c.t.Fatalf("attempt %s does not end", id)
	return nil
}

type claimed struct {
	Right, Again bool
	Target, Name string
	Lane         game.Lane
}

func (c *client) claim(key, name string) (out claimed) {
	c.t.Helper()
	c.call("POST", "/api/v1/claims", map[string]string{"key": key, "name": name}, http.StatusOK, &out)
	return out
}

var keyForm = regexp.MustCompile(`exo1_[A-Z2-7]{20,}`)

// steal gets the key of a control lane.
func (c *client) steal(target string, lane game.Lane) string {
	c.t.Helper()
	sql := map[string]string{
		"walletnotice": "SELECT private_key FROM wallets", "walletfilter": "SELECT private_key FROM wallets, accounts WHERE user_id = 7",
		"notesnotice": "SELECT body FROM notes", "notesfilter": "SELECT body FROM notes WHERE organization_id = 1 IS NOT NULL",
	}[target+string(lane)]
	v := c.play(target, lane, sql)
	k := keyForm.FindString(string(v.Result))
	if !v.Leaked || k == "" {
		c.t.Fatalf("%s %s is not beaten: %+v %s", target, lane, v.Verdict, v.Result)
	}
	return k
}

// broken is a target as a host could add it, with a grant that guards nothing: what
// a hole in exosql would look like.
var broken = &game.Target{
	ID: "broken", Title: "A broken grant", Story: "Somebody granted every row.", Prize: "things.name", You: "anybody", Rule: "Look away.",
	Schema: "CREATE TABLE things (\n\tid INTEGER PRIMARY KEY,\n\tname TEXT NOT NULL\n);\n",
	Seed: func(key string) []game.Statement {
		return []game.Statement{{SQL: "INSERT INTO things (id, name) VALUES (1, ?)", Args: []string{key}}}
	},
	Grants: func(db *exosql.DB) codemode.Grants {
		f := exosql.NewFacet(things, "thing", thingID, thingName)
		return codemode.Grants{"things": f.Of(exosql.Grant(db, things, exosql.AllRows[thing]()))}
	},
	Examples: []string{"(api) => api.things.count()"},
	Tasks:    []game.Task{step("a"), step("b"), step("c"), step("d"), step("key")},
}

func step(id string) game.Task {
	return game.Task{ID: id, Title: id, Text: id, Hints: []game.Hint{{Text: "one"}, {Text: "two"}}, Done: func(a *game.Attempt) bool { return a.Leaked && id == "key" }}
}

type thing struct {
	ID   int64
	Name string
}

var (
	things    = exosql.NewTable[thing]("things")
	thingID   = exosql.NewKey(things, "id", func(t *thing) *int64 { return &t.ID })
	thingName = exosql.NewColumn(things, "name", func(t *thing) *string { return &t.Name })
)

// walls are those that a public host has.
var walls = map[bool]worker.Isolation{true: worker.Strong, false: worker.Process}[runtime.GOOS == "linux"]
