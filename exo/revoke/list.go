package revoke

// This file has the list: who is on it, who puts them there.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
)

// List names the principals whose programs run no more. Make one with In; the zero List and a nil *List refuse every program. Several goroutines may
// use a List.
type List struct {
	store  store.Store
	covers func(entry, p exo.Principal) bool

	reading sync.Mutex // held while the store is read
	read    time.Time  // when the store was last read

	mu      sync.Mutex
	entries []Entry                // as they were read
	revoked map[exo.Principal]bool // what they say of principals that were asked about
	runs    map[*running]struct{}
	timer   *time.Timer // calls check while programs run
	seen    time.Time   // when check could last read the list
}

// In returns the list in a store. The caller closes the store after the last run. covers reports whether an entry names a principal; nil: if they are equal.
// A host whose principals have an organization in their names can so revoke all of an organization by one entry.
func In(s store.Store, covers func(entry, p exo.Principal) bool) *List {
	if covers == nil {
		covers = func(entry, p exo.Principal) bool { return entry == p }
	}
	return &List{store: s, covers: covers, runs: map[*running]struct{}{}}
}

// Entry is one line of a list.
type Entry struct {
	All       bool          `json:"all,omitempty"`       // all principals are revoked
	Principal exo.Principal `json:"principal,omitempty"` // or what covers takes for several
	Why       string        `json:"why,omitempty"`       // for the operator; no program reads it
	At        time.Time     `json:"at"`
}

// ErrNotRevoked is the error of Restore for a principal that is not on the list.
var ErrNotRevoked = errors.New("revoke: not on the list")

// MaxWhy is how many bytes a reason may have.
const MaxWhy = 1 << 10

// Revoke puts a principal on the list, or an entry that covers several. An entry that is on it already stays as it is.
func (l *List) Revoke(ctx context.Context, p exo.Principal, why string) error {
	return l.put(ctx, Entry{Principal: p, Why: why})
}

// RevokeAll revokes all principals, also those that have no name.
func (l *List) RevokeAll(ctx context.Context, why string) error {
	return l.put(ctx, Entry{All: true, Why: why})
}

// Restore takes an entry off the list. A principal stays revoked while another entry covers it, or while all are revoked.
func (l *List) Restore(ctx context.Context, p exo.Principal) error {
	return l.remove(ctx, Entry{Principal: p})
}

// RestoreAll ends what RevokeAll began. Principals that were revoked by name stay revoked.
func (l *List) RestoreAll(ctx context.Context) error { return l.remove(ctx, Entry{All: true}) }

// prefix begins the keys of the list, so that it may share a store.
const prefix = "revoked/"

func (e Entry) key() string {
	if e.All {
		return prefix + "all"
	}
	return prefix + store.Key("principal", string(e.Principal))
}

func (l *List) put(ctx context.Context, e Entry) error {
	if err := l.made(); err != nil {
		return err
	}
	if len(e.Why) > MaxWhy {
		return fail.Errorf(fail.Invalid, "", "the reason has %d bytes; want at most %d", len(e.Why), MaxWhy)
	}
	e.At = time.Now().UTC().Truncate(time.Second)
	text, err := json.Marshal(e)
	if err == nil {
		err = store.Update(ctx, l.store, e.key(), func(x *store.Entry) (bool, error) {
			x.Value = text
			return x.Version == store.Absent, nil
		})
	}
	return l.changed(err)
}

func (l *List) remove(ctx context.Context, e Entry) error {
	if err := l.made(); err != nil {
		return err
	}
	x, err := l.store.Get(ctx, e.key())
	if err == nil && x.Version == store.Absent {
		return ErrNotRevoked
	}
	if err == nil {
		err = l.store.Delete(ctx, e.key(), x.Version)
	}
	return l.changed(err)
}

// changed makes this process read the list anew.
func (l *List) changed(err error) error {
	l.reading.Lock()
	defer l.reading.Unlock()
	l.read = time.Time{}
	if err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	return nil
}

// Entries returns the list, in the order of names.
func (l *List) Entries(ctx context.Context) (out []Entry, err error) {
	if err := l.made(); err != nil {
		return nil, err
	}
	for x, err := range store.All(ctx, l.store, prefix) {
		var e Entry
		if err == nil {
			err = json.Unmarshal(x.Value, &e)
		}
		if err == nil && e.key() != x.Key {
			err = fmt.Errorf("%w: %.80q has the entry of another principal", store.ErrDamaged, x.Key)
		}
		if err != nil {
			return nil, fmt.Errorf("revoke: %w", err)
		}
		out = append(out, e)
	}
	return out, nil
}

var errZero = fail.Named("revoke: this list was not made with In, and a store")

func (l *List) made() error {
	if l == nil || l.store == nil {
		return &fail.Error{Kind: fail.Denied, Err: errZero}
	}
	return nil
}
