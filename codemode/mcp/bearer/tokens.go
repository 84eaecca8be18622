package bearer

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"
)

// minToken is the least length of a token: 32 bytes of base64 are 192 bits.
const minToken = 32

// maxToken is how many bytes of a token are read at most.
const maxToken = 8 << 10

// Tokens has random texts that a host gave out. It keeps only their SHA-256; a salt is not needed,
// because the texts are random, unlike passwords. Add all tokens before the first Verify. After
// that any goroutine may call Verify.
type Tokens struct{ known []knownToken }

type knownToken struct {
	hash [sha256.Size]byte
	who  Identity
}

// Add makes token valid for the identity who. It fails if the token could be guessed.
func (t *Tokens) Add(token string, who Identity) error {
	if len(token) < minToken || len(token) > maxToken || strings.TrimSpace(token) != token {
		return fmt.Errorf("%w: the token has %d bytes; want %d to %d random bytes without spaces, as this command prints: openssl rand -base64 32", ErrConfig, len(token), minToken, maxToken)
	}
	return t.add(sha256.Sum256([]byte(token)), who)
}

// AddHash adds a token that the host keeps only as a hexadecimal SHA-256.
func (t *Tokens) AddHash(hash string, who Identity) error {
	b, err := hex.DecodeString(hash)
	if err != nil || len(b) != sha256.Size {
		return fmt.Errorf("%w: the hash is no SHA-256 of a token: write %d hexadecimal digits", ErrConfig, 2*sha256.Size)
	}
	return t.add([sha256.Size]byte(b), who)
}

func (t *Tokens) add(hash [sha256.Size]byte, who Identity) error {
	if who.Zero() {
		return fmt.Errorf("%w: a token needs an identity with an issuer and a subject", ErrConfig)
	}
	for _, k := range t.known {
		if k.hash == hash {
			return fmt.Errorf("%w: the same token was added for %q and for %q: make another for one of them", ErrConfig, k.who.Subject, who.Subject)
		}
	}
	t.known = append(t.known, knownToken{hash, who})
	return nil
}

// Verify implements Verifier. It compares hashes in constant time, so its duration does not reveal
// how much of a token is right.
func (t *Tokens) Verify(_ context.Context, token string) (Identity, error) {
	if t == nil || len(token) > maxToken {
		return Identity{}, ErrInvalid
	}
	hash := sha256.Sum256([]byte(token))
	found := -1
	for i, k := range t.known {
		if subtle.ConstantTimeCompare(hash[:], k.hash[:]) == 1 {
			found = i
		}
	}
	if found < 0 {
		return Identity{}, ErrInvalid
	}
	return t.known[found].who, nil
}
