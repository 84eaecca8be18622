package recordcmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/message"
	"github.com/exoagent/exoagent/exo/record"
	"github.com/exoagent/exoagent/exo/value"
	"github.com/exoagent/exoagent/exoeval"
	"github.com/exoagent/exoagent/internal/cli"
)

// counter is an object that counts.
type counter struct{ n int64 }

func (c *counter) Describe() (message.Description, error) {
	m := &message.Method{Name: "next", Sends: true, Result: &message.Term{Con: &message.Type{Name: value.TypeInt}}}
	return message.Description{Type: &message.Type{Name: "Counter"}, Interfaces: []*message.Interface{{Name: "Counter", Methods: map[string]*message.Method{"next": m}}}}, nil
}

func (c *counter) Eval(context.Context, *exo.Message) (value.Value, error) {
	c.n++
	return value.Int(c.n), nil
}

// TestReplay: a run is replayed from a folder with its identity and from a file, without its object. What can't be replayed is refused with the reason.
func TestReplay(t *testing.T) {
	m := makeLog(t)
	folder, identity, file, inFolder := m.log, m.identity, filepath.Join(t.TempDir(), "record"), m.open(t)
	inFile, err := record.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	id, bare := exo.NewRunID(), exo.NewRunID()
	counted := &counter{}
	for _, to := range []exo.Recorder{inFolder, inFile} {
		gate, err := exo.NewGate(exo.Config{Grants: map[string]exo.Object{"counter": counted}, Record: to})
		if err != nil {
			t.Fatal(err)
		}
		r, err := exoeval.InProcess{}.Bind(gate, exoeval.Bounds{})
		if err != nil {
			t.Fatal(err)
		}
		const program = "const a = await counter.next()\nreturn [a, await counter.next(), Math.random()]"
		r.Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{ID: bare}})
		inFolder.KeepReplies(record.Replies{})
		inFile.KeepReplies(record.Replies{})
		if res := r.Run(t.Context(), exoeval.Job{Program: program, Run: exo.Run{ID: id}}); res.Err != nil {
			t.Fatal(res.Err)
		}
	}
	if err := errors.Join(inFolder.Close(), inFile.Close()); err != nil {
		t.Fatal(err)
	}
	again := func(args ...string) (int, string) {
		var b bytes.Buffer
		code := cli.Run(t.Context(), cli.Stdio{Out: &b, Err: &b}, Commands(), append([]string{"replay"}, args...))
		return code, b.String()
	}
	check := func(code int, want string, args ...string) {
		t.Helper()
		if got, out := again(args...); got != code || !strings.Contains(out, want) {
			t.Errorf("%v: %d %s", args, got, out)
		}
	}
	acted := counted.n
	check(0, "equal: run "+id.String(), "-any-version", "-identity", identity, folder, id.String())
	check(0, "equal: run "+id.String(), "-any-version", file, id.String())
	if counted.n != acted {
		t.Error("the object was asked")
	}
	check(cli.ExitCannot, "is encrypted: add -identity", "-any-version", folder, id.String())
	check(cli.ExitCannot, "add -any-version", file, id.String())
	check(cli.ExitCannot, "has no run", file, exo.NewRunID().String())
	check(cli.ExitUsage, "want RECORD RUN", file)
	check(cli.ExitUsage, "not the ID of a run", file, "1")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("const a = await"), []byte("const a = 1 + await")), 0o600); err != nil {
		t.Fatal(err)
	}
	check(cli.ExitFound, "differs from its record: the end of the program: the result is not the one in the record", "-any-version", file, id.String())
	check(cli.ExitCannot, "was recorded without replies", "-any-version", "-identity", identity, folder, bare.String())
	check(0, "equal: run "+id.String(), "-any-version", "-identity", identity, "-key", m.public(t), folder, id.String())
	other := makeLog(t)
	check(cli.ExitCannot, "has not signed the checkpoint", "-any-version", "-identity", identity, "-key", other.public(t), folder, id.String())
	segment := filepath.Join(folder, "000000000000000.jsonl")
	text, err = os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	for want, now := range map[string][]byte{ // the last checkpoint is cut off; an entry of another run was changed
		"not signed yet: entries ": text[:bytes.LastIndex(text[:len(text)-1], []byte("\n"))+1],
		"the log was changed":      bytes.Replace(text, []byte(`"step":"outcome"`), []byte(`"step":"refused"`), 1),
	} {
		code := 0
		if strings.HasPrefix(want, "the log") {
			code = cli.ExitCannot
		}
		if err := os.WriteFile(segment, now, 0o600); err != nil {
			t.Fatal(err)
		}
		check(code, want, "-any-version", "-identity", identity, folder, id.String())
	}
	if err := os.WriteFile(segment, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := run(t, "erase", "-key", m.key, folder, id.String()); code != 0 {
		t.Fatal(out)
	}
	check(cli.ExitCannot, "was erased", "-any-version", "-identity", identity, folder, id.String())
}
