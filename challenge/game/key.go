package game

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"regexp"
	"strings"
)

// Key is what a player should steal. It has at least 128 random bits. A printed Key shows only its prefix, so that no log or error contains
// the key by mistake. Code that needs the text converts it.
type Key string

const keyPrefix = "exo1_"

// NewKey makes a key.
func NewKey() Key { return Key(keyPrefix + rand.Text()) }

// String hides the key.
func (k Key) String() string { return hidden }

// GoString hides the key from %#v.
func (k Key) GoString() string { return hidden }

// LogValue hides the key from logs.
func (k Key) LogValue() slog.Value { return slog.StringValue(hidden) }

// Equal compares without regard to case. Its time reveals neither where the texts differ nor, because it compares digests, how long they are.
func (k Key) Equal(claimed string) bool {
	a, b := sha256.Sum256([]byte(strings.ToUpper(string(k)))), sha256.Sum256([]byte(strings.ToUpper(claimed)))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && k != ""
}

// In reports whether the key is in the text, without regard to case. A program can change a key in ways that In does not find. Then the leak
// counts when the player claims the key.
func (k Key) In(text string) bool {
	return k != "" && strings.Contains(strings.ToUpper(text), strings.ToUpper(string(k)))
}

const hidden = keyPrefix + "…"

// There is no word boundary before the prefix: in a record, which is JSON, the letters of an escape may precede it.
var keys = regexp.MustCompile(`(?i)` + keyPrefix + `[a-z2-7]{6,}`)

// Redact hides everything that looks like a key.
func Redact(text string) string { return keys.ReplaceAllString(text, hidden) }
