package scalar

import (
	"cmp"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// MaxDigits bounds a decimal's digits, before the point and after it.
const MaxDigits = 1000

// Canonical returns the canonical text of a value of a type: "decimal", "date", "interval", "uuid" or "bytes", in package exo's names. Each
// value has only one canonical text. So on every engine a value that a program read finds the row that has it. ok is false if the text is no
// such value.
func Canonical(typ, s string) (text string, ok bool) {
	switch typ {
	case "decimal":
		return canonicalDecimal(s)
	case "date":
		t, err := time.Parse(time.DateOnly, s)
		return s, err == nil && t.Year() >= 1
	case "interval":
		i, ok := ParseInterval(s)
		return i.String(), ok
	case "uuid":
		return canonicalUUID(s)
	case "bytes":
		b, err := base64.StdEncoding.Strict().DecodeString(s)
		return base64.StdEncoding.EncodeToString(b), err == nil
	}
	return "", false
}

// canonicalDecimal writes a decimal without an exponent, a plus, and zeros at both ends. It returns false for another text, and beyond MaxDigits.
func canonicalDecimal(s string) (string, bool) {
	if len(s) > 2*MaxDigits+8 {
		return "", false
	}
	rest, minus := strings.CutPrefix(s, "-")
	if !minus {
		rest = strings.TrimPrefix(rest, "+")
	}
	exp := 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		var err error
		if exp, err = strconv.Atoi(rest[i+1:]); err != nil || exp > MaxDigits || exp < -MaxDigits {
			return "", false
		}
		rest = rest[:i]
	}
	whole, frac, point := strings.Cut(rest, ".")
	if whole+frac == "" || point && frac == "" || strings.Trim(whole+frac, "0123456789") != "" {
		return "", false
	}
	digits, at := whole+frac, len(whole)+exp
	if at < 0 {
		digits, at = strings.Repeat("0", -at)+digits, 0
	}
	if at > len(digits) {
		digits += strings.Repeat("0", at-len(digits))
	}
	whole, frac = strings.TrimLeft(digits[:at], "0"), strings.TrimRight(digits[at:], "0")
	if len(whole) > MaxDigits || len(frac) > MaxDigits {
		return "", false
	}
	whole = cmp.Or(whole, "0")
	if frac != "" {
		whole += "." + frac
	}
	if minus && whole != "0" {
		whole = "-" + whole
	}
	return whole, true
}

func canonicalUUID(s string) (string, bool) {
	if len(s) != 36 {
		return "", false
	}
	s = strings.ToLower(s)
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return "", false
			}
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f':
		default:
			return "", false
		}
	}
	return s, true
}
