package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/record/tree"
)

// keeper is a record in a file or in a folder.
type keeper interface {
	exo.Recorder
	Unsettled() ([]UnsettledRun, error)
	UnsettledAtOpen() []UnsettledRun
	Err() error
	Close() error
}

var _, _ keeper = (*File)(nil), (*Folder)(nil)

// madeLog is a log of a test, with its keys.
type madeLog struct {
	dir      string
	private  tree.SigningKey
	public   tree.PublicKey
	identity *age.X25519Identity
}

// makeLog makes a log in a folder, with its key beside it for a child.
func makeLog(t testing.TB, dir string) *madeLog {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	m := &madeLog{dir: dir, identity: id}
	origin, private, public, err := tree.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	m.private, m.public = private, public
	if err := tree.Create(dir, tree.About{Origin: origin, Key: m.public, Recipients: []string{id.Recipient().String()}}, m.private); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+".key", []byte(m.private), 0o600); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *madeLog) open(t testing.TB) *Folder {
	t.Helper()
	l, err := OpenFolder(m.dir, m.private)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (m *madeLog) opener(t testing.TB) *tree.Opener {
	o, err := tree.NewOpener(strings.NewReader(m.identity.String()))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// entries are those of the log, as its recipients read them, or from their leaves.
func (m *madeLog) entries(t testing.TB, with *tree.Opener) (es []exo.Entry) {
	t.Helper()
	for x, err := range ReadLog(tree.Dir(m.dir), with) {
		if err != nil {
			t.Fatal(err)
		}
		if x.Step != 0 {
			es = append(es, x.Entry)
		}
	}
	return es
}

// again opens the record of a child that was killed; m is nil where that is a file.
func (m *madeLog) again(t *testing.T, path string) (keeper, func() []exo.Entry) {
	t.Helper()
	if m != nil {
		return m.open(t), func() []exo.Entry { return m.entries(t, m.opener(t)) }
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f, func() []exo.Entry {
		text, _ := os.ReadFile(path)
		return all(t, bytes.NewReader(text))
	}
}

func (m *madeLog) intact(t testing.TB, at string) {
	t.Helper()
	if m == nil {
		return
	}
	if v, err := tree.Verify(tree.Dir(m.dir), m.public, ""); err != nil || !v.Complete() || len(v.Unended) > 0 {
		t.Errorf("%s: %v, %+v", at, err, v)
	}
}

// What is recorded in a folder is read as it was by the one who has the identity. Without it there are steps, numbers and times: no text of a
// program, a person or a label.
func TestFolderKeepsEntries(t *testing.T) {
	m := makeLog(t, filepath.Join(t.TempDir(), "log"))
	l := m.open(t)
	var want []exo.Entry
	for seed := range 60 {
		e := anyEntry().Example(seed)
		if e.Step == exo.Begun {
			continue
		}
		begun := entry(e.RunID, exo.Begun)
		begun.At = time.Now().UTC().Round(0)
		begun.Start = &exo.Start{Principal: "ann who lives here", Program: "a program", Clock: begun.At, Seed: 1}
		for _, e := range []exo.Entry{begun, e} {
			if err := l.Record(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			want = append(want, e)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, leaves := m.entries(t, m.opener(t)), m.entries(t, nil)
	if len(got) != len(want) || len(leaves) != len(want) || len(want) < 10 {
		t.Fatalf("%d, %d of %d", len(got), len(leaves), len(want))
	}
	for i := range want {
		if !same(want[i], got[i]) {
			t.Errorf("%+v came back as %+v", want[i], got[i])
		}
		a, b := want[i], leaves[i]
		if a.RunID != b.RunID || a.Step != b.Step || a.Call != b.Call || a.Effect != b.Effect || a.State != b.State || (a.Err == nil) != (b.Err == nil) || b.Op != "" || !b.Label.Empty() {
			t.Errorf("the leaf of %+v says %+v", a, b)
		}
	}
	files, _ := filepath.Glob(filepath.Join(m.dir, "*"))
	for _, f := range files {
		if text, _ := os.ReadFile(f); bytes.Contains(text, []byte("ann who")) || bytes.Contains(text, []byte("a program")) {
			t.Errorf("%s has words in the clear", f)
		}
	}
}

// A nil or zero Folder refuses.
func TestNilFolder(t *testing.T) {
	for _, l := range []*Folder{nil, {}} {
		_, err := l.Unsettled()
		for _, err := range []error{l.Record(t.Context(), entry(exo.NewRunID(), exo.Begun)), l.Err(), l.Close(), err} {
			if !errors.Is(err, errNowhere) {
				t.Error(err)
			}
		}
	}
}

// A process that is killed while several runs record loses nothing that was acknowledged, and leaves a log that is intact.
func TestKilledWhileItLogs(t *testing.T) {
	m := makeLog(t, filepath.Join(t.TempDir(), "log"))
	acknowledged := map[string]bool{}
	for range 4 {
		c := child("log", m.dir)
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(out)
		for n := 0; in.Scan(); n++ {
			acknowledged[in.Text()] = true
			if n == 150 {
				c.Process.Kill()
			}
		}
		c.Wait()
	}
	l := m.open(t)
	runs, err := l.Unsettled()
	if err == nil {
		err = Reconcile(t.Context(), l, runs)
	}
	if err != nil || len(runs) == 0 {
		t.Fatal(len(runs), err)
	}
	l.Close()
	m.intact(t, "killed")
	for _, e := range m.entries(t, m.opener(t)) {
		delete(acknowledged, fmt.Sprintf("%s %d", e.RunID, e.Call))
	}
	if len(acknowledged) > 0 {
		t.Errorf("%d entries were acknowledged and are lost", len(acknowledged))
	}
}

// logs records from several goroutines until it is killed, and prints what was acknowledged.
func logs(path string) error {
	key, err := os.ReadFile(path + ".key")
	if err != nil {
		return err
	}
	l, err := OpenFolder(path, tree.SigningKey(key))
	if err != nil {
		return err
	}
	time.AfterFunc(20*time.Second, func() { os.Exit(1) })
	failed := make(chan error)
	for range 4 {
		go func() {
			for {
				id := exo.NewRunID()
				for i, step := range []exo.Step{exo.Begun, exo.Intent, exo.Outcome, exo.Committing, exo.Committed} {
					e := entry(id, step)
					e.Call, e.Op = uint64(i), strings.Repeat("x", 5000)
					if err := l.Record(context.Background(), e); err != nil {
						failed <- err
					}
					fmt.Printf("%s %d\n", id, i)
				}
			}
		}()
	}
	return <-failed
}
