// This file reads a log and believes no line that the log's key has not signed. Who can write the log could otherwise have any run erased: by
// giving it an old time, or another principal, while somebody erases.

package tree

import (
	"cmp"
	"errors"
	"iter"

	"golang.org/x/mod/sumdb/note"
)

// checked yields the lines of a log in their order. A checkpoint is yielded once it is known to sign all entries before it. checked ends with an error
// at the first line that is not as it was signed.
func checked(in Source, key note.Verifier) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		all, err := in.parts()
		if err != nil {
			yield(item{}, err)
			return
		}
		var tree frontier
		for _, s := range all {
			for x, err := range s.lines {
				if errors.Is(err, errTorn) && s.last {
					return
				}
				if err == nil {
					err = tree.follow(x, key)
				}
				if !yield(x, err) || err != nil {
					return
				}
			}
		}
	}
}

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
		n, signed := int64(0), int64(0)
		for x, err := range checked(in, key) {
			if x.Entry == nil && err == nil {
				signed = n
				continue
			}
			if n++; !yield(x.Entry, err) || err != nil {
				return
			}
		}
		if signed < n {
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
