package agent

import (
	"fmt"
	"strings"
)

// APIKey is a secret that endpoints get. Its text never appears when an APIKey is printed or
// encoded, even as an unexported field of another type: it is in a function, which prints as an
// address.
type APIKey struct{ text func() string }

// NewAPIKey makes a key. An empty text is no key. NewAPIKey removes spaces around the text, since a header
// drops them: with spaces, the key would not be found where an endpoint quotes it.
func NewAPIKey(text string) APIKey {
	if text = strings.TrimSpace(text); text == "" {
		return APIKey{}
	}
	return APIKey{func() string { return text }}
}

// Reveal returns the key's text, or "" if there is no key. Use it for the header of a request, and to
// find the key in texts that must not contain it.
func (k APIKey) Reveal() string {
	if k.text == nil {
		return ""
	}
	return k.text()
}

// IsZero reports whether there is no key.
func (k APIKey) IsZero() bool { return k.text == nil }

// String reveals only whether there is a key.
func (k APIKey) String() string {
	if k.IsZero() {
		return "no key"
	}
	return "[key]"
}

// Format writes the text of String for every verb and flag.
func (k APIKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// MarshalText returns the text of String, for JSON, slog and flags.
func (k APIKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
