package scalar

import (
	"slices"
	"strings"
)

// SafeInteger is the largest integer up to which JavaScript's numbers are exact. Larger integers leave as decimal text, so that they lose no
// digit.
const SafeInteger = 1<<53 - 1

// Wide reports whether a text has the digits of a whole number beyond SafeInteger, in the form for programs.
func Wide(s string) bool {
	d := strings.TrimPrefix(s, "-")
	return (len(d) > 16 || len(d) == 16 && d > "9007199254740991") && d[0] != '0' && strings.Trim(d, "0123456789") == ""
}

// NumberRank orders the types of numbers: each type can represent the values of all types with a lower rank. The rank of other types is 0.
func NumberRank(typ string) int {
	return 1 + slices.Index([]string{"int", "float", "decimal"}, typ)
}

// ListClass returns the number of placeholders in the plan for a list of n items: the next power of two, so that few plans serve all lengths.
// Binding repeats the last item.
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
