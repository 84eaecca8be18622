// This file opens a log, and continues where the last process stopped.

package tree

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/filelock"
)

// ErrInUse is the error of Open if another process has the log open.
var ErrInUse = filelock.ErrInUse

// Log is a log that is open for appending. It is locked until Close, or until its process ends.
type Log struct {
	dir    string
	about  About
	sum    Hash // the SHA-256 of log.json
	signer note.Signer
	keys   *keys
	unlock func() error
	Tail   []Leaf // the leaves that Open has read

	mu      sync.Mutex
	runs    map[Run]*run // the runs that have not ended, and those that Open has read
	f       file         // the last segment
	size    int64        // how many bytes the whole lines in f have
	tree    frontier
	signed  int64  // how many entries the last checkpoint covers
	head    string // the signed text of the last checkpoint
	timed   bool   // a timer will write a checkpoint soon
	until   int64  // how many entries are synced
	syncing bool
	done    *sync.Cond // signals that a sync has ended
	err     error      // the reason why nothing can be appended any more
	buf     []byte
	witness *witness
}

// run is a run that may get more entries. Lock run.mu before Log.mu.
type run struct {
	mu   sync.Mutex // guards key, and keeps the entries in order
	key  *dataKey   // nil if this process has not sealed a payload of the run yet
	seen progress   // guarded by Log.mu

	taken  bool  // only in a Shared: another process has added entries to the run
	failed error // only in a Shared: why an entry was refused for which no caller waited
}

// seal encrypts the payload of an entry with the key of its run, and notes its hashes in e. Without a payload, sealed is nil. r.mu is held.
func (r *run) seal(e *Leaf, payload []byte, keys *keys) (sealed []byte, err error) {
	if payload == nil {
		return nil, nil
	}
	if r.key == nil {
		if r.key, err = keys.next(); err != nil {
			return nil, err
		}
	}
	sealed, e.Digest = r.key.seal(e.Run, payload)
	e.Sealed = sha256.Sum256(sealed)
	return sealed, nil
}

// progress describes the next leaf that a run needs.
type progress struct {
	next int64 // the Index of the next leaf
	prev Hash
}

// goesOn reports whether e is the next entry of its run. Whether it is or not, p describes the entry after e from then on.
func (p *progress) goesOn(e *Entry) bool {
	last := *p
	*p = progress{e.Index + 1, e.Hash}
	return e.Index == last.next && e.Prev == last.prev && (e.Run == Run{} || (e.Step == Begun) == (e.Index == 0)) && (e.Step == Ended) == (e.Count != 0) && (e.Count == 0 || e.Count == e.Index+1)
}

// Create makes a log in a folder, which must be empty or missing. a.Key is the public half of private.
func Create(dir string, a About, private SigningKey) error {
	text, err := a.text()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		return cmp.Or(err, fmt.Errorf("%s is not empty: a log needs a folder of its own", dir))
	}
	if err := a.place(dir); err != nil {
		return err
	}
	l, err := prepare(dir, a, private)
	if err != nil {
		return err
	}
	l.sum = sha256.Sum256(text)
	if err = l.begin(0); err == nil {
		err = a.firstSeen(l.head)
	}
	if err == nil {
		err = atomicfile.Replace(filepath.Join(dir, aboutFile), text, 0o644)
	}
	return errors.Join(err, l.Close())
}

func prepare(dir string, a About, private SigningKey) (*Log, error) {
	l := &Log{dir: dir, about: a, runs: map[Run]*run{}}
	l.done = sync.NewCond(&l.mu)
	var err error
	if l.keys, l.signer, err = a.keys(private); err != nil {
		return nil, err
	}
	lock, unlock, err := filelock.Open(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	l.unlock = func() error { return errors.Join(unlock(), lock.Close()) }
	return l, nil
}

// Open opens a log for appending. It reads at least the last MiB of the last segment, back to a checkpoint. These lines must be complete and
// in order, and the checkpoint must sign the tree. Open cuts off a last line without a newline, which was never reported as durable. It
// moves unreadable lines after the last checkpoint to a separate file. private is the signing key. Open fails if the last checkpoint does
// not sign log.json, or if the witness has seen a longer log or another one.
func Open(dir string, private SigningKey) (*Log, error) {
	a, digest, err := readAbout(Dir(dir))
	if err != nil {
		return nil, err
	}
	l, err := prepare(dir, a, private)
	if err != nil {
		return nil, err
	}
	l.sum = digest
	if err := l.load(); err != nil {
		_ = l.close() // no lock is needed, since no other goroutine has l yet
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return l, nil
}

func (l *Log) load() error {
	all, err := segments(l.dir)
	var tail []item
	var bad error // the reason why the line at l.size can't be read
	for len(tail) == 0 {
		if bad != nil {
			return bad
		}
		if err != nil || len(all) == 0 {
			return cmp.Or(err, errors.New("the log has no entries: its files were removed, so put a copy of them back"))
		}
		if tail, l.size, bad, err = readTail(all[len(all)-1].path); err == nil && bad == nil && len(tail) == 0 {
			err = os.Remove(all[len(all)-1].path) // a process was killed while it wrote the first line of this segment
			all = all[:len(all)-1]
		}
	}
	if err != nil {
		return err
	}
	v, err := verifier(l.about.Key)
	if err != nil {
		return err
	}
	last := 0
	for i := range tail {
		if x := &tail[i]; x.Entry == nil {
			last, l.head = i, x.checkpoint
			if x.of, err = openCheckpoint(x.checkpoint, v); err != nil {
				return err
			}
		}
	}
	head, ok := tail[last].of, false
	if l.tree, ok = frontierOf(head, tail[last].subtrees); !ok {
		return errors.New("the last checkpoint of the log was changed, or the log has none: exo record verify shows what was changed")
	}
	if head.About != l.sum {
		return fmt.Errorf("%s was changed after the log was made: put the original back", aboutFile)
	}
	path := all[len(all)-1].path
	if i := slices.IndexFunc(tail[last:], func(x item) bool { return x.broken != nil }); i >= 0 {
		bad, l.size, tail = tail[last+i].broken, tail[last+i].at, tail[:last+i]
	}
	if bad != nil {
		if err := l.setAside(path, bad, v); err != nil {
			return err
		}
	}
	if err := l.goOn(tail, last); err != nil {
		return err
	}
	l.signed = head.Size
	var seen Checkpoint
	if l.about.Witness != "" { // check the witness before anything is cut off
		if l.witness, seen, err = witnessOf(l.about.Witness, v, Dir(l.dir)); err != nil {
			return err
		}
		if n := l.tree.size; seen.Size > n {
			return fmt.Errorf("the witness has seen %d entries, and the log has %d: entries %d to %d are missing at the end: put back a copy of the log that has them", seen.Size, n, n, seen.Size-1)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.f = f
	if err := f.Truncate(l.size); err != nil {
		return err
	}
	if l.witness != nil {
		if err := l.continues(seen, v, tail); err != nil {
			return err
		}
	}
	if n := l.tree.size - head.Size; n > 0 || bad != nil {
		if err := l.add(&Leaf{Step: Resumed, At: time.Now(), Call: uint64(n), Failed: bad != nil}, nil); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = -1
	return l.synced(l.tree.size)
}

// unreadFile is the beginning of the names of the files to which Open moves lines that it can't read.
const unreadFile = "unread-"

// setAside moves the bytes from l.size on to a separate file. Usually the power failed before they were synced, so they were never reported as
// durable. If a signed checkpoint follows, they were synced and damaged later: then setAside fails, and the log does not open.
func (l *Log) setAside(path string, bad error, v note.Verifier) error {
	if later, err := signedBehind(path, l.size, v); err != nil || later {
		return errors.Join(bad, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return atomicfile.Replace(filepath.Join(l.dir, fmt.Sprintf("%s%s-%d", unreadFile, filepath.Base(path), l.size)), text[l.size:], 0o600)
}

// goOn restores the runs of the tail, and adds the entries after the last checkpoint to the tree.
func (l *Log) goOn(tail []item, last int) error {
	for i, x := range tail {
		if x.Entry == nil {
			continue
		}
		l.Tail = append(l.Tail, x.Leaf)
		if l.runs[x.Run] == nil {
			l.runs[x.Run] = &run{seen: progress{x.Index, x.Prev}}
		}
		if !l.runs[x.Run].seen.goesOn(x.Entry) {
			return fmt.Errorf("entry %d does not follow the one before it in run %s: exo record verify shows what was changed", x.Number, x.Run)
		}
		if i < last {
			continue
		}
		if x.Number != l.tree.size {
			return fmt.Errorf("entry %d is in the place of entry %d: exo record verify shows what was changed", x.Number, l.tree.size)
		}
		if _, err := l.tree.add(x.Hash); err != nil {
			return err
		}
	}
	return nil
}

// RequireWitness makes Append of a durable entry wait until the log's witness has the checkpoint that covers the entry. After within, which must be
// positive, Append fails with a WitnessError, although the entry is in the log. Entries that nothing irreversible can follow, Ended and Asked ones,
// don't wait.
func (l *Log) RequireWitness(within time.Duration) error { return l.witness.require(within) }

var errClosed = errors.New("the log was closed")

// Close signs and syncs all entries, and unlocks the log.
func (l *Log) Close() error {
	if l == nil || l.unlock == nil {
		return errClosed
	}
	l.mu.Lock()
	if l.err == errClosed {
		l.mu.Unlock()
		return nil
	}
	err := l.synced(l.tree.size)
	l.mu.Unlock()
	return errors.Join(err, l.close())
}

func (l *Log) close() error {
	l.mu.Lock()
	for l.syncing {
		l.done.Wait()
	}
	if l.err == errClosed {
		l.mu.Unlock()
		return nil
	}
	var err error
	if l.err = errClosed; l.f != nil {
		err = l.f.Close()
	}
	l.mu.Unlock() // unlocked, since the witness may take long and other callers must not wait for it
	return errors.Join(err, l.witness.stop(), l.unlock())
}
