// This file reads a log and checks that the log's key has signed each line. Otherwise an attacker who can write the log could have any run
// erased, by giving it an old time or another principal.

package tree

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/note"
)

var errChanged = errors.New("the log was changed: exo record verify shows where")

// follow adds an entry to the tree, or checks that a checkpoint signs the tree.
func (f *frontier) follow(x item, key note.Verifier) error {
	if x.Entry == nil {
		c, err := openCheckpoint(x.checkpoint, key)
		if err == nil && !f.is(c) {
			err = errChanged
		}
		return err
	}
	if x.Number != f.size {
		return errChanged
	}
	_, err := f.add(x.Hash) // only the leaf is signed: Opener.Open checks the payload, and an interrupted erasure may have overwritten a part of the key
	return err
}

// followed yields the lines from a place on. Before each it adds the entry to tree, or checks that the checkpoint signs tree. It ends with an error at
// the first checkpoint that does not sign the lines before it.
func followed(in Source, from place, sealed bool, key note.Verifier, tree *frontier) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		begun := from.size == 0
		for x, err := range in.lines(from, sealed) {
			if err == nil && begun {
				err = tree.follow(x, key)
			} else if err == nil {
				*tree, err = signedTree(x, key)
			}
			if begun = true; !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// newest returns the last checkpoint of a log. It fails if the log does not continue the checkpoint from.
func newest(in Source, from Checkpoint, key note.Verifier) (signed string, c Checkpoint, err error) {
	var tree frontier
	same := false
	for x, err := range followed(in, place{size: from.Size}, false, key, &tree) {
		if err != nil {
			return "", c, err
		}
		if x.Entry == nil {
			signed, same = x.checkpoint, same || tree.is(from)
		}
	}
	if !same {
		return "", c, fmt.Errorf("the witness has seen %d entries that this log does not have: entries were changed, or an old copy of the log was put back", from.Size)
	}
	c, err = openCheckpoint(signed, key)
	return signed, c, err
}

// signedAt checks that entries, given by their numbers, are as the log has signed them. For each it reads from the previous checkpoint to the next.
func signedAt(in Source, key note.Verifier, want map[int64]Hash) error {
	numbers := slices.Sorted(maps.Keys(want))
	for len(numbers) > 0 {
		var tree frontier
		n, signed := 0, false // n: how many of the entries were read; signed: whether a checkpoint followed the last of these
		for x, err := range followed(in, place{size: max(0, numbers[0])}, false, key, &tree) {
			if err != nil {
				return err
			}
			if signed = x.Entry == nil && n > 0; signed && (n == len(numbers) || numbers[n] > tree.size+2*signEvery) {
				break
			}
			if x.Entry != nil && n < len(numbers) && x.Number == numbers[n] {
				if n++; want[x.Number] != x.Hash {
					return errChanged
				}
			}
		}
		if !signed {
			return errChanged
		}
		numbers = numbers[n:]
	}
	return nil
}

// Checked yields the [Entries] of this log, and at the end an error if they are not those that the log has signed. Act on none of them before that.
func (l *Log) Checked() iter.Seq2[*Entry, error] { return checkedOf(l) }

// Checked yields the [Entries] of this log, and at the end an error if they are not those that the log has signed. Act on none of them before that.
func (l *Shared) Checked() iter.Seq2[*Entry, error] { return checkedOf(l) }

func checkedOf(l erasable) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		if err := l.flush(); err != nil { // flush signs what this process has written
			yield(nil, err)
			return
		}
		signedEntries(l.source(), l.key())(yield)
	}
}

// UnsignedError is the last error of [Signed] if entries follow the last checkpoint: an attacker who can write the log can change them unnoticed.
type UnsignedError struct{ From int64 } // From is the number of the first such entry

func (*UnsignedError) Error() string {
	return "the last entries of the log are not signed yet: try again in a second"
}

// Signed yields [Entries], and at the end an error if they are not those that the key has signed. Act on none of them before that. With "" for the
// key, it uses the key in log.json, which an attacker who can write the log may have replaced.
func Signed(in Source, public PublicKey) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		a, _, err := readAbout(in)
		key, err2 := verifier(cmp.Or(public, a.Key))
		if err = cmp.Or(err, err2); err != nil {
			yield(nil, err)
			return
		}
		signedEntries(in, key)(yield)
	}
}

func signedEntries(in Source, key note.Verifier) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		var tree frontier
		signed := int64(0)
		for x, err := range followed(in, place{}, true, key, &tree) {
			if x.Entry == nil && err == nil {
				signed = tree.size
			} else if !yield(x.Entry, err) || err != nil {
				return
			}
		}
		if signed < tree.size {
			yield(nil, &UnsignedError{signed})
		}
	}
}

func (l *Log) source() Source    { return Dir(l.dir) }
func (l *Shared) source() Source { return l.Source }

func (l *Log) key() note.Verifier {
	v, _ := verifier(l.about.Key) // no error: prepare has already read the key
	return v
}
func (l *Shared) key() note.Verifier { return l.verifier }
