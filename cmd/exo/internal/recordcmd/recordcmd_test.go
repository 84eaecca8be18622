package recordcmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/record/tree"
	"github.com/exoagent/exoagent/internal/cli"
)

// run runs a command line.
func run(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var b bytes.Buffer
	code = cli.Run(t.Context(), cli.Stdio{Out: &b, Err: &b}, Commands(), append([]string{"record"}, args...))
	return code, b.String()
}

// TestCommands: a record is made with its keys elsewhere, verified, a run of it proved and checked, and erased.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	log, key, identity, witness := filepath.Join(dir, "log"), filepath.Join(dir, "key"), filepath.Join(dir, "identity"), filepath.Join(dir, "witness")
	for _, c := range [][]string{
		{"init", log},
		{"init", "-key", "file:" + key, log},
		{"init", "-key", "file:" + filepath.Join(log, "key"), "-identity", identity, log},
		{"init", "-key", "env:RECORD_KEY", "-identity", filepath.Join(log, "identity"), log},
	} {
		if code, out := run(t, c...); code != cli.ExitUsage {
			t.Errorf("%v: %d %s", c, code, out)
		}
	}
	code, out := run(t, "init", "-key", "file:"+key, "-identity", identity, "-witness", witness, log)
	public := regexp.MustCompile(`exo-record-\S+`).FindString(out)
	if code != 0 || public == "" || !strings.Contains(out, "take it away from this machine") || strings.Contains(out, "PRIVATE") {
		t.Fatalf("%d %s", code, out)
	}
	private, err := tree.ReadSigningKey(log, "file:"+key)
	if err != nil {
		t.Fatal(err)
	}
	f, err := record.OpenFolder(log, private)
	if err != nil {
		t.Fatal(err)
	}
	id := exo.NewRunID()
	for _, step := range []exo.Step{exo.Begun, exo.Intent, exo.Ended} {
		if err := f.Record(t.Context(), exo.Entry{RunID: id, Step: step, At: time.Now(), Op: "orders.count"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	ids, err := os.Open(identity)
	if err != nil {
		t.Fatal(err)
	}
	defer ids.Close()
	with, err := tree.NewOpener(ids)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for x, err := range record.ReadLog(tree.Dir(log), with) {
		if n++; err != nil || x.Op != "orders.count" {
			t.Errorf("%+v, %v", x, err)
		}
	}
	if n != 3 {
		t.Errorf("%d entries are read, want 3", n)
	}
	if code, out := run(t, "verify", "-key", public, "-witness", witness, log); code != 0 || !strings.Contains(out, "intact: yes") || !strings.Contains(out, "lags 0 behind") {
		t.Errorf("%d %s", code, out)
	}
	code, proof := run(t, "proof", log, id.String())
	path := filepath.Join(dir, "run.proof")
	if err := os.WriteFile(path, []byte(proof), 0o600); err != nil || code != 0 {
		t.Fatal(code, err)
	}
	if code, out := run(t, "check", "-key", public, path); code != 0 || !strings.Contains(out, "no entry is missing up to the run's end") {
		t.Errorf("%d %s", code, out)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(proof, "intent", "refuse", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := run(t, "check", "-key", public, path); code != cli.ExitFound {
		t.Errorf("%d %s", code, out)
	}
	if code, out := run(t, "erase", "-key", "file:"+key, log); code != cli.ExitUsage {
		t.Errorf("%d %s", code, out)
	}
	t.Setenv("RECORD_KEY", string(private))
	if code, out := run(t, "erase", "-key", "env:RECORD_KEY", log, id.String()); code != 0 || !strings.Contains(out, "1 data keys destroyed") {
		t.Errorf("%d %s", code, out)
	}
	if code, out := run(t, "verify", "-key", public, log); code != 0 || !strings.Contains(out, "1 runs were erased") || !strings.Contains(out, "can't be seen without a witness") {
		t.Errorf("%d %s", code, out)
	}
	segment, _ := filepath.Glob(filepath.Join(log, "*.jsonl"))
	text, _ := os.ReadFile(segment[0])
	if err := os.WriteFile(segment[0], bytes.Replace(text, []byte("intent"), []byte("refuse"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := run(t, "verify", "-key", public, log); code != cli.ExitFound || !strings.Contains(out, "intact: NO") {
		t.Errorf("%d %s", code, out)
	}
}
