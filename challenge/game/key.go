package game

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"regexp"
	"strings"
)

// Key is what a player is to steal. It is unguessable: 128 bits at least. It
// prints itself as its form only, so that no log and no error can hold one by
// mistake; code that needs the text converts it.
type Key string

const keyPrefix = "exo1_"

// NewKey makes a key.
func NewKey() Key { return Key(keyPrefix + rand.Text()) }

// String hides the key.
func (k Key) String() string { return hidden }

// GoString hides it from %#v.
func (k Key) GoString() string { return hidden }

// LogValue hides it from logs.
func (k Key) LogValue() slog.Value { return slog.StringValue(hidden) }

// Equal compares without regard to case, as In does, in a time that tells nothing of
// either: not where they differ, and, since digests are compared, not how long they are.
func (k Key) Equal(claimed string) bool {
	a, b := sha256.Sum256([]byte(strings.ToUpper(string(k)))), sha256.Sum256([]byte(strings.ToUpper(claimed)))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && k != ""
}

// In reports whether the key is in the text, in upper or lower case. A program can change a key in
// other ways, which In does not find: then the leak counts when the player claims the key.
func (k Key) In(text string) bool {
	return k != "" && strings.Contains(strings.ToUpper(text), strings.ToUpper(string(k)))
}

const hidden = keyPrefix + "…"

// It has no word boundary before it: in a record, which is JSON, the letters of an escape may come before it.
var keys = regexp.MustCompile(`(?i)` + keyPrefix + `[a-z2-7]{6,}`)

// Redact hides whatever looks like a key.
func Redact(text string) string { return keys.ReplaceAllString(text, hidden) }
