package tree

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/exoagent/exoagent/internal/testutil"
)

// lines are those of the first segment.
func (m made) lines(t *testing.T) [][]byte {
	t.Helper()
	text, err := os.ReadFile(segmentPath(m.dir, 0))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(bytes.Lines(text))
}

func (m made) write(t *testing.T, lines [][]byte) {
	t.Helper()
	if err := os.WriteFile(segmentPath(m.dir, 0), bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
}

// origin is the log's name, by its public key.
func (m made) origin() string { return string(m.public[:strings.Index(string(m.public), "+")]) }

// One bit anywhere in a segment is found; at the end of the last line it makes the last checkpoint void.
func TestFlip(t *testing.T) {
	testutil.NotRaced(t)
	m := makeLog(t, false)
	l := m.open(t)
	for range 3 {
		aRun(t, l, 5, "what it says")
	}
	l.Close()
	text, _ := os.ReadFile(segmentPath(m.dir, 0))
	from := rand.IntN(23)
	for k := range 8 * len(text) / 23 {
		at, bit := (23*k+from)/8, (23*k+from)%8
		if at == len(text) {
			break
		}
		text[at] ^= 1 << bit
		os.WriteFile(segmentPath(m.dir, 0), text, 0o600)
		v := m.verify(t)
		if v.Intact() && !(at == len(text)-1 && v.Signed < v.Entries) {
			t.Errorf("bit %d of byte %d: %q", bit, at, text[max(0, at-20):min(len(text), at+20)])
		}
		text[at] ^= 1 << bit
	}
}

// A proof with any change is refused, as are those of which an entry is missing.
func TestProofs(t *testing.T) {
	testutil.NotRaced(t)
	m := makeLog(t, false)
	l := m.open(t)
	r := aRun(t, l, 6, "what it says")
	aRun(t, l, 5, "another")
	l.Close()
	var out bytes.Buffer
	if err := Prove(&out, Dir(m.dir), r); err != nil {
		t.Fatal(err)
	}
	proof := out.Bytes()
	whole, err := Check(bytes.NewReader(proof), m.public)
	if err != nil || !whole.Ended || len(whole.Entries) != 6 {
		t.Fatal(err)
	}
	for at := range proof {
		bit := rand.IntN(8)
		proof[at] ^= 1 << bit
		p, err := Check(bytes.NewReader(proof), m.public)
		same := err == nil && len(p.Entries) == len(whole.Entries) && p.Checkpoint == whole.Checkpoint // a name in capitals is the same JSON
		for i := 0; same && i < len(p.Entries); i++ {
			same = p.Entries[i].Leaf == whole.Entries[i].Leaf && bytes.Equal(p.Entries[i].sealed, whole.Entries[i].sealed)
		}
		if err == nil && !same {
			t.Errorf("bit %d of byte %d: %q, %d entries", bit, at, proof[max(0, at-20):min(len(proof), at+20)], len(p.Entries))
		}
		proof[at] ^= 1 << bit
	}
	lines := slices.Collect(bytes.Lines(proof))
	for i := 1; i < len(lines); i++ {
		p, err := Check(bytes.NewReader(bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil)), m.public)
		if last := i == len(lines)-1; last && (err != nil || p.Ended) || !last && (err == nil || !strings.Contains(err.Error(), "an entry is missing")) {
			t.Errorf("without line %d: %v", i, err)
		}
	}
	none := fmt.Appendf(slices.Clone(lines[0]), "{\"path\":null,\"entry\":%s}\n", bytes.TrimSpace(appendCheckpoint(nil, "x", nil)))
	if _, err := Check(bytes.NewReader(none), m.public); err == nil || !strings.HasSuffix(err.Error(), "line 2 of the proof is no entry: the line is a checkpoint") {
		t.Errorf("a checkpoint in the place of an entry: %v", err)
	}
	_, other, _ := note.GenerateKey(crand.Reader, m.origin())
	if _, err := Check(bytes.NewReader(proof), PublicKey(other)); err == nil {
		t.Error("another key")
	}
	if err := Prove(&out, Dir(m.dir), newRun()); err == nil {
		t.Error("a run that is not there")
	}
}

// The log goes on behind half a line, wherever it was cut, and loses no whole one.
func TestTornLine(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	aRun(t, l, 3, "first")
	l.Close()
	whole := len(bytes.Join(m.lines(t), nil))
	l = m.open(t)
	r := newRun()
	for _, step := range []string{Begun, "intent", "outcome"} {
		if err := l.Append(leafOf(r, step), []byte("x"), false); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	text, _ := os.ReadFile(segmentPath(m.dir, 0))
	for n := whole; n <= len(text); n += 1 + (len(text)-whole)/60 {
		os.WriteFile(segmentPath(m.dir, 0), text[:n], 0o600)
		entries := bytes.Count(text[:n], []byte(`,"sealed":"`)) // of whole leaves; the last may be torn
		l := m.open(t)
		if at, _ := os.ReadFile(segmentPath(m.dir, 0)); !bytes.HasPrefix(at, text[:bytes.LastIndexByte(text[:n], '\n')+1]) {
			t.Errorf("%d bytes: a whole line was cut off", n)
		}
		aRun(t, l, 3, "behind")
		l.Close()
		if v := m.verify(t); !v.Complete() || int(v.Entries) > entries+7 {
			t.Errorf("%d bytes: %+v", n, v)
		}
	}
}

// A disk that is full refuses the entry and takes back its half, and the log goes on once there is room. A sync that fails ends it.
func TestFullDisk(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	r := newRun()
	disk := &badDisk{file: l.f}
	l.f = disk
	disk.room, disk.stuck = 30, true
	if err := l.Append(leafOf(r, Begun), []byte("x"), false); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Error(err)
	}
	if err := l.Append(leafOf(r, Begun), []byte("x"), false); err == nil || !strings.Contains(err.Error(), "half a line") {
		t.Error(err)
	}
	l.Close()
	l = m.open(t)
	disk = &badDisk{file: l.f, room: 30}
	l.f = disk
	if err := l.Append(leafOf(r, Begun), []byte("x"), false); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Error(err)
	}
	disk.room = 1 << 20
	for _, step := range []string{Begun, "intent"} {
		if err := l.Append(leafOf(r, step), []byte("x"), true); err != nil {
			t.Error(err)
		}
	}
	disk.broken = true
	if err := l.Append(leafOf(r, "intent"), []byte("x"), true); err == nil || !strings.Contains(err.Error(), "could not be synced") {
		t.Error(err)
	}
	if err := l.Append(leafOf(r, "intent"), []byte("x"), false); err == nil {
		t.Error("an entry behind a sync that failed")
	}
	l.Close()
	l = m.open(t)
	if err := l.Append(leafOf(r, Ended), []byte("x"), true); err != nil {
		t.Error(err)
	}
	l.Close()
	o := m.opener(t)
	for e := range Entries(Dir(m.dir)) {
		if text, err := o.Open(e); e.Run == r && (err != nil || string(text) != "x") {
			t.Errorf("entry %d: %q, %v", e.Number, text, err)
		}
	}
	if v := m.verify(t); !v.Complete() || len(v.Unended) != 0 {
		t.Errorf("%+v", v)
	}
}

type badDisk struct {
	file
	room          int
	stuck, broken bool
}

func (d *badDisk) Write(b []byte) (int, error) {
	n, err := d.file.Write(b[:min(len(b), d.room)])
	if d.room -= n; n < len(b) {
		err = fmt.Errorf("no room")
	}
	return n, err
}

func (d *badDisk) Truncate(n int64) error {
	if d.stuck {
		return fmt.Errorf("stuck")
	}
	return d.file.Truncate(n)
}

func (d *badDisk) Sync() error {
	if d.broken {
		return fmt.Errorf("broken")
	}
	return d.file.Sync()
}

// What was erased can't be guessed from anything that is left: neither its plain digest nor one keyed by any value of the folder is there,
// and the identity opens it no more. Before, the same guesses find it.
func TestErase(t *testing.T) {
	m := makeLog(t, true)
	l := m.open(t)
	salary := func(n int) []byte { return fmt.Appendf(nil, `{"salary":%d}`, n) }
	r, other := newRun(), aRun(t, l, 4, "stays")
	for i, step := range []string{Begun, "outcome", Ended} {
		if err := l.Append(leafOf(r, step), salary(40_000+i), false); err != nil {
			t.Fatal(err)
		}
	}
	open := aRun(t, l, 2, "another that ended")
	var secret []byte
	for e := range Entries(Dir(m.dir)) { // the attacker who has the identity
		if e.Run == r && e.Step == Begun {
			o := m.opener(t)
			if _, err := o.Open(e); err != nil {
				t.Fatal(err)
			}
			secret = unwrapped(t, m, e.wrapped)
		}
	}
	if n := guesses(t, m, r, salary, secret); n != 3 {
		t.Errorf("with the data key %d values were guessed: the test guesses wrongly", n)
	}
	if _, _, err := l.Erase(time.Time{}, open); err != nil {
		t.Error(err)
	}
	live := newRun()
	if err := l.Append(leafOf(live, Begun), []byte("x"), false); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Erase(time.Time{}, live); err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Error(err)
	}
	if _, _, err := l.Erase(time.Time{}, newRun()); err == nil {
		t.Error("a run that is not there")
	}
	if _, _, err := l.Erase(time.Time{}, r); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Erase(time.Time{}, r); err != nil { // again, as after a crash
		t.Error(err)
	}
	l.Close()
	if n := guesses(t, m, r, salary, nil); n != 0 {
		t.Errorf("%d erased values were guessed", n)
	}
	o, erased, read := m.opener(t), 0, 0
	for e := range Entries(Dir(m.dir)) {
		switch text, err := o.Open(e); {
		case e.Run == r && err != ErrErased:
			t.Errorf("%q, %v", text, err)
		case e.Step == Erased:
			erased++
		case e.Run == other && err == nil:
			read++
		}
	}
	if v := m.verify(t); !v.Complete() || v.Erased != 2 || len(v.Unended) != 1 || erased != 2 || read != 4 {
		t.Errorf("%d, %d, %+v", erased, read, v)
	}
	l = m.open(t)
	for _, want := range []int{1, 0} {
		if n, _, err := l.Erase(time.Now()); err != nil || n != want {
			t.Errorf("%d keys, %v", n, err)
		}
	}
	l.Close()
}

// An erased key that is put back from a backup is found, and erasing again destroys it.
func TestErasedKeyIsBack(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	r := aRun(t, l, 3, "x")
	l.Close()
	before := m.lines(t)
	l = m.open(t)
	if _, _, err := l.Erase(time.Time{}, r); err != nil {
		t.Fatal(err)
	}
	l.Close()
	after := m.lines(t)
	copy(after, before)
	m.write(t, after)
	if v := m.verify(t); v.Intact() || !strings.Contains(v.Changed[0], "Erase it again") {
		t.Errorf("%+v", v)
	}
	l = m.open(t)
	if _, _, err := l.Erase(time.Time{}, r); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if v := m.verify(t); !v.Complete() || v.Erased != 1 {
		t.Errorf("%+v", v)
	}
}

func unwrapped(t *testing.T, m made, wrapped []byte) []byte {
	t.Helper()
	secret, err := unwrap(wrapped, m.opener(t).identities)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// guesses is how many values of a run are found in the folder and at the witness, by one who knows their form: each of 100,000 salaries, hashed plainly or keyed
// by each run of 32 bytes that is there, or by a key that is given.
func guesses(t *testing.T, m made, r Run, form func(int) []byte, key []byte) int {
	t.Helper()
	there := map[string]bool{}
	var keys [][]byte
	if key != nil {
		keys = append(keys, key)
	}
	for _, dir := range []string{m.dir, m.witness} {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, f := range files {
			text, _ := os.ReadFile(f)
			for _, x := range regexp.MustCompile(`[0-9a-f]{64}`).FindAll(text, -1) {
				b, _ := hex.DecodeString(string(x))
				there[string(b)] = true
			}
			for _, x := range regexp.MustCompile(`[A-Za-z0-9+/]{22,}=*`).FindAll(text, -1) {
				if b, err := base64.StdEncoding.DecodeString(string(x)); err == nil {
					there[string(b)] = true
					if len(b) == 32 {
						keys = append(keys, b)
					}
				}
			}
		}
	}
	for b := range there {
		if len(b) == 32 && len(keys) < 40 {
			keys = append(keys, []byte(b))
		}
	}
	var macs [][]byte
	for _, k := range keys {
		both, _ := hkdf.Key(sha256.New, k, nil, "exo record 1: encryption and digest", 64)
		macs = append(macs, both[32:], both[:32], k)
	}
	found := 0
	for n := 39_900; n < 40_100; n++ {
		for _, text := range [][]byte{form(n), append(slices.Clone(r[:]), form(n)...)} {
			sum := sha256.Sum256(text)
			hit := there[string(sum[:])]
			for _, k := range macs {
				h := hmac.New(sha256.New, k)
				h.Write(text)
				hit = hit || there[string(h.Sum(nil))]
			}
			if hit {
				found++
				break
			}
		}
	}
	return found
}

// TestOneSync: a run that commits waits for one sync, and one that reads for none.
func TestOneSync(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	disk := &counted{file: l.f}
	l.f = disk
	begun := time.Now()
	for i, durable := range []bool{false, true} {
		r := newRun()
		for _, step := range []string{Begun, "intent", "outcome", "released", "committing", "committed", Ended} {
			if err := l.Append(leafOf(r, step), []byte("x"), durable && step == "committing"); err != nil {
				t.Fatal(err)
			}
		}
		if n := int(disk.syncs.Load()); n != i && time.Since(begun) < signAfter { // then it syncs by itself, and nobody waits
			t.Errorf("%d syncs, want %d", n, i)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

type counted struct {
	file
	syncs atomic.Int64
}

func (d *counted) Sync() error { d.syncs.Add(1); return d.file.Sync() }

// TestKeysAhead: each run has a data key of its own, whether it was made for the run or ahead of it, by however many runs at the same time.
func TestKeysAhead(t *testing.T) {
	m := makeLog(t, false)
	l := m.open(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				aRun(t, l, 3, "what it says")
			}
		})
	}
	all.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	seen, runs := map[string]bool{}, 0
	for e, err := range Entries(Dir(m.dir)) {
		if err != nil {
			t.Fatal(err)
		}
		if len(e.wrapped) > 0 {
			runs++
			seen[string(unwrapped(t, m, e.wrapped))] = true
		}
	}
	if runs != 80 || len(seen) != 80 {
		t.Errorf("%d runs have %d keys", runs, len(seen))
	}
}
