package revoke

// This file has the list: its entries, and the methods that add and remove them.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/exoagent/exoagent/exo"
	"github.com/exoagent/exoagent/exo/fail"
	"github.com/exoagent/exoagent/exo/store"
)

// List names the principals whose programs run no more. Make one with In; Begin of the zero List and of a nil *List refuses every program. Several
// goroutines may use a List.
type List struct {
	store store.Store
	match Match

	mu      sync.Mutex
	read    time.Time                // when the list was last read
	now     *reading                 // the reading of the store that is in progress; nil: none
	covers  func(exo.Principal) bool // the list, as it was read
	revoked map[exo.Principal]bool   // the results of covers so far
	runs    map[*running]struct{}
	timer   *time.Timer // calls check while programs run
	seen    time.Time   // when check could last read the list
}

// Match makes a function that reports whether a principal is named by one of the entries. Both are called while the List is locked: they must be quick,
// must not panic, and must not call the List.
type Match func(entries []exo.Principal) func(exo.Principal) bool

// In returns the list in a store. The caller closes the store after the last run. With match, one entry may name several principals, such as all of an
// organization; nil: an entry names the principal that is equal to it.
func In(s store.Store, match Match) *List {
	if match == nil {
		match = func(entries []exo.Principal) func(exo.Principal) bool {
			return func(p exo.Principal) bool { return slices.Contains(entries, p) }
		}
	}
	return &List{store: s, match: match, runs: map[*running]struct{}{}}
}

// Entry is one line of a list.
type Entry struct {
	All       bool          `json:"all,omitempty"`       // all principals are revoked
	Principal exo.Principal `json:"principal,omitempty"` // the revoked principal, or a text that names several for Match
	Why       string        `json:"why,omitempty"`       // for the operator; no program reads it
	At        time.Time     `json:"at"`
}

// ErrNotRevoked is the error of Restore for a principal that is not on the list, and of RestoreAll if not all are revoked.
var ErrNotRevoked = errors.New("revoke: the list has no such entry, so there is nothing to restore")

// MaxWhy is how many bytes a reason may have.
const MaxWhy = 1 << 10

// Revoke adds an entry for a principal, or for several principals that Match finds. An entry that is on the list already keeps its time, and its reason if
// the new one is empty.
func (l *List) Revoke(ctx context.Context, p exo.Principal, why string) error {
	return l.put(ctx, Entry{Principal: p, Why: why})
}

// RevokeAll revokes all principals. It also applies to runs without a principal.
func (l *List) RevokeAll(ctx context.Context, why string) error {
	return l.put(ctx, Entry{All: true, Why: why})
}

// Restore takes an entry off the list. A principal stays revoked while another entry covers it, or while all are revoked.
func (l *List) Restore(ctx context.Context, p exo.Principal) error {
	return l.remove(ctx, Entry{Principal: p})
}

// RestoreAll ends what RevokeAll began. Principals that were revoked by name stay revoked.
func (l *List) RestoreAll(ctx context.Context) error { return l.remove(ctx, Entry{All: true}) }

// prefix begins the keys of the list, so that the list can share a store with other data.
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
		return fail.Errorf(fail.Invalid, "", "the reason has %d bytes: want at most %d", len(e.Why), MaxWhy)
	}
	if !utf8.ValidString(e.Why) || !utf8.ValidString(string(e.Principal)) { // JSON would change an invalid name, and Entries would find the name of another principal
		return fail.Errorf(fail.Invalid, "", "the principal or the reason is not UTF-8: correct it")
	}
	e.At = time.Now().UTC().Truncate(time.Second)
	return l.changed(store.Update(ctx, l.store, e.key(), func(x *store.Entry) (bool, error) {
		var was Entry
		if x.Version != store.Absent && json.Unmarshal(x.Value, &was) == nil {
			e.At, e.Why = was.At, cmp.Or(e.Why, was.Why)
		}
		var err error
		x.Value, err = json.Marshal(e)
		return true, err
	}))
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

// changed makes this process read the list anew before its next use.
func (l *List) changed(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read = (time.Time{}); l.now != nil {
		l.now.stale = true
	}
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

var errZero = fail.Named("revoke: the zero List can't be used: make one with In, and a store")

func (l *List) made() error {
	if l == nil || l.store == nil {
		return &fail.Error{Kind: fail.Denied, Err: errZero}
	}
	return nil
}
