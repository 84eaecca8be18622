// This file has a witness over HTTP (package cosign). The log asks the witness when checkpoints are sent, and in Verify. Open only reads the cosigned
// checkpoint that is kept next to the log. So a witness that hangs or lies can't keep a host from starting. A proof is made from the entries after the
// last cosigned checkpoint.

package tree

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/exoagent/exoagent/internal/cosign"
)

// cosigner is a witness over HTTP.
type cosigner struct {
	*cosign.Witness
	log  note.Verifier
	in   Source
	most Checkpoint // the largest cosigned checkpoint that this process knows
	at   place      // where a proof begins to read the log: the checkpoint in the field most, or an earlier one
	read time.Time  // when a long part of the log was last read for a proof
}

var witnessWait = 10 * time.Second // how long a request to the witness may take; tests shorten it

const (
	maxSince     = 1 << 16                                                      // how many entries after the last cosigned checkpoint a proof may read at any time; a longer part is read only once in readAgain
	readAgain    = time.Minute                                                  // how long a proof waits before it reads a long part again; this bounds the work if the witness is down for long
	keptCosigned = cosignedFile + " (a file, or the table exo_record_cosigned)" // the place of the last cosigned checkpoint, for errors
)

// cosignerOf makes the client of a witness, given as a URL with its key, and reads its last cosigned checkpoint.
func cosignerOf(place string, log note.Verifier, in Source) (*cosigner, error) {
	w, err := cosign.Parse(place, witnessWait)
	if err != nil {
		return nil, err
	}
	c := &cosigner{Witness: w, log: log, in: in}
	if err := c.known(); err != nil {
		return nil, fmt.Errorf("the witness: %w", err)
	}
	return c, nil
}

// known reads the last cosigned checkpoint, which another process may have written.
func (c *cosigner) known() error {
	text, err := c.in.cosigned()
	if err == nil && text != "" && c.cosigned(text, place{}) != nil {
		err = fmt.Errorf("%s holds no checkpoint that both this log and this witness have signed: check the witness's key; if the key is right, keep a copy of %[1]s, and remove the original", keptCosigned)
	}
	return err
}

// cosigned notes a checkpoint that has the witness's cosignature, and its place, which is zero if it is not known.
func (c *cosigner) cosigned(text string, at place) error {
	text, err := c.Cosigned(text, c.log)
	if err != nil {
		return err
	}
	of, err := openCheckpoint(text[:strings.LastIndex(text, "\n— ")+1], c.log)
	if err == nil && of.Size > c.most.Size {
		if c.most = of; at == (place{}) {
			at.size = of.Size
		}
		c.at = at
	}
	return err
}

// proof proves that the tree of size entries continues the tree of old entries. It returns the place of the checkpoint of size entries.
func (c *cosigner) proof(size, old int64) (proof tlog.TreeProof, at place, err error) {
	from := c.at
	if old < from.size {
		from = place{size: old}
	}
	if size-from.size > maxSince {
		if time.Since(c.read) < readAgain {
			return nil, at, fmt.Errorf("a proof for the witness would cover more than %d entries, and the log reads so many only once in %s: the log tries again later", maxSince, readAgain)
		}
		c.read = time.Now()
	}
	at, err = hashes(c.in, from, size, c.log, func(r tlog.HashReader) (err error) { proof, err = tlog.ProveTree(size, old, r); return err })
	return proof, at, err
}

// submit asks the witness to cosign a checkpoint of the log. If another process was faster and the witness has a later one, submit sends the
// log's newest.
func (c *cosigner) submit(signed string) (cosigned string, err error) {
	at, err := openCheckpoint(signed, c.log)
	if err != nil || at.Size == 0 { // an empty log has nothing to witness
		return "", err
	}
	old := min(c.most.Size, at.Size)
	for range 4 {
		var proof tlog.TreeProof
		next, knew := place{}, c.most.Size
		if err = nil; 0 < old && old < at.Size {
			proof, next, err = c.proof(at.Size, old)
		}
		if err == nil {
			cosigned, err = c.Add(old, proof, signed, c.log)
		}
		other, conflict := errors.AsType[*cosign.Conflict](err)
		switch {
		case err == nil:
			return cosigned, c.cosigned(cosigned, next)
		case !conflict || other.Size < 0 || other.Size == old:
			return "", err
		case other.Size < knew: // refused, since the witness may be made to cosign another history
			return "", fmt.Errorf("the witness has lost its data, or another server answers in its place: it had cosigned %d entries, as %s proves, and now %w. Ask its operators. If they have lost its data, keep a copy of %s and remove the original: then the witness begins anew",
				knew, keptCosigned, err, keptCosigned)
		case other.Size > at.Size:
			later, of, failed := newest(c.in, at, c.log)
			if failed != nil || of.Size < other.Size {
				return "", errors.Join(failed, err)
			}
			signed, at = later, of
		}
		if old = other.Size; c.known() != nil {
			return "", err
		}
	}
	return "", err
}

// keep submits a checkpoint, and keeps the cosigned one next to the log. It is no error if another process of the log was faster.
func (c *cosigner) keep(signed string) error {
	cosigned, err := c.submit(signed)
	if err == nil && cosigned != "" {
		return c.in.keepCosigned(c.most.Size, cosigned)
	}
	mine, _ := openCheckpoint(signed, c.log)
	if _, conflict := errors.AsType[*cosign.Conflict](err); conflict && c.known() == nil && c.most.Size > mine.Size {
		return nil
	}
	return err
}

// askWitness asks the witness over HTTP about the last verified checkpoint.
func (s *verification) askWitness(signed string) {
	_, err := s.cosigner.submit(signed)
	other, conflict := errors.AsType[*cosign.Conflict](err)
	if s.Unasked = err; err == nil {
		s.Seen = s.head.Size
	} else if conflict && (other.Size < 0 || other.Size >= s.head.Size) {
		found(&s.Changed, "entries are missing at the end or were changed, or an old copy of the log was put back, unless the witness lies: %v", err)
		s.Unasked = nil
	}
}
