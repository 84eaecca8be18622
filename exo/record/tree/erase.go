// This file erases the payloads of runs: it destroys their data keys.

package tree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"
)

// erasing is a run whose keys are to be destroyed. known: the log has the entry Erased of the run already.
type erasing struct {
	ended, known bool
	keys         []keyPlace
}

type keyPlace struct {
	file   string
	at     int64
	length int
}

// Erase destroys the data keys of runs, which must have ended, and of all ended runs that began before a time. The zero time adds no run. The
// payloads of these runs can't be decrypted any more, and all hashes stay. Erase first syncs an entry for each run, and then overwrites the
// keys. If it is interrupted between the two, Verify reports it; call Erase with the same runs again. Erase returns the number of keys that it
// destroyed, and the runs that it skipped: they began before the time and have not ended.
func (l *Log) Erase(before time.Time, runs ...Run) (n int, skipped []Run, err error) {
	found, want := map[Run]*erasing{}, map[Run]bool{}
	for _, id := range runs {
		want[id] = true
	}
	for e, err := range Entries(l.dir) {
		if err != nil {
			return n, nil, err
		}
		if r := found[e.Of]; r != nil {
			r.known = true
		}
		if e.Step == Begun && (e.At.Before(before) || want[e.Run]) {
			found[e.Run] = &erasing{}
		}
		if r := found[e.Run]; r != nil {
			r.ended = e.Step == Ended
			if len(e.wrapped) > 0 && !e.Destroyed() {
				r.keys = append(r.keys, keyPlace{e.file, e.at + int64(bytes.Index(e.raw, e.wrapped)), len(e.wrapped)})
			}
		}
	}
	for _, id := range runs {
		if r := found[id]; r == nil || !r.ended {
			return 0, nil, fmt.Errorf("run %s is not there or has not ended: exo record settle settles runs whose process was stopped", id)
		}
	}
	var keys []keyPlace
	for id, r := range found {
		if !r.ended {
			skipped = append(skipped, id)
		}
		if r.ended && !r.known {
			err = errors.Join(err, l.Append(Leaf{Step: Erased, At: time.Now(), Of: id}, nil, false))
		}
		if r.ended {
			keys = append(keys, r.keys...)
		}
	}
	l.mu.Lock()
	err = errors.Join(err, l.synced(l.tree.size))
	l.mu.Unlock()
	if err != nil {
		return n, nil, err
	}
	files := map[string]*os.File{}
	for _, k := range keys {
		f := files[k.file]
		if f == nil {
			if f, err = os.OpenFile(k.file, os.O_WRONLY, 0); err != nil {
				return n, nil, err
			}
			defer f.Close()
			files[k.file] = f
		}
		if _, err := f.WriteAt(bytes.Repeat([]byte(destroyed), k.length), k.at); err != nil {
			return n, nil, err
		}
		n++
	}
	for _, f := range files {
		err = errors.Join(err, f.Sync())
	}
	return n, skipped, err
}
