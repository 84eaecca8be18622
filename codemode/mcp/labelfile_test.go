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
	"github.com/exoagent/exoagent/exo/value"
)

// keeping is a server that keeps labels in a file, "" in memory.
func keeping(t *testing.T, tool *codemode.Tool, path string) *Server {
	t.Helper()
	cfg := Config{Tool: func(context.Context, Identity) (*codemode.Tool, error) { return tool, nil }}
	if path != "" {
		var err error
		if cfg.LabelFile, err = OpenLabels(path); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(cfg)
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
	for _, file := range []string{path, ""} {
		beside := keeping(t, tool, file)
		run(t, connect(t, keeping(t, tool, file), ann, ""), "return (await chat.letter()).email")
		for name, c := range map[string]struct {
			s      *Server
			who    Identity
			refuse bool
		}{"beside": {beside, ann, file != ""}, "restarted": {keeping(t, tool, file), ann, file != ""}, "somebody else": {keeping(t, tool, file), bob, false}} {
			*sent = 0
			res, text := run(t, connect(t, c.s, c.who, ""), "await chat.post({ text: 'a@b.example' }); return 1")
			if res.IsError != c.refuse || strings.Contains(text, "labelled pii") != c.refuse || (*sent == 0) != c.refuse {
				t.Errorf("file %q, %s: %s, sent %d", file, name, text, *sent)
			}
		}
	}
	at, err := os.Stat(path)
	if err != nil || at.Mode().Perm() != 0o600 {
		t.Error(at.Mode(), err)
	}
}

// TestLabelsWithoutFile: where the file can't be read nothing is run, and where it can't be written nothing is shown.
func TestLabelsWithoutFile(t *testing.T) {
	sent, tool := letters(t)
	dir := filepath.Join(t.TempDir(), "labels")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "of")
	s := keeping(t, tool, path)
	c := connect(t, s, ann, "")
	call := func(code string) (*mcp.CallToolResult, error) {
		return c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"code": code}})
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if res, err := call("await chat.post({ text: 'x' })"); err == nil || *sent != 0 || strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "nothing was run") {
		t.Errorf("a damaged file: %v, %v, sent %d", res, err, *sent)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if res, err := call("return (await chat.letter()).email"); err == nil || strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "a@b.example") {
		t.Errorf("no folder: %v, %v", res, err)
	}
	if _, err := OpenLabels(path); !errors.Is(err, ErrLabels) {
		t.Errorf("opened without a folder: %v", err)
	}
	s.labels.file = &LabelFile{}
	if res, err := call("return 1"); err == nil {
		t.Errorf("the zero file: %v", res)
	}
}

// TestLabelFileDamaged: what is not as it was written is refused, with what to do: somebody's label may be what is missing.
func TestLabelFileDamaged(t *testing.T) {
	const entry = `{"issuer":"i","subject":"s","label":["pii"],"until":"2999-01-02T03:04:05Z"}`
	for text, says := range map[string]string{
		`{"version":1,"shown":[` + entry + `]}`:         "",
		`{"version":1,"rest":` + entry + `,"shown":[]}`: "",
		"":                                  "damaged",
		"{}":                                "damaged",
		`{"version":1}`:                     "damaged",
		`{"version":2,"shown":[],"more":1}`: "version 2",
		`{"version":1,"shown":[],"more":1}`: "damaged",
		`{"version":1,"shown":[` + entry:    "damaged",
		`{"version":1,"shown":[` + entry + `]}{}`:                                     "damaged",
		`{"version":1,"shown":[` + entry + `],"shown":[]}`:                            "twice",
		`{"version":1,"shown":[` + entry + "," + entry + `]}`:                         "twice",
		`{"version":1,"shown":[{"label":["pii"],"until":"2999-01-02T03:04:05Z"}]}`:    "is empty",
		`{"version":1,"shown":[` + strings.Replace(entry, `"pii"`, ``, 1) + `]}`:      "has no label",
		`{"version":1,"shown":[` + strings.Replace(entry, `"pii"`, `"a,b"`, 1) + `]}`: "damaged",
		strings.Repeat(" ", maxLabelFile+1):                                           "bytes",
	} {
		path := filepath.Join(t.TempDir(), "labels")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := OpenLabels(path)
		if says == "" && err != nil || says != "" && (!errors.Is(err, ErrLabels) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "remove it")) {
			t.Errorf("%.100s: %v", text, err)
		}
	}
}

// TestLabelsOfMany: somebody with more identities than there is room for makes nobody's label end early, and is not clean by it; what is written is read as
// it was, within its bound.
func TestLabelsOfMany(t *testing.T) {
	var all shownLabels
	now, pii := time.Now(), value.NewLabel("pii")
	who := func(i int) owner { return owner{"test", fmt.Sprint(i, strings.Repeat("x", 400))} }
	first := owner{"test", "first"}
	all.add(first, value.NewLabel("pay"), now, time.Hour)
	for i := range maxTold + 500 {
		all.add(who(i), pii, now, time.Hour)
	}
	long := owner{"test", strings.Repeat("x", maxOwner)}
	all.add(long, value.NewLabel("long"), now, time.Hour)
	text, err := all.encode(now)
	if err != nil || len(text) > maxLabelFile {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	again, err := decodeShown(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []*shownLabels{&all, &again} {
		if len(all.of) > maxTold {
			t.Errorf("%d are kept", len(all.of))
		}
		for _, c := range []struct {
			who  owner
			want string
		}{{first, "{pay}"}, {who(0), "{pii}"}, {who(maxTold + 400), "{long,pii}"}, {long, "{long,pii}"}, {owner{"test", "nobody yet"}, "{long,pii}"}} {
			if got := all.label(c.who, now.Add(59*time.Minute)); got.String() != c.want {
				t.Errorf("%.20v: %v, want %s", c.who, got, c.want)
			}
			if got := all.label(c.who, now.Add(2*time.Hour)); !got.Empty() {
				t.Errorf("%.20v, later: %v", c.who, got)
			}
		}
	}
	// There is room again when their time has passed, and of the rest nobody loses what it has.
	later := now.Add(63 * time.Minute)
	all.rest.until = later.Add(time.Hour)
	all.add(long, pii, later, time.Hour)
	all.add(who(maxTold+400), value.NewLabel("pay"), later, time.Hour)
	if got := all.label(who(maxTold+400), later); got.String() != "{long,pay,pii}" {
		t.Error(got)
	}
	if got := all.label(owner{"test", "nobody yet"}, later); got.String() != "{long,pii}" {
		t.Errorf("it was not given a place of its own: %v", got)
	}
	bad := shownLabels{}
	bad.add(owner{"test", "\xff"}, pii, now, time.Hour)
	if _, err := bad.encode(now); err == nil {
		t.Error("a name that JSON can't hold was written")
	}
}
