// This file reads a log and believes no line that the log's key has not signed. Who can write the log could otherwise have any run erased: by
// giving it an old time, or another principal, while somebody erases.

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

var errChanged = errors.New("the log was changed: exo record verify says where")

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
	_, err := f.add(x.Hash) // of what stands outside the leaf, a key may be overwritten in part, which erasing completes; Opener.Open checks a payload
	return err
}

// followed yields the lines from a place on, once tree has followed them: a checkpoint signs all that came before it. It ends with an error at the first
// line that is not as it was signed.
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

// newest returns the last checkpoint of a log. The log must continue from.
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
		return "", c, fmt.Errorf("the witness: it has seen %d entries of another history, or an old copy went on", from.Size)
	}
	c, err = openCheckpoint(signed, key)
	return signed, c, err
}

// signedAt checks that entries, by their numbers, are as the log has signed them. It reads from the checkpoint before each to the one behind it.
func signedAt(in Source, key note.Verifier, want map[int64]Hash) error {
	numbers := slices.Sorted(maps.Keys(want))
	for len(numbers) > 0 {
		var tree frontier
		n, signed := 0, false // how many of them were read, and whether a checkpoint came behind
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

// Checked is [Entries] of this log, with an error at the end if the entries are not those that the log has signed. Act on none of them before that.
func (l *Log) Checked() iter.Seq2[*Entry, error] { return checkedOf(l) }

// Checked is [Entries] of this log, with an error at the end if the entries are not those that the log has signed. Act on none of them before that.
func (l *Shared) Checked() iter.Seq2[*Entry, error] { return checkedOf(l) }

func checkedOf(l erasable) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		if err := l.flush(); err != nil { // so that what this process has written is signed
			yield(nil, err)
			return
		}
		signedEntries(l.source(), l.key())(yield)
	}
}

// UnsignedError is the last error of [Signed] if entries follow the last checkpoint: who can write the log can change them unseen.
type UnsignedError struct{ From int64 } // the number of the first

func (*UnsignedError) Error() string { return "its last entries are not signed yet: try again" }

// Signed is [Entries], with an error at the end if the entries are not those that the key has signed. Act on none of them before that. "" is the key
// in log.json: who can write the log can have put another there.
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
	v, _ := verifier(l.about.Key) // prepare has read it
	return v
}
func (l *Shared) key() note.Verifier { return l.verifier }
