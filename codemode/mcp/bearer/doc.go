// Package bearer says who a bearer token stands for: [Tokens] are random texts that a host
// gave out, [JWT] are tokens that an authorization server signed for this server. A token
// that is not right in every respect stands for nobody, and the zero value of each type
// knows no token.
//
// The package is no authorization server, and passes no token on. [Signer] gives out what a host needs
// for an agent: tokens that are good for minutes, for one user and one server.
package bearer

import (
	"context"
	"errors"
)

// Identity is on whose behalf a request comes. Issuer and Subject together name one party;
// neither does alone, as two issuers may use the same subject.
type Identity struct {
	Issuer  string
	Subject string
	// Claims are what the issuer says of the subject. Numbers are json.Number: an id above
	// 2^53 would be another one as a float64.
	Claims map[string]any
}

// Zero reports whether the identity names nobody.
func (i Identity) Zero() bool { return i.Issuer == "" || i.Subject == "" }

// ErrInvalid means that a token stands for nobody. What exactly is wrong with it is for the host:
// it would help a client to guess a valid one.
var ErrInvalid = errors.New("the token is not valid here")

// ErrScope means that a token is right and lacks a scope that is demanded.
var ErrScope = errors.New("the token lacks a scope")

// ErrUnavailable means that no answer can be given now: the keys can't be read.
var ErrUnavailable = errors.New("tokens can't be checked now")

// ErrConfig means that a verifier can't be made of what its host gave. The error says what is wrong, and what would be right.
var ErrConfig = errors.New("bearer: wrong configuration")

// A Verifier says who a token stands for. Its error wraps ErrInvalid, ErrScope or ErrUnavailable.
type Verifier interface {
	Verify(ctx context.Context, token string) (Identity, error)
}

// First asks each verifier in turn, until one knows the token.
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
			err = e // what is more than invalid is said
		}
	}
	return Identity{}, err
}
