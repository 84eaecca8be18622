package sqlast

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// maxIdent is Postgres's limit. It cuts longer names silently, and two names
// that differ after it would be one.
const maxIdent = 63

// checkIdent refuses what quoting can't make safe: a NUL ends the statement for
// SQLite's C interface, bytes that are no UTF-8 may be read as other ones, and
// squirrel takes a question mark for a placeholder even between quotes.
func checkIdent(name string) error {
	switch {
	case name == "":
		return errors.New("a name is missing")
	case len(name) > maxIdent:
		return errors.New("a name is longer than 63 bytes")
	case !utf8.ValidString(name):
		return errors.New("a name is not UTF-8")
	case strings.ContainsAny(name, "\x00?"):
		return errors.New("a name contains NUL or a question mark")
	}
	return nil
}

// checkOutput refuses also what SQLite renames: an output "true" or "false" of a
// derived table becomes "column1", and what was called that becomes another.
func checkOutput(name string) error {
	if f := Fold(name); f == "true" || f == "false" {
		return errors.New("an output is called true or false")
	}
	return checkIdent(name)
}

// Quote returns a checked name as a delimited identifier. Always: an unquoted
// name is a keyword, a literal or another case of itself on one engine or other.
func Quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Fold maps names to one that SQLite holds equal: it ignores the case of ASCII
// letters, between quotes too.
func Fold(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
