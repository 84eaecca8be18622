// This file appends entries. All callers that wait share one sync, and one checkpoint before it.

package tree

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/exoagent/exoagent/internal/atomicfile"
)

const (
	maxSegment = 64 << 20    // bytes of a segment; when it is larger, the next entry begins a new one
	signEvery  = 512         // how many entries may follow a checkpoint before the next one
	signAfter  = time.Second // how long an entry may wait for a checkpoint that covers it
)

// file has the methods of an *os.File that a log needs for its last segment.
type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// Append adds an entry, and encrypts its payload. It returns when the entry is written or, if durable is set, synced. After an
// error the log does not have the entry, unless durable is set: then it may have it. After a failed sync nothing can be appended any more.
func (l *Log) Append(e Leaf, payload []byte, durable bool) error {
	err := l.add(&e, payload)
	if err == nil && durable {
		l.mu.Lock()
		err = l.synced(e.Number + 1)
		l.mu.Unlock()
	}
	if err == nil && e.witnessed(durable) {
		err = l.witness.covered(e.Number + 1)
	}
	return err
}

func (l *Log) add(e *Leaf, payload []byte) error {
	r, err := l.runOf(e)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	sealed, err := r.seal(e, payload, l.keys)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(e, r, sealed)
}

// runOf returns the run of an entry. Since l.runs does not keep ended runs, runOf searches the whole log for them.
func (l *Log) runOf(e *Leaf) (*run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.runs[e.Run]
	if r != nil {
		return r, nil
	}
	r = &run{}
	open := map[Run]progress{} // open collects the other runs without an end: settling asks for them next, so one search is enough
	if e.Step != Begun {
		for x, err := range Entries(Dir(l.dir)) {
			if err != nil {
				return nil, err
			}
			if x.Run == e.Run {
				r.seen = progress{x.Index + 1, x.Hash}
			} else if open[x.Run] = (progress{x.Index + 1, x.Hash}); x.Step == Ended {
				delete(open, x.Run)
			}
		}
		for id, at := range open {
			if l.runs[id] == nil {
				l.runs[id] = &run{seen: at}
			}
		}
	}
	l.runs[e.Run] = r
	return r, nil
}

// write writes one entry completely, or nothing of it.
func (l *Log) write(e *Leaf, r *run, sealed []byte) error {
	if err := l.ready(); err != nil {
		return err
	}
	switch begins := e.Step == Begun; {
	case begins && r.seen.next > 0:
		return fmt.Errorf("run %s has begun before: each run needs its own ID", e.Run)
	case !begins && r.seen.next == 0 && e.Run != Run{}:
		delete(l.runs, e.Run)
		return fmt.Errorf("run %s has not begun: append its entry Begun first", e.Run)
	case l.runs[e.Run] != r:
		return fmt.Errorf("run %s has ended, so the log takes no more entries of it", e.Run)
	}
	if e.Number, e.Index, e.Prev = l.tree.size, r.seen.next, r.seen.prev; e.Step == Ended {
		e.Count = e.Index + 1
	}
	var wrapped []byte
	if sealed != nil {
		if e.Key = r.key.index; e.Key < 0 {
			e.Key, wrapped, e.Wrapped = e.Index, r.key.wrapped, sha256.Sum256(r.key.wrapped)
		}
	}
	line, hash := appendEntry(l.buf[:0], e, wrapped, sealed)
	if err := l.put(line); err != nil {
		if r.seen.next == 0 {
			delete(l.runs, e.Run)
		}
		return err
	}
	if cap(line) <= 64<<10 {
		l.buf = line
	}
	if r.seen = (progress{e.Index + 1, hash}); sealed != nil {
		r.key.index = e.Key
	}
	if e.Step == Ended {
		delete(l.runs, e.Run) // deletes the run's key, too: from now on only the recipients can decrypt the run
		l.keys.fill()
	}
	if _, err := l.tree.add(hash); err != nil {
		l.err = err
		return err
	}
	if l.tree.size-l.signed >= signEvery {
		_ = l.sign() // if sign fails, the next entry tries again
	} else if !l.timed {
		l.timed = true
		time.AfterFunc(signAfter, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.timed = false
			_ = l.synced(l.tree.size) // if the sync fails, the next Append returns its error
		})
	}
	return nil
}

// ready begins a new segment if the last one is full. It returns the error that keeps the log from growing, if there is one.
func (l *Log) ready() error {
	if l.err != nil || l.size < maxSegment || l.syncing {
		return l.err
	}
	if err := l.f.Sync(); err != nil {
		return l.broken(err)
	}
	l.until = l.tree.size
	err := l.begin(l.tree.size)
	l.witness.send(l.head) // an earlier entry may be waiting for this checkpoint
	return err
}

// put writes lines. If it fails, it cuts off the part that was written.
func (l *Log) put(lines []byte) error {
	n, err := l.f.Write(lines)
	if err == nil {
		l.size += int64(n)
	} else if err2 := l.f.Truncate(l.size); n > 0 && err2 != nil {
		l.err = fmt.Errorf("the log ends in half a line, which is cut off when it is opened again: %w", err2)
	}
	return err
}

// sign writes a checkpoint, unless the last checkpoint covers all entries.
func (l *Log) sign() error {
	if l.signed == l.tree.size {
		return nil
	}
	signed, line, err := l.tree.checkpoint(l.about.Origin, l.sum, l.signer)
	if err == nil {
		err = l.put(line)
	}
	if err == nil {
		l.signed, l.head = l.tree.size, signed
	}
	return err
}

// begin begins a new segment with a checkpoint. The previous segment must be synced.
func (l *Log) begin(first int64) error {
	signed, line, err := l.tree.checkpoint(l.about.Origin, l.sum, l.signer)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(segmentPath(l.dir, first), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(line); err == nil {
		err = errors.Join(f.Sync(), atomicfile.SyncFolder(l.dir))
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	if l.f != nil {
		_ = l.f.Close() // the previous segment is already synced, so an error does not matter
	}
	l.f, l.size, l.signed, l.head = f, int64(len(line)), l.tree.size, signed
	return nil
}

// synced returns when the first n entries are signed and synced. The caller holds l.mu, which synced unlocks during a sync.
func (l *Log) synced(n int64) error {
	for l.until < n && l.err == nil {
		if l.syncing {
			l.done.Wait()
			continue
		}
		if err := l.sign(); err != nil {
			return fmt.Errorf("the entry was written, but neither signed nor synced to the disk: %w", err)
		}
		f, written, head := l.f, l.tree.size, l.head
		l.syncing = true
		l.mu.Unlock()
		err := f.Sync()
		l.mu.Lock()
		if l.syncing = false; err != nil {
			_ = l.broken(err)
		} else {
			l.until = written
			l.witness.send(head)
		}
		l.done.Broadcast()
	}
	return l.err
}

// broken ends the log after a failed sync, since it is unknown which entries are on the disk.
func (l *Log) broken(err error) error {
	l.err = fmt.Errorf("the log could not be synced to the disk, and nothing is appended until it is opened again: %w", err)
	return l.err
}
