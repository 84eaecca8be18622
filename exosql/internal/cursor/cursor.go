package cursor

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
)

// ErrNotValid is the only error for a text that Open refuses, whether it was forged, cut, or sealed
// for another use or by another key. So an attacker does not learn which.
var ErrNotValid = errors.New("cursor: not valid")

// ErrLong is the error for a position of more than MaxPosition bytes.
var ErrLong = errors.New("cursor: too long")

// MaxPosition is the largest position of a cursor, in bytes.
const MaxPosition = 2048 - prefix

// Use identifies where a cursor is valid. It is a hash of the query, the principal, and everything else that must be the same.
type Use [sha256.Size]byte

// data returns bytes that a cursor's seal covers, but that are not part of the cursor: a cursor opens only with the same bytes.
func (u Use) data() []byte { return u[:] }

// buckets are the possible lengths of the encrypted part, in bytes. An exact length would reveal the
// length of values that the program may not see. Almost every cursor has the first length.
var buckets = [...]int{128, 512, 2048}

// prefix is the size of the length field at the beginning of a bucket.
const prefix = 2

// Sealer seals and opens cursors with one key. The zero Sealer does neither.
type Sealer struct{ aead cipher.AEAD }

// New makes a Sealer. key is a secret of any length that is hard to guess. With nil the key is
// random, and no other Sealer opens the cursors.
func New(key []byte) (*Sealer, error) {
	var own [sha256.Size]byte
	if key == nil {
		rand.Read(own[:]) // rand.Read never fails
	} else {
		own = sha256.Sum256(append([]byte("exosql cursor 1\x00"), key...))
	}
	block, err := aes.NewCipher(own[:])
	if err != nil {
		return nil, err
	}
	// Nonces are random, with 96 bits: among 2^32 cursors of one key, two have the same nonce with a probability of 2^-33.
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &Sealer{aead}, err
}

// Seal makes a cursor of a position.
func (s *Sealer) Seal(use Use, position []byte) (string, error) {
	if s == nil || s.aead == nil {
		return "", ErrNotValid
	}
	for _, size := range buckets {
		if len(position) > size-prefix {
			continue
		}
		padded := binary.BigEndian.AppendUint16(make([]byte, 0, size), uint16(len(position)))
		padded = append(padded, position...)[:size]
		return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, padded, use.data())), nil
	}
	return "", ErrLong
}

// Open returns the position of a cursor that Seal made by the same key for the same use.
func (s *Sealer) Open(use Use, text string) ([]byte, error) {
	if s == nil || s.aead == nil || !s.sized(text) {
		return nil, ErrNotValid
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, ErrNotValid
	}
	padded, err := s.aead.Open(nil, nil, sealed, use.data()) // Open fails for a cursor that is forged, or made for another query, principal or tenant
	if err != nil {
		return nil, ErrNotValid
	}
	// The seal covers this length, so an attacker can't have changed it.
	n := int(binary.BigEndian.Uint16(padded))
	if n > len(padded)-prefix {
		return nil, ErrNotValid
	}
	return padded[prefix:][:n], nil
}

// sized reports whether a text has a possible length of a cursor, before any work is done for it.
// base64 skips line breaks, so a text with one would be longer than its content needs.
func (s *Sealer) sized(text string) bool {
	return slices.ContainsFunc(buckets[:], func(size int) bool { return len(text) == base64.RawURLEncoding.EncodedLen(size+s.aead.Overhead()) })
}
