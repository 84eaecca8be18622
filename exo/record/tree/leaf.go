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

// Run is the ID of a run. The zero Run has the log's own entries: Erased.
type Run [16]byte

// String is 32 hexadecimal digits.
func (r Run) String() string { return hex.EncodeToString(r[:]) }

// Hash is a hash of the tree, see package tlog.
type Hash = tlog.Hash

// The steps that a log itself knows. Others are names of the log's owner, in small letters.
const (
	Begun  = "begun"  // the first entry of a run
	Ended  = "ended"  // the last one, unless its owner adds what became known later, and Ended again
	Erased = "erased" // the data keys of Of were destroyed

	// Resumed is what Open adds where the last process ended before it had signed all of its entries: Call says how many stand unsigned before this
	// one. Until then who could write the folder could change them unseen. Failed says that what stood behind them could not be read.
	Resumed = "resumed"
)

// Leaf is an entry without what a program or a person wrote. Append fills in Number, Index, Prev, Count and what follows Of.
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
	Of     Run      // at Erased
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

// fields are in the order of the line. The first one is always there, and others unless they are zero.
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

// parseLeaf reads a leaf. What append would write in another way is refused, so nothing else has to be checked here.
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
