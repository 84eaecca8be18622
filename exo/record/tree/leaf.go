// This file has the leaf: the part of an entry that the tree hashes.

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

// String returns the ID as 32 hexadecimal digits.
func (r Run) String() string { return hex.EncodeToString(r[:]) }

// Hash is a hash of the tree, as package tlog computes it.
type Hash = tlog.Hash

// These are the steps that this package interprets. The owner of a log defines others, in lower case.
const (
	Begun  = "begun"  // the first entry of a run
	Ended  = "ended"  // the last entry of a run. Later the log's owner may add entries that settle the run, and another Ended
	Erased = "erased" // the data keys of the run in Leaf.Of were destroyed

	// Resumed is added by Open if the last process ended before it signed all of its entries. Call is the number of unsigned entries. Until
	// Resumed was signed, an attacker who could write the folder could change them undetected. Failed is set if later lines could not be read.
	Resumed = "resumed"
)

// Leaf is the part of an entry that no program or person wrote. Append fills in Number, Index, Prev, Count and all fields after Of.
type Leaf struct {
	Number int64 // the number of the entry in the log, from 0
	Run    Run
	Index  int64     // the number of the entry in its run, from 0
	Prev   Hash      // the hash of the previous leaf of the run; zero for the first
	Step   string    // one of the steps of the log's owner or of this package, such as Begun
	At     time.Time // the time of the entry, in UTC
	Call   uint64
	Effect string
	State  string
	Failed bool // the payload contains an error
	Asked  bool // the entry was added after the process of the run had ended

	Prepared           bool // the leaf has Changed and Witnessed
	Changed, Witnessed int64

	Policy [32]byte // at Begun, the digest of what was granted
	Of     Run      // at Erased, the run that was erased
	Count  int64    // at Ended, how many leaves the run has, including this one

	Key     int64    // the Index of the entry that has the data key in its line
	Wrapped [32]byte // the SHA-256 of the wrapped data key, if this line has it
	Sealed  [32]byte // the SHA-256 of the encrypted payload
	Digest  [32]byte // the HMAC-SHA-256 of the payload; its key is derived from the data key
}

// field describes a field of a leaf: the text before its value, and a pointer to the value.
type field struct {
	name string
	at   any
}

// fields returns the fields in the order in which a line has them. A line leaves out every zero field except the first.
func (l *Leaf) fields() [21]field {
	return [...]field{{`{"v":1,"n":`, &l.Number}, {`,"run":"`, (*[16]byte)(&l.Run)}, {`,"i":`, &l.Index}, {`,"prev":"`, (*[32]byte)(&l.Prev)},
		{`,"step":"`, &l.Step}, {`,"at":"`, &l.At}, {`,"call":`, &l.Call}, {`,"effect":"`, &l.Effect}, {`,"state":"`, &l.State},
		{`,"failed":true`, &l.Failed}, {`,"asked":true`, &l.Asked}, {`,"prepared":true`, &l.Prepared}, {`,"changed":`, &l.Changed}, {`,"witnessed":`, &l.Witnessed},
		{`,"policy":"`, &l.Policy}, {`,"of":"`, (*[16]byte)(&l.Of)}, {`,"count":`, &l.Count},
		{`,"key":`, &l.Key}, {`,"wrapped":"`, &l.Wrapped}, {`,"sealed":"`, &l.Sealed}, {`,"digest":"`, &l.Digest}}
}

// append writes the leaf. Each leaf has only one spelling, and parseLeaf refuses any other.
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

var errLeaf = errors.New("the line is not in the form in which exo writes an entry")

// parseLeaf reads a leaf. It refuses every text except the one that append writes for the same leaf, so it needs no other check.
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
