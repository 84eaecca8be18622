package agent

import (
	"fmt"
	"strings"
)

// APIKey is a secret that endpoints are shown. However it is printed or encoded, also
// as an unexported field of another type, its text does not come out: a function
// prints as an address.
type APIKey struct{ text func() string }

// NewAPIKey makes a key. The empty text is no key. Space around it is not part of it:
// a header drops that, and what an endpoint then quotes would not be found as the key.
func NewAPIKey(text string) APIKey {
	if text = strings.TrimSpace(text); text == "" {
		return APIKey{}
	}
	return APIKey{func() string { return text }}
}

// Reveal is the key's text: for the header of a request, and for finding it in
// what must not show it.
func (k APIKey) Reveal() string {
	if k.text == nil {
		return ""
	}
	return k.text()
}

// IsZero reports whether there is no key.
func (k APIKey) IsZero() bool { return k.text == nil }

// String says whether there is a key.
func (k APIKey) String() string {
	if k.IsZero() {
		return "no key"
	}
	return "[key]"
}

// Format is String for every verb and flag.
func (k APIKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.String()) }

// MarshalText is String: for JSON, slog and flags.
func (k APIKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
