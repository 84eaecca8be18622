package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
)

// proxy gives each request to one of the processes of which the last look at /healthz was well.
type proxy struct {
	mu    sync.Mutex
	all   []string
	well  map[string]bool
	next  int
	front *httptest.Server
}

func newProxy(t *testing.T) *proxy {
	p := &proxy{well: map[string]bool{}}
	p.front = httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		u, _ := url.Parse(p.pick())
		r.SetURL(u)
		r.Out.Host, r.Out.Header["X-Forwarded-For"] = r.In.Host, r.In.Header["X-Forwarded-For"]
	}})
	t.Cleanup(p.front.Close)
	return p
}

// pick returns the next process that is well.
func (p *proxy) pick() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.all {
		p.next++
		if at := p.all[p.next%len(p.all)]; p.well[at] {
			return at
		}
	}
	return "http://127.0.0.1:1" // no process listens there
}

// look asks each process how it is, and returns how many are well.
func (p *proxy) look() (n int) {
	p.mu.Lock()
	all := p.all
	p.mu.Unlock()
	for _, at := range all {
		res, err := http.Get(at + "/healthz")
		if err == nil {
			res.Body.Close()
		}
		p.mu.Lock()
		if p.well[at] = err == nil && res.StatusCode == http.StatusOK; p.well[at] {
			n++
		}
		p.mu.Unlock()
	}
	return n
}

func (p *proxy) add(at string) {
	p.mu.Lock()
	p.all = append(append([]string{}, p.all...), at)
	p.mu.Unlock()
	p.look()
}

// several starts processes on one folder.
func several(t *testing.T, n int, p *proxy, flags ...string) (all []*process, one func() *process) {
	t.Helper()
	one = func() *process {
		t.Helper()
		x := start(t, append([]string{"-trust", "127.0.0.1", "-admin", "127.0.0.1:0"}, flags...)...)
		if p != nil {
			p.add(x.at)
		}
		return x
	}
	for range n {
		all = append(all, one())
	}
	return all, one
}

// send sends an attempt and does not wait.
func (p *player) send(t *testing.T, lane game.Lane, input string) *game.Attempt {
	t.Helper()
	a := &game.Attempt{}
	if err := p.call(t.Context(), "POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": lane, "input": input}, a); err != nil {
		t.Fatal(err)
	}
	return a
}

// to returns the player with this process alone.
func (p *player) to(at string) *player { return &player{at: at, token: p.token, tries: p.tries} }

// slow is a program that takes a while.
const slow = "(api) => { for (let i = 0; i < 2e5; i++); return api.currentUser.accounts().count() }"

// TestRollingUpgrade: while players play, one process behind a proxy is replaced and one is killed. The replacement is seen by no request and no
// attempt. The killed one loses what it was playing, which the others say. Each key counts once.
func TestRollingUpgrade(t *testing.T) {
	dir := t.TempDir()
	p := newProxy(t)
	rate := "1000000/1us"
	procs, another := several(t, 3, p, "-data", dir, "-workers", "2", "-host", p.front.Listener.Addr().String(), "-notice", "2s",
		"-rate", rate, "-rate-address", rate, "-rate-requests", rate, "-rate-players", rate)
	looks, over := time.NewTicker(100*time.Millisecond), make(chan struct{})
	defer func() { looks.Stop(); close(over) }()
	go func() {
		for {
			select {
			case <-looks.C:
				p.look()
			case <-over:
				return
			}
		}
	}()

	var replaced atomic.Bool
	var sent, prizes atomic.Int64
	const players = 4
	var all sync.WaitGroup
	for range players {
		all.Go(func() {
			who, err := newPlayer(t.Context(), p.front.URL)
			if err != nil {
				t.Error(err)
				return
			}
			key := ""
			for n := 0; !replaced.Load() || n < 2; n++ {
				a, err := who.play(t.Context(), "wallet", game.Program, "(api) => api.currentUser.accounts().count()")
				if sent.Add(1); err != nil || a.State != game.Ended || string(a.Result) != "3" && a.Verdict.Kind != "limit" {
					t.Errorf("an attempt through the replacement: %+v %v", a, err)
					return
				}
				a, err = who.play(t.Context(), "wallet", game.Notice, "SELECT private_key FROM wallets")
				if sent.Add(1); err != nil || a.State != game.Ended {
					t.Errorf("%+v %v", a, err)
					return
				}
				if key == "" {
					key = keyForm.FindString(string(a.Result))
				}
			}
			var claims sync.WaitGroup
			for range 6 { // at the same time, in all processes
				claims.Go(func() {
					var c struct{ Right, Again bool }
					if err := who.call(t.Context(), "POST", "/api/v1/claims", map[string]string{"key": key}, &c); err != nil || !c.Right {
						t.Errorf("a claim of %q: %+v %v", key, c, err)
					} else if !c.Again {
						prizes.Add(1)
					}
				})
			}
			claims.Wait()
		})
	}

	all.Go(func() { // a reader, all the time
		for !replaced.Load() {
			res, err := http.Get(p.front.URL + "/api/v1/leaderboard")
			if err != nil || res.StatusCode != http.StatusOK {
				t.Error("a page through the replacement:", res, err)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			time.Sleep(2 * time.Millisecond)
		}
	})
	who, err := newPlayer(t.Context(), p.front.URL)
	if err != nil {
		t.Fatal(err)
	}
	inFlight := func(at string, n int, program string) (ids []string) {
		for range n {
			ids = append(ids, who.to(at).send(t, game.Program, program).ID)
			sent.Add(1)
		}
		return ids
	}
	ended := func(ids []string) (n int) {
		for _, id := range ids {
			a := game.Attempt{State: game.Queued}
			for !a.State.Over() { // by the proxy, so that any process answers
				if err := who.call(t.Context(), "GET", "/api/v1/attempts/"+id+"?wait=20", nil, &a); err != nil {
					t.Fatal(err)
				}
			}
			if a.State == game.Ended && (a.Verdict.OK() || a.Verdict.Kind == "limit") {
				n++
			}
		}
		return n
	}
	ids := inFlight(procs[0].at, 6, slow)
	if code := procs[0].end(syscall.SIGTERM); code != exitOK {
		t.Errorf("the replaced process exits with %d: %s", code, procs[0].log.String())
	}
	another()
	if n := ended(ids); n != len(ids) {
		t.Errorf("%d of %d attempts of the replaced process ended", n, len(ids))
	}
	replaced.Store(true)
	all.Wait()
	if n := prizes.Load(); n != players && !t.Failed() {
		t.Errorf("%d claims were the first of their key; there are %d keys", n, players)
	}

	ids = inFlight(procs[1].at, 8, "() => { for (;;) {} }")
	procs[1].end(syscall.SIGKILL)
	for p.look() != 2 {
		time.Sleep(10 * time.Millisecond)
	}
	if n := ended(ids); n == len(ids) {
		t.Error("all attempts of the killed process ended")
	}
	if n := ended(inFlight(p.front.URL, 4, slow)); n != 4 {
		t.Errorf("%d of 4 attempts after the kill ended", n)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"export", "-data", dir}, &out, &errs); code != exitOK || int64(strings.Count(out.String(), "\n")) != sent.Load() {
		t.Errorf("%d attempts were sent; the record has %d: %s", sent.Load(), strings.Count(out.String(), "\n"), errs.String())
	}
	for l := range strings.Lines(out.String()) {
		var line store.Line
		if err := json.Unmarshal([]byte(l), &line); err != nil || !line.State.Over() {
			t.Errorf("%+v %v", line, err)
		}
	}
}

// keyForm matches a key.
var keyForm = regexp.MustCompile(`exo1_[A-Za-z0-9]+`)

// from sends a request as one of an address, and returns its status and its answer.
func (p *process) from(t *testing.T, address, token, method, path string, in any) (int, string) {
	t.Helper()
	b, _ := json.Marshal(in)
	r, err := http.NewRequestWithContext(t.Context(), method, p.at+path, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", address)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(out)
}

// TestSharedBounds: what bounds players, their addresses and the host's costs counts in all processes together, and a stop stops all.
func TestSharedBounds(t *testing.T) {
	release := make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Messages []any }
		_ = json.NewDecoder(r.Body).Decode(&in)
		select {
		case <-release:
		case <-r.Context().Done():
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"%d messages"},"finish_reason":"stop"}]}`, len(in.Messages))
	}))
	defer model.Close()
	t.Setenv("OPENAI_BASE_URL", model.URL+"/v1")
	both, _ := several(t, 2, nil, "-data", t.TempDir(), "-workers", "1", "-queue", "2", "-model", "openai:test",
		"-rate-players", "3/1h", "-rate", "8/1h", "-rate-address", "1000/1us", "-rate-questions-all", "13/1h")
	tally := func(n int, path string, in any, as func(i int) (address, token string)) (got string) {
		for i := range n {
			address, token := as(i)
			status, _ := both[i%2].from(t, address, token, "POST", path, in)
			got += fmt.Sprint(status, " ")
		}
		return got
	}
	attempt := func(lane game.Lane, input string) any {
		return map[string]any{"target": "wallet", "lane": lane, "input": input}
	}
	if got := tally(5, "/api/v1/players", nil, func(int) (string, string) { return "1.1.1.1", "" }); got != "201 201 201 429 429 " {
		t.Error("players of an address:", got)
	}
	token := func(address string) string {
		_, body := both[1].from(t, address, "", "POST", "/api/v1/players", nil)
		var out struct{ Token string }
		if json.Unmarshal([]byte(body), &out) != nil || out.Token == "" {
			t.Fatal(body)
		}
		return out.Token
	}
	same := func(address string) func(int) (string, string) {
		tok := token(address)
		return func(int) (string, string) { return address, tok }
	}
	// Four questions of each process are at the model, and two wait in all.
	asker := same("2.2.2.2")
	questions := tally(12, "/api/v1/attempts", attempt(game.Model, "hello"), func(i int) (string, string) {
		if i == 0 {
			return asker(0)
		}
		a := fmt.Sprint("3.3.3.", i)
		return a, token(a)
	})
	if questions != strings.Repeat("202 ", 10)+"429 429 " {
		t.Error("questions that wait:", questions)
	}
	close(release)
	address, tok := asker(0)
	answer := func(i int) string { // of the player's last question, from one of the processes
		t.Helper()
		_, list := both[i].from(t, address, tok, "GET", "/api/v1/attempts", nil)
		var ids struct{ Attempts []struct{ ID string } }
		if json.Unmarshal([]byte(list), &ids) != nil || len(ids.Attempts) == 0 {
			t.Fatal(list)
		}
		_, body := both[i].from(t, address, tok, "GET", "/api/v1/attempts/"+ids.Attempts[0].ID+"?wait=20", nil)
		var a game.Attempt
		if json.Unmarshal([]byte(body), &a) != nil || a.State != game.Ended {
			t.Error(body)
		}
		return a.Answer
	}
	one := answer(1)
	if code, body := both[1].from(t, address, tok, "POST", "/api/v1/attempts", attempt(game.Model, "and now?")); code != http.StatusAccepted {
		t.Error(code, body)
	}
	if two := answer(0); one != "2 messages" || two != "4 messages" {
		t.Errorf("the chat in the other process: %q, %q", one, two)
	}
	if code, body := both[0].from(t, address, tok, "POST", "/api/v1/attempts", attempt(game.Model, "more")); code != http.StatusTooManyRequests || !strings.Contains(body, `"rate"`) {
		t.Error("a question beyond what the host pays for:", code, body)
	}

	stopper := same("4.4.4.4")
	if code, body := get(t, "POST", both[0].host+"/pause"); code != http.StatusOK {
		t.Fatal(code, body)
	}
	if got := tally(2, "/api/v1/attempts", attempt(game.Notice, "SELECT 1"), stopper); got != "503 503 " {
		t.Error("attempts after a stop of one process:", got)
	}
	heard := func(word string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			if _, body := get(t, "GET", both[1].at+"/healthz"); strings.HasPrefix(body, word) {
				return
			} else if time.Now().After(end) {
				t.Fatalf("the other process says %q, and not %q", body, word)
			}
		}
	}
	heard("paused")
	if code, body := get(t, "POST", both[1].host+"/resume"); code != http.StatusOK || body != "the game goes on\n" {
		t.Error(code, body)
	}
	heard("ok")
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, body := get(t, "GET", both[0].at+"/healthz"); strings.HasPrefix(body, "ok") {
			break
		} else if time.Now().After(end) {
			t.Fatal("the process that stopped the game does not hear that it goes on")
		}
	}

	// Sessions, pages and cursors of one process work in the other, and so does the end of a player.
	player := same("5.5.5.5")
	address, tok = player(0)
	page := func(i int, input string) string {
		t.Helper()
		_, body := both[i].from(t, address, tok, "POST", "/api/v1/attempts", attempt(game.Program, input))
		var a game.Attempt
		for json.Unmarshal([]byte(body), &a) == nil && a.ID != "" && !a.State.Over() {
			_, body = both[1-i].from(t, address, tok, "GET", "/api/v1/attempts/"+a.ID+"?wait=20", nil)
		}
		if code, html := both[1-i].from(t, address, tok, "GET", "/attempts/"+a.ID, nil); code != http.StatusOK || !strings.Contains(html, "Attempt on") {
			t.Error("the page of another process's attempt:", code, body)
		}
		return string(a.Result)
	}
	var first, second struct {
		Rows []any
		Next string
	}
	if text := page(0, "(api) => api.currentUser.accounts().page(2)"); json.Unmarshal([]byte(text), &first) != nil || len(first.Rows) != 2 || first.Next == "" {
		t.Fatal(text)
	}
	if text := page(1, fmt.Sprintf("(api) => api.currentUser.accounts().page(2, %q)", first.Next)); json.Unmarshal([]byte(text), &second) != nil && text != "" || len(second.Rows) != 1 {
		t.Errorf("the cursor in the other process: %s", text)
	}
	if got := tally(8, "/api/v1/attempts", attempt(game.Notice, "SELECT 1"), player); strings.Count(got, "202") > 6 || !strings.HasSuffix(got, "429 429 ") {
		t.Error("attempts of a player:", got)
	}
	if code, _ := both[0].from(t, address, tok, "DELETE", "/api/v1/player", nil); code != http.StatusNoContent {
		t.Error(code)
	}
	if code, _ := both[1].from(t, address, tok, "GET", "/api/v1/player", nil); code != http.StatusUnauthorized {
		t.Error("an ended player in the other process:", code)
	}
}
