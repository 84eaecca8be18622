package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/exoagent/exoagent/codemode"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/store/postgres"
	"github.com/exoagent/exoagent/exo/value"
	tu "github.com/exoagent/exoagent/internal/testutil"
)

// keeping is a server that keeps labels in a store, nil in memory.
func keeping(t *testing.T, tool *codemode.Tool, kept store.Store) *Server {
	t.Helper()
	s, err := New(Config{Tool: func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil }, LabelStore: kept})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sharedFolder opens the folder at path as another process does.
func sharedFolder(t *testing.T, path string) store.Store {
	t.Helper()
	s, err := store.OpenFolder(path, &store.LocalOptions{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLabelsAfterRestart: a server that is started again, or one beside it, goes on with what its clients were shown; in memory alone they begin clean.
func TestLabelsAfterRestart(t *testing.T) {
	sent, tool := letters(t)
	bob := Identity{Issuer: "test", Subject: "bob"}
	path := filepath.Join(t.TempDir(), "labels")
	url := ""
	for kind, open := range map[string]func(*testing.T) store.Store{
		"a folder": func(t *testing.T) store.Store { return sharedFolder(t, path) },
		"memory":   func(*testing.T) store.Store { return nil },
		"PostgreSQL": func(t *testing.T) store.Store {
			if url == "" {
				url = tu.WithParam(t, tu.Postgres.URL(t), "synchronous_commit", "on")
				if err := postgres.Create(t.Context(), url, ""); err != nil {
					t.Fatal(err)
				}
			}
			s, err := postgres.Open(t.Context(), url, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	} {
		t.Run(kind, func(t *testing.T) {
			kept := kind != "memory"
			beside := keeping(t, tool, open(t))
			run(t, connect(t, keeping(t, tool, open(t)), ann, ""), "return (await chat.letter()).email")
			for name, c := range map[string]struct {
				s      *Server
				who    Identity
				refuse bool
			}{"beside": {beside, ann, kept}, "restarted": {keeping(t, tool, open(t)), ann, kept}, "somebody else": {keeping(t, tool, open(t)), bob, false}} {
				*sent = 0
				res, text := run(t, connect(t, c.s, c.who, ""), "await chat.post({ text: 'a@b.example' }); return 1")
				if res.IsError != c.refuse || strings.Contains(text, "labelled pii") != c.refuse || (*sent == 0) != c.refuse {
					t.Errorf("%s: %s, sent %d", name, text, *sent)
				}
			}
		})
	}
}

// TestLabelsWithoutStore: where the store can't be read nothing is run, and where it can't be written nothing is shown.
func TestLabelsWithoutStore(t *testing.T) {
	sent, tool := letters(t)
	dir := filepath.Join(t.TempDir(), "labels")
	kept := sharedFolder(t, dir)
	s := keeping(t, tool, kept)
	c := connect(t, s, ann, "")
	call := func(code string) (*mcp.CallToolResult, error) {
		return c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"code": code}})
	}
	if _, err := call("return (await chat.letter()).email"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), `{"label":["pii"`) || !strings.Contains(string(text), ann.Subject) {
		t.Errorf("%s, %v", text, err)
	}
	if err := os.Truncate(files[0], 20); err != nil {
		t.Fatal(err)
	}
	*sent = 0
	if res, err := call("await chat.post({ text: 'x' })"); err == nil || *sent != 0 || strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "Nothing was run") {
		t.Errorf("a damaged file: %v, %v, sent %d", res, err, *sent)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	s.labels.kept = readOnly{kept}
	if res, err := call("return (await chat.letter()).email"); err == nil || strings.Contains(err.Error(), "full") || strings.Contains(err.Error(), "a@b.example") {
		t.Errorf("a store that is full: %v, %v", res, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for what, kept := range map[string]store.Store{"no folder": kept, "the zero store": &store.Local{}, "a nil store": (*store.Local)(nil)} {
		s.labels.kept = kept
		if res, err := call("return 1"); err == nil {
			t.Errorf("%s: %v", what, res)
		}
	}
}

// readOnly is a store that has no room.
type readOnly struct{ store.Store }

func (readOnly) Put(context.Context, store.Entry) (store.Version, error) {
	return store.Absent, errors.New("full")
}

// TestLabelsDamaged: what is not as it was written is refused, with what to do: somebody's label may be what is missing.
func TestLabelsDamaged(t *testing.T) {
	until := time.Now().Add(time.Hour)
	for text, until := range map[string]time.Time{`{"label":["pii"]}`: until, `{"label":["pii"]} `: {}, `{}`: until, `null`: until, `{"label":[]}`: until, `{"label":["a,b"]}`: until, `{"label":[""]}`: until, `{"label":"pii"}`: until, `[]`: until} {
		for _, key := range []string{owner{"i", "s"}.key(), restKey} {
			l := labels{keep: time.Hour, kept: store.NewMemory(nil), now: time.Now}
			v, err := l.kept.Put(t.Context(), store.Entry{Key: key, Value: []byte(text), Until: until})
			if err != nil {
				t.Fatal(err)
			}
			label, err := l.label(t.Context(), owner{"i", "s"})
			if text == `{"label":["pii"]}` {
				if err != nil || label.String() != "{pii}" {
					t.Errorf("%s: %v, %v", text, label, err)
				}
				continue
			}
			shown := l.shown(t.Context(), owner{"i", "s"}, value.NewLabel("pay"))
			for _, err := range []error{err, shown} {
				if !errors.Is(err, errLabels) || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "Remove a damaged entry") {
					t.Errorf("%s: %v", text, err)
				}
			}
			if e, err := l.kept.Get(t.Context(), key); err != nil || e.Version != v {
				t.Errorf("%s: it was changed", text)
			}
		}
	}
}

// clocked are labels with a clock that the test moves.
func clocked() (l *labels, now *time.Time) {
	now = new(time.Now())
	clock := func() time.Time { return *now }
	return &labels{keep: time.Hour, kept: store.NewMemory(&store.LocalOptions{Now: clock}), now: clock}, now
}

// show notes a label, and is notes what an identity begins with.
func (l *labels) show(t *testing.T, who owner, tag string) {
	t.Helper()
	if err := l.shown(t.Context(), who, value.NewLabel(tag)); err != nil {
		t.Fatal(err)
	}
}

func (l *labels) is(t *testing.T, who owner) string {
	t.Helper()
	label, err := l.label(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	return label.String()
}

// TestShownLabelsEnd: what is kept of identities ends with its time, and is swept then.
func TestShownLabelsEnd(t *testing.T) {
	l, now := clocked()
	begin := *now
	for i := range 20_000 {
		*now = begin.Add(time.Duration(i) * time.Second)
		l.show(t, owner{"test", fmt.Sprint(i)}, "pii")
	}
	n, err := l.kept.Sweep(t.Context())
	if err != nil || n > 4_000 {
		t.Errorf("%d had ended and were kept, %v", n, err)
	}
	last := owner{"test", "19999"}
	l.show(t, last, "pay")
	*now = now.Add(time.Second)
	if got := l.is(t, last); got != "{pay,pii}" {
		t.Error(got)
	}
	*now = now.Add(59*time.Minute + 58*time.Second)
	l.show(t, last, "pay")
	*now = now.Add(59 * time.Minute)
	if got := l.is(t, last); got != "{pay,pii}" {
		t.Errorf("an hour after the last result: %s", got)
	}
	*now = now.Add(24 * time.Hour)
	if got := l.is(t, last); got != "{}" {
		t.Error(got)
	}
}

// TestLabelsOfMany: somebody with more identities than there is room for makes nobody's label end early, and is not clean by it.
func TestLabelsOfMany(t *testing.T) {
	l, now := clocked()
	who := func(i int) owner { return owner{"test", fmt.Sprint(i, strings.Repeat("x", 400))} }
	first, odd := owner{"test", "first"}, owner{"test", "\xff/\x00"}
	l.show(t, first, "pay")
	l.show(t, odd, "odd")
	for i := range maxTold + 500 {
		l.show(t, who(i), "pii")
	}
	n := 0
	for _, err := range store.All(t.Context(), l.kept, restKey) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != maxTold+1 {
		t.Errorf("%d entries", n)
	}
	begin := *now
	for _, c := range []struct {
		who  owner
		want string
	}{{first, "{pay}"}, {odd, "{odd}"}, {owner{"test", "\xfe/\x00"}, "{pii}"}, {who(0), "{pii}"}, {who(maxTold + 400), "{pii}"}, {owner{"test", "nobody yet"}, "{pii}"}} {
		*now = begin.Add(59 * time.Minute)
		if got := l.is(t, c.who); got != c.want {
			t.Errorf("%.20v: %v, want %s", c.who, got, c.want)
		}
		*now = begin.Add(2 * time.Hour)
		if got := l.is(t, c.who); got != "{}" {
			t.Errorf("%.20v, later: %v", c.who, got)
		}
	}
	// There is room again when their time has passed, and of the rest nobody loses what it has.
	*now = begin.Add(62 * time.Minute)
	l.show(t, who(maxTold+450), "long") // still without room: it prolongs what the rest have
	*now = begin.Add(64 * time.Minute)
	l.show(t, who(maxTold+400), "pay")
	if got := l.is(t, who(maxTold+400)); got != "{long,pay,pii}" {
		t.Error(got)
	}
	if got := l.is(t, owner{"test", "nobody yet"}); got != "{long,pii}" {
		t.Errorf("it was not given a place of its own: %v", got)
	}
}

// between is a store in which another server does something after each Put under the key of the rest.
type between struct {
	store.Store
	after func()
}

func (b between) Put(ctx context.Context, e store.Entry) (store.Version, error) {
	v, err := b.Store.Put(ctx, e)
	if e.Key == restKey {
		b.after()
	}
	return v, err
}

// TestLabelsBetween: what an identity was shown is not lost where another server makes an entry of its own for it meanwhile, beside which the
// labels of the rest do not count.
func TestLabelsBetween(t *testing.T) {
	kept, who := store.NewMemory(nil), owner{"test", "ann"}
	other := &labels{keep: time.Hour, kept: kept, now: time.Now}
	full := &labels{keep: time.Hour, now: time.Now, since: time.Now(), added: maxTold}
	full.kept = between{kept, func() {
		if err := other.shown(t.Context(), who, value.NewLabel("b")); err != nil {
			t.Error(err)
		}
		e, err := kept.Get(t.Context(), who.key()) // as one that began before the rest had the label of a
		if err == nil {
			e.Value = []byte(`{"label":["b"]}`)
			_, err = kept.Put(t.Context(), e)
		}
		if err != nil {
			t.Error(err)
		}
	}}
	if err := full.shown(t.Context(), who, value.NewLabel("a")); err != nil {
		t.Fatal(err)
	}
	if l, err := other.label(t.Context(), who); err != nil || !l.Equal(value.NewLabel("a", "b")) {
		t.Errorf("%v, %v", l, err)
	}
}

// TestClockOfTheStore: a store whose clock is ahead would end a label before its time, so nothing is shown.
func TestClockOfTheStore(t *testing.T) {
	for ahead, fails := range map[time.Duration]bool{0: false, time.Minute: false, 2 * time.Hour: true} {
		l := &labels{keep: time.Hour, kept: store.NewMemory(&store.LocalOptions{Now: func() time.Time { return time.Now().Add(ahead) }}), now: time.Now}
		if err := l.shown(t.Context(), owner{"test", "ann"}, value.NewLabel("pii")); (err != nil) != fails || fails && !strings.Contains(err.Error(), "correct that clock") {
			t.Errorf("%v ahead: %v", ahead, err)
		}
	}
}
