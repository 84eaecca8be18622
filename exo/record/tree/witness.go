// This file writes checkpoints to a witness: a second folder, a second database, or a service over HTTP. People who can write the log should not be
// able to write there.

package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/cosign"
	"github.com/exoagent/exoagent/internal/dbwitness"
)

// keeper is a folder or a database that keeps the last checkpoint of a log as its witness.
type keeper interface {
	// Newest returns the last checkpoint, and the size that it is kept for. The checkpoint is "" if there is none.
	Newest(origin string) (checkpoint string, size int64, err error)
	// Keep keeps the checkpoint, unless the keeper has a later one.
	Keep(origin, checkpoint string, size int64) error
	Create() error // makes the folder or the table if it is missing
	Close() error
}

func keeperOf(place string, v note.Verifier) (keeper, error) {
	if dbwitness.Is(place) {
		return dbwitness.Open(place, witnessWait)
	}
	return second{place, v}, nil
}

// second is a second folder as a keeper.
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
		return nil // another process of the log has already written a later checkpoint
	}
	return atomicfile.Replace(s.file(origin), []byte(checkpoint), 0o644)
}

func (s second) Create() error { return os.MkdirAll(s.dir, 0o700) }

func (second) Close() error { return nil }

// seenIn reads the checkpoint that a keeper has. Create has written the first one, so if there is none, the folder or the table was emptied, or is the
// wrong one.
func seenIn(k keeper, v note.Verifier) (c Checkpoint, err error) {
	signed, size, err := k.Newest(v.Name())
	if err == nil && signed == "" {
		err = errors.New("the witness has no checkpoint of this log: its folder or table was emptied, or belongs to another log")
	}
	if err == nil {
		c, err = openCheckpoint(signed, v)
	}
	if err == nil && c.Size != size {
		err = fmt.Errorf("the witness has a checkpoint of %d entries in the place of one of %d entries: its data was changed", c.Size, size)
	}
	return c, err
}

// keptIn passes a checkpoint to a keeper, and checks that it was kept, since the keeper may have been damaged. In a folder another process may have
// replaced the checkpoint by an older one at the same moment, so keptIn makes up to five attempts.
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
	return fmt.Errorf("the witness has kept a checkpoint of %d entries instead of the new one of %d", has.Size, sizeIn(signed))
}

// seenBy opens a keeper, and reads its checkpoint.
func seenBy(place string, v note.Verifier) (c Checkpoint, err error) {
	k, err := keeperOf(place, v)
	if err == nil {
		c, err = seenIn(k, v)
		_ = k.Close() // the keeper was only read, so an error does not matter
	}
	return c, err
}

// WitnessError is the error of Append if RequireWitness is set and the witness does not have the checkpoint in time.
type WitnessError struct {
	Place     string // the witness's folder, database or URL
	Want, Has int64  // the number of entries that the witness should have seen, and that it has seen
	Err       error  // the reason; nil: the witness has not answered yet
}

func (e *WitnessError) Error() string {
	if e.Err == nil {
		return e.LogReason()
	}
	return e.LogReason() + ": " + e.Err.Error()
}

func (e *WitnessError) Unwrap() error { return e.Err }

// LogReason describes the error for logs, without the text of Err (see fail.Reason).
func (e *WitnessError) LogReason() string {
	why := "did not answer in time"
	if e.Err != nil {
		why = "did not take the others"
	}
	return fmt.Sprintf("the witness %s has seen %d entries, and must see %d before the run goes on; it %s", e.Place, e.Has, e.Want, why)
}

// witness passes the newest synced checkpoint to its keeper. Close waits for that; Append waits only if RequireWitness was called.
type witness struct {
	place string
	keep  func(signed string) error
	close func() error
	next  chan string // the newest checkpoint that the witness does not have yet
	on    sync.WaitGroup

	mu       sync.Mutex
	required time.Duration // how long Append waits; 0: it does not wait
	has      int64         // how many entries are covered by the last checkpoint that the keeper took from this process
	asked    int64         // how many entries are covered by the last checkpoint that was passed to the keeper
	err      error         // the reason why the keeper did not take that checkpoint
	answered chan struct{} // closed at the next answer of the keeper
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
				_ = k.Close() // the keeper was only read, so an error does not matter
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

// continues checks that the log continues c, the checkpoint of its witness. Usually c is in tail, the log's last lines; if not, continues reads the log from c on.
func (l *Log) continues(c Checkpoint, v note.Verifier, tail []item) error {
	if c.Size == 0 || slices.ContainsFunc(tail, func(x item) bool { return x.checkpoint != "" && x.of == c }) {
		return nil
	}
	_, _, err := newest(Dir(l.dir), c, v)
	return err
}

func (w *witness) run() {
	for signed := range w.next {
		err := w.keep(signed) // an error is only kept: Verify reports how far the witness lags
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

// send queues the newest checkpoint. The checkpoint replaces an older one that is not written yet. Only one goroutine may call send at a time. w may be
// nil.
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

// require makes the method covered wait for the witness, for at most the time within. It fails if w is nil.
func (w *witness) require(within time.Duration) error {
	switch {
	case w == nil:
		return errNoWitness
	case within <= 0:
		return errors.New("the time to wait for a witness must be more than 0")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.required = within
	return nil
}

// covered returns when the witness has a checkpoint that covers n entries, or at once if that is not required. The log has sent one, or will. w may be
// nil.
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

// shown returns the place of a witness without its key.
func shown(place string) string {
	if cosign.Is(place) {
		place, _, _ = strings.Cut(place, "#")
	}
	return place
}

// stop waits until the last checkpoint is written, and returns an error if writing it failed. w may be nil.
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

// witnessed reports whether an entry must wait for a required witness, because something that can't be undone follows.
func (e *Leaf) witnessed(durable bool) bool {
	return durable && e.Step != Ended && !e.Asked && e.Run != (Run{})
}
