package value

// This file makes digests of values and of grants from their encoding.

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/exoagent/exoagent/internal/wire"
)

// Digest is the SHA-256 of a canonical encoding, preceded by the version and a byte for its kind.
// So a value and a catalogue never have the same digest. The zero Digest means that there is
// none.
//
// If a value has few possible values, anyone with the digest can find it by trial. So a digest is
// as secret as its value: a model never sees one.
type Digest [sha256.Size]byte

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Digest returns the digest of the value. It covers the value's label and the labels within it,
// since labels change how a run continues. References count as their numbers. It fails where
// AppendBinary fails.
func (v Value) Digest() (Digest, error) {
	return DigestOf('v', func(e *Encoder) { e.value(&v, 0) })
}

// DigestOf returns the digest of what write writes, marked with kind. It fails if that has no encoding.
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

// release gives an Encoder back. Its next user overwrites its buffer. A buffer that grew large is
// dropped.
func (e *Encoder) release() {
	e.sum.Reset()
	if cap(e.B) > 8*digestChunk {
		e.B = nil
	}
	e.B, e.Values, e.err = e.B[:0], 0, nil
	digesters.Put(e)
}
