package tree

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"
)

// made is a log of a test, with its keys.
type made struct {
	dir, witness string
	private      SigningKey
	public       PublicKey
	identity     *age.X25519Identity
}

func makeLog(t testing.TB, witness bool) made {
	t.Helper()
	if witness {
		return makeLogWith(t, t.TempDir())
	}
	return makeLogWith(t, "")
}

// makeLogWith makes a log with a witness, which may be one over HTTP.
func makeLogWith(t testing.TB, witness string) made {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	m := made{dir: filepath.Join(t.TempDir(), "log"), identity: id, witness: witness}
	origin, private, public, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	m.private, m.public = private, public
	if err := Create(m.dir, About{Origin: origin, Key: m.public, Recipients: []string{id.Recipient().String()}, Witness: m.witness}, m.private); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m made) open(t testing.TB) *Log {
	t.Helper()
	l, err := Open(m.dir, m.private)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (m made) opener(t testing.TB) *Opener {
	o, err := NewOpener(strings.NewReader(m.identity.String()))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (m made) verify(t testing.TB) *Verdict {
	t.Helper()
	v, err := Verify(Dir(m.dir), m.public, m.witness)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newRun() (r Run) { rand.Read(r[:]); return r }

func leafOf(r Run, step string) Leaf { return Leaf{Run: r, Step: step, At: time.Now()} }

// aRun appends a run of n entries.
func aRun(t testing.TB, l *Log, n int, text string) Run {
	t.Helper()
	r := newRun()
	for i := range n {
		step := "intent"
		switch i {
		case 0:
			step = Begun
		case n - 1:
			step = Ended
		}
		if err := l.Append(leafOf(r, step), fmt.Appendf(nil, "%s %d", text, i), i == n-2); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// A log that was appended to, closed and opened again is intact and complete, and its recipients read what was written.
func TestLog(t *testing.T) {
	m := makeLog(t, true)
	var runs []Run
	for range 3 {
		l := m.open(t)
		for range 4 {
			runs = append(runs, aRun(t, l, 5, "what it says"))
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	v := m.verify(t)
	if !v.Intact() || !v.Complete() || v.Entries != 60 || v.Signed != 60 || v.Runs != 12 || len(v.Unended) != 0 || v.Seen != 60 {
		t.Errorf("%+v", v)
	}
	o, n := m.opener(t), 0
	for e, err := range Entries(Dir(m.dir)) {
		if err != nil {
			t.Fatal(err)
		}
		if text, err := o.Open(e); err != nil || string(text) != fmt.Sprintf("what it says %d", e.Index) {
			t.Errorf("entry %d: %q, %v", e.Number, text, err)
		}
		n++
	}
	if n != 60 {
		t.Errorf("%d entries", n)
	}
	files, _ := filepath.Glob(filepath.Join(m.dir, "*"))
	for _, f := range files {
		if text, _ := os.ReadFile(f); bytes.Contains(text, []byte("what it")) || bytes.Contains(text, []byte("PRIVATE")) {
			t.Errorf("%s has a payload or a key in the clear", f)
		}
	}
	for _, r := range runs {
		var proof bytes.Buffer
		if err := Prove(&proof, Dir(m.dir), r); err != nil {
			t.Fatal(err)
		}
		p, err := Check(&proof, m.public)
		if err != nil || p.Run != r || len(p.Entries) != 5 || !p.Ended || p.Size != 60 {
			t.Errorf("%v, %v", p, err)
		}
	}
}

// A leaf has one spelling.
func TestLeaf(t *testing.T) {
	at := time.Now().UTC()
	for _, l := range []Leaf{
		{Step: Erased, At: at, Of: Run{1}},
		{Number: 1, Run: Run{1}, Step: Begun, At: at, Policy: [32]byte{1}, Wrapped: [32]byte{1}, Sealed: [32]byte{2}, Digest: [32]byte{3}},
		{Number: 1 << 40, Run: Run{1}, Index: 7, Prev: Hash{1}, Step: "committing", At: at, Prepared: true, Witnessed: 1, Changed: 2, Key: 3, Sealed: [32]byte{2}, Digest: [32]byte{3}},
		{Number: 9, Run: Run{1}, Index: 8, Prev: Hash{1}, Step: "outcome", At: at, Call: 1<<64 - 1, Effect: "held", State: "applied", Failed: true, Asked: true},
		{Number: 9, Run: Run{1}, Index: 8, Prev: Hash{1}, Step: Ended, At: at, Count: 9},
		{Number: 9, Index: 8, Prev: Hash{1}, Step: Erased, At: at, Of: Run{2}},
	} {
		b := l.append(nil)
		if !json.Valid(b) {
			t.Errorf("%s", b)
		}
		back, err := parseLeaf(b)
		if err != nil || back != l {
			t.Errorf("%s: %+v, %v", b, back, err)
		}
		for _, change := range [][2]string{{`"n":9`, `"n":09`}, {`,"at"`, ` ,"at"`}, {`}`, `,"x":1}`}, {`"step"`, `"Step"`}, {`"step":"`, `"step":"A`}, {`,"at":`, `,"call":0,"at":`}} {
			if other := strings.Replace(string(b), change[0], change[1], 1); other != string(b) {
				if _, err := parseLeaf([]byte(other)); err == nil && l.Number > 0 {
					t.Errorf("%s was read", other)
				}
			}
		}
	}
}

// What a log refuses.
func TestRefused(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	aRun(t, l, 2, "")
	r := newRun()
	if err := l.Append(leafOf(r, Begun), nil, false); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(leafOf(r, Begun), nil, false); err == nil || !strings.Contains(err.Error(), "has begun before") {
		t.Error(err)
	}
	if err := l.Append(leafOf(newRun(), "intent"), nil, false); err == nil || !strings.Contains(err.Error(), "has not begun") {
		t.Error(err)
	}
	if _, err := Open(m.dir, m.private); !errors.Is(err, ErrInUse) {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(leafOf(newRun(), Begun), nil, false); err == nil {
		t.Error("a log that was closed")
	}
	_, other, _, _ := NewKey()
	if _, err := Open(m.dir, other); err == nil || !strings.Contains(err.Error(), "the signing key and the public key in log.json don't both belong to the log") {
		t.Error(err)
	}
	if err := Create(m.dir, About{}, m.private); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
	about := filepath.Join(m.dir, aboutFile)
	text, _ := os.ReadFile(about)
	id, _ := age.GenerateX25519Identity() // the attacker's
	if err := os.WriteFile(about, bytes.Replace(text, []byte(m.identity.Recipient().String()), []byte(id.Recipient().String()), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(m.dir, m.private); err == nil || !strings.Contains(err.Error(), "log.json was changed") {
		t.Error(err)
	}
	if v := m.verify(t); v.Intact() {
		t.Error("another recipient is intact")
	}
}

// Runs at the same time have entries of their own, in groups, over several segments, and an entry that arrives late goes on with its run.
func TestGroups(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 10 {
				aRun(t, l, 12, strings.Repeat("x", 60_000))
			}
		})
	}
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all, _ := segments(m.dir)
	if v := m.verify(t); !v.Complete() || v.Entries != 1920 || len(all) < 2 {
		t.Errorf("%d segments, %+v", len(all), v)
	}
	var first Run
	for e := range Entries(Dir(m.dir)) {
		if e.Step == Begun {
			first = e.Run
			break
		}
	}
	l = m.open(t)
	if l.runs[first] != nil {
		t.Error("Open read more than the end")
	}
	late := leafOf(first, Ended)
	late.Asked = true
	if err := l.Append(late, []byte("late"), true); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if v := m.verify(t); !v.Complete() || v.Entries != 1921 {
		t.Errorf("%+v", v)
	}
	var proof bytes.Buffer
	if err := Prove(&proof, Dir(m.dir), first); err != nil {
		t.Fatal(err)
	}
	if p, err := Check(&proof, m.public); err != nil || len(p.Entries) != 13 {
		t.Errorf("%v", err)
	}
}
