package value

// This file makes the digests of values and of what was granted, by their encoding.

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/exoagent/exoagent/internal/wire"
)

// Digest is the SHA-256 of something in the canonical encoding, after the version and
// what kind of thing it is: a value and a catalogue never have the same. The zero
// Digest is of nothing.
//
// A digest of a value that has few possible values reveals which it is, by trial. So a digest is as
// secret as its value: a model never sees one.
type Digest [sha256.Size]byte

// String is the digest as hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Digest is the digest of the value. Its label belongs to it, and so do the labels of
// what is in it: who compares two digests wants to know whether a run would go on alike,
// and by a label a run goes another way. References count as their numbers. It fails
// where AppendBinary fails.
func (v Value) Digest() (Digest, error) {
	return DigestOf('v', func(e *Encoder) { e.value(&v, 0) })
}

// DigestOf is the digest of what write writes, a thing of that kind. It fails where that has no encoding.
func DigestOf(kind byte, write func(*Encoder)) (Digest, error) {
	e := digesters.Get().(*Encoder)
	defer e.release()
	e.B = append(e.B, kind, wire.Encoding)
	write(e)
	return e.digest()
}

var digesters = sync.Pool{New: func() any { return &Encoder{whole: true, sum: sha256.New()} }}

func (e *Encoder) digest() (d Digest, err error) {
	if e.err != nil {
		return Digest{}, e.err
	}
	e.sum.Write(e.B)
	return Digest(e.sum.Sum(e.B[:0])), nil
}

// release gives an Encoder back. Its next user overwrites its buffer,
// and a buffer that grew large is dropped.
func (e *Encoder) release() {
	e.sum.Reset()
	if cap(e.B) > 8*digestChunk {
		e.B = nil
	}
	e.B, e.Values, e.err = e.B[:0], 0, nil
	digesters.Put(e)
}
