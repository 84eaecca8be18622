package bearer

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// FetchOptions limit the reading of an issuer's keys. A zero field means its default.
type FetchOptions struct {
	Client *http.Client  // the HTTP client; nil: one that follows no redirects and waits 5 s
	Fresh  time.Duration // the age above which keys are read again when they are used; 10 min
	Least  time.Duration // the least time between two readings, even if unknown keys are named; 30 s
	Stale  time.Duration // the age above which keys are not used any more, if they can't be read again; 1 h
}

// A key set has at most maxKeys keys and maxKeyBytes bytes. RSA keys have at least minRSA bits.
const maxKeys, maxKeyBytes, minRSA = 64, 256 << 10, 2048

// keySet has the public keys of an issuer, as they were last read.
type keySet struct {
	read func(context.Context) ([]byte, error)
	opt  FetchOptions
	now  func() time.Time

	reading sync.Mutex // held while the keys are read

	mu     sync.Mutex
	keys   []jose.JSONWebKey
	at     time.Time // when the keys were last read
	tried  time.Time // when the last reading began, whether or not it succeeded
	failed error     // why the last reading failed; nil: it succeeded
}

func newKeySet(from string, opt *FetchOptions, now func() time.Time) (*keySet, error) {
	k := &keySet{now: now}
	if opt != nil {
		k.opt = *opt
	}
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&k.opt.Fresh, 10*time.Minute)
	def(&k.opt.Least, 30*time.Second)
	def(&k.opt.Stale, time.Hour)
	u, err := url.Parse(from)
	switch {
	case err == nil && u.Scheme == "file" && u.Host == "" && (u.Path != "" || u.Opaque != ""):
		path := u.Path
		if path == "" {
			path = u.Opaque // the form file:keys.json, for a relative path
		}
		k.read = func(context.Context) ([]byte, error) { return readFile(path) }
	case err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil:
		client := k.opt.Client
		if client == nil {
			client = &http.Client{Timeout: 5 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		}
		k.read = func(ctx context.Context) ([]byte, error) { return fetch(ctx, client, from) }
	default:
		return nil, fmt.Errorf("%w: the place of the keys is %q: want file:PATH or https://HOST/PATH of a JWK set", ErrConfig, from)
	}
	return k, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxKeyBytes+1))
	if err == nil && len(b) > maxKeyBytes {
		err = fmt.Errorf("the JWK set has more than %d bytes, the limit", maxKeyBytes)
	}
	return b, err
}

func fetch(ctx context.Context, client *http.Client, from string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server with the JWK set answered with status %d instead of 200", resp.StatusCode)
	}
	return readAll(resp.Body)
}

// parseKeys returns the keys of a JWK set that can check signatures of our algorithms. It leaves
// out symmetric and weak keys.
func parseKeys(text []byte) ([]jose.JSONWebKey, error) {
	var set struct{ Keys []json.RawMessage }
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, errors.New(`the keys are no JWK set, a JSON object with "keys": [...]`)
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("the JWK set has %d keys, more than the limit of %d", len(set.Keys), maxKeys)
	}
	var out []jose.JSONWebKey
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) == nil && k.Valid() && k.IsPublic() && (k.Use == "" || k.Use == "sig") && algorithmOf(k) != "" && (k.Algorithm == "" || k.Algorithm == algorithmOf(k)) {
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the JWK set has no key for RS256, ES256 or EdDSA")
	}
	return out, nil
}

// algorithmOf returns the only algorithm that a key is used for here, or "" if there is none.
func algorithmOf(k jose.JSONWebKey) string {
	switch key := k.Key.(type) {
	case *rsa.PublicKey:
		if key.N.BitLen() >= minRSA && key.E >= 3 {
			return string(jose.RS256)
		}
	case *ecdsa.PublicKey:
		if key.Curve == elliptic.P256() {
			return string(jose.ES256)
		}
	case ed25519.PublicKey:
		return string(jose.EdDSA)
	}
	return ""
}

// find returns the key that a token names, if it is for the token's algorithm. For a token that
// names no key, it returns the issuer's only key.
func (k *keySet) find(ctx context.Context, id, algorithm string) (any, error) {
	key, age, due := k.look(id, algorithm)
	if key != nil && age < k.opt.Fresh {
		return key, nil
	}
	// An attacker can name any number of key ids, so the issuer gets at most one request per
	// interval. A caller with a valid key does not wait.
	if due && (key == nil || age >= k.opt.Stale) {
		k.reading.Lock()
		k.refresh(ctx)
		k.reading.Unlock()
	} else if due && k.reading.TryLock() {
		k.refresh(ctx)
		k.reading.Unlock()
	}
	switch key, age, _ = k.look(id, algorithm); {
	case age >= k.opt.Stale:
		return nil, k.unreadable()
	case key == nil:
		return nil, fmt.Errorf("%w: the issuer has no key with the token's key id and algorithm", ErrInvalid)
	}
	return key, nil
}

// unreadable returns the error for missing keys, with the error of the last reading.
func (k *keySet) unreadable() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failed == nil {
		return fmt.Errorf("%w: the issuer's keys can't be read", ErrUnavailable)
	}
	return fmt.Errorf("%w: the issuer's keys can't be read: %w", ErrUnavailable, k.failed)
}

// look finds a key among those that were read, or returns nil. It also returns their age, and whether they may be read again now.
func (k *keySet) look(id, algorithm string) (key any, age time.Duration, due bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, have := range k.keys {
		if algorithmOf(have) == algorithm && (have.KeyID == id && id != "" || id == "" && len(k.keys) == 1) {
			key = have.Key
		}
	}
	now := k.now()
	return key, now.Sub(k.at), now.Sub(k.tried) >= k.opt.Least
}

// refresh reads the keys, unless they have just been read. k.reading is held. The reading goes on if its request
// ends: otherwise a client could prevent it by disconnecting.
func (k *keySet) refresh(ctx context.Context) {
	k.mu.Lock()
	due := k.now().Sub(k.tried) >= k.opt.Least
	if due {
		k.tried = k.now()
	}
	k.mu.Unlock()
	if !due {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	var keys []jose.JSONWebKey
	text, err := k.read(ctx)
	if err == nil {
		keys, err = parseKeys(text)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failed = err; err == nil {
		k.keys, k.at = keys, k.now()
	}
}
