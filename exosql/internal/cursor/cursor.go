package cursor

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// ErrNotValid is all that is said of a text that Open refuses: whether it was forged, cut, or sealed for another
// use or by another key is nobody's business.
var ErrNotValid = errors.New("cursor: not valid")

// ErrLong is of what is more than MaxPosition bytes.
var ErrLong = errors.New("cursor: too long")

// MaxPosition is the most that a cursor holds, in bytes.
const MaxPosition = 2048 - prefix

// Use is what a cursor is sealed for: a hash of everything that it must not be taken from.
type Use [sha256.Size]byte

// data is what is authenticated beside a position, and not in the cursor.
func (u Use) data() []byte { return u[:] }

// buckets are the lengths of what is encrypted, in bytes. The length of a cursor would reveal the length of its
// values, which the program may not see; so it is one of these, and almost always the first.
var buckets = [...]int{128, 512, 2048}

// prefix is the length of what is in a bucket.
const prefix = 2

// Sealer seals and opens cursors by one key. The zero Sealer does neither.
type Sealer struct{ aead cipher.AEAD }

// New makes a Sealer. key is a secret of any length that is hard to guess, or nil for a random one, whose cursors nobody
// else opens.
func New(key []byte) (*Sealer, error) {
	var own [sha256.Size]byte
	if key == nil {
		rand.Read(own[:]) // it never fails
	} else {
		own = sha256.Sum256(append([]byte("exosql cursor 1\x00"), key...))
	}
	block, err := aes.NewCipher(own[:])
	if err != nil {
		return nil, err
	}
	// A random nonce of 96 bits: after 2^32 cursors of one key two have the same with a chance of 2^-33.
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
	padded, err := s.aead.Open(nil, nil, sealed, use.data()) // forged, or of another query, principal or tenant
	if err != nil {
		return nil, ErrNotValid
	}
	// What follows Seal has written: no attacker gets here.
	n := int(binary.BigEndian.Uint16(padded))
	if n > len(padded)-prefix {
		return nil, ErrNotValid
	}
	return padded[prefix:][:n], nil
}

// sized reports whether a text is as long as a cursor can be, before any work is done for it. A line
// break in it, which base64 skips, makes it longer than what it decodes to.
func (s *Sealer) sized(text string) bool {
	for _, size := range buckets {
		if len(text) == base64.RawURLEncoding.EncodedLen(size+s.aead.Overhead()) {
			return true
		}
	}
	return false
}
