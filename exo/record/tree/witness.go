// This file writes checkpoints to a witness: a second folder. A person who can write the log should not be able to write that folder.

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
)

// witness writes the newest synced checkpoint to the second folder. Close waits for it; Append does not.
type witness struct {
	next chan string // the newest checkpoint that is not in the folder yet
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

// seenBy returns the checkpoint that the witness has. If the log has fewer entries, its end was cut off: that is an error.
func (l *Log) seenBy(v note.Verifier) (Checkpoint, error) {
	c, err := seenBy(l.about.Witness, v)
	if size := l.tree.size; err == nil && c.Size > size {
		err = fmt.Errorf("it has seen %d entries, and the log has %d: entries %d to %d are missing at the end", c.Size, size, size, c.Size-1)
	}
	if err != nil {
		return c, fmt.Errorf("the witness: %w", err)
	}
	return c, nil
}

// newWitness checks that the log continues c, the checkpoint of its witness. Usually c is in tail; if not, the whole log is verified.
func newWitness(c Checkpoint, v note.Verifier, l *Log, tail []item) (*witness, error) {
	var err error
	same := c.Size == 0
	for _, x := range tail {
		same = same || x.checkpoint != "" && x.of == c
	}
	if !same {
		verdict := &verification{Verdict: &Verdict{}, key: v, runs: map[Run]*runSeen{}, seen: c}
		if err = verdict.read(Dir(l.dir)); err == nil && !verdict.Intact() {
			err = errors.New(verdict.Changed[0])
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the witness: %w", err)
	}
	return startWitness(l.about.Witness, v), nil
}

func startWitness(folder string, v note.Verifier) *witness {
	w := &witness{next: make(chan string, 1)}
	w.on.Go(func() {
		for signed := range w.next {
			mine, _ := openCheckpoint(signed, v)
			if seen, err := seenBy(folder, v); err == nil && seen.Size > mine.Size {
				continue // another process of the log was faster
			}
			w.err = atomicfile.Replace(witnessFile(folder, v.Name()), []byte(signed), 0o644) // Verify reports how far the witness lags
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
