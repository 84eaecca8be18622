package bearer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// DefaultLeeway is how far the clocks of issuer and host may differ.
const DefaultLeeway = 30 * time.Second

// maxLeeway is the longest leeway that a host may set. An expired token is still valid for that time.
const maxLeeway = 2 * time.Minute

// algorithms are the allowed algorithms for signing a token. All use a private and a public key.
// With HS256, everyone who can check a token could also make one, and "none" checks nothing.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}

// Options are the options of NewJWT.
type Options struct {
	Issuer   string // the exact iss of every token
	Audience string // the resource identifier of this server, which a token must have in aud (RFC 8707)
	// Keys is the address of the issuer's public keys, a JWK set: file:/path or https://host/path.
	Keys   string
	Scopes []string         // the scopes that a token must have in scope or scp
	Leeway time.Duration    // the tolerance for exp, nbf and iat, at most two minutes; 0: DefaultLeeway
	Fetch  *FetchOptions    // how keys are read; nil: the defaults
	Now    func() time.Time // the clock; nil: time.Now
}

// JWT verifies tokens from one authorization server for one resource. Make it with NewJWT.
type JWT struct {
	opt  Options
	keys *keySet
}

// NewJWT makes a verifier. It reads the keys when the first token comes.
func NewJWT(opt Options) (*JWT, error) {
	bad := func(format string, args ...any) (*JWT, error) {
		return nil, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...)
	}
	switch u, err := url.Parse(opt.Audience); {
	case opt.Issuer == "":
		return bad("the issuer is missing: set the issuer to the claim iss of the tokens")
	case err != nil || u.Scheme == "" || u.Host == "" || u.Fragment != "":
		return bad("the audience is %q: want the address of this server as clients know it, like https://mcp.example.com/mcp", opt.Audience)
	case opt.Leeway < 0 || opt.Leeway > maxLeeway:
		return bad("the leeway is %s: want 0 to %s", opt.Leeway, maxLeeway)
	}
	opt.Leeway = cmp.Or(opt.Leeway, DefaultLeeway)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	keys, err := newKeySet(opt.Keys, opt.Fetch, opt.Now)
	if err != nil {
		return nil, err
	}
	return &JWT{opt, keys}, nil
}

// Verify implements Verifier.
func (j *JWT) Verify(ctx context.Context, token string) (Identity, error) {
	invalid := func(why string) (Identity, error) { return Identity{}, fmt.Errorf("%w: %s", ErrInvalid, why) }
	if j == nil || j.keys == nil {
		return invalid("the bearer.JWT that checks tokens was not made with bearer.NewJWT: make it with that function")
	}
	if len(token) > maxToken {
		return invalid(fmt.Sprintf("the token has %d bytes, more than the limit of %d", len(token), maxToken))
	}
	sig, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil || len(sig.Signatures) != 1 {
		return invalid("the token is no JWT that is signed with RS256, ES256 or EdDSA")
	}
	head := sig.Signatures[0].Protected
	if typ, ok := head.ExtraHeaders[jose.HeaderType].(string); ok && !accessToken(typ) {
		return invalid("the token's header typ must be JWT or at+jwt")
	}
	key, err := j.keys.find(ctx, head.KeyID, head.Algorithm)
	if err != nil {
		return Identity{}, err
	}
	payload, err := sig.Verify(key)
	if err != nil {
		return invalid("the token's signature does not fit the issuer's key")
	}
	return j.read(payload)
}

func accessToken(typ string) bool {
	typ = strings.TrimPrefix(strings.ToLower(typ), "application/")
	return typ == "jwt" || typ == "at+jwt"
}

// read checks the claims of a token with a valid signature, and returns its identity.
func (j *JWT) read(payload []byte) (Identity, error) {
	invalid := func(why string) (Identity, error) { return Identity{}, fmt.Errorf("%w: %s", ErrInvalid, why) }
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	if err := d.Decode(&all); err != nil || all == nil {
		return invalid("the token's claims are no JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return invalid("there is text after the token's claims")
	}
	if again(payload) {
		return invalid("the token has one claim twice")
	}
	var c jwt.Claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return invalid("a claim of the token, such as exp or aud, has a wrong type")
	}
	// encoding/json accepts "ISS" for iss, but the map does not, and both must read the same claims.
	for _, name := range []string{"iss", "sub", "aud", "exp", "nbf", "iat"} {
		for have := range all {
			if have != name && strings.EqualFold(have, name) {
				return invalid("the token has a claim that differs from " + name + " only by case")
			}
		}
	}
	switch {
	case c.Expiry == nil:
		return invalid("the token lacks the claim exp")
	case c.Subject == "":
		return invalid("the token lacks the claim sub")
	case c.Issuer == "":
		return invalid("the token lacks the claim iss")
	case !slices.Contains(c.Audience, j.opt.Audience):
		return invalid("the token is not for this server: the claim aud lacks the audience of this server")
	}
	if err := c.ValidateWithLeeway(jwt.Expected{Issuer: j.opt.Issuer, AnyAudience: jwt.Audience{j.opt.Audience}, Time: j.opt.Now()}, j.opt.Leeway); err != nil {
		return invalid(err.Error())
	}
	have := scopes(all)
	for _, s := range j.opt.Scopes {
		if !slices.Contains(have, s) {
			return Identity{}, fmt.Errorf("%w: %s", ErrScope, s)
		}
	}
	return Identity{Issuer: c.Issuer, Subject: c.Subject, Claims: all}, nil
}

// scopes returns the scopes in two claims: scope, a text with spaces (RFC 9068), and scp, which some issuers use for a list.
func scopes(claims map[string]any) (out []string) {
	for _, name := range []string{"scope", "scp"} {
		switch v := claims[name].(type) {
		case string:
			out = append(out, strings.Fields(v)...)
		case []any:
			for _, s := range v {
				if s, ok := s.(string); ok {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// again reports whether an object in a JSON text has a name twice. Then two readers could read
// different claims from it.
func again(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var names []map[string]bool // for each open object, its names so far; for an array, nil
	key := false                // the next token of the JSON is a name
	for {
		tok, err := d.Token()
		if err != nil {
			return false
		}
		switch tok {
		case json.Delim('{'):
			names, key = append(names, map[string]bool{}), true
			continue
		case json.Delim('['):
			names, key = append(names, nil), false
			continue
		case json.Delim('}'), json.Delim(']'):
			names = names[:len(names)-1]
		default:
			if key {
				open := names[len(names)-1]
				name := tok.(string)
				if open[name] {
					return true
				}
				open[name], key = true, false
				continue
			}
		}
		key = len(names) > 0 && names[len(names)-1] != nil
	}
}
