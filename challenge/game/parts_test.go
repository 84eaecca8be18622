package game_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/exoagent/exoagent/challenge/game"
	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/codemode/agent"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// TestKey: a key is unlike any other, compares as a whole, and never prints itself.
func TestKey(t *testing.T) {
	k := game.NewKey()
	if k == game.NewKey() || len(k) < 25 {
		t.Fatal(string(k))
	}
	if !k.Equal(string(k)) || k.Equal(string(k)+" ") || k.Equal(string(k[:len(k)-1])) || k.Equal("") || game.Key("").Equal("") {
		t.Error("comparison")
	}
	if !k.In("x"+strings.ToLower(string(k))+"y") || k.In(string(game.NewKey())) || game.Key("").In("") {
		t.Error("in a text")
	}
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Info("key", "key", k)
	for _, s := range []string{fmt.Sprint(k), fmt.Sprintf("%v %+v %#v %s %q", k, k, k, k, k), b.String(), game.Redact("it is " + strings.ToLower(string(k)) + ".")} {
		if k.In(s) || !strings.Contains(s, "exo1_") {
			t.Errorf("prints %q", s)
		}
	}
}

// TestBounds: a record can't grow with what a player makes.
func TestBounds(t *testing.T) {
	g := newGame(t, tu.SQLite, 4)
	g.Limits.Wall, g.Limits.CPU, g.Limits.Total = 20*time.Second, 20*time.Second, time.Minute // for busy machines
	p := newPlayer(t, g, "player0000")
	for _, x := range []string{
		"(api) => 'x'.repeat(1e6)",
		"(api) => { for (let i = 0; i < 1e4; i++) console.log('x'.repeat(1000)); }",
		"(api) => { throw new Error('x'.repeat(1e6)) }",
		"(api) => Promise.all([...Array(99).keys()].map(i => api.currentUser.where(u => u.name === 'x'.repeat(6000) + i).count()))",
	} {
		a := p.play("wallet", game.Program, x)
		size := len(a.Result) + len(a.Console) + len(a.Verdict.Message) + len(a.Notice)
		for _, q := range a.Queries {
			size += len(q.SQL) + len(q.Args)
		}
		if size > 200<<10 || len(a.Queries) > 50 {
			t.Errorf("%s: %d bytes, %d statements", x, size, len(a.Queries))
		}
		if strings.Contains(x, "Promise.all") && (!a.Verdict.OK() || a.More != 49 || len(a.Queries) != 50) {
			t.Errorf("%+v: %d statements and %d more", a.Verdict, len(a.Queries), a.More)
		}
	}
}

// TestCancelled: an attempt that the host stops is said to be interrupted, and not
// to have ended.
func TestCancelled(t *testing.T) {
	g := newGame(t, tu.SQLite, 2)
	endless := map[game.Lane]string{game.Program: "() => { for (;;) {} }", game.Notice: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"}
	for lane, input := range endless {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		a := &game.Attempt{Target: "wallet", Lane: lane, Input: input}
		g.Play(ctx, a, game.Player{ID: "p", Copy: "player0000" + string(lane), Key: game.NewKey()})
		if a.State != game.Interrupted || a.Verdict.Kind != "cancelled" || a.Verdict.Message == "" {
			t.Errorf("%s: %s %+v", lane, a.State, a.Verdict)
		}
	}
}

// TestRedacted: what others see of an attempt has no key in it, wherever one stood.
func TestRedacted(t *testing.T) {
	k := string(game.NewKey())
	a := &game.Attempt{ID: "x", Input: "return '" + k + "'", Result: []byte(`[{"a":"` + k + `"}]`), Console: k, Answer: k, Notice: k, Verdict: game.Verdict{Message: k, Text: k},
		Queries: []game.Query{{SQL: k, Args: []byte(`["` + k + `"]`)}}, Steps: []game.Step{{Program: k, Result: []byte(`"` + k + `"`)}}}
	r := a.Redacted()
	if s := fmt.Sprintf("%+v %s %s", r, r.Result, r.Steps[0].Result); strings.Contains(s, k) || r.ID != "x" || len(r.Queries) != 1 {
		t.Error(s)
	}
	for _, before := range []string{"\n", "<", "\t", "k_", "x", "exo1_", "é"} { // in JSON some of them end in a letter
		a := &game.Attempt{ID: "x", Input: before + k, Result: []byte(fmt.Sprintf("[%q]", before+k))}
		if r := a.Redacted(); strings.Contains(r.Input+string(r.Result), k) {
			t.Errorf("behind %q: %s %s", before, r.Input, r.Result)
		}
	}
}

// TestCopies: there are never more than were asked for, one that was dropped comes
// back as it was, and a player's copy is no other's.
func TestCopies(t *testing.T) {
	tu.Engines(t, func(t *testing.T, e tu.Engine) {
		g := newGame(t, e, 3)
		var all []*player
		for i := range 7 {
			all = append(all, newPlayer(t, g, fmt.Sprintf("player%04d", i)))
		}
		open := *g.Targets.Target("notes")
		open.Grants = game.OpenNotes
		g.Targets = game.Targets{&open}
		for range 2 {
			var wg sync.WaitGroup
			for _, p := range all {
				wg.Go(func() {
					a := p.play("notes", game.Program, "(api) => api.organization.projects().tasks().note()")
					if !a.Leaked {
						t.Errorf("%+v %s", a.Verdict, a.Result)
					}
					for _, other := range all {
						if other != p && other.keys["notesprogram"].In(string(a.Result)) {
							t.Error("another player's key")
						}
					}
				})
				wg.Wait() // one after the other: Play of the others must not make keys meanwhile
			}
			if n := g.Copies.Len(); n > 3 {
				t.Errorf("%d copies", n)
			}
		}
		if _, _, err := g.Copies.Use(t.Context(), "../../etc/x", g.Targets[0], "k"); err == nil {
			t.Error("a path is no name")
		}
		db, release, err := g.Copies.Use(t.Context(), "player0000notesprogram", g.Targets[0], all[0].keys["notesprogram"])
		if err != nil || db == nil {
			t.Fatal(err)
		}
		g.Copies.Forget("player0000notesprogram") // in use: it stays until it is released
		if _, err := g.Targets[0].Grants(db)["organization"].Describe(); err != nil {
			t.Error(err)
		}
		release()
		release()
	})
}

// TestFolder: files of copies are gone in the end, what an earlier process left at
// the start, and nothing else of the folder at any time.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"copy-old.db", "copy-old.db-wal", "precious.db"} {
		if err := os.WriteFile(dir+"/"+f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := game.OpenCopies(t.Context(), game.CopyOptions{Dir: dir, Most: 2})
	if err != nil {
		t.Fatal(err)
	}
	_, release, err := c.Use(t.Context(), "player0000", game.DefaultTargets[0], game.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(files(t, dir)); n != 2 {
		t.Error(files(t, dir))
	}
	release()
	for _, name := range []string{"player0001", "player0000", "player0002"} { // two are kept: those that were used last
		_, release, err := c.Use(t.Context(), name, game.DefaultTargets[0], game.NewKey())
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	if f := strings.Join(files(t, dir), " "); !strings.Contains(f, "player0000") || !strings.Contains(f, "player0002") || strings.Contains(f, "player0001") {
		t.Error(f)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f := files(t, dir); len(f) != 1 || f[0] != "precious.db" {
		t.Error(f)
	}
	if _, _, err := c.Use(context.Background(), "player0000", game.DefaultTargets[0], game.NewKey()); err == nil {
		t.Error("the copies are closed")
	}
}

func files(t *testing.T, dir string) (names []string) {
	es, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		names = append(names, e.Name())
	}
	return names
}

// parrot is a model that runs the question as a program.
type parrot struct{ err error }

func (p parrot) Name() string { return "parrot" }
func (p parrot) Ask(ctx context.Context, chat []byte, q string, tool *codemode.Tool, ran func(string, *codemode.Result)) (string, []byte, error) {
	if p.err != nil {
		return "", chat, p.err
	}
	res := tool.Run(ctx, q)
	ran(q, res)
	return "it says " + string(res.JSON), append(chat, q...), nil
}

// TestModel: the lane says that it is not configured; with a model it keeps what
// the model ran, and a failure of the model tells the player nothing of the host.
func TestModel(t *testing.T) {
	g := newGame(t, tu.SQLite, 4)
	if g.Closed(game.Model) == "" || g.Closed(game.Program) != "" || g.Closed(game.Notice) != "" || g.Closed("other") == "" {
		t.Error("which lanes are open")
	}
	g.NoControl = "not today"
	if g.Closed(game.Notice) != "not today" || g.Closed(game.Filter) == "" || g.Closed(game.Program) != "" {
		t.Error("which lanes are closed")
	}
	g.Chat = parrot{}
	long := &game.Attempt{Target: "wallet", Lane: game.Model, Input: "1"}
	if chat := g.Play(t.Context(), long, game.Player{ID: "p", Copy: "player0000long", Key: game.NewKey(), Chat: make([]byte, game.MaxChat)}); chat != nil || !long.Verdict.OK() {
		t.Errorf("a chat of %d bytes is kept: %+v", len(chat), long)
	}
	p := newPlayer(t, g, "player0000")
	a := p.play("wallet", game.Model, solutions["wallet"]["list"])
	if !a.Verdict.OK() || len(a.Steps) != 1 || a.CPUMillis <= 0 || a.Steps[0].Used != a.Used || len(a.Queries) != 1 || a.Rows != 3 || !strings.Contains(a.Answer, "Holiday") {
		t.Errorf("%+v", a)
	}
	open := *g.Targets.Target("notes")
	open.Grants = game.OpenNotes
	g.Targets = game.Targets{&open}
	if a := p.play("notes", game.Model, attacks(t, "notes")[0]); !a.Leaked {
		t.Errorf("%+v", a)
	}
	var b bytes.Buffer
	g.Log = slog.New(slog.NewTextHandler(&b, nil))
	g.Chat = parrot{fmt.Errorf("dial tcp 10.0.0.7:443: key=sk-secret %s", string(p.key("notes", game.Model)))}
	a = p.play("notes", game.Model, "hello")
	if a.Verdict.OK() || strings.Contains(a.Verdict.Message, "10.0.0.7") || p.key("notes", game.Model).In(b.String()) || b.Len() == 0 {
		t.Errorf("%+v %s", a.Verdict, b.String())
	}
	// Providers quote what they were sent: a log has the kind of an error, and not its text.
	b.Reset()
	g.Chat = parrot{&agent.ModelError{Kind: agent.Invalid, Status: 400, Msg: "content flagged: my private question"}}
	p.play("notes", game.Model, "my private question")
	if s := b.String(); strings.Contains(s, "private") || strings.Contains(s, "secret") || !strings.Contains(s, "status=400") {
		t.Error(s)
	}
}

// TestReach: what is shown is what the facets show.
func TestReach(t *testing.T) {
	for _, target := range game.DefaultTargets {
		if err := target.Check(t.Context()); err != nil { // which reads its tables
			t.Fatal(err)
		}
		r, err := target.Reach(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%+v", r)
		for _, hidden := range []string{"user_id", "userId", "organizationId", "authorId"} {
			if strings.Contains(text, hidden) {
				t.Errorf("%s shows %s", target.ID, hidden)
			}
		}
		if len(r.Names) != 1 || len(r.Kinds) < 3 || len(target.Tables) != len(r.Kinds) || r.Declarations == "" {
			t.Errorf("%+v", r)
		}
		links := 0
		for _, k := range r.Kinds {
			if links += len(k.Links); len(k.Columns) == 0 {
				t.Errorf("%+v", k)
			}
		}
		if links < 3 {
			t.Errorf("%s shows %d links", target.ID, links)
		}
		if ways := fmt.Sprint(r.Ways); (target.ID == "sealed") != (ways == "[{mail letters to customers [send]}]") {
			t.Errorf("%s: %s", target.ID, ways)
		}
	}
}

func TestSource(t *testing.T) {
	i := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}
	if got := game.SourceOf(i); got != "v1.2.3" {
		t.Error(got)
	}
	i.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	if got := game.SourceOf(i); got != "abc+" {
		t.Error(got)
	}
}
