package tree

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// httpWitness is a witness as C2SP's tlog-witness has it, for any log: it checks no signature of the log, and everything else. Torchwood signs.
type httpWitness struct {
	*httptest.Server
	signer *torchwood.CosignatureSigner
	mu     sync.Mutex
	size   int64
	root   tlog.Hash
	asked  int
	proofs int                                                         // hashes of proofs that it got
	odd    func(w http.ResponseWriter, r *http.Request, b []byte) bool // answers in its place; nil: none does
}

func newHTTPWitness(t testing.TB) *httpWitness {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &httpWitness{}
	if w.signer, err = torchwood.NewCosignatureSigner("witness.example/w1", key); err != nil {
		t.Fatal(err)
	}
	w.Server = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(w.Close)
	return w
}

// place names the witness for a log.
func (w *httpWitness) place() string { return w.URL + "/prefix#" + w.signer.Verifier().String() }

func (w *httpWitness) serve(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	if w.odd != nil && w.odd(out, r, body) {
		return
	}
	head, signed, _ := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	c, err := torchwood.ParseCheckpoint(signed[:strings.Index(signed, "\n\n")+1])
	var old int64
	if _, err2 := fmt.Sscanf(lines[0], "old %d", &old); err != nil || err2 != nil || r.Method != http.MethodPost || r.URL.Path != "/prefix/add-checkpoint" || old > c.N {
		http.Error(out, fmt.Sprint(err, err2), http.StatusBadRequest)
		return
	}
	if old != w.size {
		out.Header().Set("Content-Type", "text/x.tlog.size")
		out.WriteHeader(http.StatusConflict)
		fmt.Fprintf(out, "%d\n", w.size)
		return
	}
	var proof tlog.TreeProof
	for _, l := range lines[1:] {
		h, _ := tlog.ParseHash(l)
		proof = append(proof, h)
	}
	w.proofs += len(proof)
	if old == c.N && w.root != c.Hash {
		out.WriteHeader(http.StatusConflict)
		return
	}
	if old > 0 && tlog.CheckTree(proof, c.N, c.Hash, old, w.root) != nil {
		out.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	w.size, w.root = c.N, c.Hash
	io.WriteString(out, "— someone.else/w9 AAAAAAAA\n"+w.cosign(signed))
}

// cosign returns the line of a cosignature of a checkpoint.
func (w *httpWitness) cosign(signed string) string {
	text := signed[:strings.Index(signed, "\n\n")+1]
	n, err := note.Sign(&note.Note{Text: text}, w.signer)
	if err != nil {
		return err.Error()
	}
	return string(n)[len(text)+1:]
}

// state sets what the witness has, and how it answers, and returns what it had.
func (w *httpWitness) set(size int64, root tlog.Hash, odd func(http.ResponseWriter, *http.Request, []byte) bool) (int64, tlog.Hash) {
	w.mu.Lock()
	defer w.mu.Unlock()
	had, of := w.size, w.root
	w.size, w.root, w.odd = size, root, odd
	return had, of
}

func (w *httpWitness) seen() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.size
}

// TestHTTPWitness: a witness over HTTP cosigns each checkpoint by a proof from the last, also of a log that was opened again, that went on while it
// was down, and that has its cosigned checkpoint no more. Verify asks it.
func TestHTTPWitness(t *testing.T) {
	w := newHTTPWitness(t)
	m := makeLogWith(t, w.place())
	for i := range 4 {
		l := m.open(t)
		for range 5 + i {
			aRun(t, l, 3, "what it says")
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		v := m.verify(t)
		if !v.Complete() || v.Unasked != nil || v.Seen != v.Entries || w.seen() != v.Entries {
			t.Fatalf("%+v, %d", v, w.seen())
		}
		if i == 1 {
			os.Remove(filepath.Join(m.dir, cosignedFile))
		}
	}
	if w.proofs == 0 {
		t.Error("no proof was needed")
	}
	size, root := w.set(0, tlog.Hash{}, func(out http.ResponseWriter, _ *http.Request, _ []byte) bool { out.WriteHeader(500); return true })
	l := m.open(t)
	aRun(t, l, 60, "while it is down")
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "the witness: the answer has the HTTP status 500") {
		t.Error(err)
	}
	if v := m.verify(t); !v.Complete() || v.Unasked == nil || v.Seen != size {
		t.Errorf("%+v", v)
	}
	w.set(size, root, nil)
	l = m.open(t) // the first checkpoint of its last segment, or one behind what the witness has: it reads the log for the proof
	aRun(t, l, 3, "after that")
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if v := m.verify(t); !v.Complete() || v.Unasked != nil || v.Seen != v.Entries {
		t.Errorf("%+v", v)
	}
	lines := strings.Join(m.verify(t).Lines(), "\n")
	if !strings.Contains(lines, "witness "+w.URL+"/prefix: it has seen") {
		t.Error(lines)
	}
}

// TestHTTPWitnessFinds: a cut end, an old copy that went on, and a cosigned checkpoint that the log has lost are found.
func TestHTTPWitnessFinds(t *testing.T) {
	w := newHTTPWitness(t)
	m := makeLogWith(t, w.place())
	l := m.open(t)
	aRun(t, l, 3, "first")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	old := m.lines(t)
	cosigned, _ := os.ReadFile(filepath.Join(m.dir, cosignedFile))
	l = m.open(t)
	aRun(t, l, 3, "second")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	m.write(t, old)
	if l, err := Open(m.dir, m.private); err == nil || !strings.Contains(err.Error(), "missing at the end") {
		l.Close()
		t.Error(err)
	}
	if v := m.verify(t); v.Intact() || !strings.Contains(v.Changed[0], "missing at the end: the witness has seen them") {
		t.Errorf("%+v", v)
	}
	if err := os.WriteFile(filepath.Join(m.dir, cosignedFile), cosigned, 0o600); err != nil { // the whole folder is an old copy
		t.Fatal(err)
	}
	if v := m.verify(t); v.Intact() || !strings.Contains(v.Changed[0], "entries are missing at the end or") {
		t.Errorf("%+v", v)
	}
	l = m.open(t)
	aRun(t, l, 9, "another second")
	if err := l.Close(); err == nil {
		t.Error("an old copy went on, and the witness has cosigned it")
	}
	if v := m.verify(t); v.Intact() || !strings.Contains(v.Changed[0], "an old copy of the log was put back") {
		t.Errorf("%+v", v)
	}
	if err := os.WriteFile(filepath.Join(m.dir, cosignedFile), []byte(strings.Replace(string(cosigned), "w1", "w2", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := Open(m.dir, m.private); err == nil || !strings.Contains(err.Error(), "holds no checkpoint that both this log and this witness have signed") {
		l.Close()
		t.Error(err)
	}
}

// TestHostileWitness: whatever a witness answers, the log opens, appends and closes in bounded time and memory, and the verdict counts nothing that
// the pinned key has not signed.
func TestHostileWitness(t *testing.T) {
	defer func(d time.Duration) { witnessWait = d }(witnessWait)
	witnessWait = 300 * time.Millisecond
	other := newHTTPWitness(t)
	for name, c := range map[string]struct {
		odd  func(w *httpWitness, out http.ResponseWriter, r *http.Request, b []byte)
		want string
	}{
		"500": {func(_ *httpWitness, out http.ResponseWriter, _ *http.Request, _ []byte) {
			http.Error(out, "secret", 500)
		}, "the answer has the HTTP status 500"},
		"redirect": {func(_ *httpWitness, out http.ResponseWriter, r *http.Request, _ []byte) {
			http.Redirect(out, r, other.URL, http.StatusTemporaryRedirect)
		}, "the answer has the HTTP status 307"},
		"hangs": {func(_ *httpWitness, _ http.ResponseWriter, r *http.Request, _ []byte) { <-r.Context().Done() }, "exceeded"},
		"drips": {func(_ *httpWitness, out http.ResponseWriter, r *http.Request, _ []byte) {
			for r.Context().Err() == nil {
				io.WriteString(out, "—")
				out.(http.Flusher).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		}, "exceeded"},
		"1 GB": {func(_ *httpWitness, out http.ResponseWriter, _ *http.Request, _ []byte) {
			for range 1 << 10 {
				if _, err := out.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		}, "more than 16384 bytes"},
		"headers": {func(_ *httpWitness, out http.ResponseWriter, _ *http.Request, _ []byte) {
			out.Header().Set("X", strings.Repeat("x", 1<<20))
		}, "headers exceeded"},
		"nothing": {func(*httpWitness, http.ResponseWriter, *http.Request, []byte) {}, "no valid cosignature by the key"},
		"another root": {func(w *httpWitness, out http.ResponseWriter, _ *http.Request, b []byte) {
			io.WriteString(out, w.cosign(strings.Replace(string(b[strings.Index(string(b), "\n\n")+2:]), "\n", " \n", 1)))
		}, "no valid cosignature by the key"},
		"another key": {func(_ *httpWitness, out http.ResponseWriter, _ *http.Request, b []byte) {
			io.WriteString(out, other.cosign(string(b[strings.Index(string(b), "\n\n")+2:])))
		}, "no valid cosignature by the key"},
		"a plain signature": {func(w *httpWitness, out http.ResponseWriter, _ *http.Request, b []byte) {
			fmt.Fprintf(out, "— %s %s\n", w.signer.Name(), base64.StdEncoding.EncodeToString(append([]byte{byte(w.signer.KeyHash() >> 24), byte(w.signer.KeyHash() >> 16), byte(w.signer.KeyHash() >> 8), byte(w.signer.KeyHash())}, make([]byte, 64)...)))
		}, "no valid cosignature by the key"},
		"a size that is none": {func(_ *httpWitness, out http.ResponseWriter, _ *http.Request, _ []byte) {
			out.Header().Set("Content-Type", "text/x.tlog.size")
			out.WriteHeader(409)
			io.WriteString(out, "-1\n")
		}, "is not a number of entries"},
		"too large a size": {func(_ *httpWitness, out http.ResponseWriter, _ *http.Request, _ []byte) {
			out.Header().Set("Content-Type", "text/x.tlog.size")
			out.WriteHeader(409)
			io.WriteString(out, "900\n")
		}, "has 900 entries"},
		"other sizes each time": {func(w *httpWitness, out http.ResponseWriter, _ *http.Request, _ []byte) {
			out.Header().Set("Content-Type", "text/x.tlog.size")
			out.WriteHeader(409)
			fmt.Fprintf(out, "%d\n", w.asked%3)
		}, ""},
		"inconsistent": {func(_ *httpWitness, out http.ResponseWriter, _ *http.Request, _ []byte) { out.WriteHeader(422) }, "does not continue"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newHTTPWitness(t)
			m := makeLogWith(t, w.place())
			w.set(0, tlog.Hash{}, func(out http.ResponseWriter, r *http.Request, b []byte) bool { c.odd(w, out, r, b); return true })
			begun := time.Now()
			l := m.open(t)
			aRun(t, l, 3, "what it says")
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("an append took %s", took)
			}
			err := l.Close()
			if err == nil || !strings.Contains(err.Error(), "the witness: ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(m.dir, cosignedFile)); err == nil {
				t.Error("it is taken for cosigned")
			}
			m.open(t).Crash()
		})
	}
}

// TestWitnessRolledBack: a witness that has lost what it has cosigned is told, and gets no proof from there on.
func TestWitnessRolledBack(t *testing.T) {
	w := newHTTPWitness(t)
	m := makeLogWith(t, w.place())
	l := m.open(t)
	aRun(t, l, 3, "first")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	size, root := w.set(0, tlog.Hash{}, nil)
	if v := m.verify(t); v.Unasked == nil || !strings.Contains(v.Unasked.Error(), "lost its data") || v.Seen != size {
		t.Errorf("%+v", v)
	}
	l = m.open(t)
	aRun(t, l, 3, "second")
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "lost its data") || w.seen() != 0 {
		t.Error(err, w.seen())
	}
	w.set(size, root, nil)
	if v := m.verify(t); v.Unasked != nil || !v.Complete() || v.Seen != v.Entries {
		t.Errorf("%+v", v)
	}
}

// TestWitnessPlaces: what names a witness over HTTP.
func TestWitnessPlaces(t *testing.T) {
	key := newHTTPWitness(t).signer.Verifier().String()
	id := makeLog(t, false).identity.Recipient().String()
	for place, want := range map[string]string{
		"https://witness.example/#" + key:                       "",
		"http://localhost:1/#" + key:                            "",
		"http://[::1]/#" + key:                                  "",
		"http://witness.example/#" + key:                        "want an https address",
		"ftp://localhost/#" + key:                               "want an https address",
		"https://user:s3cret@witness.example/#" + key:           "without a user, a password",
		"https://witness.example/?a=b#" + key:                   "without a user, a password",
		"https://#" + key:                                       "without a user, a password",
		"https://witness.example/":                              "after # want the witness's verifier key",
		"https://witness.example/#x" + key:                      "after # want",
		"https://witness.example/#" + key[:len(key)-4] + "AAA=": "want",
	} {
		origin, private, public, err := NewKey()
		if err == nil {
			err = Create(filepath.Join(t.TempDir(), "log"), About{Origin: origin, Key: public, Recipients: []string{id}, Witness: place}, private)
		}
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) && want != "want" || strings.Contains(err.Error(), "s3cret")) {
			t.Errorf("%s: %v", place, err)
		}
	}
}
