package changespage

// This file has the links of one use, and the sessions that they begin. The store has only hashes, keyed by the key of the approvals: who reads it can't
// use what is in it, and who writes it can make no reader.

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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
	Sum  []byte    `json:"sum"` // of the secret, the name and the end
}

// NewLink makes the secret of a link by which a person opens the page, once, within ten minutes. The host vouches that name is theirs. k is
// the key of the approvals.
func NewLink(ctx context.Context, s store.Store, k []byte, name string, now time.Time) (secret string, err error) {
	if name == "" {
		return "", errors.New("a link needs the name of its reader")
	}
	return put(ctx, s, k, linkPrefix, name, now.Add(linkTime))
}

// put keeps a new secret of 128 random bits, by its hash.
func put(ctx context.Context, s store.Store, k []byte, prefix, name string, end time.Time) (secret string, err error) {
	b := make([]byte, 16)
	rand.Read(b) // it never fails
	secret = hex.EncodeToString(b)
	end = end.UTC()
	text, err := json.Marshal(known{name, end, sum(k, prefix, secret, name, end)})
	if err == nil {
		_, err = s.Put(ctx, store.Entry{Key: key(k, prefix, secret), Value: text, Until: end})
	}
	return secret, err
}

// sum is a keyed hash. Each part has its length, so that no two lists are written alike.
func sum(k []byte, prefix, secret, name string, end time.Time) []byte {
	h := hmac.New(sha256.New, k)
	fmt.Fprintf(h, "exo changes link 1 %q %q %q %q", prefix, secret, name, end.Format(time.RFC3339Nano))
	return h.Sum(nil)
}

// key names the entry of a secret. The time of a look-up depends on the hash, which reveals nothing of the secret.
func key(k []byte, prefix, secret string) string {
	return store.Key(prefix, hex.EncodeToString(sum(k, prefix, secret, "", time.Time{})))
}

// find returns whose secret it is; "": nobody's.
func find(ctx context.Context, s store.Store, k []byte, prefix, secret string, now time.Time) (name string, e store.Entry, err error) {
	if len(secret) != 32 {
		return "", e, nil
	}
	if e, err = s.Get(ctx, key(k, prefix, secret)); err != nil || e.Version == store.Absent {
		return "", e, err
	}
	var who known
	if err := json.Unmarshal(e.Value, &who); err != nil || !now.Before(who.End) {
		return "", e, err
	}
	if !hmac.Equal(who.Sum, sum(k, prefix, secret, who.Name, who.End)) { // an entry that another writer of the store wrote
		return "", e, nil
	}
	return who.Name, e, nil
}

// use ends a link, and begins a session of its reader. Only the first of all processes that use a link begins one.
func use(ctx context.Context, s store.Store, k []byte, secret string, now time.Time) (session string, err error) {
	name, e, err := find(ctx, s, k, linkPrefix, secret, now)
	if err != nil || name == "" {
		return "", err
	}
	if err = s.Delete(ctx, e.Key, e.Version); err != nil { // ErrConflict: another request was faster
		return "", err
	}
	return put(ctx, s, k, sessionPrefix, name, now.Add(sessionTime))
}
