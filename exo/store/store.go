package store

import (
	"bytes"
	"cmp"
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

// Store maps keys to values. Several goroutines may use one at the same time. The zero value of each implementation, and a nil pointer to it, fail with
// ErrClosed.
type Store interface {
	// Get returns the entry under a key. Its Version is Absent if there is none.
	Get(ctx context.Context, key string) (Entry, error)
	// Put replaces the entry under e.Key if its version is e.Version. If e.Version is Absent, Put adds an entry if there is none.
	// Otherwise it fails with ErrConflict. It returns the new version, which no entry has had before, even when it fails with ErrUnknown.
	Put(ctx context.Context, e Entry) (Version, error)
	// Delete removes the entry under key if its version is v. Otherwise, or if there is no entry, it fails with ErrConflict.
	Delete(ctx context.Context, key string, v Version) error
	// List returns a page of the entries with keys that begin with prefix and follow the key after, in the order of the keys' bytes. A page has no
	// more entries than most (1 to MaxList), and fewer if their values exceed MaxListBytes. It has at least one entry, unless none is left. Each page
	// shows the store at one moment, but two pages show different moments. See All.
	List(ctx context.Context, prefix, after string, most int) ([]Entry, error)
	// Sweep removes the entries that have ended, and returns how many it removed.
	Sweep(ctx context.Context) (int, error)
	// Close closes the store. Every later operation fails with ErrClosed. A second Close does nothing.
	Close() error
}

// Version identifies one value of an entry. It is random, so an entry that is removed and put again gets another version.
type Version string

// Absent is the version of an entry that does not exist.
const Absent Version = ""

// Entry is a value with its key.
type Entry struct {
	Key     string
	Value   []byte // one JSON value, which is stored without white space
	Version Version
	Until   time.Time // the time when the entry ends; zero: never
}

// These limit the bytes of entries, and what one List returns.
const (
	MaxKey       = 1 << 10
	MaxValue     = 1 << 20
	MaxList      = 1000    // most entries of one List
	MaxListBytes = 8 << 20 // most bytes of their values
)

// Callers handle these errors. An error that wraps one of them names the entry, the fault and the right form.
var (
	ErrConflict = errors.New("store: the entry has another version") // read the entry again and decide anew, as Update does
	ErrInvalid  = errors.New("store: invalid")                       // no store accepts the key, value, end, list, table name or URL
	ErrTooLarge = errors.New("store: this is too large")
	ErrInUse    = errors.New("store: the folder is in use") // another process, or this one, already has the folder open
	ErrUnknown  = errors.New("store: it is not known whether this change happened")
	ErrDamaged  = errors.New("store: the entry can't be read")
	ErrClosed   = errors.New("store: this store is closed, or was never opened: open it, and check the error")
)

// Live reports whether e exists at time now: it has a version and has not ended.
func (e Entry) Live(now time.Time) bool {
	return e.Version != Absent && (e.Until.IsZero() || now.Before(e.Until))
}

// Checked returns e in the form that a store keeps, or an error if no store accepts it. It is for implementations of Store.
func (e Entry) Checked() (Entry, error) {
	if err := CheckKey(e.Key, 1); err != nil {
		return e, err
	}
	if n := len(e.Value); n > MaxValue {
		return e, fmt.Errorf("%w: the value of %.80q has %d bytes; want at most %d", ErrTooLarge, e.Key, n, MaxValue)
	}
	var b bytes.Buffer
	if !utf8.Valid(e.Value) {
		return e, fmt.Errorf("%w: the value of %.80q is not UTF-8", ErrInvalid, e.Key)
	}
	if err := json.Compact(&b, e.Value); err != nil {
		return e, fmt.Errorf("%w: the value of %.80q is not one value of JSON: %v", ErrInvalid, e.Key, err)
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

// CheckKey refuses a key that no store accepts. least is the least number of its bytes: 1 for a key, 0 for a prefix of keys. It is for implementations of Store.
func CheckKey(key string, least int) error {
	switch {
	case len(key) > MaxKey:
		return fmt.Errorf("%w: the key %.80q has %d bytes; want at most %d", ErrTooLarge, key, len(key), MaxKey)
	case len(key) < least || !utf8.ValidString(key) || strings.Contains(key, "\x00"):
		return fmt.Errorf("%w: the key %.80q; want 1 to %d bytes of UTF-8 without NUL", ErrInvalid, key, MaxKey)
	}
	return nil
}

// CheckList checks the arguments of List. It is for implementations of Store.
func CheckList(prefix, after string, most int) error {
	if most < 1 || most > MaxList {
		return fmt.Errorf("%w: a list of %d entries; want 1 to %d", ErrInvalid, most, MaxList)
	}
	return cmp.Or(CheckKey(prefix, 0), CheckKey(after, 0))
}

// NewVersion returns a version that no entry has. It is for implementations of Store.
func NewVersion() Version { return Version(rand.Text()) }

// Conflict returns an ErrConflict for a change that wants a version. It is for implementations of Store.
func Conflict(key string, want Version) error {
	if want == Absent {
		return fmt.Errorf("%w: %.80q exists already: read it, and give its version to Put", ErrConflict, key)
	}
	return fmt.Errorf("%w: %.80q has no version %.40s any more; read it again", ErrConflict, key, want)
}

// Update changes one entry, and tries again if another change came first. change gets the present entry (Version is Absent if there is none), and
// sets Value and Until, or returns false to leave the entry unchanged. It may be called several times.
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

// All returns every entry with a key that begins with prefix, page by page. It ends with the first error.
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

// Key joins one part or more to a key; not all may be empty. Parts may be any texts, even from outside: "labels", issuer, subject. Different
// parts give different keys. The key is readable: parts are joined by "/", with %, / and NUL escaped. A part with more than 400 bytes, or no
// UTF-8, is replaced by its SHA-256. So is a whole key with more than MaxKey bytes.
func Key(parts ...string) string {
	var key []string
	for _, p := range parts {
		out := escape.Replace(p)
		if len(out) > 400 || !utf8.ValidString(p) {
			out = fmt.Sprintf("%%x%x", sha256.Sum256([]byte(p))) // no escape begins with %x, so no other part gives this text
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
