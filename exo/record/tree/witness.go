// This file writes checkpoints to a witness: a second folder, or one over HTTP. A person who can write the log should not be able to write that folder.

package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/mod/sumdb/note"

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/cosign"
)

// witness writes the newest synced checkpoint to the second folder. Close waits for it; Append does not.
type witness struct {
	next chan string // the newest checkpoint that the witness does not have yet
	on   sync.WaitGroup
	err  error // why the last checkpoint could not be written
}

// seenBy reads the checkpoint in the folder of a witness. Create writes the first one: if it is missing, the folder was emptied or is not mounted.
func seenBy(folder string, v note.Verifier) (c Checkpoint, err error) {
	signed, err := os.ReadFile(witnessFile(folder, v.Name()))
	if errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("it has no checkpoint of this log: %w", err)
	}
	if err == nil {
		c, err = openCheckpoint(string(signed), v)
	}
	return c, err
}

func witnessFile(folder, origin string) string { return filepath.Join(folder, origin+".checkpoint") }

// witnessOf returns what the witness of a log has seen, and the function that gives it a checkpoint.
func witnessOf(place string, v note.Verifier, in Source) (seen Checkpoint, write func(string) error, err error) {
	if cosign.Is(place) {
		c, err := cosignerOf(place, v, in)
		if err != nil {
			return seen, nil, err
		}
		return c.most, c.keep, nil
	}
	if seen, err = seenBy(place, v); err != nil {
		err = fmt.Errorf("the witness: %w", err)
	}
	return seen, toFolder(place, v), err
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

// toFolder returns the function that writes a checkpoint to the folder of a witness.
func toFolder(folder string, v note.Verifier) func(string) error {
	return func(signed string) error {
		mine, _ := openCheckpoint(signed, v)
		if seen, err := seenBy(folder, v); err == nil && seen.Size > mine.Size {
			return nil // another process of the log was faster
		}
		return atomicfile.Replace(witnessFile(folder, v.Name()), []byte(signed), 0o644)
	}
}

func startWitness(write func(string) error) *witness {
	w := &witness{next: make(chan string, 1)}
	w.on.Go(func() {
		for h := range w.next {
			w.err = write(h) // Verify reports how far the witness lags
		}
	})
	return w
}

// send queues the newest checkpoint. It replaces an older one that is not written yet. Only one goroutine may call send at a time.
func (w *witness) send(signed string) {
	select {
	case <-w.next:
	default:
	}
	w.next <- signed
}

// stop waits until the last checkpoint is written. It returns an error if that failed.
func (w *witness) stop() error {
	close(w.next)
	if w.on.Wait(); w.err != nil {
		return fmt.Errorf("the witness: %w", w.err)
	}
	return nil
}
