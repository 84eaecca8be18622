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
)

// witness writes the newest synced checkpoint to the second folder. Close waits for it; Append does not.
type witness struct {
	next chan sent // the newest checkpoint that the witness does not have yet
	on   sync.WaitGroup
	err  error // why the last checkpoint could not be written
}

// sent is a checkpoint on its way to the witness.
type sent struct {
	signed string
	tree   frontier // of the checkpoint; a folder does not need it
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
	var c Checkpoint
	var err error
	if l.cosigner != nil {
		c = l.cosigner.most
	} else {
		c, err = seenBy(l.about.Witness, v)
	}
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
	if l.cosigner != nil {
		return startWitness(l.cosigner.keep), nil
	}
	return startWitness(toFolder(l.about.Witness, v)), nil
}

// toFolder returns the function that writes a checkpoint to the folder of a witness.
func toFolder(folder string, v note.Verifier) func(sent) error {
	return func(h sent) error {
		mine, _ := openCheckpoint(h.signed, v)
		if seen, err := seenBy(folder, v); err == nil && seen.Size > mine.Size {
			return nil // another process of the log was faster
		}
		return atomicfile.Replace(witnessFile(folder, v.Name()), []byte(h.signed), 0o644)
	}
}

func startWitness(write func(sent) error) *witness {
	w := &witness{next: make(chan sent, 1)}
	w.on.Go(func() {
		for h := range w.next {
			w.err = write(h) // Verify reports how far the witness lags
		}
	})
	return w
}

// send queues the newest checkpoint. It replaces an older one that is not written yet. Only one goroutine may call send at a time.
func (w *witness) send(h sent) {
	select {
	case <-w.next:
	default:
	}
	w.next <- h
}

// stop waits until the last checkpoint is written. It returns an error if that failed.
func (w *witness) stop() error {
	close(w.next)
	if w.on.Wait(); w.err != nil {
		return fmt.Errorf("the witness: %w", w.err)
	}
	return nil
}
