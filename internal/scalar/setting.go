package scalar

import (
	"strings"
	"time"
)

// Positive is n, or what stands for a number that was not given or means nothing.
func Positive[N int | int64 | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// Each is f of each item of a list.
func Each[T, U any](list []T, f func(T) U) (out []U) {
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

// Words is the set of words of a text.
func Words(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// Camel is the name of a column in programs, unless it is given another.
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

// WithoutSlashes is the right form of a URL of SQLite whose path is behind two slashes, as other tools write it; "" for another URL.
func WithoutSlashes(url string) string {
	path, ok := strings.CutPrefix(url, "sqlite://")
	if !ok || strings.HasPrefix(path, "/") {
		return ""
	}
	return "sqlite:" + path + ", or sqlite:/" + path + " for a path from the root"
}
