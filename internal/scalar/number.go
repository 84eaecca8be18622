package scalar

import (
	"slices"
	"strings"
)

// SafeInteger is the largest integer that a JavaScript number holds exactly.
// Larger ones leave as decimal text, so that no digit is lost on the way.
const SafeInteger = 1<<53 - 1

// Wide reports whether a text is the digits of a whole number beyond that, as programs are shown one.
func Wide(s string) bool {
	d := strings.TrimPrefix(s, "-")
	return (len(d) > 16 || len(d) == 16 && d > "9007199254740991") && d[0] != '0' && strings.Trim(d, "0123456789") == ""
}

// NumberRank orders the types of numbers: each holds those before it. It is zero
// for a type that is none.
func NumberRank(typ string) int {
	return 1 + slices.Index([]string{"int", "float", "decimal"}, typ)
}

// ListClass is the number of placeholders that a list of n items is planned
// for: the next power of two, so that a few plans serve all lengths. Whoever
// binds repeats the last item.
func ListClass(n int) int {
	if n == 0 {
		return 0
	}
	c := 1
	for c < n {
		c *= 2
	}
	return c
}
