// Package sealed says how large the values are that programs are shown sealed: for limits each counts as much as its column or field may
// take, whatever it holds, and what is larger does not leave. A visible size would reveal a value that a program may not read.
package sealed

import (
	"github.com/exoagent/exoagent/exo/value"
)

// Most is the most that a value can be said to take: what is larger meets other limits, by which its size would show.
const Most = 512 << 10

// TooLarge stands in the place of a text that is larger than it may be.
const TooLarge = "[too large]"

// Size is what a value of a type takes where nothing is said.
func Size(typ string) int {
	switch typ {
	case value.TypeBool, value.TypeInt, value.TypeFloat, value.TypeTime, value.TypeDate, value.TypeUUID:
		return 64
	}
	return 1 << 10
}

// Fit is v, or what stands for a value that takes more than most, or, the zero Value, that can't be read.
func Fit(v value.Value, most int) value.Value {
	switch {
	case v.IsZero():
		return value.Null()
	case v.Bytes() <= most+value.TextBytes(0):
		return v
	case v.Type() == value.TypeText:
		return value.Text(TooLarge)
	}
	return value.Null()
}
