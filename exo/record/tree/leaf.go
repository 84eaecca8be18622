// This file has the leaf: the bytes of an entry that the tree hashes.

package tree

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Run is the ID of a run. The log's own entries, Erased and Resumed, have the zero Run.
type Run [16]byte

// String returns 32 hexadecimal digits.
func (r Run) String() string { return hex.EncodeToString(r[:]) }

// Hash is a hash of the tree, see package tlog.
type Hash = tlog.Hash

// The steps that this package interprets. The owner of a log defines others, in small letters.
const (
	Begun  = "begun"  // the first entry of a run
	Ended  = "ended"  // the last entry of a run. The log's owner may add what became known later, and another Ended
	Erased = "erased" // the data keys of the run Leaf.Of were destroyed

	// Resumed is added by Open if the last process ended before it signed all of its entries. Call is the number of these entries. An attacker who
	// could write the folder could change them undetected until this one was signed. Failed means that lines after them could not be read.
	Resumed = "resumed"
)

// Leaf is the part of an entry that no program or person wrote. Append fills in Number, Index, Prev, Count and all fields after Of.
type Leaf struct {
	Number int64 // in the log, from 0
	Run    Run
	Index  int64     // in its run, from 0
	Prev   Hash      // the hash of the leaf before it in its run; zero for the first
	Step   string    // see Begun
	At     time.Time // in UTC
	Call   uint64
	Effect string
	State  string
	Failed bool // the payload has an error
	Asked  bool // added after the process of the run had ended

	Prepared           bool // Changed and Witnessed are given
	Changed, Witnessed int64

	Policy [32]byte // at Begun the digest of what was granted
	Of     Run      // at Erased: the run that was erased
	Count  int64    // at Ended: how many leaves the run has, with this one

	Key     int64    // the Index of the entry whose line has the data key
	Wrapped [32]byte // SHA-256 of the wrapped data key, where this line has it
	Sealed  [32]byte // SHA-256 of the encrypted payload
	Digest  [32]byte // HMAC-SHA-256 of the payload, keyed from the data key
}

// field is a field of a leaf: the text before its value, and the value's place.
type field struct {
	name string
	at   any
}

// fields returns the fields in the order of the line. A line leaves out all zero fields but the first.
func (l *Leaf) fields() [21]field {
	return [...]field{{`{"v":1,"n":`, &l.Number}, {`,"run":"`, (*[16]byte)(&l.Run)}, {`,"i":`, &l.Index}, {`,"prev":"`, (*[32]byte)(&l.Prev)},
		{`,"step":"`, &l.Step}, {`,"at":"`, &l.At}, {`,"call":`, &l.Call}, {`,"effect":"`, &l.Effect}, {`,"state":"`, &l.State},
		{`,"failed":true`, &l.Failed}, {`,"asked":true`, &l.Asked}, {`,"prepared":true`, &l.Prepared}, {`,"changed":`, &l.Changed}, {`,"witnessed":`, &l.Witnessed},
		{`,"policy":"`, &l.Policy}, {`,"of":"`, (*[16]byte)(&l.Of)}, {`,"count":`, &l.Count},
		{`,"key":`, &l.Key}, {`,"wrapped":"`, &l.Wrapped}, {`,"sealed":"`, &l.Sealed}, {`,"digest":"`, &l.Digest}}
}

// append writes the leaf. There is one spelling for each leaf: parseLeaf refuses any other.
func (l *Leaf) append(b []byte) []byte {
	for i, f := range l.fields() {
		from := len(b)
		b = append(b, f.name...)
		zero := false
		switch at := f.at.(type) {
		case *int64:
			b, zero = strconv.AppendInt(b, *at, 10), *at == 0 && i > 0
		case *uint64:
			b, zero = strconv.AppendUint(b, *at, 10), *at == 0
		case *string:
			b, zero = append(append(b, *at...), '"'), *at == ""
		case *bool:
			zero = !*at
		case *time.Time:
			b = append(at.UTC().AppendFormat(b, time.RFC3339Nano), '"')
		case *[16]byte:
			b, zero = append(hex.AppendEncode(b, at[:]), '"'), *at == [16]byte{}
		case *[32]byte:
			b, zero = append(hex.AppendEncode(b, at[:]), '"'), *at == [32]byte{}
		}
		if zero {
			b = b[:from]
		}
	}
	return append(b, '}')
}

var errLeaf = errors.New("it is no leaf in its one spelling")

// parseLeaf reads a leaf. It refuses any text but the one that append writes for the same leaf, so it needs no other check.
func parseLeaf(b []byte) (l Leaf, err error) {
	rest := b
	for _, f := range l.fields() {
		after, is := bytes.CutPrefix(rest, []byte(f.name))
		if !is {
			continue
		}
		end := bytes.IndexAny(after, `",}`)
		if on, flag := f.at.(*bool); flag {
			*on, rest = true, after
			continue
		}
		if end < 0 {
			return l, errLeaf
		}
		text := after[:end]
		switch at := f.at.(type) {
		case *int64:
			*at, err = strconv.ParseInt(string(text), 10, 64)
		case *uint64:
			*at, err = strconv.ParseUint(string(text), 10, 64)
		case *string:
			if *at = string(text); len(bytes.Trim(text, "abcdefghijklmnopqrstuvwxyz")) > 0 {
				return l, errLeaf
			}
		case *time.Time:
			*at, err = time.Parse(time.RFC3339Nano, string(text))
		case *[16]byte:
			err = unhex(at[:], text)
		case *[32]byte:
			err = unhex(at[:], text)
		}
		if err != nil {
			return l, errLeaf
		}
		if rest = after[end:]; rest[0] == '"' {
			rest = rest[1:]
		}
	}
	var again [1024]byte
	if l.Step == "" || !bytes.Equal(l.append(again[:0]), b) {
		return l, errLeaf
	}
	return l, nil
}

func unhex(to, text []byte) error {
	if len(text) != hex.EncodedLen(len(to)) {
		return errLeaf
	}
	_, err := hex.Decode(to, text)
	return err
}
