package bearer

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// This file makes tokens. A host signs one so that an agent may act for a user that the host has
// authenticated. jwt.go checks tokens.

// SignerOptions are the options of NewSigner.
type SignerOptions struct {
	Issuer   string             // the iss of every token, the host's address: https://shop.example.com
	Audience string             // the only server for which tokens are valid, the same as Options.Audience
	Key      ed25519.PrivateKey // the private key; a party that has it can act as any user
	For      time.Duration      // how long a token is valid, at most an hour; 0: 5 min
	Now      func() time.Time   // the clock; nil: time.Now
}

// Signer signs tokens that are valid for minutes and for one server. With a token, an agent can act for a user without the
// user's credential. A token can't be revoked before it expires. Make a Signer with NewSigner; the zero Signer signs nothing.
type Signer struct {
	opt    SignerOptions
	signer jose.Signer
	keys   []byte
}

// reserved lists claims that the signer itself sets, or that have a meaning for verifiers.
var reserved = []string{"iss", "sub", "aud", "exp", "nbf", "iat", "jti", "act"}

// NewSigner makes a signer.
func NewSigner(opt SignerOptions) (*Signer, error) {
	opt.For = cmp.Or(opt.For, 5*time.Minute)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	switch {
	case len(opt.Key) != ed25519.PrivateKeySize:
		return nil, fmt.Errorf("%w: SignerOptions.Key has %[3]d bytes: want a private Ed25519 key of %[2]d bytes", ErrConfig, ed25519.PrivateKeySize, len(opt.Key))
	case opt.For < 0 || opt.For > time.Hour:
		return nil, fmt.Errorf("%w: SignerOptions.For is %s: want more than 0 and at most an hour", ErrConfig, opt.For)
	}
	public := opt.Key.Public()
	hash := sha256.Sum256(public.(ed25519.PublicKey))
	id := base64.RawURLEncoding.EncodeToString(hash[:12])
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: opt.Key}, (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", id))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: id, Use: "sig", Algorithm: string(jose.EdDSA)}}})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	s := &Signer{opt, signer, keys}
	if _, err := s.Verifier(); err != nil { // Verifier also checks issuer and audience
		return nil, err
	}
	return s, nil
}

// Keys returns the public key as a JWK set, for Options.Keys, and for the setting keys of a grant file.
func (s *Signer) Keys() []byte { return append([]byte(nil), s.keys...) }

// Verifier returns a verifier that accepts only the tokens of this signer.
func (s *Signer) Verifier() (*JWT, error) {
	j, err := NewJWT(Options{Issuer: s.opt.Issuer, Audience: s.opt.Audience, Keys: "file:in-memory", Now: s.opt.Now})
	if err != nil {
		return nil, err
	}
	j.keys.read = func(context.Context) ([]byte, error) { return s.keys, nil }
	return j, nil
}

// SignToken signs a token with which an agent acts for a subject whom the host has authenticated.
// The principal is made from the claims. The claim act names the agent (RFC 8693), for readers of
// the record; it decides nothing, and may be "". An error wraps ErrConfig.
func (s *Signer) SignToken(subject, agent string, claims map[string]any) (string, error) {
	bad := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...)
	}
	if s == nil || s.signer == nil {
		return bad("the Signer was not made with bearer.NewSigner: make it with that function")
	}
	if subject == "" {
		return bad("the subject is empty: a token must name one")
	}
	now := s.opt.Now()
	all := map[string]any{}
	for name, v := range claims {
		for _, own := range reserved { // refused, since the code that makes the claims must not choose the subject
			if strings.EqualFold(name, own) {
				return bad("the claim %q is made by the signer: leave it out", name)
			}
		}
		all[name] = v
	}
	all["iss"], all["sub"], all["aud"], all["jti"] = s.opt.Issuer, subject, s.opt.Audience, rand.Text()
	all["iat"], all["exp"] = now.Unix(), now.Add(s.opt.For).Unix()
	if agent != "" {
		all["act"] = map[string]any{"sub": agent}
	}
	payload, err := json.Marshal(all)
	if err != nil {
		return bad("the claims can't be written as JSON: %w", err)
	}
	signed, err := s.signer.Sign(payload)
	if err != nil {
		return bad("%w", err)
	}
	token, err := signed.CompactSerialize()
	if err == nil && len(token) > maxToken {
		return bad("the token has %d bytes, more than the limit of %d: give it fewer claims", len(token), maxToken)
	}
	return token, err
}
