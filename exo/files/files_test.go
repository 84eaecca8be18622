package files_test

// This file has the tests of reading and writing through the gate.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/changeset"
	"github.com/exoagent/exoagent/exo/exotest"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/files"
	"github.com/exoagent/exoagent/exo/service"
	"github.com/exoagent/exoagent/exo/store"
	"github.com/exoagent/exoagent/exo/value"
)

// put makes a file in a folder, and the folders on the way.
func put(t testing.TB, dir, path, text string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// has is the text of a file; "" if there is none.
func has(dir, path string) string {
	b, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	return string(b)
}

// hidden lists the files of ours that are left in a folder.
func hidden(t testing.TB, dir string) (out []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(p), ".exo-") {
			out = append(out, p)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// journal is a store that lasts as long as the test.
func journal(t testing.TB) *store.Local {
	t.Helper()
	s, err := store.OpenFolder(t.TempDir(), &store.LocalOptions{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// open opens a folder in which programs may do what c says; where c says nothing they may read and write all.
func open(t testing.TB, dir string, c files.Config) *files.Files {
	t.Helper()
	c.Dir = dir
	if c.Read == nil && c.Write == nil {
		c.Read, c.Write = []string{"**"}, []string{"**"}
	}
	if c.Write != nil && c.Journal == nil {
		c.Journal = journal(t)
	}
	f, err := files.Open("files", "a folder", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// arg is the argument of a method.
func arg(pairs ...string) value.Value {
	var fs []value.Field
	for i := 0; i < len(pairs); i += 2 {
		fs = append(fs, value.Field{Name: pairs[i], Value: value.Text(pairs[i+1])})
	}
	return value.RecordValue(fs...)
}

func begin(t testing.TB, f exo.Object) *exotest.Run {
	t.Helper()
	return exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"files": f}, Record: exo.Unrecorded})
}

// call asks the object once in a run.
func call(r *exotest.Run, method string, pairs ...string) (value.Value, error) {
	if len(pairs) == 0 {
		return r.On("files").Call(method).Send()
	}
	return r.On("files").Call(method, arg(pairs...)).Send()
}

// paths are those of a list.
func paths(v value.Value) (out []string) {
	for i := range v.Len() {
		p, _ := v.At(i).Get("path")
		out = append(out, p.Text())
	}
	return out
}

// TestRead: a program lists and reads what the globs name, and a path that they don't name reads like one without a file.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{"a.csv": "x\n1\n", "b.txt": "b", "in/c.csv": "\ufeffid,name\n7,ann\n", "in/deep/d.csv": "d", ".env": "secret", "in/.git/x.csv": "secret", "big.csv": strings.Repeat("x", 2000), "bin.csv": "\xff", "nul.csv": "a\x00"} {
		put(t, dir, path, text)
	}
	f := open(t, dir, files.Config{Read: []string{"*.csv", "in/**"}, Bytes: 1000})
	r := begin(t, f)
	for glob, want := range map[string][]string{"": {"a.csv", "big.csv", "bin.csv", "in/c.csv", "in/deep/d.csv", "nul.csv"}, "in/*": {"in/c.csv"}, "**/d.csv": {"in/deep/d.csv"}, "b.txt": nil, ".env": nil, "?.csv": {"a.csv"}} {
		got, err := call(r, "list", "glob", glob)
		if glob == "" {
			got, err = call(r, "list")
		}
		if err != nil || !slices.Equal(paths(got), want) {
			t.Errorf("%q lists %v, %v, want %v", glob, paths(got), err, want)
		}
	}
	if v, err := call(r, "read", "path", "in/c.csv"); err != nil || v.Text() != "id,name\n7,ann\n" {
		t.Errorf("%v, %v", v, err)
	}
	for path, want := range map[string]string{
		"b.txt": "there is no file `b.txt` that may be read", "none.csv": "there is no file `none.csv` that may be read", ".env": "there is no file `.env`", "in/.git/x.csv": "there is no file `in/.git/x.csv`",
		"big.csv": "larger than 1000 bytes", "bin.csv": "no text", "nul.csv": "no text", "in": "there is no file `in`", "in/deep": "is no plain file", "in/c.csv/x": "is no plain file",
		"": "the path is empty", "../x": "an empty part, . or ..", "/etc/passwd": "has an empty part", "in/../b.txt": "an empty part, . or ..", "in//c.csv": "has an empty part", "in/c.csv/": "has an empty part", `in\c.csv`: "separate its parts by /", "in/\x01": "has a control character",
	} {
		v, err := call(r, "read", "path", path)
		if err == nil || !strings.Contains(err.Error(), want) || fail.KindOf(err) != fail.Invalid {
			t.Errorf("%q: %v, %v, want %q", path, v, err, want)
		}
	}
	if _, err := call(r, "read", "path", "none.csv"); err == nil || strings.Count(err.Error(), "there is no file") != 1 {
		t.Errorf("what is right must be said once: %v", err)
	}
	if err := r.Finish(true); err != nil {
		t.Error(err)
	}
}

// TestWrite: what a program writes is there after it has ended well, whole; the program reads it before, and others don't.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "old.txt", "old")
	if err := os.Chmod(filepath.Join(dir, "old.txt"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "out", "2026"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, files.Config{Admits: value.NewLabel(value.Untrusted)})
	for _, commit := range []bool{false, true} {
		r, other := begin(t, f), begin(t, f)
		for path, text := range map[string]string{"old.txt": "new", "out/2026/report.csv": "a,b\n1,2\n"} {
			if v, err := call(r, "write", "path", path, "text", text); err != nil {
				t.Fatal(v, err)
			}
			if v, err := call(r, "read", "path", path); err != nil || v.Text() != text {
				t.Errorf("%s reads %v, %v", path, v, err)
			}
		}
		if v, err := call(r, "rows", "path", "out/2026/report.csv"); err != nil || v.Len() != 1 {
			t.Errorf("%v, %v", v, err)
		}
		if v, err := call(r, "list"); err != nil || !slices.Equal(paths(v), []string{"old.txt", "out/2026/report.csv"}) {
			t.Errorf("%v, %v", v, err)
		}
		if v, err := call(other, "read", "path", "old.txt"); err != nil || v.Text() != "old" {
			t.Errorf("another run reads %v, %v", v, err)
		}
		if _, err := call(other, "read", "path", "out/2026/report.csv"); err == nil || has(dir, "old.txt") != "old" {
			t.Error("it is there before the run ended")
		}
		if err := r.Finish(commit); err != nil {
			t.Error(err)
		}
		want := map[bool][2]string{false: {"old", ""}, true: {"new", "a,b\n1,2\n"}}[commit]
		if has(dir, "old.txt") != want[0] || has(dir, "out/2026/report.csv") != want[1] {
			t.Errorf("commit %v: %q, %q", commit, has(dir, "old.txt"), has(dir, "out/2026/report.csv"))
		}
		if left := hidden(t, dir); left != nil {
			t.Errorf("left: %v", left)
		}
		if err := other.Finish(true); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "old.txt")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestWriteTwice: of two writes of one file in one run, the second counts.
func TestWriteTwice(t *testing.T) {
	dir := t.TempDir()
	r := begin(t, open(t, dir, files.Config{Admits: value.NewLabel(value.Untrusted)}))
	for _, text := range []string{"one", "two"} {
		if _, err := call(r, "write", "path", "a.txt", "text", text); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := call(r, "read", "path", "a.txt"); err != nil || v.Text() != "two" {
		t.Error(v, err)
	}
	if err := r.Finish(true); err != nil || has(dir, "a.txt") != "two" {
		t.Error(err, has(dir, "a.txt"))
	}
}

// TestWriteRefused: what can't be written is refused while the program runs, and nothing is made.
func TestWriteRefused(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "in/a.csv", "a")
	put(t, dir, "out/big.csv", strings.Repeat("x", 2000))
	if err := os.MkdirAll(filepath.Join(dir, "out", "folder.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, files.Config{Read: []string{"**"}, Write: []string{"out/**/*.csv"}, Bytes: 1000})
	r := begin(t, f)
	for path, want := range map[string]string{
		"in/a.csv": "they may write [out/**/*.csv]", "out/a.txt": "they may write", "OUT/a.csv": "they may write", "out/../in/a.csv": "an empty part, . or ..", "out/.hidden.csv": "they may write", "out/.exo-1.csv": "which is reserved", "out/.EXO-1.csv": "which is reserved",
		"out/big.csv": "too large", "out/folder.csv": "no plain file", "out/a:b.csv": "a name with one of", "out/e\u0301.csv": "compose the letters", "out/a\u202eb.csv": "visible", "out/x /a.csv": "at its end", "out/x./a.csv": "at its end", "out/" + strings.Repeat("x", 250) + ".csv": "more than 200 bytes", "/out/a.csv": "has an empty part", "out/a.csv/": "has an empty part",
	} {
		if v, err := call(r, "write", "path", path, "text", "x"); fail.KindOf(err) != fail.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", path, v, err, want)
		}
	}
	if _, err := call(r, "write", "path", "out/a.csv", "text", strings.Repeat("x", 1001)); err == nil || !strings.Contains(err.Error(), "1001 bytes") {
		t.Error(err)
	}
	if err := r.Finish(true); err != nil {
		t.Error(err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "out", "*")); len(names) != 2 {
		t.Errorf("made: %v", names)
	}
}

// TestChangedSince: a file that another process changed after the run was about to commit stays as that process left it.
func TestChangedSince(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "old")
	f := open(t, dir, files.Config{})
	r := beginOn(t, f, &steps{at: whenCommitted(func() { put(t, dir, "a.txt", "another's") })})
	if _, err := call(r, "write", "path", "a.txt", "text", "new"); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(true); err != nil || has(dir, "a.txt") != "another's" {
		t.Error(err, has(dir, "a.txt"))
	}
	effects := r.Session().Effects()
	if len(effects) != 1 || effects[0].State != exo.StateFailed || !strings.Contains(fmt.Sprint(effects[0].Err), "was changed after the program had ended") {
		t.Errorf("%+v", effects)
	}
	if left := hidden(t, dir); left != nil {
		t.Errorf("left: %v", left)
	}
}

func beginOn(t testing.TB, f exo.Object, to exo.Recorder) *exotest.Run {
	t.Helper()
	return exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"files": f}, Record: to})
}

// whenCommitted calls do before held effects act.
func whenCommitted(do func()) func(exo.Entry) {
	return func(e exo.Entry) {
		if e.Step == exo.Committed {
			do()
		}
	}
}

// steps is a record that calls at for each entry.
type steps struct {
	at  func(exo.Entry)
	all []exo.Entry
}

func (s *steps) Record(_ context.Context, e exo.Entry) error {
	if s.at != nil {
		s.at(e)
	}
	s.all = append(s.all, e)
	return nil
}

// TestPrepareFails: a folder that can't be written fails the run before anything of it is kept.
func TestPrepareFails(t *testing.T) {
	dir := t.TempDir()
	j := &broken{Store: journal(t)}
	f := open(t, dir, files.Config{Journal: j, Write: []string{"**"}})
	r := begin(t, f)
	if _, err := call(r, "write", "path", "a.txt", "text", "x"); err != nil {
		t.Fatal(err)
	}
	j.err = errors.New("the disk is full")
	if err := r.Finish(true); !errors.Is(err, j.err) || has(dir, "a.txt") != "" {
		t.Error(err)
	}
}

type broken struct {
	store.Store
	err   error
	after int // changes that still work
}

func (b *broken) Put(ctx context.Context, e store.Entry) (store.Version, error) {
	if b.err != nil {
		if b.after--; b.after < 0 {
			return "", b.err
		}
	}
	return b.Store.Put(ctx, e)
}

// TestLarge: a text larger than any entry of the journal is written.
func TestLarge(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, files.Config{Bytes: 8 << 20, Write: []string{"*"}})
	text := strings.Repeat("0123456789abcdef", 3*store.MaxValue/16)
	r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"files": f}, Record: exo.Unrecorded, Limits: exo.Limits{LiteralBytes: 8 << 20}})
	if _, err := call(r, "write", "path", "a.txt", "text", text); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(true); err != nil || has(dir, "a.txt") != text {
		t.Error(err, len(has(dir, "a.txt")))
	}
}

// TestConfig: a Config by which a label could get lost is refused.
func TestConfig(t *testing.T) {
	pii := value.NewLabel("pii")
	all, j := []string{"**"}, journal(t)
	for want, c := range map[string]files.Config{
		"want globs":                        {},
		"add the label to Label":            {Read: all, Write: all, Admits: pii, Journal: j},
		"leave Trusted out":                 {Read: all, Write: all, Trusted: true, Admits: value.NewLabel(value.Untrusted), Journal: j},
		"Write needs the field Journal":     {Write: all},
		"a kind of readers after the @":     {Read: all, Label: value.NewLabel("pii@member")},
		"must not be negative":              {Read: all, Bytes: -1},
		"** must be a whole part":           {Read: []string{"a**"}},
		"one glob for each alternative":     {Read: []string{"*.{csv,txt}"}},
		"an empty part, . or ..":            {Read: []string{"../**"}},
		"no such file or directory|cannot ": {Read: all, Dir: "/none/such"},
	} {
		if c.Dir == "" {
			c.Dir = t.TempDir()
		}
		f, err := files.Open("files", "", c)
		if err == nil || !slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool { return strings.Contains(err.Error(), w) }) {
			t.Errorf("%q: %v, %v", want, f, err)
		}
	}
	for _, c := range []files.Config{{Write: all, Admits: pii, Journal: j}, {Read: all, Write: all, Label: pii, Admits: pii, Journal: j}} {
		c.Dir = t.TempDir()
		if _, err := files.Open("files", "", c); err != nil {
			t.Error(err)
		}
	}
}

// TestLabels: an answer has the label of its folder, and is untrusted: no program that has read it acts by what does not admit that.
func TestLabels(t *testing.T) {
	pii := value.NewLabel("pii")
	dir := t.TempDir()
	put(t, dir, "a.txt", "a")
	for _, c := range []struct {
		files.Config
		want value.Label
	}{
		{files.Config{}, value.NewLabel(value.Untrusted)},
		{files.Config{Label: pii, Admits: pii}, value.NewLabel("pii", value.Untrusted)},
		{files.Config{Label: pii, Admits: pii, Trusted: true}, pii},
		{files.Config{Trusted: true}, value.Label{}},
	} {
		for _, method := range []string{"list", "read", "rows", "write"} {
			f := open(t, dir, c.Config)
			r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"files": f}, Record: exo.Unrecorded, Admits: pii})
			var err error
			switch method {
			case "list":
				_, err = call(r, "list")
			case "write":
				_, err = call(r, "write", "path", "b.txt", "text", "b")
				c.want = value.Label{}
			default:
				_, err = call(r, method, "path", "none.csv") // its absence is an answer
			}
			if got := r.Session().Label(); !got.Equal(c.want) {
				t.Errorf("%s: %v, %v, want %v", method, got, err, c.want)
			}
			if method == "write" {
				continue
			}
			if _, err := call(r, "write", "path", "b.txt", "text", "b"); (err != nil) != !c.Trusted {
				t.Errorf("after %s: %v", method, err)
			}
		}
	}
}

// TestConform: the object keeps the rules that gates rely on.
func TestConform(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.csv", "a\n1\n")
	exotest.Conform(t, open(t, dir, files.Config{}))
}

func sumOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// TestSealed: a sealed value can't be written: what it is would be known only after the commit, so it could not wait on the disk.
func TestSealed(t *testing.T) {
	pii := value.NewLabel("pii")
	box, err := service.New("box", "", service.Read("secret", "", func(context.Context, service.None) (struct {
		Text string `json:"text"`
	}, error) {
		return struct {
			Text string `json:"text"`
		}{"SECRET"}, nil
	}).Labelled(pii, "text"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := open(t, dir, files.Config{Write: []string{"**"}, Admits: pii})
	r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"files": f, "box": box}, Record: exo.Unrecorded, Admits: pii})
	v, err := r.On("box").Call("secret").Send()
	if err != nil {
		t.Fatal(err)
	}
	text, _ := v.Get("text")
	if text.Kind() != value.KindSealed {
		t.Fatal(text)
	}
	for _, fs := range [][]value.Field{{{Name: "path", Value: value.Text("a.txt")}, {Name: "text", Value: text}}, {{Name: "path", Value: text}, {Name: "text", Value: value.Text("x")}}} {
		if _, err := r.On("files").Call("write", value.RecordValue(fs...)).Send(); fail.KindOf(err) != fail.Denied {
			t.Errorf("%v", err)
		}
	}
	if err := r.Finish(true); err != nil {
		t.Error(err)
	}
}

// TestRollback: a run that fails while its writes are made ready leaves nothing of them.
func TestRollback(t *testing.T) {
	dir := t.TempDir()
	j := &broken{Store: journal(t), after: 1}
	f := open(t, dir, files.Config{Journal: j, Write: []string{"**"}})
	r := begin(t, f)
	for _, path := range []string{"a.txt", "b.txt"} {
		if _, err := call(r, "write", "path", path, "text", "x"); err != nil {
			t.Fatal(err)
		}
	}
	j.err = errors.New("the disk is full")
	if err := r.Finish(true); !errors.Is(err, j.err) || has(dir, "a.txt") != "" {
		t.Error(err)
	}
	if left := hidden(t, dir); left != nil {
		t.Errorf("left: %v", left)
	}
	for e, err := range store.All(t.Context(), j.Store, "") {
		t.Errorf("the journal has %s, %v", e.Key, err)
	}
}

// TestReviewRefuses: of what a run would write nothing is on the disk before a person has agreed.
func TestReviewRefuses(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, files.Config{Write: []string{"**"}, Approve: &changeset.Who{}})
	saw := ""
	refuse := reviewer(func(r *exo.Reviewed) error {
		set, err := r.Set(t.Context())
		saw = fmt.Sprint(r.Asks, set.Messages[0].Text, hidden(t, dir) != nil)
		return errors.Join(err, fail.Errorf(fail.Denied, "", "nobody agreed"))
	})
	r := exotest.Begin(t, exo.Config{Grants: map[string]exo.Object{"files": f}, Record: exo.Unrecorded, Review: refuse})
	if _, err := call(r, "write", "path", "a.txt", "text", "x"); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(true); fail.KindOf(err) != fail.Denied || has(dir, "a.txt") != "" || !strings.Contains(saw, "call of Files.write") || !strings.Contains(saw, "a.txt") || !strings.HasSuffix(saw, "false") {
		t.Error(err, saw)
	}
	if left := hidden(t, dir); left != nil {
		t.Errorf("left: %v", left)
	}
}

type reviewer func(*exo.Reviewed) error

func (f reviewer) Review(_ context.Context, r *exo.Reviewed) error { return f(r) }
