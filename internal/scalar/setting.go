package scalar

import (
	"strings"
	"time"
)

// Positive returns n, or otherwise if n is not positive, which means that no number was given.
func Positive[N int | int64 | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// Default gives a setting its default if the setting is not positive.
func Default[N int | int64 | time.Duration](p *N, d N) { *p = Positive(*p, d) }

// Each applies f to each item of a list.
func Each[T, U any](list []T, f func(T) U) (out []U) {
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

// Words returns the set of words in a text.
func Words(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// Camel returns the name of a column in programs. The host may choose another name.
func Camel(s string) string {
	parts := strings.Split(s, "_")
	out := parts[0]
	for _, p := range parts[1:] {
		if p != "" {
			out += strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return out
}

// WithoutSlashes returns the right form of an SQLite URL that has two slashes before its path, as other tools write it. It returns "" for
// another URL.
func WithoutSlashes(url string) string {
	path, ok := strings.CutPrefix(url, "sqlite://")
	if !ok || strings.HasPrefix(path, "/") {
		return ""
	}
	return "sqlite:" + path + ", or sqlite:/" + path + " for a path from the root"
}
