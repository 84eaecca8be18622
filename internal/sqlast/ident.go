package sqlast

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/sqlname"
)

// maxIdent is Postgres's limit. It cuts longer names silently, and two names
// that differ after it would be one.
const maxIdent = 63

// mark is what a question mark in a name is until the statement is whole: squirrel takes one for a placeholder even between quotes.
const mark = "\u2426"

// quote is a name as a delimited identifier, with marks.
func quote(name string) string { return sqlname.Quote(strings.ReplaceAll(name, "?", mark)) }

// checkIdent refuses what quoting can't make safe: a NUL ends the statement for SQLite's C interface, bytes that are no UTF-8 may be read as
// other ones, and a mark would become a question mark.
func checkIdent(name string) error {
	switch {
	case name == "":
		return errors.New("a name is missing")
	case len(name) > maxIdent:
		return errors.New("a name is longer than 63 bytes")
	case !utf8.ValidString(name):
		return errors.New("a name is not UTF-8")
	case strings.ContainsAny(name, "\x00"+mark):
		return errors.New("a name contains NUL or the sign " + mark)
	}
	return nil
}

// checkTable is checkIdent of a table's name, without the schema with which it may begin, and of that if it is not empty.
func checkTable(schema, table string) error {
	if schema == "" {
		return checkIdent(table)
	}
	return errors.Join(checkIdent(schema), checkIdent(strings.TrimPrefix(table, schema+".")))
}

// checkOutput refuses also what SQLite renames: an output "true" or "false" of a
// derived table becomes "column1", and what was called that becomes another.
func checkOutput(name string) error {
	if f := Fold(name); f == "true" || f == "false" {
		return errors.New("an output is called true or false")
	}
	return checkIdent(name)
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
