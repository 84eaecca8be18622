// Package aead encrypts what a store keeps, under keys that are derived from one of the host's.
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

// New derives the key of an ID. purpose keeps the keys of different uses apart.
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

// Seal encrypts a text. Open needs the same with, which is authenticated and not encrypted.
func (b Box) Seal(text, with []byte) []byte {
	nonce := make([]byte, b.gcm.NonceSize())
	rand.Read(nonce) // it never fails
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
var ErrChanged = errors.New("aead: the text was changed, or encrypted with another key")
