package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// This file has what a hostile reader of the log's code found: forged ends, power that failed, erasings that were cut short, proofs that others
// read otherwise, witnesses that are gone, and lengths that outlive a key.

// forge writes a run of n entries behind the first checkpoint, as somebody can who has the folder and no signing key.
func forge(t *testing.T, m made, n int) {
	var a About
	text, _ := os.ReadFile(filepath.Join(m.dir, aboutFile))
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	to, _, err := a.keys(m.private) // only the recipients are used
	if err != nil {
		t.Fatal(err)
	}
	out, r, prev := bytes.Clone(m.lines(t)[0]), newRun(), Hash{}
	k, err := to.next()
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		e := Leaf{Number: int64(i), Run: r, Index: int64(i), Prev: prev, Step: "intent", At: time.Now()}
		var wrapped []byte
		switch i {
		case 0:
			e.Step, wrapped, e.Wrapped = Begun, k.wrapped, sha256.Sum256(k.wrapped)
		case n - 1:
			e.Step, e.Count = Ended, int64(n)
		}
		var sealed, line []byte
		sealed, e.Digest = k.seal(r, []byte("forged"))
		e.Sealed = sha256.Sum256(sealed)
		line, prev = appendEntry(nil, &e, wrapped, sealed)
		out = append(out, line...)
	}
	if err := os.WriteFile(segmentPath(m.dir, 0), out, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestForgedEnd: entries that the host did not write are signed by its next start, as they are when a process was killed. The verdict says so of
// them for good, more of them than a process can leave are changed, and a witness keeps the log from opening.
func TestForgedEnd(t *testing.T) {
	for _, n := range []int{10, 3 * signEvery} {
		m := makeLog(t, false)
		l := m.open(t)
		aRun(t, l, 5, "paid 10")
		l.Close()
		forge(t, m, n)
		m.open(t).Close()
		l = m.open(t)
		aRun(t, l, 5, "later")
		l.Close()
		v := m.verify(t)
		if many := n > 2*signEvery; v.Intact() == many || !many && (len(v.Resumed) != 1 || !strings.Contains(strings.Join(v.Lines(), "\n"), "signed late, after a process ended without signing: entries 0 to 9;")) {
			t.Errorf("%d: %s", n, strings.Join(v.Lines(), "\n"))
		}
	}
	m := makeLog(t, true)
	l := m.open(t)
	aRun(t, l, 5, "paid 10")
	l.Close()
	forge(t, m, 10)
	if l, err := Open(m.dir, m.private); err == nil {
		l.Close()
		t.Error("a log of another history than its witness saw was opened")
	}
}

// TestPowerFails: pages that were not synced may be lost, in any order. The log opens, what can't be read is set aside, and nothing looks as if it
// had been tampered with. What was synced and is damaged keeps it from opening.
func TestPowerFails(t *testing.T) {
	for name, lost := range map[string]func(text []byte, from int64){
		"the first page":       func(text []byte, from int64) { clear(text[from : from+300]) },
		"within a payload":     func(text []byte, from int64) { clear(text[from+4000 : from+4100]) },
		"letters of a payload": func(text []byte, from int64) { copy(text[from+4000:], "AAAA") },
	} {
		m := makeLog(t, true)
		l := m.open(t)
		aRun(t, l, 5, "synced")
		l.mu.Lock()
		if err := l.synced(l.tree.size); err != nil {
			t.Fatal(err)
		}
		l.mu.Unlock()
		path := segmentPath(m.dir, 0)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		r := newRun()
		for _, step := range []string{Begun, "intent", "outcome"} {
			if err := l.Append(leafOf(r, step), bytes.Repeat([]byte("x"), 9000), false); err != nil {
				t.Fatal(err)
			}
		}
		l.crash()
		text, _ := os.ReadFile(path)
		lost(text, info.Size())
		os.WriteFile(path, text, 0o600)
		l = m.open(t)
		aRun(t, l, 5, "goes on")
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		v := m.verify(t)
		if !v.Complete() || len(v.Resumed) != 1 || v.Runs < 2 || !strings.Contains(v.Resumed[0], "could not be read") {
			t.Errorf("%s: %s", name, strings.Join(v.Lines(), "\n"))
		}
		aside, _ := filepath.Glob(filepath.Join(m.dir, unreadFile+"*"))
		if len(aside) != 1 {
			t.Errorf("%s: set aside: %v", name, aside)
		}
	}
	// The twin: a line is damaged before a checkpoint that was synced, and no witness knows of it.
	m := makeLog(t, false)
	l := m.open(t)
	aRun(t, l, 5, "synced")
	l.Close()
	text, _ := os.ReadFile(segmentPath(m.dir, 0))
	clear(text[bytes.LastIndex(text, leafStart):][:10])
	os.WriteFile(segmentPath(m.dir, 0), text, 0o600)
	if l, err := Open(m.dir, m.private); err == nil {
		l.Close()
		t.Error("a log with a damaged line before its last checkpoint was opened")
	}
}

// TestErasingIsCutShort: a part of a key is no destroyed key, and erasing again destroys the rest.
func TestErasingIsCutShort(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	r := aRun(t, l, 3, "secret")
	l.Close()
	path := segmentPath(m.dir, 0)
	before, _ := os.ReadFile(path)
	l = m.open(t)
	if _, _, err := l.Erase(time.Time{}, r); err != nil {
		t.Fatal(err)
	}
	l.Close()
	text, _ := os.ReadFile(path)
	at := bytes.Index(before, []byte(`"key":"`)) + 7
	copy(text[at+24:at+200], before[at+24:at+200])
	os.WriteFile(path, text, 0o600)
	if v := m.verify(t); v.Intact() || !strings.Contains(v.Changed[0], "erase the run again") {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
	l = m.open(t)
	if n, _, err := l.Erase(time.Time{}, r); n != 1 || err != nil {
		t.Error(n, err)
	}
	l.Close()
	if v := m.verify(t); !v.Intact() || v.Erased != 1 {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
	if text, _ = os.ReadFile(path); bytes.Contains(text, before[at+24:at+200]) {
		t.Error("a part of the key is there")
	}
}

// TestLaterThanErased: what becomes known of an erased run is no sign of an erasing that was cut short. Runs that have not ended are named.
func TestLaterThanErased(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	r, open := aRun(t, l, 3, "secret"), newRun()
	if err := l.Append(leafOf(open, Begun), nil, false); err != nil {
		t.Fatal(err)
	}
	if n, skipped, err := l.Erase(time.Now().Add(time.Hour)); n != 1 || len(skipped) != 1 || skipped[0] != open || err != nil {
		t.Error(n, skipped, err)
	}
	for _, step := range []string{"committed", Ended} {
		if err := l.Append(leafOf(r, step), []byte("what its database knew"), false); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	if v := m.verify(t); !v.Intact() || v.Erased != 1 {
		t.Errorf("%s", strings.Join(v.Lines(), "\n"))
	}
}

// TestProofHasOneSpelling: a proof that another reader of JSON reads otherwise is refused.
func TestProofHasOneSpelling(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	r := aRun(t, l, 3, "what it says")
	l.Close()
	var proof bytes.Buffer
	if err := Prove(&proof, Dir(m.dir), r); err != nil {
		t.Fatal(err)
	}
	if p, err := Check(bytes.NewReader(proof.Bytes()), m.public); err != nil || !p.Ended || len(p.Entries) != 3 {
		t.Fatal(p, err)
	}
	for _, change := range [][2]string{{`,"entry":`, `,"entry":{"leaf":"forged"},"Entry":`}, {`"run":`, `"RUN":`}, {`{"proof":1,`, `{"proof":1, `}, {`"key":"`, `"key":"","sealed":"`}} {
		other := strings.Replace(proof.String(), change[0], change[1], 1)
		if other == proof.String() {
			t.Fatalf("the proof has no %s", change[0])
		}
		if p, err := Check(strings.NewReader(other), m.public); err == nil {
			t.Errorf("with %s for %s: %+v", change[1], change[0], p)
		}
	}
}

// TestWitnessIsGone: a witness that was emptied, or is not mounted, is no witness that has seen nothing, and one that can't be written is told.
func TestWitnessIsGone(t *testing.T) {
	m := makeLog(t, true)
	l := m.open(t)
	aRun(t, l, 3, "what it says")
	for os.RemoveAll(m.witness) != nil { // a checkpoint may be on its way
	}
	aRun(t, l, 3, "what it says")
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "the witness") {
		t.Error(err)
	}
	if err := l.Close(); err != nil { // again
		t.Error(err)
	}
	if l, err := Open(m.dir, m.private); err == nil || !strings.Contains(err.Error(), "the witness has no checkpoint of this log") {
		l.Close()
		t.Error(err)
	}
	if v := m.verify(t); v.Unasked == nil {
		t.Error("the verdict says nothing of the witness")
	}
}

// TestLengths: few lengths of payloads are told apart, since they outlive an erased key.
func TestLengths(t *testing.T) {
	k, err := useDataKey(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	length := func(n int) int {
		sealed, _ := k.seal(Run{}, bytes.Repeat([]byte("x"), n))
		return len(sealed)
	}
	if length(0) != length(200) || length(4000) != length(4010) {
		t.Errorf("%d %d, %d %d", length(0), length(200), length(4000), length(4010))
	}
	for _, n := range []int{0, 1, 254, 255, 256, 257, 4095, 4096, 1 << 20, 1<<20 + 1} {
		if p := padded(n + 1); p <= n || p > n+max(256, n/7+1) {
			t.Errorf("%d is padded to %d", n, p)
		}
		b := append(append(bytes.Repeat([]byte{0}, n), padding), make([]byte, 9)...)
		if got, err := unpadded(b); err != nil || len(got) != n {
			t.Errorf("%d: %d, %v", n, len(got), err)
		}
	}
}

// TestKeysAreNotPrinted: a signing key that is logged, or given in the place of the public one, is in no text.
func TestKeysAreNotPrinted(t *testing.T) {
	m := makeLog(t, false)
	_, asPublic := Verify(Dir(m.dir), PublicKey(m.private), "")
	_, asPrivate := Open(m.dir, SigningKey(m.public))
	for _, text := range []string{fmt.Sprint(m.private), fmt.Sprintf("%#v %s %q %+v", m.private, m.private, m.private, struct{ Key SigningKey }{m.private}), fmt.Sprint(asPublic), fmt.Sprint(asPrivate)} {
		if strings.Contains(text, string(m.private[len(m.private)-20:])) || strings.Contains(text, "PRIVATE+KEY") {
			t.Error(text)
		}
	}
	if asPublic == nil || asPrivate == nil {
		t.Error("a key was taken for the other half")
	}
}

// TestKeyElsewhere: a signing key in the folder that it signs is refused, also behind a link, and Fits says what Open would, while the log is open.
func TestKeyElsewhere(t *testing.T) {
	m := makeLog(t, true)
	elsewhere, link := filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "link")
	for _, path := range []string{elsewhere, filepath.Join(m.dir, "key")} {
		if err := os.WriteFile(path, []byte(m.private), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(m.dir, link); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{"file:" + elsewhere: "", "file:" + filepath.Join(m.dir, "key"): "keep the key in another folder", "file:" + filepath.Join(link, "key"): "keep the key in another folder",
		"env:EXO_NO_SUCH_KEY": "is not set", "": "want the place", "file:": "want the place", elsewhere: "want the place", "sqlite:x": "want the place"} {
		if _, err := ReadSigningKey(m.dir, place); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", place, err, want)
		}
	}
	l := m.open(t)
	defer l.Close()
	if err := Fits(Dir(m.dir), m.private, true); err != nil {
		t.Error(err)
	}
	if err := Fits(Dir(m.dir), makeLog(t, false).private, false); err == nil || !strings.Contains(err.Error(), "the signing key and the public key in log.json don't both belong to the log") {
		t.Error(err)
	}
	if err := Fits(Dir(t.TempDir()), m.private, false); err == nil || !strings.Contains(err.Error(), "exo record init makes one") {
		t.Error(err)
	}
	for os.RemoveAll(m.witness) != nil { // a checkpoint may be on its way
	}
	if err := Fits(Dir(m.dir), m.private, false); err == nil || !strings.Contains(err.Error(), "the witness has no checkpoint of this log") {
		t.Error(err)
	}
	if m := makeLog(t, false); Fits(Dir(m.dir), m.private, false) != nil || Fits(Dir(m.dir), m.private, true) == nil {
		t.Error("a log without a witness fits where one is required")
	}
	if err := os.MkdirAll(m.witness, 0o700); err != nil { // for Close
		t.Fatal(err)
	}
}
