package changespage

// This file has the links of one use, and the sessions that they begin. The store has only hashes: who reads it can't use what is in it.

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/exoagent/exoagent/exo/store"
)

const (
	linkTime    = 10 * time.Minute
	sessionTime = time.Hour

	linkPrefix    = "changes-link"
	sessionPrefix = "changes-session"
)

// known is the value of an entry: who the reader is, by the word of the operator who printed the link.
type known struct {
	Name string    `json:"name"`
	End  time.Time `json:"end"`
}

// NewLink makes the secret of a link by which a person opens the page, once, within ten minutes. The host vouches that name is theirs.
func NewLink(ctx context.Context, s store.Store, name string, now time.Time) (secret string, err error) {
	if name == "" {
		return "", errors.New("a link needs the name of its reader")
	}
	return put(ctx, s, linkPrefix, name, now.Add(linkTime))
}

// put keeps a new secret of 128 random bits, by its hash.
func put(ctx context.Context, s store.Store, prefix, name string, end time.Time) (secret string, err error) {
	b := make([]byte, 16)
	rand.Read(b) // it never fails
	secret = hex.EncodeToString(b)
	text, err := json.Marshal(known{name, end.UTC()})
	if err == nil {
		_, err = s.Put(ctx, store.Entry{Key: key(prefix, secret), Value: text, Until: end})
	}
	return secret, err
}

// key names the entry of a secret. The time of a look-up depends on the hash, which reveals nothing of the secret.
func key(prefix, secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return store.Key(prefix, hex.EncodeToString(sum[:]))
}

// find returns whose secret it is; "": nobody's.
func find(ctx context.Context, s store.Store, prefix, secret string, now time.Time) (name string, e store.Entry, err error) {
	if len(secret) != 32 {
		return "", e, nil
	}
	if e, err = s.Get(ctx, key(prefix, secret)); err != nil || e.Version == store.Absent {
		return "", e, err
	}
	var k known
	if err := json.Unmarshal(e.Value, &k); err != nil || !now.Before(k.End) {
		return "", e, err
	}
	return k.Name, e, nil
}

// use ends a link, and begins a session of its reader. Only the first of all processes that use a link begins one.
func use(ctx context.Context, s store.Store, secret string, now time.Time) (session string, err error) {
	name, e, err := find(ctx, s, linkPrefix, secret, now)
	if err != nil || name == "" {
		return "", err
	}
	if err = s.Delete(ctx, e.Key, e.Version); err != nil { // ErrConflict: another request was faster
		return "", err
	}
	return put(ctx, s, sessionPrefix, name, now.Add(sessionTime))
}
