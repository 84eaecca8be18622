package agent

import (
	"fmt"
	"strings"
)

// APIKey is a secret that endpoints get. However an APIKey is
// printed or encoded, also as an unexported field of another type,
// its text does not appear, because a function prints as an address.
type APIKey struct{ text func() string }

// NewAPIKey makes a key. An empty text is no key. It removes space around the text: a header
// drops the space, and a key with space would not be found in what the endpoint quotes.
func NewAPIKey(text string) APIKey {
	if text = strings.TrimSpace(text); text == "" {
		return APIKey{}
	}
	return APIKey{func() string { return text }}
}

// Reveal returns the key's text: for the header of a
// request, and to find it in texts that must not have it.
func (k APIKey) Reveal() string {
	if k.text == nil {
		return ""
	}
	return k.text()
}

// IsZero reports whether there is no key.
func (k APIKey) IsZero() bool { return k.text == nil }

// String says only whether there is a key.
func (k APIKey) String() string {
	if k.IsZero() {
		return "no key"
	}
	return "[key]"
}

// Format does the same as String for every verb and flag.
func (k APIKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// MarshalText does the same as String, for JSON, slog and flags.
func (k APIKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
