package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/control"
	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/challenge/store"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestMain is the command itself when a test starts this binary again.
func TestMain(m *testing.M) {
	if control.Child() {
		return
	}
	if os.Getenv("EXO_CHALLENGE_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is a challenge in a process of its own.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	at   string
	host string // the admin's address
	log  bytes.Buffer
	read sync.WaitGroup
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startAs(t, os.Args[0], args...)
}

func startAs(t *testing.T, binary string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(binary, append([]string{"-port", "0"}, args...)...)}
	p.cmd.Env = append(os.Environ(), "EXO_CHALLENGE_TEST_MAIN=1")
	p.cmd.Stderr = &p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := regexp.MustCompile(`alone: (http://[^/]+)/metrics`).FindStringSubmatch(lines.Text()); m != nil {
			p.host = m[1]
		}
		if m := regexp.MustCompile(`the challenge is at (http://[^/ ]+)/`).FindStringSubmatch(lines.Text()); m != nil {
			p.at = m[1]
			break
		}
	}
	p.read.Go(func() { _, _ = io.Copy(io.Discard, out) })
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	if p.at == "" {
		p.end(syscall.SIGKILL)
		t.Fatalf("it does not serve: %s", p.log.String())
	}
	return p
}

// end ends the process with a signal and gives its exit code.
func (p *process) end(sig syscall.Signal) int {
	if p.cmd.ProcessState != nil {
		return p.cmd.ProcessState.ExitCode()
	}
	_ = p.cmd.Process.Signal(sig)
	p.read.Wait()
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

func get(t *testing.T, method, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// TestKilled: what a challenge that is killed has taken is there after the next
// start, ended or said to be interrupted; one that is asked to end loses nothing.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	p := start(t, "-data", dir, "-workers", "1")
	who, err := newPlayer(ctx, p.at)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := who.play(ctx, "wallet", game.Program, "(api) => api.currentUser.accounts().count()"); err != nil || string(a.Result) != "3" {
		t.Fatalf("%+v %v", a, err)
	}
	send := func(n int) (ids []string) {
		for range n {
			var a game.Attempt
			if err := who.call(ctx, "POST", "/api/v1/attempts", map[string]any{"target": "wallet", "lane": "program", "input": "(api) => { for (let i = 0; i < 2e4; i++); return api.currentUser.count() }"}, &a); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, a.ID)
		}
		return ids
	}
	killed := send(15)
	p.end(syscall.SIGKILL)

	p = start(t, "-data", dir, "-workers", "1")
	who.at = p.at
	states := map[game.State]int{}
	for _, id := range killed {
		var a game.Attempt
		if err := who.call(ctx, "GET", "/api/v1/attempts/"+id, nil, &a); err != nil {
			t.Fatal(err)
		}
		states[a.State]++
	}
	if states[game.Interrupted] == 0 || states[game.Ended]+states[game.Interrupted] != 15 {
		t.Errorf("after a kill: %v", states)
	}
	// While it serves and most of what it keeps is in its log.
	copied := filepath.Join(t.TempDir(), "challenge.db")
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"backup", "-data", dir, copied}, &out, &errs); code != exitOK {
		t.Errorf("backup: %d %s", code, errs.String())
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if code := run(ctx, []string{"export", "-data", filepath.Dir(copied)}, &out, &errs); code != exitOK || strings.Count(out.String(), "\n") != 16 {
		t.Errorf("what was copied: %d, %d lines, %s", code, strings.Count(out.String(), "\n"), errs.String())
	}
	if code := run(ctx, []string{"backup", "-data", dir, copied}, &out, &errs); code != exitUsage {
		t.Error("a backup over another", code)
	}
	out.Reset()
	errs.Reset()
	asked := send(10)
	if code := p.end(syscall.SIGTERM); code != exitOK {
		t.Fatalf("exit %d: %s", code, p.log.String())
	}
	if back := start(t, "-data", filepath.Dir(copied)); true { // and it can be played on with
		other := &player{at: back.at, token: who.token, tries: 9}
		if a, err := other.play(ctx, "wallet", game.Program, "(api) => api.currentUser.accounts().count()"); err != nil || string(a.Result) != "3" {
			t.Errorf("%+v %v", a, err)
		}
		back.end(syscall.SIGTERM)
	}
	p = start(t, "-data", dir)
	who.at = p.at
	for _, id := range asked {
		var a game.Attempt
		if err := who.call(ctx, "GET", "/api/v1/attempts/"+id, nil, &a); err != nil || a.State != game.Ended || !a.Verdict.OK() {
			t.Errorf("after it was asked to end: %+v %v", a, err)
		}
	}
	if code := run(ctx, []string{"export", "-data", dir}, &out, &errs); code != exitOK || strings.Count(out.String(), "\n") != 26 {
		t.Errorf("export: %d, %d lines, %s", code, strings.Count(out.String(), "\n"), errs.String())
	}
	var l store.Line
	if err := json.Unmarshal([]byte(strings.SplitN(out.String(), "\n", 2)[0]), &l); err != nil || l.Input == "" || l.Lane != game.Program {
		t.Errorf("%+v %v", l, err)
	}
}

// TestHost: the kill switch by file and by the second listener, which has what is
// not the public's.
func TestHost(t *testing.T) {
	dir := t.TempDir()
	stop := filepath.Join(dir, "stop")
	p := start(t, "-data", dir, "-admin", "127.0.0.1:0", "-stop-file", stop)
	paused := func(want bool) {
		t.Helper()
		for range 100 {
			if _, b := get(t, "GET", p.at+"/healthz"); strings.Contains(b, "paused") == want {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("paused is not %t", want)
	}
	paused(false)
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	paused(true)
	if code, b := get(t, "POST", p.host+"/pause"); code != 200 || b != "stopped by: file, host\n" {
		t.Error(code, b)
	}
	if code, b := get(t, "POST", p.host+"/resume"); code != 200 || b != "stopped by: file\n" {
		t.Error(code, b)
	}
	if code, _ := get(t, "POST", p.host+"/pause"); code != 200 {
		t.Error(code)
	}
	if err := os.Remove(stop); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1200 * time.Millisecond) // the file is looked for once a second
	paused(true)
	if code, b := get(t, "POST", p.host+"/resume"); code != 200 || b != "the game goes on\n" {
		t.Error(code, b)
	}
	paused(false)
	if code, b := get(t, "GET", p.host+"/metrics"); code != 200 || !strings.Contains(b, "exo_challenge_paused 0") {
		t.Error(code, b)
	}
	if code, _ := get(t, "GET", p.at+"/metrics"); code != 404 {
		t.Error("metrics for everybody", code)
	}
	for _, path := range []string{"/export", "/pause", "/resume"} {
		if code, _ := get(t, "POST", p.at+path); code < 400 {
			t.Error(path, code)
		}
	}
	who, err := newPlayer(t.Context(), p.at)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := who.play(t.Context(), "wallet", game.Notice, "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if code, b := get(t, "GET", p.host+"/export"); code != 200 || strings.Count(b, "\n") != 1 {
		t.Error(code, b)
	}
	r, _ := http.NewRequest("POST", p.host+"/pause", nil)
	r.Header.Set("Origin", "https://evil.example")
	if res, err := http.DefaultClient.Do(r); err != nil || res.StatusCode != 403 {
		t.Error("a page of another site pauses", res.StatusCode, err)
	}
	r.Header.Del("Origin")
	r.Host = "evil.example"
	if res, err := http.DefaultClient.Do(r); err != nil || res.StatusCode != 421 {
		t.Error("by another name", res.StatusCode, err)
	}
	if code, _ := get(t, "POST", p.host+"/pause"); code != 200 {
		t.Error(code)
	}
	if code := p.end(syscall.SIGINT); code != exitOK {
		t.Error(code)
	}
	for _, c := range []struct {
		flags  []string
		paused bool
	}{{nil, true}, {nil, true}, {[]string{"-resume"}, false}, {nil, false}} {
		again := start(t, append([]string{"-data", dir}, c.flags...)...)
		if _, b := get(t, "GET", again.at+"/healthz"); strings.Contains(b, "paused") != c.paused {
			t.Errorf("started again with %v: %s", c.flags, b)
		}
		again.end(syscall.SIGINT)
	}
	var said map[string]any
	if err := json.Unmarshal([]byte(strings.SplitN(p.log.String(), "\n", 2)[0]), &said); err != nil || said["msg"] != "serving" {
		t.Error(p.log.String(), err)
	}
	for _, word := range []string{"source", "url", "trust", "data", "model", "lanes", "admin"} {
		if _, ok := said[word]; !ok {
			t.Errorf("the log does not say %s: %v", word, said)
		}
	}
	if strings.Contains(p.log.String(), who.token) {
		t.Error("a token is in the log")
	}
}

func attacked(t *testing.T, args ...string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), append([]string{"attack"}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

// TestAttack: the folders that come with the game lose, a statement that beats the
// control wins, and the exit code says which it was.
func TestAttack(t *testing.T) {
	tu.NotRaced(t)
	t.Setenv("TMPDIR", t.TempDir()) // what is left behind is ours, and not another test's
	for _, target := range game.DefaultTargets {
		code, out, errs := attacked(t, "-target", target.ID, filepath.Join("testdata", target.ID))
		if code != exitOK || errs != "" || strings.Count(out, "\n") < 10 || strings.Contains(out, "won") || strings.Count(out, " ok ")+strings.Count(out, " pending ") < 3 {
			t.Errorf("%s: exit %d\n%s%s", target.ID, code, out, errs)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.js": "(api) => api.currentUser", "b.sql": "SELECT private_key FROM wallets, accounts WHERE user_id = 7", "c.sql": "SELECT 1", "note.txt": "no program",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := attacked(t, dir)
	line := regexp.MustCompile(`(?m)^(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\d+)\s+[0-9.]+\s+(yes|no)$`)
	var got []string
	for _, m := range line.FindAllStringSubmatch(out, -1) {
		got = append(got, strings.Join([]string{m[1], m[2], m[3], m[4], m[5], m[6]}, " "))
	}
	if want := "a.js program lost ok 1 no|b.sql filter won ok 18 yes|c.sql filter lost refused 0 no"; code != exitWon || strings.Join(got, "|") != want || errs != "" {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	p := start(t, "-data", t.TempDir(), "-rate", "2/300ms") // a running one, which bounds what comes
	if code, out, errs := attacked(t, "-at", p.at, "-lane", "notice", dir); code != exitWon || strings.Count(out, "yes") != 1 {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	for _, c := range [][]string{{dir, "x"}, {}, {t.TempDir()}, {filepath.Join(dir, "none")}, {"-at", "nowhere", dir}, {"-target", "none", dir}, {"-lane", "model", dir}} {
		if code, out, errs := attacked(t, c...); code != exitUsage || errs == "" {
			t.Errorf("%v: exit %d\n%s%s", c, code, out, errs)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "exoagent-attack-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestNotPlayed: a folder whose programs nobody could play has not lost.
func TestNotPlayed(t *testing.T) {
	lost := &game.Attempt{State: game.Ended, Verdict: game.Verdict{Kind: "program"}}
	for _, c := range []struct {
		got  game.Attempt
		word string
		code int
	}{
		{game.Attempt{State: game.Ended, Verdict: game.Verdict{Kind: "denied"}}, "lost", exitOK},
		{game.Attempt{State: game.Ended, Verdict: game.Verdict{Kind: "internal"}}, "not played", exitUsage},
		{game.Attempt{State: game.Ended, Verdict: game.Verdict{Kind: "cancelled"}}, "not played", exitUsage},
		{game.Attempt{State: game.Ended, Verdict: game.Verdict{Kind: "crashed"}}, "not played", exitUsage},
		{game.Attempt{State: game.Ended, Verdict: game.Verdict{Kind: "other"}}, "not played", exitUsage},
		{game.Attempt{State: game.Interrupted, Verdict: game.Verdict{Kind: "ok"}}, "not played", exitUsage},
		{game.Attempt{State: game.Ended, Verdict: game.Verdict{Kind: "internal"}, Leaked: true}, "won", exitWon},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.js"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/players" {
				_, _ = w.Write([]byte(`{"token":"t"}`))
				return
			}
			_ = json.NewEncoder(w).Encode(c.got)
		}))
		code, out, errs := attacked(t, "-at", fake.URL, dir)
		fake.Close()
		if code != c.code || !strings.Contains(out, " "+c.word+" ") || (c.code == exitUsage) != (errs != "") {
			t.Errorf("%+v: exit %d\n%s%s", c.got, code, out, errs)
		}
	}
	if code, err := table(io.Discard, []file{{got: lost}, {err: errors.New("no")}}); code != 0 || err == nil {
		t.Error(code, err)
	}
}

// TestFlags: what can't be meant is refused, before anything is opened.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{
		{"-bind", "0.0.0.0"}, {"-bind", "localhost"}, {"-trust", "everybody"}, {"-isolation", "none"}, {"-rate", "5"}, {"-rate", "0/1s"}, {"-port", "x"}, {"nonsense"}, {"-url", "x", "-data", t.TempDir(), "-port", "0"},
		{"-url", "http://challenge.example"}, {"-url", "http://10.0.0.1"}, {"-stop-file", filepath.Join(t.TempDir(), "none", "stop")},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, &out, &errs); code != exitUsage || errs.Len() == 0 {
			t.Errorf("%v: exit %d %s", args, code, errs.String())
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"attack", "testdata/wallet", "-target", "notes"}, "flags go before testdata/wallet"},
		{[]string{"-port", "0", "-data", t.TempDir(), "-admin", "8081"}, "-admin: "},
		{[]string{"-port", "70000"}, "-port: "},
		{[]string{"attack", "-trust", "127.0.0.1", "testdata/wallet"}, "not defined: -trust"},
		{[]string{"export", "-workers", "1"}, "not defined: -workers"},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), c.args, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%v: exit %d %s", c.args, code, errs.String())
		}
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"-help"}, &out, &errs); code != exitOK || !strings.Contains(errs.String(), "-stop-file") {
		t.Error(code, errs.String())
	}
	if strings.Contains(errs.String(), " value\n") || strings.Contains(errs.String(), " int\n") {
		t.Error("a flag whose value has no name: ", errs.String())
	}
	for in, want := range map[string]string{"127.0.0.1": "127.0.0.1/32", "::1": "::1/128", "10.0.0.0/8": "10.0.0.0/8"} {
		if p, err := network(in); err != nil || p.String() != want {
			t.Error(in, p, err)
		}
	}
}

// TestDatabaseFlags: what players would meet as "internal error" the host meets at
// the start, with the flag whose fault it is.
func TestDatabaseFlags(t *testing.T) {
	server := tu.Server(t)
	weak := tu.AsUser(t, server, "exo_nobody_at_all")
	name := "exochallenge_main_" + strings.ToLower(rand.Text()[:12])
	if _, err := tu.Admin(t, server).Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := tu.Admin(t, server).Exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-db-reader", server}, "-db-reader needs -db"},
		{[]string{"-db", weak}, "challenge: -db: "},
		{[]string{"-db", "mysql://x@y/z"}, "challenge: -db: "},
		{[]string{"-db", server, "-db-reader", "postgres://host/x"}, "challenge: -db-reader: "},
		{[]string{"-db", tu.InDatabase(t, server, name), "-url", "https://challenge.example"}, "superuser"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), append(c.args, "-port", "0", "-data", t.TempDir()), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%v: exit %d %s", c.args, code, errs.String())
		}
	}
}

// TestEnd: who never reads an answer does not hold up the end, which is a good one.
func TestEnd(t *testing.T) {
	asked, cut := make(chan struct{}), make(chan struct{})
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
		close(cut)
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go srv.Serve(l)
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	<-asked
	drained := false
	if err := end([]*http.Server{srv}, func() error { drained = true; return nil }); err != nil || !drained {
		t.Error(drained, err)
	}
	<-cut
}

// TestElsewhere: programs are sent to the host that was named, and a host that takes
// none is not asked for ever.
func TestElsewhere(t *testing.T) {
	seen := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen++ }))
	defer other.Close()
	fake := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer fake.Close()
	if _, err := newPlayer(t.Context(), fake.URL); err == nil || seen != 0 {
		t.Error(seen, err)
	}
	full := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }))
	defer full.Close()
	if err := (&player{at: full.URL, tries: 2}).call(t.Context(), "POST", "/", nil, nil); err == nil {
		t.Error("it was taken")
	}
	if client.Timeout <= 0 {
		t.Error("a request may last for ever")
	}
}
