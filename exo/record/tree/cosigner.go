// This file has a witness over HTTP: see package cosign. It is asked when checkpoints are sent, and by Verify. Open asks nobody, so a witness that
// hangs or lies keeps no host from starting. Open believes the cosigned checkpoint that the folder has. A size that the witness answers is its word
// alone. Proofs come from the hashes since its last checkpoint, and else from the whole log. A log in a database has no such witness: its
// processes do not have each other's hashes.

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
	"golang.org/x/mod/sumdb/tlog"

	"github.com/exoagent/exoagent/internal/atomicfile"
	"github.com/exoagent/exoagent/internal/cosign"
)

// cosignedFile has the last checkpoint that the witness has cosigned.
const cosignedFile = "cosigned"

// cosigner is a witness over HTTP.
type cosigner struct {
	*cosign.Witness
	log  note.Verifier
	in   Source
	most Checkpoint // the largest that it has cosigned, as far as this process knows

	read time.Time // when the whole log was last read for a proof

	mu    sync.Mutex     // guards what follows
	from  frontier       // of the tree that a proof begins with
	since map[int64]Hash // the stored hashes of later entries, by their indexes of package tlog
}

var witnessWait = 10 * time.Second // for an answer; tests wait less

const (
	maxSince  = 1 << 18     // bounds cosigner.since, while the witness is down
	readAgain = time.Minute // from one reading of the whole log to the next: a witness could answer with another size each time
)

// cosignerOf reads a witness that is a URL with its key, and its last cosigned checkpoint.
func cosignerOf(place string, log note.Verifier, in Source) (*cosigner, error) {
	w, err := cosign.Parse(place, witnessWait)
	if err != nil {
		return nil, err
	}
	c := &cosigner{Witness: w, log: log, in: in, since: map[int64]Hash{}}
	if dir, is := in.(Dir); is {
		text, err := os.ReadFile(filepath.Join(string(dir), cosignedFile))
		if err == nil && c.cosigned(string(text)) != nil {
			err = fmt.Errorf("%s is not what it has cosigned: remove it", cosignedFile)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the witness: %w", err)
		}
	}
	return c, nil
}

// cosigned notes a checkpoint that has the witness's cosignature.
func (c *cosigner) cosigned(text string) error {
	text, err := c.Cosigned(text, c.log)
	if err == nil {
		c.most, err = openCheckpoint(text[:strings.LastIndex(text, "\n— ")+1], c.log)
	}
	return err
}

// added notes the hashes that entry n has completed. c is nil if there is no such witness.
func (c *cosigner) added(n int64, stored []Hash) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.since) > maxSince {
		clear(c.since) // the next proof reads the log
	}
	for level, h := range stored {
		c.since[tlog.StoredHashIndex(level, n>>level)] = h
	}
}

// ReadHashes implements tlog.HashReader.
func (c *cosigner) ReadHashes(indexes []int64) ([]Hash, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Hash
	for _, x := range indexes {
		all, err := []Hash{c.since[x]}, error(nil)
		if _, is := c.since[x]; !is {
			all, err = c.from.ReadHashes([]int64{x})
		}
		if err != nil {
			return nil, err
		}
		out = append(out, all[0])
	}
	return out, nil
}

// submit has the witness cosign a checkpoint of the log.
func (c *cosigner) submit(signed string) (cosigned string, err error) {
	at, err := openCheckpoint(signed, c.log)
	if err != nil || at.Size == 0 { // nothing is there to witness
		return "", err
	}
	old := min(c.from.size, at.Size)
	for range 2 {
		var proof tlog.TreeProof
		if old > 0 {
			if proof, err = tlog.ProveTree(at.Size, old, c); err != nil {
				if wait := readAgain - time.Since(c.read); wait > 0 {
					return "", fmt.Errorf("it needs a proof from the whole log, which is read once in %s", readAgain)
				}
				c.read = time.Now()
				err = hashes(c.in, func(r tlog.HashReader) (err error) { proof, err = tlog.ProveTree(at.Size, old, r); return err })
			}
		}
		if err == nil {
			cosigned, err = c.Add(old, proof, signed, c.log)
		}
		other, conflict := errors.AsType[*cosign.Conflict](err)
		switch {
		case err == nil:
			return cosigned, c.cosigned(cosigned)
		case !conflict:
			return "", err
		case other.Size < 0, other.Size > at.Size, other.Size == old:
			return "", err
		case other.Size < c.most.Size: // it could cosign another history now
			return "", fmt.Errorf("it was rolled back: it has cosigned %d entries, and %w", c.most.Size, err)
		}
		old = other.Size
	}
	return "", err
}

// advance makes later proofs begin with a tree that the witness has cosigned, and forgets the hashes within it.
func (c *cosigner) advance(tree frontier) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.from = tree
	for x := range c.since {
		if level, n := tlog.SplitStoredHashIndex(x); (n+1)<<level <= tree.size {
			delete(c.since, x)
		}
	}
}

// keep submits a checkpoint and keeps the answer in the folder.
func (c *cosigner) keep(h sent) error {
	cosigned, err := c.submit(h.signed)
	if dir, is := c.in.(Dir); err == nil && is && cosigned != "" {
		c.advance(h.tree)
		err = atomicfile.Replace(filepath.Join(string(dir), cosignedFile), []byte(cosigned), 0o644)
	}
	return err
}

// askWitness asks the witness over HTTP about the last checkpoint that was verified.
func (s *verification) askWitness(signed string) {
	s.cosigner.from.size = s.head.Size
	_, err := s.cosigner.submit(signed)
	other, conflict := errors.AsType[*cosign.Conflict](err)
	if s.Unasked = err; err == nil {
		s.Seen = s.head.Size
	} else if conflict && (other.Size < 0 || other.Size >= s.head.Size) {
		found(&s.Changed, "entries are missing at the end, or it is another history, or an old copy that went on, unless the witness lies: %v", err)
		s.Unasked = nil
	}
}
