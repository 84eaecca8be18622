// This file sends checkpoints to a witness: a second folder, which should belong to others than those who can write the log.

package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/mod/sumdb/note"
)

// witness keeps the newest checkpoint that is synced in a folder. Nobody waits for it.
type witness struct {
	next chan string // the newest one that is not there yet
	on   sync.WaitGroup
	err  error // why the last one is not there
}

// seenBy is the checkpoint in the folder of a witness. There is one from the beginning: where it is missing, the folder was emptied, or is not mounted.
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

// seenBy is what the witness has seen of a log, which must have it.
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

// newWitness checks that a log goes on from what its witness has seen, which is most often a checkpoint of the tail.
func newWitness(c Checkpoint, v note.Verifier, l *Log, tail []item) (*witness, error) {
	var err error
	same := c.Size == 0
	for _, x := range tail {
		same = same || x.checkpoint != "" && x.of == c
	}
	if !same {
		verdict := &verification{Verdict: &Verdict{}, key: v, runs: map[Run]*runSeen{}, seen: c}
		if err = verdict.read(l.dir); err == nil && !verdict.Intact() {
			err = errors.New(verdict.Changed[0])
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the witness: %w", err)
	}
	w := &witness{next: make(chan string, 1)}
	w.on.Go(func() {
		for signed := range w.next {
			w.err = writeFile(witnessFile(l.about.Witness, v.Name()), []byte(signed)) // Verify reports how far it lags
		}
	})
	return w, nil
}

// send puts the newest checkpoint in the place of one that is still to be written. One goroutine calls it at a time.
func (w *witness) send(signed string) {
	select {
	case <-w.next:
	default:
	}
	w.next <- signed
}

// stop returns when the last one is written, or why it is not.
func (w *witness) stop() error {
	close(w.next)
	if w.on.Wait(); w.err != nil {
		return fmt.Errorf("the witness: %w", w.err)
	}
	return nil
}

// writeFile replaces a file, so that a crash leaves the old or the new one.
func writeFile(path string, text []byte) error {
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	return errors.Join(err, syncDir(filepath.Dir(path)))
}

// syncDir makes the names in a folder durable. Windows has no such thing.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err == nil && runtime.GOOS != "windows" {
		err = d.Sync()
	}
	return errors.Join(err, d.Close())
}
