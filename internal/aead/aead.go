// Package aead encrypts what a store keeps. Its keys are derived from a key of the host.
package aead

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
)

// Box encrypts and decrypts the texts of one ID.
type Box struct{ gcm cipher.AEAD }

// New makes the Box of an ID, with a key derived from the host's key. Different purposes give different keys.
func New(key []byte, purpose, id string) (Box, error) {
	derived, err := hkdf.Key(sha256.New, key, []byte(id), purpose, 32)
	if err != nil {
		return Box{}, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return Box{}, err
	}
	gcm, err := cipher.NewGCM(block)
	return Box{gcm}, err
}

// Seal encrypts a text. The argument with is authenticated but not encrypted, and Open needs the same bytes for it.
func (b Box) Seal(text, with []byte) []byte {
	nonce := make([]byte, b.gcm.NonceSize())
	rand.Read(nonce) // Read never fails
	return b.gcm.Seal(nonce, nonce, text, with)
}

// Open decrypts what Seal returned. It fails with ErrChanged for anything else.
func (b Box) Open(sealed, with []byte) ([]byte, error) {
	n := b.gcm.NonceSize()
	if len(sealed) < n {
		return nil, ErrChanged
	}
	text, err := b.gcm.Open(nil, sealed[:n], sealed[n:], with)
	if err != nil {
		return nil, ErrChanged
	}
	return text, nil
}

// ErrChanged is the error of a text that was changed, or encrypted with another key.
var ErrChanged = errors.New("aead: the text can't be decrypted, since it was changed or was encrypted with another key")
