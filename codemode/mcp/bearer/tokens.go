package bearer

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"
)

// minToken is how many bytes a token has at least: 32 of base64 are 192 bits.
const minToken = 32

// maxToken is how many bytes of a token are read at all.
const maxToken = 8 << 10

// Tokens are random texts that a host gave out, kept as their SHA-256 alone. A hash
// without salt is enough as the texts are random and not passwords. Add all of them before
// the first Verify: then Verify may be called from any goroutine.
type Tokens struct {
	known []knownToken
}

type knownToken struct {
	hash [sha256.Size]byte
	who  Identity
}

// Add makes token stand for who. It fails for a token that could be guessed.
func (t *Tokens) Add(token string, who Identity) error {
	if len(token) < minToken || len(token) > maxToken || strings.TrimSpace(token) != token {
		return fmt.Errorf("%w: the token has %d bytes; want %d to %d random ones without space, as of: openssl rand -base64 32", ErrConfig, len(token), minToken, maxToken)
	}
	return t.add(sha256.Sum256([]byte(token)), who)
}

// AddHash is Add for a host that keeps the hexadecimal SHA-256 of a token alone.
func (t *Tokens) AddHash(hash string, who Identity) error {
	b, err := hex.DecodeString(hash)
	if err != nil || len(b) != sha256.Size {
		return fmt.Errorf("%w: want the SHA-256 of a token, as %d hexadecimal digits", ErrConfig, 2*sha256.Size)
	}
	return t.add([sha256.Size]byte(b), who)
}

func (t *Tokens) add(hash [sha256.Size]byte, who Identity) error {
	if who.Zero() {
		return fmt.Errorf("%w: a token needs an issuer and a subject that it stands for", ErrConfig)
	}
	for _, k := range t.known {
		if k.hash == hash {
			return fmt.Errorf("%w: one token stands for %q and %q", ErrConfig, k.who.Subject, who.Subject)
		}
	}
	t.known = append(t.known, knownToken{hash, who})
	return nil
}

// Verify implements Verifier. It compares hashes, each of them in constant time, so that its time
// does not reveal how much of a token is right.
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
