package sqlast

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/exoagent/exoagent/internal/sqlname"
)

// maxIdent is Postgres's limit in bytes. Postgres silently cuts longer names, so two names could become one.
const maxIdent = 63

// mark replaces a question mark in a name until the statement is complete, because squirrel reads a question mark as a placeholder even between
// quotes.
const mark = "\u2426"

// quote writes a name as a delimited identifier, with marks for question marks.
func quote(name string) string { return sqlname.Quote(strings.ReplaceAll(name, "?", mark)) }

// checkIdent refuses names that quoting can't make safe. NUL ends the statement in SQLite's C interface, invalid UTF-8 may be read as other
// characters, and a mark would become a question mark.
func checkIdent(name string) error {
	switch {
	case name == "":
		return errors.New("a name in the statement is empty")
	case len(name) > maxIdent:
		return fmt.Errorf("the name %.70q is longer than %d bytes", name, maxIdent)
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %q is not valid UTF-8", name)
	case strings.ContainsAny(name, "\x00"+mark):
		return fmt.Errorf("the name %q contains NUL or the sign %s", name, mark)
	}
	return nil
}

// checkTable checks the name of a table without the schema that it may begin with. It checks the schema, too, unless that is empty.
func checkTable(schema, table string) error {
	if schema == "" {
		return checkIdent(table)
	}
	return errors.Join(checkIdent(schema), checkIdent(strings.TrimPrefix(table, schema+".")))
}

// checkOutput refuses names like checkIdent, and also names of outputs that SQLite changes. An output "true" or "false" of a derived table becomes
// "column1", and its name then means a constant.
func checkOutput(name string) error {
	if f := Fold(name); f == "true" || f == "false" {
		return errors.New("an output can't have the name true or false, which SQLite reads as a constant")
	}
	return checkIdent(name)
}

// Fold maps names that SQLite treats as equal to one name. SQLite ignores the case of ASCII letters, even between quotes.
func Fold(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
