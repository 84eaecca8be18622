// This file seals payloads. Each run has a data key that only the log's recipients can decrypt.

package tree

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"sync/atomic"

	"filippo.io/age"
)

// dataKey is the data key of a run. It stays in memory only while its process needs it. The run's lock guards all fields except index.
type dataKey struct {
	aead    cipher.AEAD
	mac     hash.Hash
	sealed  uint64 // how many payloads were encrypted, including those that could not be appended; it is the nonce of the last one
	wrapped []byte // the key, encrypted for the recipients
	index   int64  // the Index of the entry that has wrapped in its line; -1: no line has it yet
}

// keys makes data keys. It keeps a few unused ones ready, since encrypting a key for the recipients takes longer than everything else that a run
// records.
type keys struct {
	to     []age.Recipient
	unused chan *dataKey
	making atomic.Bool
}

func newKeys(to []age.Recipient) *keys { return &keys{to: to, unused: make(chan *dataKey, 8)} }

// next returns a key that no other run has.
func (k *keys) next() (key *dataKey, err error) {
	select {
	case key = <-k.unused:
		return key, nil
	default:
		return newDataKey(k.to)
	}
}

// fill makes keys for later runs. A log calls it when a run has ended, since during a run it would compete with the run.
func (k *keys) fill() {
	if k.making.CompareAndSwap(false, true) {
		go func() {
			defer k.making.Store(false)
			for len(k.unused) < cap(k.unused) { // only this goroutine adds keys, so there is room
				key, err := newDataKey(k.to)
				if err != nil {
					return // the method next will return the same error
				}
				k.unused <- key
			}
		}()
	}
}

// newDataKey makes a key and encrypts it for the recipients.
func newDataKey(to []age.Recipient) (*dataKey, error) {
	secret := make([]byte, 32)
	rand.Read(secret) // rand.Read never returns an error
	defer clear(secret)
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to...)
	if err == nil {
		_, err = w.Write(secret)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("the data key of a run can't be encrypted for the log's recipients: %w", err)
	}
	k, err := useDataKey(secret)
	if err == nil {
		k.wrapped = out.Bytes()
	}
	return k, err
}

// useDataKey derives a key for encryption and a key for digests from a secret.
func useDataKey(secret []byte) (*dataKey, error) {
	both, err := hkdf.Key(sha256.New, secret, nil, "exo record 1: encryption and digest", 64)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(both[:32])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	return &dataKey{aead: aead, mac: hmac.New(sha256.New, both[32:]), index: -1}, err
}

// seal encrypts a payload. The result begins with the nonce. No nonce is used twice, since only one process has the key. seal pads the
// payload: after the key is destroyed, the exact length would still reveal how long an erased name was.
func (k *dataKey) seal(run Run, payload []byte) (sealed []byte, digest [32]byte) {
	k.sealed++
	n := k.aead.NonceSize()
	sealed = make([]byte, n+padded(len(payload)+1), n+padded(len(payload)+1)+k.aead.Overhead())
	binary.BigEndian.PutUint64(sealed[n-8:n], k.sealed)
	copy(sealed[n:], payload)
	sealed[n+len(payload)] = padding
	return k.aead.Seal(sealed[:n], sealed[:n], sealed[n:], run[:]), k.digest(run, payload)
}

// padding is the byte after a payload; zeros follow it.
const padding = 0x80

// padded returns the length that n bytes are padded to: at least 256, and at most an eighth more than n. So an observer sees few different lengths.
func padded(n int) int {
	step := max(256, 1<<max(0, bits.Len(uint(n))-4))
	return (n + step - 1) / step * step
}

// unpadded removes the padding.
func unpadded(b []byte) ([]byte, error) {
	b = bytes.TrimRight(b, "\x00")
	if len(b) == 0 || b[len(b)-1] != padding {
		return nil, errors.New("the payload has no padding")
	}
	return b[:len(b)-1], nil
}

func (k *dataKey) digest(run Run, payload []byte) (d [32]byte) {
	k.mac.Reset()
	k.mac.Write(run[:])
	k.mac.Write(payload)
	k.mac.Sum(d[:0])
	return d
}

// These are errors of [Opener.Open].
var (
	ErrErased   = errors.New("the entry was erased: its data key is destroyed")
	ErrNoOpener = errors.New("the entry is encrypted: give an identity that can decrypt it")
)

// Opener decrypts payloads with age identities. Its caller passes the entries of each run in order.
type Opener struct {
	identities []age.Identity
	keys       map[keyID]*dataKey
}

// keyID identifies a data key by its run and the Index of the entry with the key in its line.
type keyID struct {
	run   Run
	index int64
}

// NewOpener reads identities in the format of age's identity file.
func NewOpener(identities io.Reader) (*Opener, error) {
	ids, err := age.ParseIdentities(identities)
	if err != nil {
		return nil, fmt.Errorf("identities: %w", err)
	}
	return &Opener{ids, map[keyID]*dataKey{}}, nil
}

// Open returns the payload of an entry, or nil if the entry has none. A nil Opener returns an error for each entry.
func (o *Opener) Open(e *Entry) (payload []byte, err error) {
	if o == nil {
		return nil, ErrNoOpener
	}
	if len(e.sealed) == 0 {
		return nil, nil
	}
	id := keyID{e.Run, e.Key}
	if e.Destroyed() {
		o.keys[id] = nil
	} else if len(e.wrapped) > 0 {
		secret, err := unwrap(e.wrapped, o.identities)
		if err == nil {
			o.keys[id], err = useDataKey(secret)
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: its data key can't be opened with this identity: %w", e.Number, err)
		}
	}
	k, seen := o.keys[id]
	switch {
	case !seen:
		return nil, fmt.Errorf("entry %d: its data key was not read: open the entries of a run in their order", e.Number)
	case k == nil:
		return nil, ErrErased
	}
	if e.Step == Ended {
		delete(o.keys, id)
	}
	sealed, err := base64.StdEncoding.AppendDecode(nil, e.sealed)
	if n := k.aead.NonceSize(); err == nil && len(sealed) >= n {
		if payload, err = k.aead.Open(nil, sealed[:n], sealed[n:], e.Run[:]); err == nil {
			payload, err = unpadded(payload)
		}
	}
	if err != nil || k.digest(e.Run, payload) != e.Digest {
		return nil, fmt.Errorf("entry %d: its payload is not the one that was appended", e.Number)
	}
	return payload, nil
}

func unwrap(wrapped []byte, identities []age.Identity) ([]byte, error) {
	r, err := age.Decrypt(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(wrapped)), identities...)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, 64))
}

// destroyed overwrites each letter of a destroyed key. No key contains it, since it is not a letter of base64.
const destroyed = "-"

// Destroyed reports whether the whole data key in this entry's line was overwritten. Its first letters alone don't count, since they are the same in
// all age files.
func (e *Entry) Destroyed() bool {
	return len(e.wrapped) > 0 && len(bytes.Trim(e.wrapped, destroyed)) == 0
}
