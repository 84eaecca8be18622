// This file erases the payloads of runs, by destroying their data keys.

package tree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// erasing is a run with keys that must be destroyed. known is set if the log already has the entry Erased of the run.
type erasing struct {
	ended, known bool
	keys         []keyPlace
}

type keyPlace struct {
	number int64 // the number of the entry
	file   string
	at     int64
	length int
}

// keyOf returns where the data key of an entry is, or zero if the entry has none.
func keyOf(x item) keyPlace {
	e := x.Entry
	if len(e.wrapped) == 0 || e.Destroyed() {
		return keyPlace{}
	}
	at := bytes.LastIndex(e.raw, append([]byte(`,"key":"`), e.wrapped...)) // the key is after the leaf, which may contain the same text
	if at < 0 {
		return keyPlace{}
	}
	return keyPlace{e.Number, x.file, x.at + int64(at+len(`,"key":"`)), len(e.wrapped)}
}

// erasable has the methods that erasing needs of an open log.
type erasable interface {
	source() Source
	key() note.Verifier
	Append(e Leaf, payload []byte, durable bool) error
	flush() error                         // returns when all entries are durable
	destroy(keys []keyPlace) (int, error) // overwrites or deletes data keys
}

// Erase destroys the data keys of the named runs, and of all runs that began before a time; the zero time adds none. It fails if a named run is missing
// or has not ended. It skips, and returns, other runs that have not ended. The payloads of erased runs can't be decrypted any more, but all hashes
// stay. Erase first syncs an entry for each run, and then overwrites the keys. If it is interrupted in between, Verify reports that, and a second
// Erase of the same runs completes it. n is the number of destroyed keys.
func (l *Log) Erase(before time.Time, runs ...Run) (n int, skipped []Run, err error) {
	if err := l.flush(); err != nil { // flush signs what this process has written
		return 0, nil, err
	}
	x := newEraser(before, runs)
	for y, err := range l.source().lines(place{}, true) {
		if err != nil {
			return 0, nil, err
		}
		if y.Entry != nil {
			x.note(y.Entry, keyOf(y))
		}
	}
	return x.erase(l)
}

// eraser finds the runs that are to be erased. Then the method erase checks that the log has signed the lines that decided this.
type eraser struct {
	before time.Time
	must   map[Run]bool // the runs that the log must have, with their ends
	found  map[Run]*erasing
	read   map[int64]Hash // the entries that decide what is erased, by number
}

func newEraser(before time.Time, must []Run) *eraser {
	x := &eraser{before, map[Run]bool{}, map[Run]*erasing{}, map[int64]Hash{}}
	for _, id := range must {
		x.must[id] = true
	}
	return x
}

func (x *eraser) note(e *Entry, key keyPlace) {
	if e.Step == Begun && (x.must[e.Run] || e.At.Before(x.before)) {
		x.found[e.Run] = &erasing{}
	}
	r, of := x.found[e.Run], x.found[e.Of]
	if r != nil {
		r.ended = r.ended || e.Step == Ended // an entry that settles the run may follow Ended
		if key.length > 0 {
			r.keys = append(r.keys, key)
		}
	} else if of != nil {
		of.known = true
	}
	if r != nil || of != nil {
		x.read[e.Number] = e.Hash
	}
}

func (x *eraser) erase(l erasable) (n int, skipped []Run, err error) {
	if err := signedAt(l.source(), l.key(), x.read); err != nil {
		return 0, nil, err
	}
	for id := range x.must {
		if r := x.found[id]; r == nil {
			return 0, nil, fmt.Errorf("run %s is not in the log: correct the ID", id)
		} else if !r.ended {
			return 0, nil, fmt.Errorf("run %s has not ended: if its process was stopped, end the run with exo record settle", id)
		}
	}
	var keys []keyPlace
	for id, r := range x.found {
		if !r.ended {
			skipped = append(skipped, id)
			continue
		}
		if keys = append(keys, r.keys...); !r.known {
			err = errors.Join(err, l.Append(Leaf{Step: Erased, At: time.Now(), Of: id}, nil, false))
		}
	}
	if err = errors.Join(err, l.flush()); err != nil {
		return 0, nil, err
	}
	n, err = l.destroy(keys)
	return n, skipped, err
}

// Unread lists the files to which Open moved lines that it could not read. They may contain data keys, which Erase does not destroy.
func Unread(dir string) ([]string, error) { return filepath.Glob(filepath.Join(dir, unreadFile+"*")) }

func (l *Log) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.synced(l.tree.size)
}

func (l *Log) destroy(keys []keyPlace) (n int, err error) {
	files := map[string]*os.File{}
	for _, k := range keys {
		f := files[k.file]
		if f == nil {
			if f, err = os.OpenFile(k.file, os.O_WRONLY, 0); err != nil {
				return n, err
			}
			defer f.Close()
			files[k.file] = f
		}
		if _, err := f.WriteAt(bytes.Repeat([]byte(destroyed), k.length), k.at); err != nil {
			return n, err
		}
		n++
	}
	for _, f := range files {
		err = errors.Join(err, f.Sync())
	}
	return n, err
}
