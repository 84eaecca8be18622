// Package bearer finds the identity for a bearer token. [Tokens] are random texts that a host gave out, and [JWT]
// are tokens that an authorization server signed for this server. A token that is wrong in any respect has no
// identity, and the zero value of each type accepts no token.
//
// The package is no authorization server, and passes no token on. A [Signer] makes the tokens that a host needs for
// an agent, each for a few minutes, one user and one server.
package bearer

import (
	"context"
	"errors"
)

// Identity is the party for whom a request comes. Only Issuer and Subject together name a party,
// because two issuers may use the same subject.
type Identity struct {
	Issuer, Subject string
	// Claims are the issuer's statements about the subject. Numbers
	// are json.Number: a float64 would change an id above 2^53.
	Claims map[string]any
}

// Zero reports whether the identity names no party.
func (i Identity) Zero() bool { return i.Issuer == "" || i.Subject == "" }

// ErrInvalid means that a token has no identity. The reason is only for the host, since it could
// help a client to guess a valid token.
var ErrInvalid = errors.New("the token is not valid here")

// ErrScope means that a token is valid but lacks a required scope.
var ErrScope = errors.New("the token lacks a scope")

// ErrUnavailable means that tokens can't be checked now, because the keys can't be read.
var ErrUnavailable = errors.New("tokens can't be checked now")

// ErrConfig means that the configuration of a verifier is wrong. The error describes the fault, and what would be right.
var ErrConfig = errors.New("bearer: wrong configuration")

// A Verifier finds the identity for a token. Its error wraps ErrInvalid, ErrScope or ErrUnavailable.
type Verifier interface {
	Verify(ctx context.Context, token string) (Identity, error)
}

// First returns a verifier that tries each of vs in turn, until one accepts the token.
func First(vs ...Verifier) Verifier { return first(vs) }

type first []Verifier

func (f first) Verify(ctx context.Context, token string) (Identity, error) {
	err := error(ErrInvalid)
	for _, v := range f {
		who, e := v.Verify(ctx, token)
		if e == nil {
			return who, nil
		}
		if errors.Is(err, ErrInvalid) {
			err = e // kept, since this error is more specific than ErrInvalid
		}
	}
	return Identity{}, err
}
