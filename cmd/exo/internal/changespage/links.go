package changespage

// This file has links that work once, and the sessions that they begin. The store has only keyed hashes: a person who reads the store can't use them,
// and a person who writes it can't make a valid one.

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

// known is the value of an entry: the reader's name, as the operator who printed the link gave it.
type known struct {
	Name string    `json:"name"`
	End  time.Time `json:"end"`
	Sum  []byte    `json:"sum"` // the keyed hash of the secret, the name and the end
}

// NewLink makes the secret of a link with which a person opens the page, once, within ten minutes. The argument name is the person's name, as the host
// knows it. The argument k is the key of the approvals.
func NewLink(ctx context.Context, s store.Store, k []byte, name string, now time.Time) (secret string, err error) {
	if name == "" {
		return "", errors.New("the name of the person who will open the link is empty: give one")
	}
	return put(ctx, s, k, linkPrefix, name, now.Add(linkTime))
}

// put makes a secret of 128 random bits, and stores its hash.
func put(ctx context.Context, s store.Store, k []byte, prefix, name string, end time.Time) (secret string, err error) {
	b := make([]byte, 16)
	rand.Read(b) // rand.Read never returns an error
	secret = hex.EncodeToString(b)
	end = end.UTC()
	text, err := json.Marshal(known{name, end, sum(k, prefix, secret, name, end)})
	if err == nil {
		_, err = s.Put(ctx, store.Entry{Key: key(k, prefix, secret), Value: text, Until: end})
	}
	return secret, err
}

// sum returns a keyed hash of its arguments. Each argument is quoted, so that different arguments can't give the same bytes.
func sum(k []byte, prefix, secret, name string, end time.Time) []byte {
	h := hmac.New(sha256.New, k)
	fmt.Fprintf(h, "exo changes link 1 %q %q %q %q", prefix, secret, name, end.Format(time.RFC3339Nano))
	return h.Sum(nil)
}

// key returns the key of the entry for a secret. A lookup takes a time that depends on a hash, which reveals nothing about the secret.
func key(k []byte, prefix, secret string) string {
	return store.Key(prefix, hex.EncodeToString(sum(k, prefix, secret, "", time.Time{})))
}

// find returns the name of the person who got the secret, and the secret's entry. The name is "" if no valid entry has the secret.
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
	if !hmac.Equal(who.Sum, sum(k, prefix, secret, who.Name, who.End)) { // another program wrote this entry into the store
		return "", e, nil
	}
	return who.Name, e, nil
}

// use ends a link, and begins a session of its reader. If several processes use a link, only the first begins a session.
func use(ctx context.Context, s store.Store, k []byte, secret string, now time.Time) (session string, err error) {
	name, e, err := find(ctx, s, k, linkPrefix, secret, now)
	if err != nil || name == "" {
		return "", err
	}
	if err = s.Delete(ctx, e.Key, e.Version); err != nil { // ErrConflict: another request has used the link first
		return "", err
	}
	return put(ctx, s, k, sessionPrefix, name, now.Add(sessionTime))
}
