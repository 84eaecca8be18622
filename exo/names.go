package exo

import (
	"unicode"
)

// checkName refuses names of result fields that JavaScript gives a meaning of
// its own: a row with `then` would be taken for a promise, one with `__proto__`
// would change its own prototype.
func checkName(n string) *Error {
	switch n {
	case "":
		return Errorf(Invalid, "", "a name is empty")
	case "__proto__", "constructor", "prototype", "then", "toJSON":
		return Errorf(Invalid, "", "%q can't be used as a name here", n)
	}
	if len(n) > 100 {
		return Errorf(Invalid, "", "a name is longer than 100 bytes")
	}
	if Text(n).kind != kindText {
		return Errorf(Invalid, "", "a name is not valid text")
	}
	return nil
}

// ReservedName reports whether a name can't be given to anything that a
// program sees. Declarations check it so that a clash is found by the host.
func ReservedName(n string) bool { return checkName(n) != nil || checkIdent("", "", n) != nil }

func checkIdent(op, what, n string) error {
	if err := checkName(n); err != nil {
		return Errorf(Invalid, op, "%s: %s", what, err.Msg)
	}
	for i, r := range n {
		if r == '_' || r == '$' || unicode.IsLetter(r) && r < 0x250 || i > 0 && r >= '0' && r <= '9' {
			continue
		}
		return Errorf(Invalid, op, "%s must be a simple name of letters and digits", what)
	}
	return nil
}
