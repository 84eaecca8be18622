// This file writes checkpoints to a witness: a second folder, a second database, or one over HTTP. A person who can write the log should not be able
// to write there.

package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/cosign"
	"github.com/exoagent/exoagent/internal/dbwitness"
)

// keeper is what keeps the last checkpoint of a log for its witness: a folder or a database.
type keeper interface {
	// Newest returns it, and how many entries it is kept for; "": there is none.
	Newest(origin string) (checkpoint string, size int64, err error)
	// Keep keeps it, unless the keeper has a later one.
	Keep(origin, checkpoint string, size int64) error
	Create() error // makes the place, if it is not there
	Close() error
}

func keeperOf(place string, v note.Verifier) (keeper, error) {
	if dbwitness.Is(place) {
		return dbwitness.Open(place, witnessWait)
	}
	return second{place, v}, nil
}

// second is a second folder.
type second struct {
	dir string
	log note.Verifier
}

func (s second) file(origin string) string { return filepath.Join(s.dir, origin+".checkpoint") }

func (s second) Newest(origin string) (string, int64, error) {
	text, err := os.ReadFile(s.file(origin))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return string(text), sizeIn(string(text)), err
}

func (s second) Keep(origin, checkpoint string, size int64) error {
	if seen, err := seenIn(s, s.log); err == nil && seen.Size > size {
		return nil // another process of the log was faster
	}
	return atomicfile.Replace(s.file(origin), []byte(checkpoint), 0o644)
}

func (s second) Create() error { return os.MkdirAll(s.dir, 0o700) }

func (second) Close() error { return nil }

// seenIn reads the checkpoint that a keeper has. Create writes the first one: if it is missing, the folder or the table was emptied, or it is another.
func seenIn(k keeper, v note.Verifier) (c Checkpoint, err error) {
	signed, size, err := k.Newest(v.Name())
	if err == nil && signed == "" {
		err = errors.New("it has no checkpoint of this log")
	}
	if err == nil {
		c, err = openCheckpoint(signed, v)
	}
	if err == nil && c.Size != size {
		err = fmt.Errorf("it has a checkpoint of %d entries in the place of one of %d: somebody has changed it", c.Size, size)
	}
	return c, err
}

// keptIn gives a keeper a checkpoint, and looks what it has then: it may have been spoilt, and have kept nothing. In a folder another process of the log
// may have put an older one in its place at the same moment, so it is given once more.
func keptIn(k keeper, v note.Verifier, signed string) error {
	var has Checkpoint
	for range 5 {
		err := k.Keep(v.Name(), signed, sizeIn(signed))
		if err == nil {
			has, err = seenIn(k, v)
		}
		if err != nil || has.Size >= sizeIn(signed) {
			return err
		}
	}
	return fmt.Errorf("it has a checkpoint of %d entries and not this one of %d", has.Size, sizeIn(signed))
}

// seenBy is seenIn of a keeper that is opened for that.
func seenBy(place string, v note.Verifier) (c Checkpoint, err error) {
	k, err := keeperOf(place, v)
	if err == nil {
		c, err = seenIn(k, v)
		_ = k.Close() // it was only read
	}
	return c, err
}

// WitnessError is the error of Append if a log waits for its witness, see RequireWitness, and the witness has not got the checkpoint.
type WitnessError struct {
	Place     string // the witness's folder, database or URL
	Want, Has int64  // entries
	Err       error  // why not; nil: it has not answered yet
}

func (e *WitnessError) Error() string {
	why := "has not answered in time"
	if e.Err != nil {
		why = "did not take it: " + e.Err.Error()
	}
	return fmt.Sprintf("the witness %s %s; it has %d entries, and this needs %d", e.Place, why, e.Has, e.Want)
}

func (e *WitnessError) Unwrap() error { return e.Err }

// witness gives the newest synced checkpoint to its keeper. Close waits for it; Append does not, unless it is required.
type witness struct {
	place string
	keep  func(signed string) error
	close func() error
	next  chan string // the newest checkpoint that the witness does not have yet
	on    sync.WaitGroup

	mu       sync.Mutex
	required time.Duration // how long Append waits; 0: not at all
	has      int64         // entries of the last checkpoint that it has taken from this process
	asked    int64         // entries of the last one that it was asked to take
	err      error         // why it could not be
	answered chan struct{} // closed at the next answer
}

// witnessOf opens the witness of a log, and returns what it has seen.
func witnessOf(place string, v note.Verifier, in Source) (w *witness, seen Checkpoint, err error) {
	w = &witness{place: shown(place), next: make(chan string, 1), answered: make(chan struct{})}
	if cosign.Is(place) {
		c, err := cosignerOf(place, v, in)
		if err != nil {
			return nil, seen, err
		}
		w.keep, w.close, seen = c.keep, func() error { return nil }, c.most
	} else {
		k, err := keeperOf(place, v)
		if err == nil {
			if seen, err = seenIn(k, v); err != nil {
				_ = k.Close() // it was only read
			}
		}
		if err != nil {
			return nil, seen, fmt.Errorf("the witness %s: %w", place, err)
		}
		w.close = k.Close
		w.keep = func(signed string) error { return keptIn(k, v, signed) }
	}
	w.has = seen.Size
	w.on.Go(w.run)
	return w, seen, nil
}

// continues checks that the log continues c, the checkpoint of its witness. Usually c is in tail; if not, the log is read from there.
func (l *Log) continues(c Checkpoint, v note.Verifier, tail []item) (err error) {
	same := c.Size == 0
	for _, x := range tail {
		same = same || x.checkpoint != "" && x.of == c
	}
	if !same {
		_, _, err = newest(Dir(l.dir), c, v)
	}
	return err
}

func (w *witness) run() {
	for signed := range w.next {
		err := w.keep(signed) // Verify reports how far the witness lags
		w.mu.Lock()
		n := sizeIn(signed)
		if w.asked, w.err = max(w.asked, n), err; err == nil {
			w.has = max(w.has, n)
		}
		close(w.answered)
		w.answered = make(chan struct{})
		w.mu.Unlock()
	}
}

// send queues the newest checkpoint. It replaces an older one that is not written yet. Only one goroutine may call send at a time. w may be nil.
func (w *witness) send(signed string) {
	if w == nil {
		return
	}
	select {
	case <-w.next:
	default:
	}
	w.next <- signed
}

var errNoWitness = errors.New("a witness is required, and this log was made without one: exo record init -witness makes a log with one")

// require makes covered wait. w may be nil.
func (w *witness) require(within time.Duration) error {
	switch {
	case w == nil:
		return errNoWitness
	case within <= 0:
		return errors.New("the time to wait for a witness has to be more than 0")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.required = within
	return nil
}

// covered returns when the witness has taken a checkpoint of n entries or more, if it is required. The log has sent one, or will. w may be nil.
func (w *witness) covered(n int64) error {
	if w == nil {
		return nil
	}
	var end <-chan time.Time
	for late := false; ; {
		w.mu.Lock()
		required, has, asked, err, answered := w.required, w.has, w.asked, w.err, w.answered
		w.mu.Unlock()
		switch {
		case required == 0 || has >= n:
			return nil
		case asked >= n:
			return &WitnessError{w.place, n, has, err}
		case late:
			return &WitnessError{w.place, n, has, nil}
		case end == nil:
			end = time.After(required)
		}
		select {
		case <-answered:
		case <-end:
			late = true
		}
	}
}

// shown names a witness without its key.
func shown(place string) string {
	if cosign.Is(place) {
		place, _, _ = strings.Cut(place, "#")
	}
	return place
}

// stop waits until the last checkpoint is written. It returns an error if that failed. w may be nil.
func (w *witness) stop() error {
	if w == nil {
		return nil
	}
	close(w.next)
	w.on.Wait()
	err := w.close()
	if w.err != nil {
		return fmt.Errorf("the witness: %w", w.err)
	}
	return err
}

// witnessed reports whether an entry has to wait for a witness that is required: what cannot be undone follows it.
func (e *Leaf) witnessed(durable bool) bool {
	return durable && e.Step != Ended && !e.Asked && e.Run != (Run{})
}
