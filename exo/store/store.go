package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"
)

// Store maps keys to values. Several goroutines may use one at the same time. The zero value of each implementation, and nil, refuse with ErrClosed.
type Store interface {
	// Get returns the entry under a key. Its Version is Absent if there is none.
	Get(ctx context.Context, key string) (Entry, error)
	// Put puts e in the place of the entry whose version is e.Version, or under a key without an entry if that is Absent. Otherwise it
	// fails with ErrConflict. It returns the new version, which no entry has had before, also with ErrUnknown.
	Put(ctx context.Context, e Entry) (Version, error)
	// Delete removes the entry under key whose version is v; it fails with ErrConflict where there is none with that version.
	Delete(ctx context.Context, key string, v Version) error
	// List returns entries in the order of their keys' bytes: those that begin with prefix and come after the key after. It returns at most the
	// first most of them, 1 to MaxList, and fewer where their values have more than MaxListBytes; at least one if there is any. It returns none
	// at the end. Each page is of one moment, two pages are not. See All.
	List(ctx context.Context, prefix, after string, most int) ([]Entry, error)
	// Sweep removes entries that have ended, and reports how many.
	Sweep(ctx context.Context) (int, error)
	// Close lets go of the store. Every later operation fails with ErrClosed; to close it again does nothing.
	Close() error
}

// Version names one value that an entry had. It is random, so that an entry that was removed and put again has another one.
type Version string

// Absent is the version of an entry that is not there.
const Absent Version = ""

// Entry is a value under a key.
type Entry struct {
	Key     string
	Value   []byte // one value of JSON; it is kept without white space
	Version Version
	Until   time.Time // when it ends; zero: never
}

// Bounds on entries, in bytes, and on what one List returns.
const (
	MaxKey       = 1 << 10
	MaxValue     = 1 << 20
	MaxList      = 1000    // entries
	MaxListBytes = 8 << 20 // of values
)

// Errors that callers act on. Each error says which entry, what was wrong and what would be right.
var (
	ErrConflict = errors.New("store: the entry has another version") // read it again and decide again, as Update does
	ErrInvalid  = errors.New("store: invalid")                       // a key, value, end, list, name or URL that no store takes
	ErrTooLarge = errors.New("store: this is too large")
	ErrInUse    = errors.New("store: it is in use") // the folder, by another process or in this one
	ErrUnknown  = errors.New("store: it is not known whether this change happened")
	ErrDamaged  = errors.New("store: the entry can't be read")
	ErrClosed   = errors.New("store: this store is closed, or was never opened: open it, and look at the error")
)

// Live reports whether e is there at a time: it has a version and has not ended.
func (e Entry) Live(now time.Time) bool {
	return e.Version != Absent && (e.Until.IsZero() || now.Before(e.Until))
}

// Checked returns e as a store keeps it, or why none does. It is for those who write a Store.
func (e Entry) Checked() (Entry, error) {
	if err := CheckKey(e.Key, 1); err != nil {
		return e, err
	}
	if n := len(e.Value); n > MaxValue {
		return e, fmt.Errorf("%w: the value of %.80q has %d bytes; want at most %d", ErrTooLarge, e.Key, n, MaxValue)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, e.Value); err != nil || !utf8.Valid(e.Value) {
		return e, fmt.Errorf("%w: the value of %.80q is not one value of JSON in UTF-8: %v", ErrInvalid, e.Key, err)
	}
	if e.Value = b.Bytes(); e.Until.IsZero() {
		return e, nil
	}
	up := e.Until.UTC().Add(time.Millisecond - 1).Truncate(time.Millisecond)
	if up.Year() < 1 || up.Year() > 9999 {
		return e, fmt.Errorf("%w: %.80q ends in the year %d; want 1 to 9999", ErrInvalid, e.Key, up.Year())
	}
	e.Until = up
	return e, nil
}

// CheckKey checks a key, or with least 0 the beginning of keys. It is for those who write a Store.
func CheckKey(key string, least int) error {
	switch {
	case len(key) > MaxKey:
		return fmt.Errorf("%w: the key %.80q has %d bytes; want at most %d", ErrTooLarge, key, len(key), MaxKey)
	case len(key) < least || !utf8.ValidString(key) || strings.Contains(key, "\x00"):
		return fmt.Errorf("%w: the key %.80q; want 1 to %d bytes of UTF-8 without NUL", ErrInvalid, key, MaxKey)
	}
	return nil
}

// CheckList checks the arguments of List. It is for those who write a Store.
func CheckList(prefix, after string, most int) error {
	if most < 1 || most > MaxList {
		return fmt.Errorf("%w: a list of %d entries; want 1 to %d", ErrInvalid, most, MaxList)
	}
	return errors.Join(CheckKey(prefix, 0), CheckKey(after, 0))
}

// NewVersion returns a version that no entry has. It is for those who write a Store.
func NewVersion() Version { return Version(rand.Text()) }

// Conflict returns the ErrConflict for a change under a version. It is for those who write a Store.
func Conflict(key string, want Version) error {
	if want == Absent {
		return fmt.Errorf("%w: %.80q is there already; read it, and put under its version", ErrConflict, key)
	}
	return fmt.Errorf("%w: %.80q has no version %.40s any more; read it again", ErrConflict, key, want)
}

// Update changes one entry, and tries again where another change came between. change gets the entry as it is (Version is Absent if there is none),
// sets Value and Until, and returns false to leave it. It may be called several times.
func Update(ctx context.Context, s Store, key string, change func(*Entry) (put bool, err error)) error {
	if s == nil {
		return ErrClosed
	}
	for {
		e, err := s.Get(ctx, key)
		if err != nil {
			return err
		}
		was := e.Version
		if put, err := change(&e); err != nil || !put {
			return err
		}
		e.Key, e.Version = key, was
		if _, err = s.Put(ctx, e); !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// All returns every entry whose key begins with prefix, page by page. It ends with the first error.
func All(ctx context.Context, s Store, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if s == nil {
			yield(Entry{}, ErrClosed)
			return
		}
		for after := ""; ; {
			page, err := s.List(ctx, prefix, after, MaxList)
			if err != nil {
				yield(Entry{}, err)
			}
			if err != nil || len(page) == 0 {
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
				after = e.Key
			}
		}
	}
}

// Key returns the key of one part or more, not all of them empty, that may be any texts, such as names from outside: "labels", issuer, subject. Different
// parts have different keys, and a person can read it: parts are joined by "/", and %, / and NUL in them are escaped. A part with more than 400 bytes, or
// not of UTF-8, is its SHA-256, and so is a whole key with more than MaxKey.
func Key(parts ...string) string {
	var key []string
	for _, p := range parts {
		out := escape.Replace(p)
		if len(out) > 400 || !utf8.ValidString(p) {
			out = fmt.Sprintf("%%x%x", sha256.Sum256([]byte(p))) // %x is no escape
		}
		key = append(key, out)
	}
	whole := strings.Join(key, "/")
	if len(whole) > MaxKey {
		return fmt.Sprintf("%%w%x", sha256.Sum256([]byte(whole)))
	}
	return whole
}

var escape = strings.NewReplacer("%", "%25", "/", "%2F", "\x00", "%00")
