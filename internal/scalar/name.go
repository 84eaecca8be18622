package scalar

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// BadName returns why a field of a result can't have the name n, or "". JavaScript gives some names a meaning: a row with "then" would look
// like a promise, and a row with "__proto__" would change its prototype.
func BadName(n string) string {
	switch n {
	case "":
		return "a name is empty"
	case "__proto__", "constructor", "prototype", "then", "toJSON":
		return fmt.Sprintf("%q can't be used as a name here, because JavaScript gives it a meaning", n)
	}
	if len(n) > 100 {
		return "a name is longer than 100 bytes"
	}
	if !utf8.ValidString(n) || strings.IndexByte(n, 0) >= 0 {
		return "a name has a NUL character, or is not valid UTF-8"
	}
	return ""
}

// Simple reports whether n has only letters, digits, '_' and '$', and does not begin with a digit.
func Simple(n string) bool {
	for i, r := range n {
		if r == '_' || r == '$' || unicode.IsLetter(r) && r < 0x250 || i > 0 && r >= '0' && r <= '9' {
			continue
		}
		return false
	}
	return true
}

// ReservedName reports whether nothing that a program sees may have this name. Declarations check that, so that the host finds the clash
// before a program does.
func ReservedName(n string) bool { return BadName(n) != "" || !Simple(n) }

// GrantName returns why no grant may have this name, or nil.
func GrantName(n string) error {
	if ReservedName(n) || n == "api" {
		return fmt.Errorf("%q can't be the name of a grant: want at most 100 bytes of Latin letters, digits, _ and $, no digit first. Six names have another meaning: then, toJSON, constructor, prototype, __proto__, api", n)
	}
	return nil
}

// Keywords are the words that can't name a variable, in JavaScript or in TypeScript that is erased, each between spaces.
const Keywords = " break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield let static await async arguments eval implements interface package private protected public "

// Keyword reports whether a program can't have a variable with the name n. Fields and methods may have it.
func Keyword(n string) bool { return strings.Contains(Keywords, " "+n+" ") }
